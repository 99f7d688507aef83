/** Credentials of kind `oauth2` whose tokens the service itself issues: their endpoints, and the roles of their scopes. */
import type { Credential } from "./model.ts";

/** Without an issuer, a key set or a secret, the service itself must issue the tokens. */
export function makesTokens({ kind, foreign, issuer, jwks, secret }: Credential): boolean {
  const others = foreign === true || issuer !== undefined || jwks !== undefined || secret !== undefined;
  return kind === "oauth2" && !others;
}

/** Whether a token of the credential has exactly the permissions of its scopes' roles. */
export function bindsByScopes(credential: Credential): boolean {
  const { scopeRoles } = credential;
  return scopeRoles !== undefined || (makesTokens(credential) && rolesByScope(credential) !== undefined);
}

/** Returns the roles that each scope gives: the declared ones, or the role with the scope's name. Undefined without scopes. */
export function rolesByScope({
  scopes,
  scopeRoles,
}: Credential): Readonly<Record<string, readonly string[]>> | undefined {
  return scopeRoles ?? (scopes && Object.fromEntries(scopes.map((scope) => [scope, [scope]])));
}

/** The lifetime of a token in milliseconds: the default, and also the longest allowed. */
export const tokenMilliseconds = 3_600_000;
