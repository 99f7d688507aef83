/**
 * The errors of the OAuth endpoints, in the JSON of OAuth instead of the service's error format (RFC 6749 section 5.2, R7.1).
 */
import type { HttpResponse } from "../../../http/message.ts";

export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type";

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  /** Seconds to wait; present if too many attempts have failed. */
  readonly waitSeconds: number | undefined;

  constructor(code: OAuthErrorCode, description: string, waitSeconds?: number) {
    super(description);
    this.code = code;
    this.waitSeconds = waitSeconds;
  }
}

export function oauthErrorResponse({ code, message, waitSeconds }: OAuthError, service: string): HttpResponse {
  const status = waitSeconds === undefined ? (code === "invalid_client" ? 401 : 400) : 429;
  return oauthResponse(status, { error: code, error_description: message }, [
    ...["Content-Language", "en"],
    ...(status === 401 ? ["WWW-Authenticate", `Basic realm="${service}"`] : []),
    ...(waitSeconds === undefined ? [] : ["Retry-After", String(waitSeconds)]),
  ]);
}

/** Returns a response that no cache may store (RFC 6749 section 5.1). */
export function oauthResponse(
  status: number,
  body: Readonly<Record<string, unknown>> | undefined,
  headers: readonly string[] = [],
): HttpResponse {
  const common = ["Cache-Control", "no-store", "Pragma", "no-cache", ...headers];
  if (body === undefined) return { status, headers: common };
  return { status, headers: ["Content-Type", "application/json", ...common], body: JSON.stringify(body) };
}
