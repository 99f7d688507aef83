/** Checks each request before it reaches the service. */
import { after } from "../base/after.ts";
import type { Awaitable } from "../store/port/store.ts";
import { type HttpResponse, type RequestHeaders, maximumTargetBytes, type Responder } from "./message.ts";
import { fieldsOf, type Received, ReceivedRequest } from "./request.ts";
import type { Budget } from "./memory-budget.ts";
import type { Forwarding } from "./proxies.ts";

export const maximumHeaderBytes = 16_384;

/** Responds to a request. `sender`: the remote address of the connection. */
export function respondTo(options: ServerOptions, received: Received, sender: string): Awaitable<HttpResponse> {
  const { message, expectation } = received;
  const service = options.service();
  const headers = fieldsOf(message);
  const peer = options.forwarding.peer(sender, headers);
  const httpRequest = new ReceivedRequest(received, headers, peer, options.requestMilliseconds);
  if (peer.insecure) return service.reject("https-required", { httpRequest });
  if (expectation === "unknown") return service.reject("expectation-failed", { httpRequest });
  // The service rejects a target that is too long; its error has precedence (R4.3).
  if (httpRequest.target.length <= maximumTargetBytes && received.fieldBytes > maximumHeaderBytes)
    return service.reject("headers-too-large", { httpRequest });
  if (!isFramed(message.httpVersion, headers)) return service.reject("invalid-request", { status: 400, httpRequest });
  const responding = service.response(httpRequest);
  const ends = isAmbiguous(httpRequest.method, headers);
  if (!httpRequest.waits && !ends) return responding;
  // The connection is closed: the client may still send its body, which would be parsed as the next request.
  return after(responding, (response) => (httpRequest.waits || ends ? { ...response, close: true } : response));
}

/** A regular expression for `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2); the host may be empty. */
const host =
  /^(?:\[[0-9a-f:.]+\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/**
 * Whether host and framing are valid. HTTP/1.1 requires exactly one valid Host field (RFC 9112 section 3.2); Node joins two of
 * them with a comma, which makes them invalid. The only transfer coding is `chunked`, and HTTP/1.0 has none (section 6.1); a
 * body with another one could be misread.
 */
function isFramed(version: string, headers: RequestHeaders): boolean {
  const name = headers.get("host");
  if (name === undefined ? version === "1.1" : !host.test(name)) return false;
  const coding = headers.get("transfer-encoding");
  return coding === undefined || (version === "1.1" && coding.toLowerCase() === "chunked");
}

/**
 * Whether the connection must close after the request, because the next bytes are ambiguous: some servers and proxies ignore a
 * body of GET (RFC 9110 section 9.3.1), and Node drops the rest of a packet with an unsupported `Upgrade`.
 */
function isAmbiguous(method: string, headers: RequestHeaders): boolean {
  if (headers.get("upgrade") !== undefined) return true;
  if (method !== "GET" && method !== "HEAD") return false;
  return Number(headers.get("content-length") ?? 0) > 0 || headers.get("transfer-encoding") !== undefined;
}

interface Stalls {
  readonly requestMilliseconds: number;
  readonly stallMilliseconds?: number;
}

/**
 * Returns the timeout for clients that do not read their response, which would stay in memory. Two minutes are longer than a
 * request takes, and longer than the pause between two heartbeats of a stream (R6.15).
 */
export function stallOf({ requestMilliseconds, stallMilliseconds = 120_000 }: Stalls): number {
  return Math.max(stallMilliseconds, 2 * requestMilliseconds);
}

export interface ServerOptions {
  /** Returns the current service; called for each request, so that a reload can replace the service. */
  readonly service: () => Responder;
  readonly host: string;
  readonly port: number;
  readonly requestMilliseconds: number;
  readonly forwarding: Forwarding;
  /** The memory budget of all connections and requests; default: a new one. */
  readonly budget?: Budget;
  /** The timeout of a connection that transfers nothing during a request or response, in milliseconds; see `stallOf`. */
  readonly stallMilliseconds?: number;
}

export type CountingOptions = ServerOptions & { readonly budget: Budget };
