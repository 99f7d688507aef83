/** Adds the header fields that every response has. */
import type { HttpResponse } from "../http/message.ts";
import type { DeprecationPlan } from "../plan/versioning/conversion-types.ts";
import type { Served } from "./context/version.ts";
import { deprecationHeaders } from "./versions/deprecation.ts";

/** Adds the header fields that every response has (R1.3, R1.6). */
export function finish(result: HttpResponse, requestId: string, secure = false): HttpResponse {
  const headers = [...result.headers, "Request-Id", requestId, ...securityHeaders(result)];
  if (secure) headers.push("Strict-Transport-Security", "max-age=31536000");
  return { ...result, headers };
}

const apiPolicy = "default-src 'none'; frame-ancestors 'none'";
const common = ["X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer"];
const apiHeaders = ["Content-Security-Policy", apiPolicy, ...common];

function securityHeaders(result: HttpResponse): readonly string[] {
  return result.policy === undefined ? apiHeaders : ["Content-Security-Policy", result.policy, ...common];
}

/**
 * Adds the version, and the deprecation of the version and of the operation. `all`: names and values of the response's fields,
 * alternating.
 */
export function addVersion(all: string[], version: Served | undefined, operation: DeprecationPlan | undefined): void {
  const deprecations = [operation, version?.deprecated].filter((one) => one !== undefined);
  if (version !== undefined) all.push(...version.headers);
  if (deprecations.length > 0) all.push(...deprecationHeaders(deprecations));
  if (version === undefined) return;
  const { mediaType, vary } = version;
  const type = mediaType === undefined ? -1 : all.indexOf("Content-Type");
  if (type >= 0 && /^application\/(?:\w+\+)?json$/.test(all[type + 1] ?? "")) all[type + 1] += mediaType as string;
  if (vary === undefined) return;
  const at = all.indexOf("Vary");
  if (at < 0) all.push("Vary", vary);
  // The value is merged into an existing Vary field, because some caches read only the first one.
  else if (!(all[at + 1] ?? "").split(", ").includes(vary)) all[at + 1] = `${all[at + 1]}, ${vary}`;
}
