/** Describes the security schemes of the credentials, and the requirements of each operation. */
import { withArticle } from "../../base/case.ts";
import type { JsonObject } from "../../base/json.ts";
import { isTimed, usualToleranceSeconds } from "../../base/signature-schemes.ts";
import type { SentIn } from "../../language/authentication/model.ts";
import { headerOf, schemeOf } from "../../language/authentication/model.ts";
import type { AuthenticationPart, CredentialPlan, GrantPlan } from "../../plan/authentication/types.ts";
import type { EndpointsPart, Operation } from "../../plan/endpoints/types.ts";
import { expressionText } from "../expression-text.ts";

/** The tag of operations without a resource. */
export const serviceTag = "service";

export function securitySchemes(
  { credentials, operations }: EndpointsPart & AuthenticationPart,
  server: string,
): JsonObject {
  return Object.fromEntries(
    credentials.flatMap((one) =>
      one.sent.map((sentIn, index) => [
        schemeName(one.name, index),
        schemeWith(schemeIn(sentIn, one, operations, server), one.openapi),
      ]),
    ),
  );
}

/** Returns the scheme with the members that the document declares for it; a declared type replaces all but the description. */
function schemeWith(scheme: JsonObject, declared: JsonObject = {}): JsonObject {
  const texts = [declared, scheme].flatMap(({ description }) => (typeof description === "string" ? [description] : []));
  return { ...(declared["type"] === undefined ? scheme : {}), ...declared, description: texts.join("\n\n") };
}

/** Returns the name of a scheme: each place of a credential is one. */
function schemeName(credential: string, index: number): string {
  return index === 0 ? credential : `${credential}_${index + 1}`;
}

/** Returns the alternative requirements; an empty one, `{}`, means that no credential is needed. */
export function securityOf(plan: AuthenticationPart, { allow, inbound }: Operation): readonly JsonObject[] {
  if (inbound === undefined) return securityFor(plan, allow);
  const places = plan.credentials.find(({ name }) => name === inbound.credential)?.sent ?? [];
  return places.map((_, index) => ({ [schemeName(inbound.credential, index)]: [] }));
}

/** Returns the credentials of callers who can have one of these grants. */
export function securityFor({ credentials }: AuthenticationPart, allow: Operation["allow"]): readonly JsonObject[] {
  const open = allow.some(({ who }) => who.kind === "anyone");
  const usable = credentials.filter((credential) => canPass(credential, allow));
  const requirements = usable.flatMap((credential) =>
    credential.sent.flatMap((_, index) =>
      requirementsOf({ ...credential, name: schemeName(credential.name, index) }, allow),
    ),
  );
  if (open || requirements.length > 0 || credentials.length === 0) return [...(open ? [{}] : []), ...requirements];
  // Nobody may run the operation. In OpenAPI an empty list means that everybody may, so the strictest requirement is written:
  // all credentials at once.
  return [Object.fromEntries(credentials.map(({ name }) => [name, []]))];
}

/**
 * Returns the requirements of a credential: any scope that gives one of the roles suffices; if no role is required, any token
 * does.
 */
function requirementsOf(credential: CredentialPlan, allow: Operation["allow"]): readonly JsonObject[] {
  const { name, scopes, oauth, scopeRoles } = credential;
  if (scopeRoles !== undefined) {
    const needed = allow.flatMap((grant) => scopesFor(credential, grant) ?? []);
    return [...new Map(needed.map((one) => [one.join(" "), { [name]: [...scopes, ...one] }])).values()];
  }
  const roles = allow.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []));
  const isOpen = allow.some(({ who }) => who.kind !== "role" && who.unscoped !== true);
  if (oauth?.scopes === undefined || isOpen) return [{ [name]: scopes }];
  return Object.entries(oauth.scopes).flatMap(([scope, scopeRoles]) =>
    scopeRoles.some((role) => roles.includes(role)) ? [{ [name]: [scope] }] : [],
  );
}

/**
 * Returns the scopes, as the one item of a list, with which a token of another issuer passes a grant; undefined if no scope gives
 * one of the roles. A grant asks for further roles by its condition: `'reader' in caller.roles`.
 */
function scopesFor(
  { roles, scopeRoles = {} }: CredentialPlan,
  { who, if: condition }: GrantPlan,
): readonly [readonly string[]] | undefined {
  const text = condition === undefined ? "" : expressionText(condition);
  const further = [...text.matchAll(/'([^']+)' in caller\.roles/g)].map(([, role = ""]) => role);
  const wanted = [...(who.kind === "role" ? [who.role] : []), ...further];
  const held = roles.kind === "fixed" ? roles.roles : [];
  const scopes = wanted
    .filter((role) => !held.includes(role))
    .map((role) => Object.entries(scopeRoles).find(([, granted]) => granted.includes(role))?.[0]);
  return scopes.includes(undefined) ? undefined : [[...new Set(scopes as readonly string[])]];
}

/** Whether any caller with this credential can have one of the grants: its callers may have fixed roles. */
function canPass(credential: CredentialPlan, allow: Operation["allow"]): boolean {
  const { roles, scoped, scopeRoles } = credential;
  if (scopeRoles !== undefined) return allow.some((grant) => scopesFor(credential, grant) !== undefined);
  const passing = allow.filter(({ who }) => who.kind === "role" || who.unscoped !== true || scoped !== true);
  return passing.some(({ who }) => who.kind !== "role" || roles.kind !== "fixed" || roles.roles.includes(who.role));
}

