/** Security schemes of the credentials, and what each operation asks for. */
import type { JsonObject } from "../../base/json.ts";
import type { CredentialPlan, Operation, Plan } from "../../plan/plan.ts";

export function securitySchemes({ credentials }: Plan): JsonObject {
  return Object.fromEntries(credentials.map((credential) => [credential.name, schemeOf(credential)]));
}

/** Alternatives; `{}` among them: no credential is needed. */
export function securityOf(plan: Plan, { allow, inbound }: Operation): readonly JsonObject[] {
  return inbound === undefined ? securityFor(plan, allow) : [{ [inbound.credential]: [] }];
}

/** What those send whom one of these grants lets do something. */
export function securityFor({ credentials }: Plan, allow: Operation["allow"]): readonly JsonObject[] {
  const open = allow.some(({ who }) => who.kind === "anyone");
  const usable = credentials.filter((credential) => canPass(credential, allow));
  return [...(open ? [{}] : []), ...usable.map(({ name, scopes }) => ({ [name]: scopes }))];
}

/** A credential whose callers all have the same roles can be of no use for an operation. */
function canPass({ roles }: CredentialPlan, allow: Operation["allow"]): boolean {
  return allow.some(({ who }) => who.kind !== "role" || roles.kind !== "fixed" || roles.roles.includes(who.role));
}

function schemeOf(credential: CredentialPlan): JsonObject {
  const { sent, kind } = credential;
  const description = descriptionOf(credential);
  const standard = sent.header.toLowerCase() === "authorization" ? sent.scheme?.toLowerCase() : undefined;
  if (standard === "bearer") {
    return { type: "http", scheme: "bearer", ...(kind === "jwt" ? { bearerFormat: "JWT" } : {}), description };
  }
  if (standard === "basic") return { type: "http", scheme: "basic", description };
  return { type: "apiKey", in: "header", name: sent.header, description };
}

function descriptionOf({ kind, sent, prefix, lastsMilliseconds, issuer, scopes }: CredentialPlan): string {
  const days = lastsMilliseconds === undefined ? undefined : Number((lastsMilliseconds / 86_400_000).toFixed(2));
  const lifetime = days === undefined ? "until it is revoked" : `for ${days} days`;
  const scheme = sent.scheme === undefined ? "" : `${sent.scheme} `;
  switch (kind) {
    case "api-key":
      return `A key that starts with \`${prefix}\`, sent as \`${sent.header}: ${scheme}${prefix}…\`; good ${lifetime}.${
        sent.scheme === "Bearer" ? " Also taken as the user of Basic with an empty password." : ""
      }`;
    case "basic":
      return "A user's name, and a key of that user as the password.";
    case "jwt":
      return `A JSON Web Token${issuer === undefined ? "" : ` of ${issuer}`}, sent as \`${sent.header}: ${scheme}…\`${scopes.length === 0 ? "" : `; it needs the scope ${scopes.join(" ")}`}.`;
    case "hmac-sha256":
      return `\`${sent.header}: ${scheme}t=<unix seconds>,v1=<hex>\`: the HMAC-SHA256 of time, method, target and body, a newline between them. Good for five minutes, once.`;
    default:
      return `A credential of the kind ${kind}.`;
  }
}
