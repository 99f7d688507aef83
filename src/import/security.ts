/** Converts security schemes to credentials, and the requirements of operations to grants. */
import { uniqueName } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { sameGrant } from "../language/authentication/grants.ts";
import type { Credential, Grant } from "../language/authentication/model.ts";
import { below, entriesOf, type ImportNotices, textOf } from "./report.ts";
import { openapiOf } from "./openapi-members.ts";
import type { ImportedOperation } from "./operations.ts";
import type { Schemas } from "./schemas.ts";

export interface ImportedSecurity {
  readonly credentials: Readonly<Record<string, Credential>>;
  readonly roles?: readonly string[];
  readonly allow: Readonly<Record<string, readonly Grant[]>>;
  /** The paths of gaps, as in a model's `gaps`. */
  readonly gaps: readonly string[];
}

/** Returns the names of header fields, cookies and parameters in which clients send keys, in lower case. */
export function keyNamesOf(root: JsonObject): ReadonlySet<string> {
  return new Set(
    schemesOf(root).entries.flatMap(([, scheme]) =>
      isObject(scheme) && scheme["type"] === "apiKey" ? [textOf(scheme["name"]).toLowerCase()] : [],
    ),
  );
}

function schemesOf(root: JsonObject): { readonly at: string; readonly entries: ReturnType<typeof entriesOf> } {
  const { components } = root;
  return isObject(components)
    ? { at: "/components/securitySchemes", entries: entriesOf(components["securitySchemes"]) }
    : { at: "/securityDefinitions", entries: entriesOf(root["securityDefinitions"]) };
}

/** Imports the security of a description; undefined if the source declares none and Nonet serves none of its operations. */
export function securityOf(
  root: JsonObject,
  operations: readonly ImportedOperation[],
  schemas: Schemas,
  notices: ImportNotices,
  isServed: boolean,
): ImportedSecurity | undefined {
  const { at, entries: declared } = schemesOf(root);
  const requirements = operations.some(({ security = [] }) => security.length > 0);
  if (declared.length === 0 && !requirements && !isServed) return undefined;
  if (isServed && operations.every(({ security }) => security === undefined))
    notices.guessed("/paths", "that anyone may run the operations: the source declares no credentials for them");
  const gaps: string[] = ["authentication/own", "authentication/show", "authentication/unseen"];
  const credentials: Record<string, Credential> = {};
  const names = new Set<string>();
  const roles = new Set<string>(reservedRoles);
  const schemes = new Map<string, Scheme>();
  for (const [written, scheme] of declared) {
    const found = schemas.resolve(scheme, below(at, written));
    const credential = found && credentialOf(found.value, found.pointer, notices);
    if (credential === undefined) continue;
    const name = credentialName(written, names);
    if (name !== written)
      notices.renamed(
        below(at, written),
        "a credential by a name that a document cannot have",
        `${written} is ${name}`,
      );
    const { open, ...rest } = credential;
    const role = credentialName(name, roles);
    const hasScopes = rest.kind === "oauth2" || rest.kind === "jwt";
    const scopes = hasScopes ? scopesOf(written, role, found?.value ?? {}, operations, roles) : undefined;
    schemes.set(written, { credential: role, scopes });
    credentials[name] = {
      ...rest,
      ...schemeMembers(found?.value ?? {}),
      roles: [role],
      ...(scopes === undefined || scopes.size === 0
        ? {}
        : { scopeRoles: Object.fromEntries([...scopes].map(([scope, granted]) => [scope, [granted]])) }),
    };
    for (const member of [...open, "lasts", "revoked"]) gaps.push(`authentication/credentials/${name}/${member}`);
  }
  if (Object.keys(credentials).length === 0) gaps.push("authentication/credentials", "authentication/roles");
  const allow = operations
    .filter(({ endpoint }) => endpoint !== undefined)
    .map((operation): [string, readonly Grant[]] => [operation.name, grantsOf(operation, schemes, notices)]);
  const text = JSON.stringify(allow);
  const used = [...schemes.values()]
    .flatMap(({ credential, scopes }) => [credential, ...(scopes?.values() ?? [])])
    .filter((role) => text.includes(`"${role}"`) || text.includes(`'${role}'`));
  return {
    credentials: Object.fromEntries(
      Object.entries(credentials).map(([name, credential]) => [name, withRoles(credential, used)]),
    ),
    ...(Object.keys(credentials).length === 0 ? {} : { roles: used }),
    allow: Object.fromEntries(allow),
    gaps,
  };
}