function schemeIn(
  sentIn: SentIn,
  credential: CredentialPlan,
  operations: readonly Operation[],
  server: string,
): JsonObject {
  const { kind, oauth } = credential;
  const description = descriptionOf(sentIn, credential, operations);
  const isAuthorization = headerOf(sentIn)?.toLowerCase() === "authorization";
  const standard = isAuthorization ? schemeOf(sentIn)?.toLowerCase() : undefined;
  if (oauth !== undefined) {
    const scopes = Object.entries(oauth.scopes ?? {}).map(([scope, roles]) => [scope, `As ${roles.join(", ")}.`]);
    const flow = { tokenUrl: `${server}${oauth.token}`, scopes: Object.fromEntries(scopes) };
    const { users } = oauth;
    const renewal = users?.renewedMilliseconds === undefined ? {} : { refreshUrl: flow.tokenUrl };
    const code = users && { authorizationUrl: `${server}${users.authorize}`, ...flow, ...renewal };
    const flows = { clientCredentials: flow, ...(code === undefined ? {} : { authorizationCode: code }) };
    return { type: "oauth2", description, flows };
  }
  if (standard === "bearer") {
    return { type: "http", scheme: "bearer", ...(kind === "jwt" ? { bearerFormat: "JWT" } : {}), description };
  }
  if (standard === "basic") return { type: "http", scheme: "basic", description };
  const [place = "header", name = ""] = Object.entries(sentIn)[0] ?? [];
  return { type: "apiKey", in: place, name, description };
}

/** Returns how a credential is written in its place: `X-Key: pl_…`, `the cookie session=pl_…`. */
function writtenIn(sentIn: SentIn, text: string): string {
  if ("cookie" in sentIn) return `the cookie \`${sentIn.cookie}=${text}\``;
  if ("query" in sentIn) return `the parameter \`${sentIn.query}=${text}\``;
  return `\`${sentIn.header}: ${sentIn.scheme === undefined ? "" : `${sentIn.scheme} `}${text}\``;
}

function descriptionOf(sentIn: SentIn, credential: CredentialPlan, operations: readonly Operation[]): string {
  const { name, kind, prefix, lastsMilliseconds, login, oauth } = credential;
  const lifetime = lifetimeOf(lastsMilliseconds);
  switch (kind) {
    case "api-key":
      return `A key that starts with \`${prefix}\`, sent as ${writtenIn(sentIn, `${prefix}…`)}; valid ${lifetime}.${
        schemeOf(sentIn) === "Bearer" ? " Also accepted as the user of Basic with an empty password." : ""
      }`;
    case "password": {
      const by = (action: string) =>
        operations
          .filter((one) => one.action === action && one.session?.credential === name)
          .map((one) => `\`${one.name}\``);
      const renewing = by("renew");
      const renewed =
        renewing.length === 0
          ? ""
          : ` Renewed by ${renewing.join(" or ")}, ${lifetimeOf(login?.renewedMilliseconds)} at most.`;
      const ended = by("logout");
      const set = "cookie" in sentIn && sentIn.set !== undefined ? ", which the login sets" : "";
      const over = ended.length === 0 ? "" : ` Ended by ${ended.join(" or ")}.`;
      return `A token of a session, sent as ${writtenIn(sentIn, `${prefix}…`)}${set}; returned by ${by("login").join(" or ")}, valid ${lifetime}.${renewed}${over}`;
    }
    case "basic":
      if (login !== undefined)
        return `The \`${login.name}\` of ${withArticle(login.resource)}, and its \`${login.secret}\` as the password.`;
      return "A user's name, and a key of that user as the password.";
    case "oauth2":
      if (oauth !== undefined)
        return `A token that the service issues to its clients${oauth.users === undefined ? "" : ", for themselves or for users who authorize them"}; it is valid for at most an hour.`;
      return tokenDescription(sentIn, credential);
    case "jwt":
      return tokenDescription(sentIn, credential);
    case "hmac-sha256":
      return signatureDescription(sentIn, credential);
  }
}

/** Describes how requests are signed, and how long a signature is valid if it has a time. */
export function signatureDescription(
  sentIn: SentIn,
  { scheme, toleranceSeconds = usualToleranceSeconds }: CredentialPlan,
): string {
  const minutes = toleranceSeconds / 60;
  const time = Number.isInteger(minutes) ? counted(minutes, "minute") : counted(toleranceSeconds, "second");
  if (scheme === undefined)
    return `${writtenIn(sentIn, "t=<unix seconds>,v1=<hex>")}: the HMAC-SHA256 of time, method, target and body, a newline between them. Valid for ${time} and one use.`;
  const fields = Object.entries(scheme.headers).map(([name, template]) => `\`${name}: ${template}\``);
  const valid = isTimed(scheme) ? ` Valid for ${time}.` : "";
  return `A signature: the HMAC-SHA256 of \`${scheme.over}\`. The header fields are ${fields.join(", ")}.${valid}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function lifetimeOf(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "until it is revoked";
  const days = milliseconds / 86_400_000;
  return days < 1 ? `for ${Number((days * 24).toFixed(2))} hours` : `for ${Number(days.toFixed(2))} days`;
}

/** Describes a token that another server issues. */
function tokenDescription(sentIn: SentIn, { issuer, scopes }: CredentialPlan): string {
  return `A JSON Web Token${issuer === undefined ? "" : ` of ${issuer}`}, sent as ${writtenIn(sentIn, "…")}${scopes.length === 0 ? "" : `; it needs the scope ${scopes.join(" ")}`}.`;
}
