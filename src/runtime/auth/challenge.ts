/** Builds the WWW-Authenticate fields for the credentials of a service (R5.2, RFC 9110 section 11.6.1). */
import { type SentIn, schemeOf } from "../../plan/authentication/places.ts";
import type { AuthenticationPart, CredentialPlan, SessionPlan } from "../../plan/authentication/types.ts";
import type { PurposePart } from "../../plan/purpose/types.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Call } from "../context/context.ts";

/** Returns each challenge once, without an error; names and values alternate. */
export function challengeHeaders({
  service,
  credentials,
}: Pick<PurposePart & AuthenticationPart, "service" | "credentials">): readonly string[] {
  const challenges = new Set(
    credentials.flatMap(({ kind, sent }) => sent.map((sentIn) => challengeOf(service, kind, sentIn))),
  );
  return [...challenges].flatMap((challenge) => ["WWW-Authenticate", challenge]);
}

/**
 * Returns the challenge of a credential in one of its places. A place without a scheme is named, with the kind of
 * credential.
 */
export function challengeOf(service: string, kind: CredentialPlan["kind"], sentIn: SentIn): string {
  const scheme = schemeOf(sentIn);
  if (scheme !== undefined) return `${scheme} realm="${service}"`;
  const wanted = kind === "hmac-sha256" ? "Signature" : kind === "api-key" ? "ApiKey" : "Token";
  const [place = ""] = Object.keys(sentIn);
  return `${wanted} realm="${service}", ${place}="${Object.values(sentIn)[0]}"`;
}

/** Returns the 403 error for a valid token without the required scopes; its challenge lists them (RFC 6750 section 3.1). */
export function lacking({ scopes, sent }: CredentialPlan, missing: readonly string[]): ApiError {
  const detail = `The token does not have the scope ${missing.join(" ")}`;
  const needed = scopes.length === 0 ? missing : scopes;
  const error = `error="insufficient_scope", error_description="${detail}", scope="${needed.join(" ")}"`;
  return new ApiError("forbidden", {
    detail,
    headers: ["WWW-Authenticate", `${sent.map(schemeOf).find((scheme) => scheme !== undefined) ?? "Bearer"} ${error}`],
  });
}

/** Returns the error of a failed login, which is the same for an unknown name and for a wrong secret. */
export function unproved({ context: { plan } }: Call, { else: code }: Pick<SessionPlan, "else">): ApiError {
  if (code !== "unauthenticated") return new ApiError(code);
  return new ApiError(code, { detail: "The name or the secret is wrong", headers: challengeHeaders(plan) });
}

/** The path at which clients find the authorization server of the service (RFC 9728). */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";
