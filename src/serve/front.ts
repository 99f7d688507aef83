/** What is asked of a request before the service, whichever server has taken it from its socket. */
import { after } from "../base/after.ts";
import type { Awaitable } from "../store/store.ts";
import type { Account } from "./budget.ts";
import type { Answer, Body, Exchange, Poured, RequestHeaders } from "./exchange.ts";
import type { ServerOptions } from "./server.ts";
import { maximumTargetBytes } from "./target.ts";

/** A request whose head has come. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly version: "1.0" | "1.1";
  /** Of all its fields. */
  readonly fieldBytes: number;
  /** The address of the connection's other end. */
  readonly address: string;
  /** What it holds; it ends with the answer. */
  readonly account: Account;
  /** Tells a client that waits for it to go on with the body (R4.6). */
  goOn(): void;
  body(limit: number, milliseconds: number | undefined): Promise<Body>;
  pour(limit: number, milliseconds: number | undefined, take: (bytes: Buffer) => Promise<void>): Promise<Poured>;
}

/** What `Expect` says (R4.6). */
export type Expectation = "none" | "continue" | "unknown";

export const maximumHeaderBytes = 16_384;

export function answerTo(options: ServerOptions, arrived: Arrived, expectation: Expectation): Awaitable<Answer> {
  const { headers, method, target, version } = arrived;
  const service = options.service();
  const peer = options.forwarding.peer(arrived.address, headers);
  const waiting = { waits: expectation === "continue" };
  const exchange = new Asked(options, arrived, peer, waiting);
  if (peer.insecure) return service.refuse("https-required", { exchange });
  if (expectation === "unknown") return service.refuse("expectation-failed", { exchange });
  // A target that is too long comes first (R4.3), and is refused where it is taken apart.
  if (target.length <= maximumTargetBytes && arrived.fieldBytes > maximumHeaderBytes)
    return service.refuse("headers-too-large", { exchange });
  if (!isFramed(version, headers)) return service.refuse("invalid-request", { status: 400, exchange });
  const answering = service.answer(exchange);
  const ends = isAmbiguous(method, headers);
  if (!waiting.waits && !ends) return answering;
  // A body that was never asked for may come or not: only the connection's end keeps it from being taken for a request.
  return after(answering, (answer) => (waiting.waits || ends ? { ...answer, close: true } : answer));
}

class Asked implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  readonly secure: boolean;
  readonly account: Account;
  readonly #arrived: Arrived;
  readonly #waiting: { waits: boolean };
  readonly #longest: number;

  constructor(
    { requestMilliseconds }: ServerOptions,
    arrived: Arrived,
    { address, secure }: { readonly address: string; readonly secure: boolean },
    waiting: { waits: boolean },
  ) {
    this.method = arrived.method;
    this.target = arrived.target;
    this.headers = arrived.headers;
    this.address = address;
    this.secure = secure;
    this.account = arrived.account;
    this.#arrived = arrived;
    this.#waiting = waiting;
    this.#longest = requestMilliseconds;
  }

  body(limit: number, milliseconds: number): Promise<Body> {
    if (this.#announces(limit)) return Promise.resolve({ kind: "too-large" });
    this.#goOn();
    return this.#arrived.body(limit, this.#patience(milliseconds));
  }

  pour(limit: number, milliseconds: number, take: (bytes: Buffer) => Promise<void>): Promise<Poured> {
    if (this.#announces(limit)) return Promise.resolve("too-large");
    this.#goOn();
    return this.#arrived.pour(limit, this.#patience(milliseconds), take);
  }

  #announces(limit: number): boolean {
    return Number(this.headers.get("content-length") ?? 0) > limit;
  }

  #goOn(): void {
    if (this.#waiting.waits) this.#arrived.goOn();
    this.#waiting.waits = false;
  }

  /** What takes longer than any request may is ended by the server. */
  #patience(milliseconds: number): number | undefined {
    return milliseconds < this.#longest ? milliseconds : undefined;
  }
}

/** `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2); the host may be empty. */
const host =
  /^(?:\[[0-9a-f:.]+\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/**
 * HTTP/1.1 asks for exactly one Host that is one (RFC 9112 section 3.2). A body in a transfer coding that nobody here takes off would
 * be read as what it is not, and HTTP/1.0 has none (section 6.1).
 */
function isFramed(version: "1.0" | "1.1", headers: RequestHeaders): boolean {
  const name = headers.get("host");
  if (headers.repeated("host") || (name === undefined ? version === "1.1" : !host.test(name))) return false;
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