/** Returns the credential with only those roles that some operation requires. */
function withRoles({ roles, scopeRoles = {}, ...rest }: Credential, used: readonly string[]): Credential {
  const scopes = Object.entries(scopeRoles).filter(([, granted]) => granted.some((role) => used.includes(role)));
  return {
    ...rest,
    roles: Array.isArray(roles) ? roles.filter((role: string) => used.includes(role)) : [],
    ...(scopes.length === 0 ? {} : { scopeRoles: Object.fromEntries(scopes) }),
  };
}

/** Keywords of the language, which cannot name a role. */
const reservedRoles = ["signed-in", "any-scope", "anyone", "none"];

function credentialName(written: string, names: Set<string>): string {
  return uniqueName(names, written.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+/, "") || "credential");
}

/** A security scheme with the names of its roles, for requirements that name it. */
interface Scheme {
  readonly credential: string;
  /** The role of each scope; undefined for a scheme without scopes. */
  readonly scopes: ReadonlyMap<string, string> | undefined;
}

/**
 * Converts each alternative requirement of an operation to a grant: for the role of all callers of a scheme, or of its scopes.
 * Omits unsupported alternatives, which denies them: an import never grants more than its source.
 */
function grantsOf(
  { security, pointer }: ImportedOperation,
  schemes: ReadonlyMap<string, Scheme>,
  notices: ImportNotices,
): readonly Grant[] {
  if (security === undefined || security.length === 0) return [{ who: { kind: "anyone" } }];
  const grants = security.flatMap((alternative, index): readonly Grant[] => {
    const grant = grantOf(alternative, schemes);
    if (typeof grant !== "string") return [grant];
    notices.lost(below(pointer, "security", index), `${grant}: nobody is let in by it`, textOfJson(alternative));
    return [];
  });
  // A grant for `anyone` includes all other grants, so it replaces them.
  const open = grants.find(({ who }) => who.kind === "anyone");
  if (open !== undefined) return [open];
  return grants.filter((grant, index) => grants.findIndex((other) => sameGrant(other, grant)) === index);
}

/** Returns the grant, or the reason why there is none. */
function grantOf(alternative: Json, schemes: ReadonlyMap<string, Scheme>): Grant | string {
  if (!isObject(alternative)) return "what an operation asks for that is no security requirement";
  const requirements = Object.entries(alternative);
  const [first, ...others] = requirements;
  if (first === undefined) return { who: { kind: "anyone" } };
  if (others.length > 0) return "that an operation asks for several credentials at once";
  const [written, declared] = first;
  const scheme = schemes.get(written);
  if (scheme === undefined) return "that an operation asks for a credential that the source does not describe";
  const scopes = declared === null ? [] : declared;
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === "string"))
    return "what an operation asks for that is no security requirement";
  const roles = (scopes as readonly string[]).map((scope) => scheme.scopes?.get(scope));
  const [role = scheme.credential, ...more] = roles;
  if (roles.includes(undefined)) return "the scopes of a credential that has none";
  // A requirement needs all of its scopes, but a grant names one role: the other roles go into its condition.
  const all = [...new Set(more)].filter((one) => one !== role).map((one) => `'${one}' in caller.roles`);
  return { who: { kind: "role", role }, ...(all.length === 0 ? {} : { if: all.join(" && ") }) };
}

function textOfJson(value: Json): string {
  return JSON.stringify(value);
}

/** Returns the scopes that a scheme declares and operations require, each with a unique role name. */
function scopesOf(
  written: string,
  credential: string,
  scheme: JsonObject,
  operations: readonly ImportedOperation[],
  roles: Set<string>,
): ReadonlyMap<string, string> {
  const flows = isObject(scheme["flows"]) ? Object.values(scheme["flows"]) : [scheme];
  const listed = flows.flatMap((flow) => (isObject(flow) ? entriesOf(flow["scopes"]).map(([scope]) => scope) : []));
  const requirements = operations.flatMap(({ security = [] }) =>
    security.flatMap((one) => {
      const scopes = isObject(one) && Object.hasOwn(one, written) ? one[written] : undefined;
      return Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [];
    }),
  );
  // Scopes in a token are separated by spaces (RFC 6749 section 3.3).
  const scopes = [...new Set([...listed, ...requirements])].filter((scope) =>
    /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope),
  );
  return new Map(scopes.map((scope) => [scope, credentialName(`${credential}-${scope}`, roles)]));
}

interface Opened extends Credential {
  /** The members that the source does not declare, which become gaps. */
  readonly open: readonly string[];
}

