/** The names in a request that HTTP or this language already uses, so that a document cannot use them for anything else. */

const headers = new Set([
  ...["accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "cookie", "date"],
  ...["expect", "forwarded", "host", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive"],
  ...["last-event-id", "origin", "range", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade"],
  ...["user-agent", "vary", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
]); // biome-ignore format: a table

/** Whether a header field has another meaning. `Authorization` is only for credentials. */
export function isHeaderReserved(name: string): boolean {
  return headers.has(name.toLowerCase());
}

const parameters = new Set(["cursor", "limit", "offset", "page", "sort"]);

/** Whether a query parameter is one of those that lists use. */
export function isParameterReserved(name: string): boolean {
  return parameters.has(name);
}
