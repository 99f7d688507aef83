/** A service behind `node:http`: sockets, time-outs, parser faults, draining (R1.8, R4.3, R4.6, R4.21). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import process from "node:process";
import { type Account, type Budget, connectionBytes, createBudget, usualBudget } from "./budget.ts";
import type { Answer, Body, Poured, Streaming } from "./exchange.ts";
import { readHeaders } from "./exchange.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Arrived, Expectation } from "./front.ts";
import { answerTo, stallOf } from "./front.ts";
import { gather } from "./gathered.ts";
import { listenOnSockets } from "./http/listen.ts";
import { listening } from "./listening.ts";
import type { Service } from "./service.ts";
import { maximumTargetBytes } from "./target.ts";
import { createTurns, type Turns } from "./turns.ts";

// An import would ask the module for all of its names, and one of them loads a client of HTTP with everything it needs.
const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");

export interface ServerOptions {
  /** The service that answers now; asked at each request, so that it can be exchanged while the server runs. */
  readonly service: () => Service;
  readonly host: string;
  readonly port: number;
  readonly requestMilliseconds: number;
  readonly forwarding: Forwarding;
  /** `node` is `node:http`; `own`, which it is unless told, `serve/http`. */
  readonly http?: "own" | "node";
  /** What its connections and their requests may hold together; of its own unless told. */
  readonly budget?: Budget;
  /** For how long nothing may come or go on a connection that has a request or an answer; see `stallOf`. */
  readonly stallMilliseconds?: number;
}

export interface RunningServer {
  readonly port: number;
  /** From now on not ready (R1.8); after lingering stops accepting, lets what is under way finish, and closes. */
  close(graceMilliseconds: number, options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * For how long connections are still accepted and kept, so that whoever asks `/readyz` learns that it is 503 and sends
   * its requests elsewhere; 0 unless told. The grace is counted from its end.
   */
  readonly lingerMilliseconds?: number;
}

const headersMilliseconds = 10_000;
/**
 * What Node's parser takes of a request line and fields. More than both may have, since where the parser gives up it does not
 * say which of them was too long (R4.3), and less than the 64 KiB that come in one piece, so that what is longer still begins
 * in the piece that is looked at.
 */
const maximumSectionBytes = 61_440;

/** By this project's own HTTP/1.1, or by Node's where it is asked for: both are held to the same tests. */
export function listen(given: ServerOptions): Promise<RunningServer> {
  const options = { ...given, budget: given.budget ?? createBudget(usualBudget()) };
  return options.http === "node" ? listenByNode(options) : listenOnSockets(options);
}

export type CountingOptions = ServerOptions & { readonly budget: Budget };

async function listenByNode(options: CountingOptions): Promise<RunningServer> {
  const server = createServer({
    maxHeaderSize: maximumSectionBytes,
    headersTimeout: Math.min(headersMilliseconds, options.requestMilliseconds),
    requestTimeout: options.requestMilliseconds,
    connectionsCheckingInterval: Math.min(1000, options.requestMilliseconds),
    keepAliveTimeout: 65_000,
    noDelay: true,
    // Node would answer with an empty body; see `isFramed`.
    requireHostHeader: false,
  });
  server.setTimeout(stallOf(options));
  // Node would leave out what is beyond 2000 fields; their bytes are limited already.
  server.maxHeadersCount = 0;
  let draining = false;
  const turns = createTurns();
  const respond = (request: IncomingMessage, response: ServerResponse, expectation: Expectation) => {
    const give = (answer: Answer): boolean => {
      // What the parser could not read the rest of is refused already.
      if (turns.isOver(request.socket)) answer.stream?.ended();
      else send(response, answer, draining);
      return draining || answer.close === true;
    };
    const account = options.budget.account();
    account.add(rawBytes(request));
    response.once("close", () => account.end());
    turns.take(request, response, () =>
      Promise.try(() => answerTo(options, arrivedAs(request, response, account), expectation))
        .then(give)
        // Also for an answer that cannot be sent.
        .catch((thrown: unknown) => give(options.service().fail(thrown)))
        .finally(() => account.end()),
    );
  };
  // Before Node lists the new connection, which is idle, too: `closeIdleConnections` closes all idle ones.
  server.prependListener("connection", () => {
    if (options.budget.held >= options.budget.limit) server.closeIdleConnections();
  });
  server.on("connection", (socket: Socket) => {
    const account = options.budget.account();
    if (account.isFull) {
      socket.destroy();
      return;
    }
    account.add(connectionBytes);
    socket.once("close", () => account.end());
  });
  server.on("request", (request, response) => respond(request, response, "none"));
  server.on("checkContinue", (request, response) => respond(request, response, "continue"));
  server.on("checkExpectation", (request, response) => respond(request, response, "unknown"));
  server.on("connect", (_, socket: Socket) =>
    turns.refuse(socket, () => sendRaw(socket, options.service().refuse("not-implemented"))),
  );
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) =>
    refuseRaw(options, turns, error, socket),
  );
  return listening(server, options, {
    drain: () => {
      draining = true;
    },
    rest: () => server.closeIdleConnections(),
    cut: () => server.closeAllConnections(),
  });
}

