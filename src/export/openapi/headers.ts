/** Header fields of answers, as components: which ones each kind of answer carries is said in `responses.ts`. */
import type { JsonObject } from "../../base/json.ts";

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
  "Request-Id": required("Names this request, in logs too (`request_id` of problems).", { type: "string" }),
  "Cache-Control": required("Whether and by whom the answer may be kept.", { type: "string" }),
  "Content-Security-Policy": required("Nothing in an answer is to be run.", { type: "string" }),
  "X-Content-Type-Options": required("The media type is to be believed.", { type: "string", const: "nosniff" }),
  "Referrer-Policy": required("Addresses are not passed on.", { type: "string", const: "no-referrer" }),
  "Strict-Transport-Security": optional("Where the service is known to be reached by TLS.", { type: "string" }),
  ETag: required("Names what was given as it is now, for If-None-Match, and If-Match of records.", { type: "string" }),
  "Accept-Ranges": required("Whether a range of it can be asked for.", { type: "string", enum: ["none", "bytes"] }),
  "Content-Disposition": required("Whether it is to be shown or saved, and what it was called (RFC 6266).", {
    type: "string",
  }),
  "Content-Range": optional("Which bytes these are, and of how many (RFC 9110 section 14.4).", { type: "string" }),
  Location: required("The path of the record that was created.", { type: "string" }),
  Vary: optional("What the answer was chosen by.", { type: "string" }),
  "Content-Encoding": optional("How the body is compressed.", { type: "string", enum: ["br", "gzip"] }),
  Link: optional('The next page, as `rel="next"` (RFC 8288); absent on the last one.', { type: "string" }),
  "Idempotent-Replayed": optional("The answer was given before, to a request with this key.", {
    type: "string",
    const: "true",
  }),
  "Content-Language": required("The language of the texts.", { type: "string", const: "en" }),
  "WWW-Authenticate": required("The credentials that are taken (RFC 9110 section 11.6.1).", { type: "string" }),
  "Retry-After": required("Seconds to wait before another try.", { type: "integer", minimum: 1 }),
  "RateLimit-Policy": required(
    'The limits of this operation: so many (`q`) in so many seconds (`w`). A structured field, `"all-per-user";q=600;w=60`.',
    { type: "string" },
  ),
  RateLimit: required(
    'What is left of them (`r`), and in how many seconds there is more (`t`): `"all-per-user";r=599;t=60`.',
    { type: "string" },
  ),
  Accept: optional("The media types that are taken.", { type: "string" }),
  "Accept-Patch": optional("The media types that PATCH takes.", { type: "string" }),
  "Accept-Encoding": optional("The content codings that are taken.", { type: "string" }),
  "X-Accel-Buffering": optional("Of a stream: proxies are to pass it on at once.", { type: "string", const: "no" }),
};

/** What every answer carries (R1.3, R1.6). */
const always: readonly ResponseHeader[] = [
  "Request-Id",
  "Cache-Control",
  "Content-Security-Policy",
  "X-Content-Type-Options",
  "Referrer-Policy",
  "Strict-Transport-Security",
  "Vary",
];

/** The `headers` of one response. One whose name ends in `?` may be missing though its component is required. */
export function headersOf(names: readonly (ResponseHeader | `${ResponseHeader}?`)[]): JsonObject {
  return Object.fromEntries(
    [...always, ...names].map((name) => {
      if (!name.endsWith("?")) return [name, { $ref: `#/components/headers/${name}` }];
      const bare = name.slice(0, -1) as ResponseHeader;
      return [bare, { ...responseHeaders[bare], required: false }];
    }),
  );
}

function required(description: string, schema: JsonObject): JsonObject {
  return { description, required: true, schema };
}

function optional(description: string, schema: JsonObject): JsonObject {
  return { description, required: false, schema };
}
