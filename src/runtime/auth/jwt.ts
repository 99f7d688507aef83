/**
 * JSON Web Tokens issued elsewhere (R5.6, RFC 9068): the signature by a shared secret or by the issuer's key set, an
 * algorithm allow-list that follows from which of the two it is, `iss`, `aud`, `exp` and `nbf` with at most 60 s of leeway.
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
/** Access tokens say `at+jwt` (RFC 9068); many issuers still say `JWT` or nothing. Any other type is another kind of token. */
const types = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);

/** Undefined for a token that is not good; refuses with 503 when the issuer's keys cannot be had. Without a secret no token is. */
export function createTokenVerifier(credential: CredentialPlan, secret: string | undefined): VerifyToken {
  const options: JWTVerifyOptions = {
    algorithms: credential.jwks === undefined ? sharedSecret : publicKey,
    clockTolerance: leewaySeconds,
    requiredClaims: ["exp"],
    ...(credential.issuer === undefined ? {} : { issuer: credential.issuer }),
    ...(credential.audience === undefined ? {} : { audience: credential.audience }),
  };
  if (credential.jwks !== undefined) {
    const keyAt = issuerKeys(new URL(credential.jwks));
    return async (token, now) =>
      shortLived(
        credential,
        now,
        await verified(() => jwtVerify(token, keyAt(now), { ...options, currentDate: new Date(now) })),
      );
  }
  if (secret === undefined || secret === "") return async () => undefined;
  const key = new TextEncoder().encode(secret);
  return async (token, now) =>
    shortLived(
      credential,
      now,
      await verified(() => jwtVerify(token, key, { ...options, currentDate: new Date(now) })),
    );
}

const leewaySeconds = 60;

/** Undefined for a token that is good for longer than the document says that tokens last: from now, and from its making. */
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
    // `1e400` is a number in JSON, and no end.
    return types.has(protectedHeader.typ?.toLowerCase()) && Number.isFinite(payload.exp) ? payload : undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    // Whatever is wrong with a token, the caller learns the same (R5.7).
    return undefined;
  }
}

const refetchMilliseconds = 300_000;

/** The issuer's keys, fetched when they are first needed; one that is not there has them fetched anew once in five minutes. */
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

/** Whether the token is at fault, and not the key set or the way to it. */
function isOfToken(thrown: unknown): boolean {
  return thrown instanceof errors.JWKSMultipleMatchingKeys || thrown instanceof errors.JOSENotSupported;
}

function unreachable(): ApiError {
  const detail = "The keys of the token's issuer are not available at the moment";
  return new ApiError("overloaded", { detail, headers: ["Retry-After", "5"] });
}