function credentialOf(scheme: JsonObject, pointer: string, notices: ImportNotices): Opened | undefined {
  const { type, name } = scheme;
  switch (type) {
    case "apiKey":
      if (scheme["in"] === "header" && typeof name === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(name))
        return { kind: "api-key", sent: [{ header: name }], open: ["obtained"] };
      if (
        typeof name === "string" &&
        /^[\w.~-]+$/.test(name) &&
        (scheme["in"] === "cookie" || scheme["in"] === "query")
      )
        return {
          kind: "api-key",
          sent: [scheme["in"] === "cookie" ? { cookie: name } : { query: name }],
          open: ["obtained"],
        };
      notices.lost(pointer, "a place of a key that a document cannot name", `${textOf(scheme["in"])} ${textOf(name)}`);
      return { kind: "api-key", open: ["obtained", "sent"] };
    case "basic":
      return { kind: "basic", open: ["obtained"] };
    case "http":
      return httpCredential(scheme, pointer, notices);
    case "oauth2":
      return {
        kind: "oauth2",
        foreign: true,
        ...obtained(scheme),
        open: obtained(scheme).obtained === undefined ? ["obtained", "issuer"] : ["issuer"],
      };
    case "openIdConnect":
      return openIdCredential(scheme);
    default:
      notices.lost(pointer, "a security scheme that the language does not have", textOf(type));
      return undefined;
  }
}

/** Returns the members of a security scheme that no member of a credential says. */
function schemeMembers(scheme: JsonObject): { readonly openapi?: JsonObject } {
  const { type } = scheme;
  switch (type) {
    case "apiKey":
      return openapiOf(scheme, new Set(["type", "in", "name"]));
    case "basic":
      return openapiOf(scheme, new Set(["type"]));
    case "http": {
      const isOrdinary = /^(?:basic|bearer)$/i.test(textOf(scheme["scheme"]));
      return openapiOf(scheme, new Set(isOrdinary ? ["type", "scheme"] : []));
    }
    case "oauth2":
      return isObject(scheme["flows"]) ? openapiOf(scheme, new Set()) : swaggerFlow(scheme);
    default:
      return openapiOf(scheme, new Set());
  }
}

/** Returns the OAuth flow of Swagger 2 as OpenAPI 3 writes it. */
function swaggerFlow(scheme: JsonObject): { readonly openapi?: JsonObject } {
  const names: Readonly<Record<string, string>> = { accessCode: "authorizationCode", application: "clientCredentials" };
  const { flow, authorizationUrl, tokenUrl, scopes = {}, ...rest } = scheme;
  const name = textOf(flow);
  const described = { ...(authorizationUrl && { authorizationUrl }), ...(tokenUrl && { tokenUrl }), scopes };
  return { openapi: { ...rest, flows: { [names[name] ?? name]: described } } };
}

function httpCredential(scheme: JsonObject, pointer: string, notices: ImportNotices): Opened {
  const written = textOf(scheme["scheme"]);
  const lower = written.toLowerCase();
  if (lower === "basic") return { kind: "basic", open: ["obtained"] };
  if (lower === "bearer" && /jwt/i.test(textOf(scheme["bearerFormat"])))
    return { kind: "jwt", open: ["obtained", "issuer"] };
  notices.guessed(pointer, "that a token whose format is not said is a key of the service's own", written);
  const sent =
    /^[A-Za-z][\w-]*$/.test(written) && lower !== "bearer"
      ? { sent: [{ header: "Authorization", scheme: written }] }
      : {};
  return { kind: "api-key", ...sent, open: ["obtained"] };
}

function openIdCredential(scheme: JsonObject): Opened {
  const url = textOf(scheme["openIdConnectUrl"]);
  const issuer = /^(https:\/\/.+)\/\.well-known\/openid-configuration$/.exec(url)?.[1];
  return issuer === undefined
    ? { kind: "jwt", open: ["obtained", "issuer"] }
    : { kind: "jwt", issuer, open: ["obtained"] };
}

/** Returns the URLs of the OAuth flows as the description of how to obtain a token. */
function obtained(scheme: JsonObject): { readonly obtained?: string } {
  const flows = isObject(scheme["flows"])
    ? Object.entries(scheme["flows"])
    : [[textOf(scheme["flow"]), scheme] as const];
  const notices = flows.flatMap(([flow, value]): readonly string[] => {
    if (!isObject(value)) return [];
    const addresses = ["authorizationUrl", "tokenUrl", "refreshUrl"].flatMap((key) =>
      typeof value[key] === "string" && value[key].trim() !== "" ? [`${key} ${value[key].trim()}`] : [],
    );
    return addresses.length === 0 ? [] : [`${flow}: ${addresses.join(" and ")}`];
  });
  return notices.length === 0 ? {} : { obtained: notices.join("; ").replaceAll(/\s+/g, " ") };
}
