/** Requests and responses as data, independent of sockets, so that any server can call the service. */
import type { Awaitable } from "../store/port/store.ts";
import type { Account } from "./memory-budget.ts";

/** The longest target in bytes; longer ones are rejected (R4.3). */
export const maximumTargetBytes = 8192;

export interface HttpRequest {
  readonly method: string;
  /** The path and query of the request line, not decoded. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** The client's IP address. */
  readonly address: string;
  /** Whether the client is known to use TLS. */
  readonly secure: boolean;
  /** The request's share of the memory budget; absent if memory is not counted. */
  readonly account?: Account;
  /** Reads the body, at most `limit` bytes in this time; first sends `100 Continue` to a client that waits for it. */
  body(limit: number, milliseconds: number): Promise<Body>;
  /**
   * Reads the body in chunks: reads the next one after `consume` has resolved, and rethrows its errors. Absent if the body is
   * not a stream.
   */
  readonly pipe?: (
    limit: number,
    milliseconds: number,
    consume: (bytes: Buffer) => Promise<void>,
  ) => Promise<PipeResult>;
}

export type Body =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  /** The client disconnected or timed out. */
  | { readonly kind: "aborted" }
  /** The memory budget is used up. */
  | { readonly kind: "no-room" };

/** The result of `pipe`: the whole body was read, or the reason why it was not. */
export type PipeResult = "whole" | Exclude<Body["kind"], "bytes">;

/** The header fields by name in lower case. */
export interface RequestHeaders {
  get(name: string): string | undefined;
  /** Whether the request has the field more than once. */
  repeated(name: string): boolean;
}

/** A response. `headers`: names and values, alternating. A text `body` is sent as UTF-8. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array;
  /** The streaming body, instead of `body`. */
  readonly stream?: Streaming;
  /** The number of records that the request created, if it created any. */
  readonly made?: number;
  /** Whether to close the connection after this response. */
  readonly close?: boolean;
  /** The Content-Security-Policy of a page; API responses have the strictest one (R1.6). */
  readonly policy?: string;
}

/** Responds to requests of any transport. */
export interface Responder {
  /**
   * Returns the response. Never rejects; the response has all header fields, including Request-Id. Synchronous if nothing is
   * awaited.
   */
  response(httpRequest: HttpRequest): Awaitable<HttpResponse>;
  /** Returns the response to a request that is rejected before routing. */
  reject(code: string, rejected?: RejectOptions): HttpResponse;
  /** Returns the response to a request that failed before the service received it; reports the error. */
  fail(thrown: unknown): HttpResponse;
  /** Sets `/readyz` to 503 (R1.8) and starts no new jobs; resolves when all active work is done. */
  drain(): Promise<void>;
}

/** A body that the service writes piece by piece. */
export interface Streaming {
  /** Called after the response head is sent; not for HEAD, or if the client has disconnected. */
  start(sink: Sink): void;
  /** Called exactly once when the connection or stream has ended, even if `start` was not called. */
  ended(): void;
}

/** The connection to which a streaming body is written. */
export interface Sink {
  write(text: string | Uint8Array): void;
  /** The number of bytes in the write buffer. */
  readonly waiting: number;
  /** Resolves when the write buffer is empty or the connection has closed. */
  drained(): Promise<void>;
  /** Ends the body after sending the buffer. */
  end(): void;
  /** Closes the connection and drops the buffer. */
  cut(): void;
}

/** Reads names and values, alternating: the format of `http.IncomingMessage.rawHeaders`. */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const values = new Map<string, string>();
  let twice: Set<string> | undefined;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const before = values.get(name);
    if (before === undefined) values.set(name, raw[i + 1] as string);
    else {
      (twice ??= new Set()).add(name);
      values.set(name, `${before}, ${raw[i + 1]}`);
    }
  }
  return { get: (name) => values.get(name), repeated: (name) => twice?.has(name) ?? false };
}

export interface RejectOptions {
  /** The status, for codes with several. */
  readonly status?: number;
  /** The request; absent if the HTTP parser could not read it. */
  readonly httpRequest?: HttpRequest;
}
