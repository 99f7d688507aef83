/**
 * Signs JSON Web Tokens (RFC 7519) with a shared secret of the document, so that the test can be any caller of a `jwt` credential, and
 * can send tokens that must be rejected.
 */
import { createHmac } from "node:crypto";
import { lengthOf, parseDuration } from "../base/duration.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Credential } from "../language/authentication/model.ts";
import type { Caller } from "./caller.ts";
import type { Contract } from "./contract.ts";
import { bearer, withToken } from "./credentials.ts";

/** Returns a token. `algorithm`: `none` leaves the signature out. */
export function signedToken(claims: JsonObject, secret: string, algorithm: "HS256" | "none" = "HS256"): string {
  const signed = [{ alg: algorithm, typ: "JWT" }, claims].map((one) => encoded(JSON.stringify(one))).join(".");
  const signature = algorithm === "none" ? "" : createHmac("sha256", secret).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}

export interface TokenHolder {
  readonly roles: readonly string[];
  readonly number: number;
  /** The present of the service, in milliseconds since 1970. */
  readonly now: () => number;
  /** The credential of part 5; by default the first one whose tokens the test can sign. */
  readonly credential?: string;
}

/** Returns a caller whose tokens the test signs itself; undefined if it knows no secret, or cannot give the caller these roles. */
export function tokenCaller(
  contract: Contract,
  secrets: Readonly<Record<string, string>>,
  { roles, number, now, credential }: TokenHolder,
): Caller | undefined {
  const found = Object.entries(contract.model.authentication.credentials).find(
    ([name, one]) => (credential ?? name) === name && secretFor(one, secrets) !== undefined && canHave(one, roles),
  );
  const secret = found === undefined ? undefined : secretFor(found[1], secrets);
  if (found === undefined || secret === undefined) return undefined;
  const [name, definition] = found;
  const user = `test-${roles.length === 0 ? "caller" : roles.join("+")}-${number}`;
  return {
    ...bearer(contract, name, "", { name: user, id: user, roles }),
    isNew: true,
    isRenewed: true,
    authorize: (request) =>
      withToken(contract, name, signedToken(claimsFor(definition, user, roles, now()), secret), request),
  };
}

/** Returns the secret with which the test signs tokens of a credential; undefined if it knows none. */
export function secretFor(
  { kind, secret, jwks }: Credential,
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  const isToken = kind === "jwt" || kind === "oauth2";
  return isToken && secret !== undefined && jwks === undefined ? secrets[secret] : undefined;
}

/** Whether a token can give its caller exactly these roles. */
function canHave({ roles = { claim: "roles" }, scopeRoles }: Credential, wanted: readonly string[]): boolean {
  if (scopeRoles !== undefined || "field" in roles) return false;
  if ("claim" in roles) return true;
  return roles.length === wanted.length && wanted.every((role) => roles.includes(role));
}

/** Returns the claims of a valid token. */
export function claimsFor(credential: Credential, user: string, roles: readonly string[], now: number): JsonObject {
  const { audience, issuer, roles: source = { claim: "roles" }, scopes, user: claim = "sub" } = credential;
  const seconds = Math.floor(now / 1000);
  const claims: Record<string, Json> = { iat: seconds, exp: seconds + Math.floor(validSeconds(credential)) };
  claims[claim] = user;
  if ("claim" in source) claims[source.claim] = roles;
  if (issuer !== undefined) claims["iss"] = issuer;
  if (audience !== undefined) claims["aud"] = audience;
  if (scopes !== undefined) claims["scope"] = scopes.join(" ");
  return claims;
}

/** How long a token of the test is valid: not longer than the document admits. */
function validSeconds({ lasts }: Credential): number {
  const duration = lasts === undefined ? undefined : parseDuration(lasts);
  return Math.min(300, duration === undefined ? Number.POSITIVE_INFINITY : lengthOf(duration) / 1000);
}
