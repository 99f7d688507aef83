/** Names in a request that HTTP or this language gives a meaning to, so that nothing else can be sent by them. */

const headers = new Set([
  ...["accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "cookie", "date"],
  ...["expect", "forwarded", "host", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive"],
  ...["last-event-id", "origin", "range", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade"],
  ...["user-agent", "vary", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
]); // biome-ignore format: a table

/** Header fields that mean something else. `Authorization` is for credentials alone. */
export function isHeaderReserved(name: string): boolean {
  return headers.has(name.toLowerCase());
}

const parameters = new Set(["cursor", "limit", "offset", "page", "sort"]);

/** Parameters of lists. */
export function isParameterReserved(name: string): boolean {
  return parameters.has(name);
}
