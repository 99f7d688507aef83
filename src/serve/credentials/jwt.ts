/**
 * JSON Web Tokens issued elsewhere (R5.6, RFC 9068): the signature by a shared secret or by the issuer's key set, an
 * algorithm allow-list that follows from which of the two it is, `iss`, `aud`, `exp` and `nbf` with at most 60 s of leeway.
 */
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyOptions } from "jose";
import type { CredentialPlan } from "../../plan/plan.ts";

export type VerifyToken = (token: string, now: number) => Promise<JWTPayload | undefined>;

const sharedSecret = ["HS256", "HS384", "HS512"];
const publicKey = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
/** Access tokens say `at+jwt` (RFC 9068); many issuers still say `JWT` or nothing. Any other type is another kind of token. */
const types = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

/** An unknown `kid` causes at most one fetch of the key set in five minutes. */
export function createTokenVerifier(credential: CredentialPlan, secret: string | undefined): VerifyToken {
  const shared = credential.jwks === undefined;
  const common: JWTVerifyOptions = {
    algorithms: shared ? sharedSecret : publicKey,
    clockTolerance: 60,
    requiredClaims: ["exp", credential.userClaim],
    ...(credential.issuer === undefined ? {} : { issuer: credential.issuer }),
    ...(credential.audience === undefined ? {} : { audience: credential.audience }),
  };
  const key = shared
    ? new TextEncoder().encode(secret ?? "")
    : createRemoteJWKSet(new URL(credential.jwks), { cooldownDuration: 300_000 });
  return async (token, now) => {
    try {
      const options = { ...common, currentDate: new Date(now) };
      const { payload, protectedHeader } =
        key instanceof Uint8Array ? await jwtVerify(token, key, options) : await jwtVerify(token, key, options);
      return types.has(protectedHeader.typ?.toLowerCase()) ? payload : undefined;
    } catch {
      // Whatever is wrong with a token, the caller learns the same (R5.7).
      return undefined;
    }
  };
}
