/** A credential of kind `oauth2` whose tokens the service makes itself: where, and what its scopes give. */
import type { Credential } from "./model.ts";

/** Without an issuer, a key set or a secret, nobody else can have made the tokens. */
export function makesTokens({ kind, foreign, issuer, jwks, secret }: Credential): boolean {
  const others = foreign === true || issuer !== undefined || jwks !== undefined || secret !== undefined;
  return kind === "oauth2" && !others;
}

/** Whether a token of the credential does what its scopes' roles may, and nothing else. */
export function bindsByScopes(credential: Credential): boolean {
  const { scopeRoles } = credential;
  return scopeRoles !== undefined || (makesTokens(credential) && rolesByScope(credential) !== undefined);
}

/** The roles that each scope gives: the declared ones, or the role of the same name. Undefined without scopes. */
export function rolesByScope({
  scopes,
  scopeRoles,
}: Credential): Readonly<Record<string, readonly string[]>> | undefined {
  return scopeRoles ?? (scopes && Object.fromEntries(scopes.map((scope) => [scope, [scope]])));
}

/** Tokens last this long where the document does not say it, and no longer whatever it says. */
export const tokenMilliseconds = 3_600_000;
