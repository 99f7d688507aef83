/** Adapts a request of `node:http`: looks fields up on demand, and reads a body without copies. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "./memory-budget.ts";
import type { Body, HttpRequest, PipeResult, RequestHeaders } from "./message.ts";
import type { Peer } from "./proxies.ts";
import { gather } from "./byte-buffer.ts";

/** What the request expects by its Expect field (R4.6). */
export type Expectation = "none" | "continue" | "unknown";

/** Header fields of a request. Uses Node's object of fields, which exists anyway because Node looks for `Expect`. */
class Fields implements RequestHeaders {
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  get(name: string): string | undefined {
    const value = this.#message.headers[name];
    // A field may be named like a member of `Object.prototype`; `Set-Cookie` is a list.
    return typeof value === "string" || value === undefined ? value : listed(value);
  }

  repeated(name: string): boolean {
    const { rawHeaders } = this.#message;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at] as string;
      if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
    }
    return count > 1;
  }
}

function listed(value: unknown): string | undefined {
  return Array.isArray(value) ? value.join(", ") : undefined;
}

export function fieldsOf(message: IncomingMessage): RequestHeaders {
  return new Fields(message);
}

/** Returns the size of all fields with their line endings, in bytes. */
export function fieldBytes({ rawHeaders }: IncomingMessage): number {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/** The parts of a `ReceivedRequest`. */
export interface Received {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly expectation: Expectation;
  /** The size of all fields in bytes. */
  readonly fieldBytes: number;
  /** The request's account in the memory budget; released with the response. */
  readonly account: Account;
}

export class ReceivedRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly address: string;
  readonly secure: boolean;
  readonly account: Account;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #longest: number;
  #waits: boolean;

  constructor(
    { message, response, expectation, account }: Received,
    headers: RequestHeaders,
    { address, secure }: Peer,
    longest: number,
  ) {
    this.method = message.method as string;
    this.target = message.url as string;
    this.headers = headers;
    this.address = address;
    this.secure = secure;
    this.account = account;
    this.#message = message;
    this.#response = response;
    this.#longest = longest;
    this.#waits = expectation === "continue";
  }

  /** Whether the client waits for `100 Continue`. */
  get waits(): boolean {
    return this.#waits;
  }

  body(limit: number, milliseconds: number): Promise<Body> {
    const announced = this.#begin(limit);
    if (announced === "too-large") return Promise.resolve({ kind: announced });
    return readBody(this.#message, { limit, announced, patience: this.#patience(milliseconds), account: this.account });
  }

  pipe(limit: number, milliseconds: number, consume: (bytes: Buffer) => Promise<void>): Promise<PipeResult> {
    if (this.#begin(limit) === "too-large") return Promise.resolve("too-large");
    return pipeBody(this.#message, limit, this.#patience(milliseconds), consume);
  }

  /** Returns the announced Content-Length, if any; sends `100 Continue` if the client waits for it. */
  #begin(limit: number): number | undefined | "too-large" {
    const length = this.headers.get("content-length");
    if (length !== undefined && Number(length) > limit) return "too-large";
    if (this.#waits) this.#response.writeContinue();
    this.#waits = false;
    return length === undefined ? undefined : Number(length);
  }

  /**
   * Returns the time limit for a body; undefined if it exceeds the server's request timeout, at which the server ends the
   * body.
   */
  #patience(milliseconds: number): number | undefined {
    return milliseconds < this.#longest ? milliseconds : undefined;
  }
}

interface Reading {
  readonly limit: number;
  readonly announced: number | undefined;
  readonly patience: number | undefined;
  readonly account: Account;
}

const empty: Body = { kind: "bytes", bytes: Buffer.alloc(0) };
const aborted: Body = { kind: "aborted" };

function readBody(message: IncomingMessage, { limit, announced, patience, account }: Reading): Promise<Body> {
  // Node closes a request without a body before the handler runs (`optimizeEmptyRequests`).
  if (message.destroyed) return Promise.resolve(message.errored === null ? empty : aborted);
  return new Promise((finish) => {
    const timer = patience === undefined ? undefined : setTimeout(finish, patience, aborted);
    const bytes = gather(limit, account);
    const resolve = (body: Body): void => {
      clearTimeout(timer);
      finish(body);
    };
    const consume = (chunk: Buffer): void => {
      const isFitting = bytes.length + chunk.length <= limit;
      if (isFitting && bytes.add(chunk)) {
        // The body is complete, so it is neither copied nor is the end event awaited.
        if (bytes.length === announced) return resolve({ kind: "bytes", bytes: bytes.consume() });
        if (bytes.copy()) return;
      }
      message.off("data", consume);
      message.pause();
      resolve({ kind: isFitting ? "no-room" : "too-large" });
    };
    message.on("data", consume);
    message.on("end", () => resolve({ kind: "bytes", bytes: bytes.consume() }));
    message.on("close", () => resolve(aborted));
  });
}

function pipeBody(
  message: IncomingMessage,
  limit: number,
  patience: number | undefined,
  consume: (bytes: Buffer) => Promise<void>,
): Promise<PipeResult> {
  const piped = pipeAll(message, limit, consume);
  if (patience === undefined) return piped;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<PipeResult>((resolve) => (timer = setTimeout(resolve, patience, "aborted")));
  return Promise.race([piped, late]).finally(() => clearTimeout(timer));
}

async function pipeAll(
  message: IncomingMessage,
  limit: number,
  consume: (bytes: Buffer) => Promise<void>,
): Promise<PipeResult> {
  if (message.destroyed && message.errored === null) return "whole";
  let length = 0;
  try {
    // The connection is kept open for the error response.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) return "too-large";
      await consume(chunk);
    }
    return message.complete ? "whole" : "aborted";
  } catch (thrown) {
    if (message.errored === thrown) return "aborted";
    throw thrown;
  }
}
