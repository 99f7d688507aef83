/** Defines the header fields of responses as components; `responses.ts` selects the fields of each response. */
import type { JsonObject } from "../../base/json.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";

export type ResponseHeader =
  | "Request-Id"
  | "Cache-Control"
  | "Content-Security-Policy"
  | "X-Content-Type-Options"
  | "Referrer-Policy"
  | "Strict-Transport-Security"
  | "ETag"
  | "Accept-Ranges"
  | "Content-Disposition"
  | "Content-Range"
  | "Location"
  | "Vary"
  | "Content-Encoding"
  | "Link"
  | "Idempotent-Replayed"
  | "Content-Language"
  | "WWW-Authenticate"
  | "Retry-After"
  | "RateLimit-Policy"
  | "RateLimit"
  | "Accept"
  | "Accept-Patch"
  | "Accept-Encoding"
  | "X-Accel-Buffering";

export const responseHeaders: Readonly<Record<ResponseHeader, JsonObject>> = {
  "Request-Id": required("Identifies this request, also in logs (`request_id` of problems).", { type: "string" }),
  "Cache-Control": required("Whether and by whom the response may be cached.", { type: "string" }),
  "Content-Security-Policy": required("Forbids running scripts of a response.", { type: "string" }),
  "X-Content-Type-Options": required("Forbids guessing the media type.", { type: "string", const: "nosniff" }),
  "Referrer-Policy": required("Browsers send no referrer.", { type: "string", const: "no-referrer" }),
  "Strict-Transport-Security": optional("Sent if the service is reached by TLS.", { type: "string" }),
  ETag: required("Identifies this representation, for If-None-Match, and for If-Match of records.", { type: "string" }),
  "Accept-Ranges": required("Whether range requests are supported.", { type: "string", enum: ["none", "bytes"] }),
  "Content-Disposition": required("Whether to show or save the file, and its name (RFC 6266).", {
    type: "string",
  }),
  "Content-Range": optional("Which bytes these are, and of how many (RFC 9110 section 14.4).", { type: "string" }),
  Location: required("The path of the record that was created.", { type: "string" }),
  Vary: optional("The request headers that select the response.", { type: "string" }),
  "Content-Encoding": optional("How the body is compressed.", { type: "string", enum: ["br", "gzip"] }),
  Link: optional('The next page, as `rel="next"` (RFC 8288); absent on the last page.', { type: "string" }),
  "Idempotent-Replayed": optional("The stored response to an earlier request with this key.", {
    type: "string",
    const: "true",
  }),
  "Content-Language": optional("The language of the texts of an error.", { type: "string", const: "en" }),
  "WWW-Authenticate": required("The accepted credentials (RFC 9110 section 11.6.1).", { type: "string" }),
  "Retry-After": required("Seconds to wait before a retry.", { type: "integer", minimum: 1 }),
  "RateLimit-Policy": required(
    'The limits of this operation: requests (`q`) per seconds (`w`): `"all-per-user";q=600;w=60`.',
    { type: "string" },
  ),
  RateLimit: required(
    'The remaining requests (`r`), and the seconds until more are available (`t`): `"all-per-user";r=599;t=60`.',
    { type: "string" },
  ),
  Accept: optional("The accepted media types.", { type: "string" }),
  "Accept-Patch": optional("The accepted media types of PATCH.", { type: "string" }),
  "Accept-Encoding": optional("The accepted content codings.", { type: "string" }),
  "X-Accel-Buffering": optional("Of a stream: tells proxies not to buffer it.", { type: "string", const: "no" }),
};

/**
 * Returns the header fields that every response can have (R1.3, R1.6). The description lists them once; a response has only
 * its own, and a rate limit field if every response of its status has it.
 */
export function fieldsOfEveryResponse({ operations }: EndpointsPart): readonly ResponseHeader[] {
  const limited = operations.some(({ rates, quotas }) => rates.length > 0 || quotas.length > 0);
  return [...everyResponse, ...(limited ? (["RateLimit-Policy", "RateLimit"] as const) : [])];
}

const everyResponse: readonly ResponseHeader[] = [
  "Request-Id",
  "Cache-Control",
  "Content-Security-Policy",
  "X-Content-Type-Options",
  "Referrer-Policy",
  "Strict-Transport-Security",
  "Vary",
  "Content-Encoding",
  "Content-Language",
];

/** The member of the description with the names of these fields, which are below `components.headers`. */
export const everyResponseKey = "x-every-response";

export function everyResponseText(names: readonly string[]): string {
  return `Every response can have the header fields ${names.map((name) => `\`${name}\``).join(", ")}: \`components.headers\` describes them.`;
}

/**
 * Returns the `headers` of a response, as a member to spread into it, without those of every response. A `?` after a name makes
 * the field optional, although its component is required.
 */
export function headersOf(names: readonly (ResponseHeader | `${ResponseHeader}?`)[]): {
  readonly headers?: JsonObject;
} {
  if (names.length === 0) return {};
  const fields = names.map((name) => {
    if (!name.endsWith("?")) return [name, { $ref: `#/components/headers/${name}` }];
    const bare = name.slice(0, -1) as ResponseHeader;
    return [bare, { ...responseHeaders[bare], required: false }];
  });
  return { headers: Object.fromEntries(fields) as JsonObject };
}

function required(description: string, schema: JsonObject): JsonObject {
  return { description, required: true, schema };
}

function optional(description: string, schema: JsonObject): JsonObject {
  return { description, schema };
}
