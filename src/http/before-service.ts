/** What is checked of a request before the service sees it. */
import { after } from "../base/after.ts";
import type { Awaitable } from "../store/port/store.ts";
import { type HttpResponse, type RequestHeaders, maximumTargetBytes, type Responder } from "./message.ts";
import { fieldsOf, type Received, ReceivedRequest } from "./request.ts";
import type { Budget } from "./memory-budget.ts";
import type { Forwarding } from "./proxies.ts";

export const maximumHeaderBytes = 16_384;

/** `sender`: the address of the connection's other end. */
export function respondTo(options: ServerOptions, received: Received, sender: string): Awaitable<HttpResponse> {
  const { message, expectation } = received;
  const service = options.service();
  const headers = fieldsOf(message);
  const peer = options.forwarding.peer(sender, headers);
  const httpRequest = new ReceivedRequest(received, headers, peer, options.requestMilliseconds);
  if (peer.insecure) return service.reject("https-required", { httpRequest });
  if (expectation === "unknown") return service.reject("expectation-failed", { httpRequest });
  // A target that is too long comes first (R4.3), and is refused where it is taken apart.
  if (httpRequest.target.length <= maximumTargetBytes && received.fieldBytes > maximumHeaderBytes)
    return service.reject("headers-too-large", { httpRequest });
  if (!isFramed(message.httpVersion, headers)) return service.reject("invalid-request", { status: 400, httpRequest });
  const responding = service.response(httpRequest);
  const ends = isAmbiguous(httpRequest.method, headers);
  if (!httpRequest.waits && !ends) return responding;
  // A body that was never asked for may come or not: only the connection's end keeps it from being taken for a request.
  return after(responding, (response) => (httpRequest.waits || ends ? { ...response, close: true } : response));
}

/** `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2); the host may be empty. */
const host =
  /^(?:\[[0-9a-f:.]+\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/**
 * HTTP/1.1 requires exactly one Host field with a valid value (RFC 9112 section 3.2); Node joins two of them by a comma, which no valid
 * value has. The only transfer coding is `chunked`, and HTTP/1.0 has none (section 6.1): any other body would be misread.
 */
function isFramed(version: string, headers: RequestHeaders): boolean {
  const name = headers.get("host");
  if (name === undefined ? version === "1.1" : !host.test(name)) return false;
  const coding = headers.get("transfer-encoding");
  return coding === undefined || (version === "1.1" && coding.toLowerCase() === "chunked");
}

/**
 * Where what follows on the connection might not be what it seems: not everybody looks for a body after GET (RFC 9110 section
 * 9.3.1), and of what comes with an `Upgrade` that is not taken Node drops whatever was in the same packet.
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
 * Whoever does not read its answer would keep it in memory for ever. Two minutes are longer than a request takes, and than a
 * stream is silent (R6.15).
 */
export function stallOf({ requestMilliseconds, stallMilliseconds = 120_000 }: Stalls): number {
  return Math.max(stallMilliseconds, 2 * requestMilliseconds);
}

export interface ServerOptions {
  /** The service that answers now; asked at each request, so that it can be exchanged while the server runs. */
  readonly service: () => Responder;
  readonly host: string;
  readonly port: number;
  readonly requestMilliseconds: number;
  readonly forwarding: Forwarding;
  /** What its connections and their requests may hold together; of its own unless told. */
  readonly budget?: Budget;
  /** For how long nothing may come or go on a connection that has a request or an answer; see `stallOf`. */
  readonly stallMilliseconds?: number;
}

export type CountingOptions = ServerOptions & { readonly budget: Budget };
