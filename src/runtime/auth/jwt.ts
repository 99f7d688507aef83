/**
 * Verifies JSON Web Tokens of another issuer (R5.6, RFC 9068): the signature by a shared secret or by the issuer's key set, with
 * the algorithms that this kind of key allows; `iss`, `aud`, `exp` and `nbf` with at most 60 s of leeway.
 */
import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import { ApiError } from "../errors/api-error.ts";

export type VerifyToken = (token: string, now: number) => Promise<JWTPayload | undefined>;

const sharedSecret = ["HS256", "HS384", "HS512"];
const publicKey = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
/**
 * The accepted values of `typ`. Access tokens have `at+jwt` (RFC 9068), but many issuers send `JWT` or nothing. Tokens with
 * any other value are no access tokens.
 */
const types = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

/**
 * Creates a verifier, which returns undefined for invalid tokens, and for all tokens if there is no secret; it throws 503 if
 * the issuer's keys are unavailable.
 */
export function createTokenVerifier(credential: CredentialPlan, secret: string | undefined): VerifyToken {
  const options: JWTVerifyOptions = {
    algorithms: credential.jwks === undefined ? sharedSecret : publicKey,
    clockTolerance: leewaySeconds,
    requiredClaims: ["exp"],
    ...(credential.issuer === undefined ? {} : { issuer: credential.issuer }),
    ...(credential.audience === undefined ? {} : { audience: credential.audience }),
  };
  if (credential.jwks === undefined && (secret === undefined || secret === "")) return async () => undefined;
  const key = new TextEncoder().encode(secret);
  const keyAt = credential.jwks === undefined ? () => () => key : issuerKeys(new URL(credential.jwks));
  return async (token, now) => {
    const payload = await verified(() => jwtVerify(token, keyAt(now), { ...options, currentDate: new Date(now) }));
    return shortLived(credential, now, payload);
  };
}

const leewaySeconds = 60;

/** Rejects tokens whose lifetime, from now or from `iat`, exceeds the one that the document declares. */
function shortLived(
  { lastsMilliseconds }: CredentialPlan,
  now: number,
  payload: JWTPayload | undefined,
): JWTPayload | undefined {
  if (lastsMilliseconds === undefined || payload?.exp === undefined) return payload;
  const most = lastsMilliseconds / 1000 + leewaySeconds;
  const made = payload.iat ?? now / 1000;
  return payload.exp - now / 1000 <= most && now / 1000 - made <= most ? payload : undefined;
}

async function verified(verify: () => ReturnType<typeof jwtVerify>): Promise<JWTPayload | undefined> {
  try {
    const { payload, protectedHeader } = await verify();
    // `1e400` is valid JSON, but JavaScript parses it to Infinity.
    return types.has(protectedHeader.typ?.toLowerCase()) && Number.isFinite(payload.exp) ? payload : undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    // Every invalid token causes the same error, so that callers learn nothing about it (R5.7).
    return undefined;
  }
}

const refetchMilliseconds = 300_000;

/**
 * Returns a function that gets the issuer's keys. Fetches them at the first use, and again for an unknown key id, at most once
 * in five minutes.
 */
function issuerKeys(url: URL): (now: number) => JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { cooldownDuration: Number.POSITIVE_INFINITY });
  let refetched = Number.NEGATIVE_INFINITY;
  return (now) => async (header, token) => {
    try {
      return await keys(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw isOfToken(thrown) ? thrown : unreachable();
      if (now - refetched < refetchMilliseconds) throw thrown;
    }
    refetched = now;
    await keys.reload().catch(() => {
      throw unreachable();
    });
    return keys(header, token);
  };
}

/** Whether the error is in the token, not in the key set or the connection to the issuer. */
function isOfToken(thrown: unknown): boolean {
  return thrown instanceof errors.JWKSMultipleMatchingKeys || thrown instanceof errors.JOSENotSupported;
}

function unreachable(): ApiError {
  const detail = "The keys of the token's issuer are not available at the moment";
  return new ApiError("overloaded", { detail, headers: ["Retry-After", "5"] });
}
