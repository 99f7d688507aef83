/**
 * Adds CORS header fields (R4.22; Fetch standard, section 3.3). If the document does not declare CORS, no response has them,
 * and browsers hide responses from pages of other origins.
 */
import type { EndpointsPart, Operation } from "../plan/endpoints/types.ts";
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import type { VersioningPart } from "../plan/versioning/conversion-types.ts";
import type { HttpResponse, HttpRequest } from "./message.ts";

export interface Cors {
  /** Adds the CORS fields to a response, also to an error, so that pages can read it. */
  completed(result: HttpResponse, httpRequest: HttpRequest | undefined): HttpResponse;
  /**
   * Returns the fields of a preflight response: the methods of the path, and the request fields of its operations or
   * `requestFields`.
   */
  preflight(
    httpRequest: HttpRequest,
    methods: readonly string[],
    operations: readonly Operation[],
    requestFields: readonly string[],
  ): readonly string[];
}

export function createCors({
  cors: plan,
  credentials: kinds,
  operations,
  versions,
}: EndpointsPart & AuthenticationPart & VersioningPart): Cors {
  if (plan === undefined) return { completed: (result) => result, preflight: () => [] };
  const versionHeader = versions?.sent?.kind === "header" ? [versions.sent.name] : [];
  const { origins, credentials, maxAgeSeconds } = plan;
  const isAllowed = origins === "any" ? () => true : matcherOf(origins);
  const sentIn = kinds.map(({ sent }) => sent.header);
  const declared = operations.flatMap(({ headers = [], repeats }) => [
    ...headers.map(({ name }) => name),
    ...(repeats?.echoed === true ? [repeats.header] : []),
  ]);
  const exposed = [...new Set([...exposedFields, ...versionHeader, ...declared])].join(", ");
  /** Returns the value of Access-Control-Allow-Origin; undefined if the origin is not allowed. */
  const allowedOrigin = (httpRequest: HttpRequest | undefined): string | undefined => {
    const origin = httpRequest?.headers.get("origin");
    if (origin === undefined || httpRequest?.headers.repeated("origin") === true || !isAllowed(origin))
      return undefined;
    return origins === "any" ? "*" : origin;
  };
  const isPreflight = ({ method, headers }: HttpRequest): boolean =>
    method === "OPTIONS" && headers.get("access-control-request-method") !== undefined;
  return {
    completed(result, httpRequest) {
      const origin = allowedOrigin(httpRequest);
      // With `*` the response does not depend on the origin, so Vary is not needed.
      const headers = origins === "any" ? [...result.headers] : varying(result.headers);
      if (origin !== undefined && httpRequest !== undefined) {
        headers.push("Access-Control-Allow-Origin", origin);
        if (credentials) headers.push("Access-Control-Allow-Credentials", "true");
        if (!isPreflight(httpRequest)) headers.push("Access-Control-Expose-Headers", exposed);
      }
      return { ...result, headers };
    },
    preflight(httpRequest, methods, operations, requestFields) {
      if (!isPreflight(httpRequest) || allowedOrigin(httpRequest) === undefined) return [];
      const fields =
        operations.length === 0 ? requestFields : requestFieldsOf(operations, [...sentIn, ...versionHeader]);
      return [
        ...["Access-Control-Allow-Methods", methods.join(", ")],
        ...(fields.length === 0 ? [] : ["Access-Control-Allow-Headers", fields.join(", ")]),
        ...["Access-Control-Max-Age", String(maxAgeSeconds)],
      ];
    },
  };
}

const exposedFields = [
  "ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "Request-Id", "Idempotent-Replayed",
  "Deprecation", "Sunset",
]; // biome-ignore format: as in R4.22

/** Returns the request fields that these operations use, except those that CORS always allows. */
function requestFieldsOf(operations: readonly Operation[], always: readonly string[]): readonly string[] {
  const reads = operations.some(({ method }) => method === "GET");
  const edits = operations.some(({ method, key }) => method !== "GET" && key !== undefined);
  const fields = [
    ...always,
    ...(operations.some(({ body }) => body !== undefined) ? ["Content-Type"] : []),
    ...(edits ? ["If-Match"] : []),
    ...(reads || edits ? ["If-None-Match"] : []),
    ...operations.flatMap(({ repeats }) => (repeats === undefined ? [] : [repeats.header])),
    // HTTP libraries add these fields; if they are not allowed, the browser blocks the whole request.
    ...["traceparent", "tracestate", "X-Requested-With"],
  ];
  return [...new Map(fields.map((field) => [field.toLowerCase(), field])).values()];
}

/**
 * Adds Vary, even if the origin is not allowed: a cache must not serve that response to an allowed page (RFC 9111 section
 * 4.1).
 */
function varying(headers: readonly string[]): string[] {
  const all = [...headers];
  const at = all.findIndex((name, index) => index % 2 === 0 && name === "Vary");
  if (at < 0) all.push("Vary", "Origin");
  else all[at + 1] = `${all[at + 1]}, Origin`;
  return all;
}

/**
 * Returns a function that matches an origin exactly, as browsers serialise it (RFC 6454 section 6.2); `*` matches one label or
 * one port.
 */
function matcherOf(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.filter((origin) => !origin.includes("*")));
  const patterns = origins
    .filter((origin) => origin.includes("*"))
    .map((origin) => {
      const [, scheme = "", host = "", port = ""] = /^([^:]+:\/\/)(.*?)(:\*|:\d+)?$/.exec(origin) ?? [];
      const labels = host.replace(/^\*\./, "");
      const first = labels === host ? "" : "[a-z0-9_-]{1,63}\\.";
      return new RegExp(`^${escaped(scheme)}${first}${escaped(labels)}${port === ":*" ? "(?::\\d{1,5})?" : port}$`);
    });
  return (origin) => exact.has(origin) || patterns.some((pattern) => pattern.test(origin));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