function arrivedAs(request: IncomingMessage, response: ServerResponse, account: Account): Arrived {
  const headers = readHeaders(request.rawHeaders);
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    version: request.httpVersion === "1.0" ? "1.0" : "1.1",
    headers,
    fieldBytes: rawBytes(request),
    account,
    address: request.socket.remoteAddress ?? "",
    goOn: () => response.writeContinue(),
    body: (limit, patience) => readBody(request, limit, patience, account),
    pour: (limit, patience, take) => pourBody(request, limit, patience, take),
  };
}

function rawBytes(request: IncomingMessage): number {
  let bytes = 0;
  for (const text of request.rawHeaders) bytes += text.length + 2;
  return bytes;
}

function readBody(
  request: IncomingMessage,
  limit: number,
  patience: number | undefined,
  account: Account,
): Promise<Body> {
  return new Promise((settle) => {
    const resolve = (body: Body): void => {
      clearTimeout(timer);
      settle(body);
    };
    const timer = patience === undefined ? undefined : setTimeout(() => resolve({ kind: "aborted" }), patience);
    const bytes = gather(limit, account);
    const take = (chunk: Buffer): void => {
      const isFitting = bytes.length + chunk.length <= limit;
      if (isFitting && bytes.add(chunk) && bytes.keep()) return;
      request.off("data", take);
      request.pause();
      resolve({ kind: isFitting ? "no-room" : "too-large" });
    };
    request.on("data", take);
    request.on("end", () => resolve({ kind: "bytes", bytes: bytes.take() }));
    request.on("close", () => resolve({ kind: "aborted" }));
    request.on("error", () => resolve({ kind: "aborted" }));
  });
}

function pourBody(
  request: IncomingMessage,
  limit: number,
  patience: number | undefined,
  take: (bytes: Buffer) => Promise<void>,
): Promise<Poured> {
  const poured = pourAll(request, limit, take);
  if (patience === undefined) return poured;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Poured>((resolve) => (timer = setTimeout(resolve, patience, "aborted")));
  return Promise.race([poured, late]).finally(() => clearTimeout(timer));
}

async function pourAll(
  request: IncomingMessage,
  limit: number,
  take: (bytes: Buffer) => Promise<void>,
): Promise<Poured> {
  let length = 0;
  try {
    // The connection stays, for the answer that says what was wrong.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) return "too-large";
      await take(chunk);
    }
    return request.complete ? "whole" : "aborted";
  } catch (thrown) {
    if (request.errored === thrown) return "aborted";
    throw thrown;
  }
}

function send(response: ServerResponse, answer: Answer, draining: boolean): void {
  const { status, body, stream } = answer;
  if (response.destroyed || response.headersSent) {
    stream?.ended();
    return;
  }
  const headers = [...answer.headers];
  if (answer.close === true || draining) headers.push("Connection", "close");
  if (stream !== undefined) {
    response.writeHead(status, headers);
    sendStream(response, stream);
    return;
  }
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
  if (body !== undefined || (status !== 204 && status !== 304)) headers.push("Content-Length", String(bytes));
  response.writeHead(status, headers);
  // A text of ASCII alone is the same bytes in Latin-1, which is written faster.
  if (typeof body === "string") response.end(body, bytes === body.length ? "latin1" : "utf8");
  else response.end(body);
}

function sendStream(response: ServerResponse, stream: Streaming): void {
  response.once("close", () => stream.ended());
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  // A head that waits for its body would tell the caller nothing until something happens.
  response.flushHeaders();
  stream.start({
    write: (text) => void response.write(text),
    get waiting() {
      return response.writableLength;
    },
    drained: () =>
      new Promise((resolve) => {
        if (!response.writableNeedDrain || response.destroyed) return resolve();
        // Whichever comes takes both away: a long file drains many times, and listeners that stay add up.
        const done = (): void => {
          for (const event of ["drain", "close"]) response.off(event, done);
          resolve();
        };
        for (const event of ["drain", "close"]) response.on(event, done);
      }),
    end: () => void response.end(),
    cut: () => void response.destroy(),
  });
}

/** Requests that the parser refuses are answered like any other refusal (R7.1). */
function refuseRaw(
  { service }: ServerOptions,
  turns: Turns,
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  // What comes after a request that ends the connection is not looked at, and needs no answer (RFC 9112 section 9.6).
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  turns.refuse(socket, () => sendRaw(socket, refusalOf(service(), error)));
}

/** Where Node has no response object to send with. */
function sendRaw(socket: Socket, { status, headers, body = "" }: Answer): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
  ];
  for (let i = 0; i + 1 < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  socket.end(`${lines.join("\r\n")}\r\n\r\n${String(body)}`);
}

function refusalOf(service: Service, error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Answer {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return service.refuse(startsWithLongLine(error.rawPacket) ? "uri-too-long" : "headers-too-large");
    case "HPE_INVALID_METHOD":
      // The parser knows some methods; what could be another one has its form (RFC 9110 section 9.1).
      if (/^[\w!#$%&'*+.^`|~-]+ /.test(error.rawPacket?.toString("latin1") ?? ""))
        return service.refuse("not-implemented");
      return service.refuse("invalid-request", { status: 400 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return service.refuse("request-timeout");
    default:
      return service.refuse("invalid-request", { status: 400 });
  }
}

/** Only the packet that a request begins with tells it; what comes in a later one is taken for a field's. */
function startsWithLongLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || !/^[A-Z-]+ /.test(packet.toString("latin1", 0, 32))) return false;
  const end = packet.indexOf("\r\n");
  return end === -1 || end > maximumTargetBytes;
}
