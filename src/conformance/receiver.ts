/**
 * Receives the webhooks of the implementation under test, on this machine: each subscription has a path, whose responses the test
 * chooses. This file uses sockets and the clock.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getOrMake } from "../base/once.ts";
import { fieldsOf } from "./http-client.ts";

export interface Receiver {
  /** Returns the absolute URL of a path. */
  url(path: string): string;
  /**
   * Sets the replies to the next requests to a path, in this order; the last one stays. A path without replies responds 204.
   */
  reply(path: string, ...replies: readonly Reply[]): void;
  /** The requests to a path so far, in the order of their arrival. */
  received(path: string): readonly Received[];
  /** Returns how many requests have come so far, to any path. */
  count(): number;
  /** Resolves to the requests to a path once there are `count`, or to fewer at the end of the time. */
  until(path: string, count: number, milliseconds: number): Promise<readonly Received[]>;
  /**
   * Resolves to how long a sender has waited for a response before it closed the connection, in milliseconds; to undefined if it
   * still waits at the end of this time. For requests whose reply is `nothing`.
   */
  abandoned(received: Received, milliseconds: number): Promise<number | undefined>;
  /** Breaks all connections and stops. */
  close(): Promise<void>;
}

export interface Received {
  readonly method: string;
  /** The path and query. */
  readonly target: string;
  /** The header fields by lower-case name; several fields of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body, at most 1 MiB. */
  readonly body: Uint8Array;
  /** Whether the body was longer. */
  readonly isCut: boolean;
  /** When the last byte of the request arrived, in milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** A response; or no response, so that the sender has to give up; or a reset of the connection. */
export type Reply = ReplyResponse | "nothing" | "reset";

export interface ReplyResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long the receiver waits before it answers. */
  readonly delayMilliseconds?: number;
}

export interface ReceiverOptions {
  /** The address to listen on; default: 127.0.0.1. */
  readonly host?: string;
  /** The port; default: any free one. */
  readonly port?: number;
}

/** How much of a body is stored. */
const maximumBytes = 1_048_576;
const usual: Reply = { status: 204 };

interface Hook {
  readonly received: Received[];
  replies: readonly Reply[];
  readonly waiting: Set<() => void>;
}

/** Starts a receiver. Rejects with the system's error if the address cannot be used. */
export async function createReceiver({ host = "127.0.0.1", port = 0 }: ReceiverOptions = {}): Promise<Receiver> {
  const hooks = new Map<string, Hook>();
  const ends = new WeakMap<Received, Promise<number>>();
  const hookAt = (path: string): Hook =>
    getOrMake(hooks, path, () => ({ received: [], replies: [usual], waiting: new Set() }));

  const server = createServer((request, response) => {
    // A sender that gives up in the middle has sent nothing.
    receive(request).then(
      (received) => {
        const hook = hookAt(received.target.split("?", 1)[0] ?? "");
        const [reply = usual, ...others] = hook.replies;
        if (others.length > 0) hook.replies = others;
        hook.received.push(received);
        answer(response, reply);
        if (reply === "nothing") ends.set(received, endOf(response));
        for (const look of hook.waiting) look();
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: listening } = server.address() as AddressInfo;

  return {
    url: (path) => `http://${host.includes(":") ? `[${host}]` : host}:${listening}${path}`,
    reply(path, ...replies) {
      hookAt(path).replies = replies;
    },
    received: (path) => hookAt(path).received,
    count: () => [...hooks.values()].reduce((sum, { received }) => sum + received.length, 0),
    async until(path, count, milliseconds) {
      const { received, waiting } = hookAt(path);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      const look = (): void => {
        if (received.length >= count) resolve();
      };
      waiting.add(look);
      look();
      await promise;
      clearTimeout(timer);
      waiting.delete(look);
      return received;
    },
    async abandoned(received, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(resolve, milliseconds, undefined);
      return Promise.race([ends.get(received), promise]).finally(() => clearTimeout(timer));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads a request. Rejects if its connection breaks. */
async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length < maximumBytes) chunks.push(chunk);
    length += chunk.length;
  }
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    headers: fieldsOf(request),
    body: Buffer.concat(chunks).subarray(0, maximumBytes),
    isCut: length > maximumBytes,
    arrivedAt: Date.now(),
  };
}

/** Resolves to the time until the connection ends, in milliseconds. */
function endOf(response: ServerResponse): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    response.once("close", () => resolve(performance.now() - startedAt));
  });
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === "nothing") return;
  if (reply === "reset") return void response.socket?.resetAndDestroy();
  const { status, headers = {}, body = "", delayMilliseconds = 0 } = reply;
  setTimeout(() => response.writeHead(status, headers).end(body), delayMilliseconds);
}
