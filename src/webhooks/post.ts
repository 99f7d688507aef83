/** Sends one HTTP request: checks the address, follows no redirects, limits the response (R6.7, R6.11, R6.12). */
import { lookup } from "node:dns";
import type { Agent, IncomingMessage, request } from "node:http";
import process from "node:process";
import { type AddressRules, addressProblem, guardedLookup, type Resolve } from "./address.ts";

export interface Posted {
  readonly status: number;
  readonly receiverRetryAfter?: string;
  readonly delivery?: string;
  /** The first 1024 bytes of the response body, as text. */
  readonly reply: string;
}

export interface Post {
  /** Sends a request. @throws PostError if there is no response. */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    timeoutMilliseconds: number,
    signal: AbortSignal,
  ): Promise<Posted>;
  close(): void;
}

export class PostError extends Error {
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.timedOut = timedOut;
  }
}

/** The most bytes of a response body; above it the connection closes. */
const maximumReplyBytes = 65_536;
const storedReplyBytes = 1024;

/** Resolves public names by the system's resolver. */
export const systemResolve: Resolve = (name, done) => lookup(name, { all: true, verbatim: true }, done);

interface Client {
  readonly agent: Agent;
  readonly request: typeof request;
}

const agentOptions = { keepAlive: true, maxFreeSockets: 64, keepAliveMsecs: 1000 };

/**
 * Returns the client of a scheme. It is not imported: loading TLS takes 16 ms at start; for `node:http` see
 * `src/http/node-server.ts`.
 */
function clientOf(scheme: "http" | "https"): Client {
  const { Agent, request } = process.getBuiltinModule(scheme === "https" ? "node:https" : "node:http");
  return { agent: new Agent(agentOptions), request };
}

export function createPost(rules: AddressRules, resolve: Resolve = systemResolve): Post {
  const clients: { http?: Client; https?: Client } = {};
  const guarded = guardedLookup(resolve, rules);
  return {
    send(text, headers, body, timeoutMilliseconds, signal) {
      // Node skips the lookup for literal addresses, so they are checked here (R6.12).
      const problem = addressProblem(text, rules);
      if (problem !== undefined) return Promise.reject(new PostError(`the address ${problem}`, false));
      const url = new URL(text);
      const scheme = url.protocol === "https:" ? "https" : "http";
      const client = (clients[scheme] ??= clientOf(scheme));
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
      return new Promise<Posted>((resolve, reject) => {
        const sent = client.request(
          url,
          {
            method: "POST",
            agent: client.agent,
            lookup: guarded,
            headers: { ...headers, "content-length": Buffer.byteLength(body) },
            signal: limit,
          },
          (response) => read(response, resolve),
        );
        sent.on("error", (error) => {
          const timedOut = limit.aborted && !signal.aborted;
          reject(new PostError(timedOut ? `no answer within ${timeoutMilliseconds} ms` : error.message, timedOut));
        });
        sent.end(body);
      });
    },
    close() {
      clients.http?.agent.destroy();
      clients.https?.agent.destroy();
    },
  };
}

/** Reads a response. Only its status matters: stores the start of the body, and closes the connection of an endless one. */
function read(response: IncomingMessage, done: (posted: Posted) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => {
    const receiverRetryAfter = response.headers["retry-after"];
    const delivery = response.headers["webhook-delivery"];
    done({
      status: response.statusCode ?? 0,
      ...(receiverRetryAfter === undefined ? {} : { receiverRetryAfter }),
      ...(typeof delivery === "string" ? { delivery } : {}),
      reply: Buffer.concat(chunks).subarray(0, storedReplyBytes).toString("utf8"),
    });
  };
  response.on("data", (chunk: Buffer) => {
    if (length < storedReplyBytes) chunks.push(chunk);
    length += chunk.length;
    if (length > maximumReplyBytes) {
      finish();
      response.destroy();
    }
  });
  response.on("end", finish);
  // The status is valid even if the rest of the body is missing.
  response.on("close", finish);
  response.on("error", () => {});
}
