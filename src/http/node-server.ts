/** Serves a service by `node:http`: sockets, timeouts, parser errors, draining (R1.8, R4.3, R4.6, R4.21). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import process from "node:process";
import { setTimeout as pass } from "node:timers/promises";
import { createBudget, usualBudget } from "./memory-budget.ts";
import { type HttpResponse, type Responder, maximumTargetBytes } from "./message.ts";
import { stallOf, type ServerOptions } from "./before-service.ts";
import { Connection } from "./connection.ts";
import type { Expectation } from "./request.ts";

// The module is not imported: an import would load all of its exports, one of which loads an HTTP client with its
// dependencies.
const { createServer } = process.getBuiltinModule("node:http");

export interface RunningServer {
  readonly port: number;
  /**
   * Stops the server: reports not ready (R1.8); after `lingerMilliseconds` stops accepting connections, waits for active
   * requests, and closes.
   */
  close(graceMilliseconds: number, options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * How long the server still accepts connections, so that load balancers read 503 from `/readyz` and stop routing to it;
   * default 0. The grace period starts afterwards.
   */
  readonly lingerMilliseconds?: number;
}

const headersMilliseconds = 10_000;
/**
 * Node's limit of request line and fields in bytes. It is larger than Nonet's limits together, because Node does not report
 * which part was too long (R4.3). It is below the 64 KiB of one read, so that the start of the request is still in the packet
 * that Nonet examines.
 */
const maximumSectionBytes = 61_440;
/** The most idle connections to close for a new one when memory is short. */
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
    // Otherwise Node would respond with an empty body; see `isFramed`.
    requireHostHeader: false,
    // Otherwise Node would use the first of some repeated fields.
    joinDuplicateHeaders: true,
    // Requests without a body need no stream events.
    optimizeEmptyRequests: true,
  });
  server.setTimeout(stallOf(options));
  // Otherwise Node would drop fields after the 2000th; the limit in bytes is enough.
  server.maxHeadersCount = 0;
  // A client may close its sending half after the request, and still read the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Map<Socket, Connection>();
  const rest = (most: number): void => {
    let left = most;
    for (const connection of connections.values()) if (connection.rest() && (left -= 1) === 0) return;
  };
  // Node's own function, which `close` calls, would cut responses that clients are still reading.
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
    // Node detaches the socket of a CONNECT request, so its errors need a listener.
    socket.on("error", () => socket.destroy());
    socket.resume();
    connections.get(socket)?.reject(() => options.service().reject("not-implemented"));
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    // Bytes after a request that closes the connection are ignored (RFC 9112 section 9.6).
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

/** Returns the response to a parser error: parser errors get the same error responses as others (R7.1). */
function parserErrorResponse(service: Responder, error: ParserError): HttpResponse {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return service.reject(startsWithLongLine(error.rawPacket) ? "uri-too-long" : "headers-too-large");
    case "HPE_INVALID_METHOD":
      // The parser knows only some methods; other tokens may be valid methods (RFC 9110 section 9.1).
      if (/^[\w!#$%&'*+.^`|~-]+ /.test(error.rawPacket?.toString("latin1") ?? ""))
        return service.reject("not-implemented");
      return service.reject("invalid-request", { status: 400 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return service.reject("request-timeout");
    default:
      return service.reject("invalid-request", { status: 400 });
  }
}

/**
 * Whether a request line is too long. Only the first packet of a request shows its line; an overflow in a later packet counts
 * as too many fields.
 */
function startsWithLongLine(packet: Buffer | undefined): boolean {
  if (packet === undefined || !/^[A-Z-]+ /.test(packet.toString("latin1", 0, 32))) return false;
  const end = packet.indexOf("\r\n");
  return end === -1 || end > maximumTargetBytes;
}
