/** One request and one answer as data, apart from the socket they came by, so that any front end can drive the pipeline. */
import type { Awaitable } from "../store/port/store.ts";
import type { Account } from "./memory-budget.ts";

/** A longer target is refused (R4.3). */
export const maximumTargetBytes = 8192;

export interface HttpRequest {
  readonly method: string;
  /** As on the request line: path and query, undecoded. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** The peer's address. */
  readonly address: string;
  /** Whether the caller is known to have come by TLS. */
  readonly secure: boolean;
  /** What it holds of the memory that all requests share; absent where nobody counts. */
  readonly account?: Account;
  /**
   * Reads the body, at most `limit` bytes of it, for at most so long; a client that waits for `100 Continue` is told to go
   * on first.
   */
  body(limit: number, milliseconds: number): Promise<Body>;
  /**
   * The same, piece by piece: the next is read when `take` has taken the last. What `take` throws is thrown. Absent where
   * there is nothing that comes in pieces.
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
  /** The client went away, or was too slow. */
  | { readonly kind: "aborted" }
  /** All requests together hold as much as they may. */
  | { readonly kind: "no-room" };

/** How reading a body piece by piece ended. */
export type PipeResult = "whole" | Exclude<Body["kind"], "bytes">;

/** Header fields by lower-case name. */
export interface RequestHeaders {
  get(name: string): string | undefined;
  /** Whether the field was sent more than once. */
  repeated(name: string): boolean;
}

/** `headers`: names and values in turn. A `body` of text is sent as UTF-8. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array;
  /** In place of a body: one that goes on until either side ends it. */
  readonly stream?: Streaming;
  /** Whether a record was made. */
  readonly made?: boolean;
  /** Whether the connection ends with this answer. */
  readonly close?: boolean;
  /** The Content-Security-Policy of a page; answers of the API have the strictest (R1.6). */
  readonly policy?: string;
}

/** What responds to requests, whichever way they come. */
export interface Responder {
  /** Always answers; never rejects. The answer has its Request-Id and every other header. At once, where nothing is waited for. */
  response(httpRequest: HttpRequest): Awaitable<HttpResponse>;
  /** The answer to a request that is refused before it is looked at. */
  reject(code: string, rejected?: RejectOptions): HttpResponse;
  /** The answer to a request that could not be brought before the service; what was thrown is reported. */
  fail(thrown: unknown): HttpResponse;
  /** From now on `/readyz` is 503 (R1.8), and nothing is begun; resolves when nothing is under way. */
  drain(): Promise<void>;
}

/** What writes a body that goes on. */
export interface Streaming {
  /** Once the answer's head is sent; never where the caller has gone already, or asked for the head alone. */
  start(sink: Sink): void;
  /** The connection is over, or was before it began; called once, whatever happened. */
  ended(): void;
}

/** Where such a body goes. */
export interface Sink {
  write(text: string | Uint8Array): void;
  /** Bytes that the connection has not taken yet. */
  readonly waiting: number;
  /** Resolves when it has taken all of them, or is over. */
  drained(): Promise<void>;
  /** What was written is still sent. */
  end(): void;
  /** What was not taken yet is lost. */
  cut(): void;
}

/** Reads names and values in turn, as `http.IncomingMessage.rawHeaders` has them. */
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
  /** Where the code has more than one. */
  readonly status?: number;
  /** The request; absent where the HTTP parser could not read it. */
  readonly httpRequest?: HttpRequest;
}
