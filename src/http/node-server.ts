/** A service behind `node:http`: sockets, time-outs, parser faults, draining (R1.8, R4.3, R4.6, R4.21). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import { setTimeout as pass } from "node:timers/promises";
import { createBudget, usualBudget } from "./memory-budget.ts";
import { type HttpResponse, type Responder, maximumTargetBytes } from "./message.ts";
import { stallOf, type ServerOptions } from "./before-service.ts";
import { Connection } from "./connection.ts";
import type { Expectation } from "./request.ts";

// An import would ask the module for all of its names, and one of them loads a client of HTTP with everything it needs.
const { createServer } = process.getBuiltinModule("node:http");

export interface RunningServer {
  readonly port: number;
  /** From now on not ready (R1.8); after lingering stops accepting, lets what is under way finish, and closes. Once. */
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
 * How much Node's parser takes of a request line and fields. More than both may have, since where the parser gives up it does
 * not say which of them was too long (R4.3), and less than the 64 KiB that come in one piece, so that a longer one still begins
 * in the piece that is looked at.
 */
const maximumSectionBytes = 61_440;
/** As many idle connections are closed for a new one where memory is short. */
const mostRested = 16;

export async function listen(supplied: ServerOptions): Promise<RunningServer> {
  const options = {
    ...supplied,
    budget: supplied.budget ?? createBudget(usualBudget()),
    isDraining: () => closing !== undefined,
  };
  let closing: Promise<void> | undefined;
  const server = createServer({
    maxHeaderSize: maximumSectionBytes,
    headersTimeout: Math.min(headersMilliseconds, options.requestMilliseconds),
    requestTimeout: options.requestMilliseconds,
    connectionsCheckingInterval: Math.min(1000, options.requestMilliseconds),
    keepAliveTimeout: 65_000,
    noDelay: true,
    insecureHTTPParser: false,
    // Node would answer with an empty body; see `isFramed`.
    requireHostHeader: false,
    // Node would take the first of some fields that are sent twice.
    joinDuplicateHeaders: true,
    // A request without a body needs none of a stream's events.
    optimizeEmptyRequests: true,
  });
  server.setTimeout(stallOf(options));
  // Node would leave out fields beyond the 2000th; their bytes are limited already.
  server.maxHeadersCount = 0;
  // A client that has sent everything may close its half of the connection and still read.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Map<Socket, Connection>();
  const rest = (most: number): void => {
    let left = most;
    for (const connection of connections.values()) if (connection.rest() && (left -= 1) === 0) return;
  };
  // Node's own would cut answers that are still being read, and `close` calls it.
  server.closeIdleConnections = () => rest(Number.POSITIVE_INFINITY);
  server.on("connection", (socket: Socket) => {
    const account = options.budget.account();
    if (account.isOver) rest(mostRested);
    if (account.isFull) {
      socket.destroy();
      return;
    }
    connections.set(socket, new Connection(socket, options, account));
    socket.once("close", () => connections.delete(socket));
  });
  const respond =
    (expectation: Expectation) =>
    (message: IncomingMessage, response: ServerResponse): void =>
      connections.get(message.socket)?.consume(message, response, expectation);
  server.on("request", respond("none"));
  server.on("checkContinue", respond("continue"));
  server.on("checkExpectation", respond("unknown"));
  server.on("connect", (_, socket: Socket) => {
    // Node lets go of a socket that a client wants for itself.
    socket.on("error", () => socket.destroy());
    socket.resume();
    connections.get(socket)?.reject(() => options.service().reject("not-implemented"));
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    // What comes after a request that ends the connection is not looked at, and needs no answer (RFC 9112 section 9.6).
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else connections.get(socket)?.reject(() => parserErrorResponse(options.service(), error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  async function close(graceMilliseconds: number, { lingerMilliseconds = 0 }: CloseOptions = {}): Promise<void> {
    const rested = options.service().drain();
    if (lingerMilliseconds > 0) await pass(lingerMilliseconds);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const timer = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, graceMilliseconds);
    await closed;
    clearTimeout(timer);
    await rested;
  }

  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMilliseconds, how) => (closing ??= close(graceMilliseconds, how)),
  };
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Requests that the parser refuses are answered like any other refusal (R7.1). */
function parserErrorResponse(service: Responder, error: ParserError): HttpResponse {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return service.reject(startsWithLongLine(error.rawPacket) ? "uri-too-long" : "headers-too-large");
    case "HPE_INVALID_METHOD":
      // The parser knows some methods; what could be another one has its form (RFC 9110 section 9.1).
      if (/^[\w!#$%&'*+.^`|~-]+ /.test(error.rawPacket?.toString("latin1") ?? ""))
        return service.reject("not-implemented");
      return service.reject("invalid-request", { status: 400 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return service.reject("request-timeout");
    default:
      return service.reject("invalid-request", { status: 400 });
  }
}

/** Only the packet that a request begins with tells it; what comes in a later one is taken for a field's. */
function startsWithLongLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || !/^[A-Z-]+ /.test(packet.toString("latin1", 0, 32))) return false;
  const end = packet.indexOf("\r\n");
  return end === -1 || end > maximumTargetBytes;
}
