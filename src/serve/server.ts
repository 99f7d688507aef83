/** A service behind `node:http`: sockets, time-outs, parser faults, draining (R1.8, R4.3, R4.6, R4.21). */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Answer, Body, Exchange } from "./exchange.ts";
import { readHeaders } from "./exchange.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Service } from "./service.ts";
import { maximumTargetBytes } from "./target.ts";

export interface ServerOptions {
  /** The service that answers now; asked at each request, so that it can be exchanged while the server runs. */
  readonly service: () => Service;
  readonly host: string;
  readonly port: number;
  readonly requestMilliseconds: number;
  readonly forwarding: Forwarding;
}

export interface RunningServer {
  readonly port: number;
  /** Stops accepting, lets what is under way finish (at most `graceMilliseconds`), then closes. */
  close(graceMilliseconds: number): Promise<void>;
}

const headersMilliseconds = 10_000;
const maximumHeaderBytes = 16_384;

export async function listen(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({
    // Node counts the request line into the headers; the line has a limit of its own.
    maxHeaderSize: maximumHeaderBytes + maximumTargetBytes,
    headersTimeout: Math.min(headersMilliseconds, options.requestMilliseconds),
    requestTimeout: options.requestMilliseconds,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 65_000,
    noDelay: true,
  });
  let draining = false;
  const respond = (request: IncomingMessage, response: ServerResponse, waits: boolean) =>
    void serve(options, request, response, waits).then((answer) => send(response, answer, draining));
  server.on("request", (request, response) => respond(request, response, false));
  server.on("checkContinue", (request, response) => respond(request, response, true));
  server.on("checkExpectation", (_, response) => send(response, options.service().refuse("expectation-failed"), true));
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) =>
    refuseRaw(options, error, socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMilliseconds) {
      draining = true;
      options.service().drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function serve(
  options: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): Promise<Answer> {
  const headers = readHeaders(request.rawHeaders);
  const service = options.service();
  const peer = options.forwarding.peer(request.socket.remoteAddress ?? "", headers);
  if (peer.insecure) return service.refuse("https-required");
  const exchange: Exchange = {
    method: request.method ?? "",
    target: request.url ?? "",
    headers,
    address: peer.address,
    body: (limit) => readBody(request, response, limit, waits),
  };
  if (rawBytes(request) > maximumHeaderBytes) return service.refuse("headers-too-large");
  return service.answer(exchange);
}

function rawBytes(request: IncomingMessage): number {
  let bytes = 0;
  for (const text of request.rawHeaders) bytes += text.length + 2;
  return bytes;
}

function readBody(request: IncomingMessage, response: ServerResponse, limit: number, waits: boolean): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve({ kind: "too-large" });
  if (waits) response.writeContinue();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        request.pause();
        resolve({ kind: "too-large" });
      }
    });
    request.on("end", () =>
      resolve({ kind: "bytes", bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }),
    );
    request.on("close", () => resolve({ kind: "aborted" }));
    request.on("error", () => resolve({ kind: "aborted" }));
  });
}

function send(response: ServerResponse, answer: Answer, draining: boolean): void {
  if (response.destroyed || response.headersSent) return;
  const { status, body } = answer;
  const headers = [...answer.headers];
  if (answer.close === true || draining) headers.push("Connection", "close");
  if (body !== undefined)
    headers.push("Content-Length", String(typeof body === "string" ? Buffer.byteLength(body) : body.length));
  else if (status !== 204 && status !== 304) headers.push("Content-Length", "0");
  response.writeHead(status, headers);
  response.end(body);
}

/** Requests that the parser refuses are answered like any other refusal (R7.1). */
function refuseRaw(
  { service }: ServerOptions,
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body = "" } = refusalOf(service(), error);
  const lines = [`HTTP/1.1 ${status} -`, `Date: ${new Date().toUTCString()}`, "Connection: close"];
  for (let i = 0; i + 1 < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  socket.end(`${lines.join("\r\n")}\r\n\r\n${String(body)}`);
}

function refusalOf(service: Service, error: NodeJS.ErrnoException & { rawPacket?: Buffer }): Answer {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return service.refuse(startsWithLongLine(error.rawPacket) ? "uri-too-long" : "headers-too-large");
    case "HPE_INVALID_METHOD":
      return service.refuse("not-implemented");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return service.refuse("request-timeout");
    default:
      return service.refuse("invalid-request", 400);
  }
}

function startsWithLongLine(packet: Buffer | undefined): boolean {
  const end = packet?.indexOf("\r\n") ?? 0;
  return end === -1 || end > maximumTargetBytes;
}
