/**
 * Sends the requests of a conformance test by HTTP/1.1, with or without TLS. The target may do anything: each way in which it
 * fails to respond becomes a problem in plain words. This file uses sockets and the clock; the cases only know `Send`.
 */
import { readFileSync } from "node:fs";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { setImmediate as nextTick } from "node:timers/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { printMilliseconds } from "../base/duration.ts";
import type { Json } from "../base/json.ts";
import { isResponse, type NoResponse, type Request, type Response, type Send } from "./interaction.ts";

export interface ClientOptions {
  /** How long a response may take, from the first byte of the request to the last byte of the response. */
  readonly timeoutMilliseconds: number;
  /** How long a body may be, as it is sent and after decompression. */
  readonly maximumBytes: number;
  /** Whether requests may be sent to a URL; default: to every URL. */
  readonly allowed?: (url: URL) => boolean;
}

export interface Client {
  readonly send: Send;
  /** Closes all connections; a request that has no response yet gets a problem. */
  close(): Promise<void>;
}

/**
 * The methods that change nothing (RFC 9110 section 9.2.1). Only their requests share connections: a server may close a connection
 * between two requests, and then the second one has no response. It can be sent again only if it changes nothing.
 */
const safe = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);
/** How long a shared connection stays open between two requests; servers close theirs after some seconds. */
const idleMilliseconds = 1000;
const maximumHeadBytes = 65_536;
const mostInterimResponses = 50;

export function createClient(options: ClientOptions): Client {
  const shared = { keepAlive: true, timeout: idleMilliseconds };
  const agents = new Map([
    ["http:", { shared: new http.Agent(shared), single: new http.Agent() }],
    ["https:", { shared: new https.Agent(shared), single: new https.Agent() }],
  ]);
  const active = new Set<ClientRequest>();
  let isClosed = false;

  async function send(request: Request): Promise<Response | NoResponse> {
    const url = URL.parse(request.url);
    const pair = agents.get(url?.protocol ?? "");
    if (url === null || pair === undefined) return { problem: `${request.url} is not an address of http or https` };
    if (isClosed) return { problem: "the test has ended" };
    if (options.allowed?.(url) === false) return { problem: `requests to ${url.host} are not allowed` };
    const agent = safe.has(request.method) ? pair.shared : pair.single;
    try {
      const first = await attempt(request, url, agent);
      return (first.mayRetry && !isClosed ? await attempt(request, url, pair.single) : first).result;
    } catch (thrown) {
      return { problem: `the request cannot be sent: ${(thrown as Error).message}` };
    }
  }

  /** @throws Error if the request has a part that HTTP does not allow. */
  async function attempt(request: Request, url: URL, agent: http.Agent): Promise<Attempt> {
    closeOutOfStep(agent);
    const sent = openRequest(request, url, agent);
    active.add(sent);
    try {
      return await attemptOf(sent, request, url, options);
    } finally {
      active.delete(sent);
    }
  }

  return {
    send,
    close() {
      isClosed = true;
      for (const sent of active) sent.destroy();
      for (const agent of [...agents.values()].flatMap(({ shared, single }) => [shared, single])) agent.destroy();
      return Promise.resolve();
    },
  };
}

/** Whether a URL is on this machine. The name is not resolved, since the answer could be another one later. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** A longer body is written in pieces of this length, see `writeBody`. */
const pieceBytes = 65_536;

/**
 * Opens a request and writes it. Adds the fields that HTTP requires, `User-Agent`, and `Accept` if the request has none.
 *
 * @throws Error if the request has a part that HTTP does not allow
 */
export function openRequest({ method, headers, body }: Request, url: URL, agent: http.Agent | false): ClientRequest {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const isSized = bytes === undefined || names.has("content-length") || names.has("transfer-encoding");
  const sent = (url.protocol === "https:" ? https : http).request(url, {
    method,
    agent,
    maxHeaderSize: maximumHeadBytes,
    headers: {
      ...(names.has("accept") ? {} : { Accept: "application/json" }),
      ...(names.has("user-agent") ? {} : { "User-Agent": `nonet-test/${version}` }),
      ...headers,
      ...(isSized ? {} : { "Content-Length": bytes.length }),
    },
  });
  if (bytes === undefined || bytes.length <= pieceBytes) sent.end(bytes);
  else void writeBody(sent, bytes);
  return sent;
}

/**
 * Writes a long body in pieces, until it is rejected: a server may send an error before it has read the body, and close the
 * connection. A failed write would hide this response.
 */
async function writeBody(sent: ClientRequest, bytes: Uint8Array): Promise<void> {
  let isRejected = false;
  let goOn = (): void => {};
  sent.once("response", ({ statusCode = 0 }) => {
    isRejected = statusCode >= 400;
  });
  for (const event of ["drain", "close", "response"]) sent.on(event, () => goOn());
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (isRejected || sent.destroyed) return;
    if (!sent.write(bytes.subarray(at, at + pieceBytes)))
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    // Lets the socket be read before the next write.
    await nextTick();
  }
  sent.end();
}

/**
 * Closes connections on which bytes came that belong to no response. They would be read as the response to the next request.
 */
function closeOutOfStep({ freeSockets }: http.Agent): void {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? []))
    if (socket.readableLength > 0) socket.destroy();
}

// ── Responses ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Attempt {
  readonly result: Response | NoResponse;
  /** Whether the server closed a shared connection without a response, maybe before the request. */
  readonly mayRetry: boolean;
}

/** Waits for the response to a request, or for the reason why there is none. */
function attemptOf(sent: ClientRequest, { method }: Request, { host }: URL, options: ClientOptions): Promise<Attempt> {
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  let readBefore = 0;
  let message: IncomingMessage | undefined;
  let interimResponses = 0;

  const finish = (result: Response | NoResponse, mayRetry = false): void => {
    clearTimeout(timer);
    // A connection is used again only after a complete request and a complete response.
    if (!isResponse(result) || !sent.writableEnded) sent.destroy();
    resolve({ result, mayRetry });
  };
  const timer = setTimeout(() => {
    const missing = message === undefined ? "no response" : "no complete response";
    finish({ problem: `${missing} within ${printMilliseconds(options.timeoutMilliseconds)}` });
  }, options.timeoutMilliseconds);

  sent.once("socket", (socket) => {
    readBefore = socket.bytesRead;
  });
  sent.on("information", () => {
    interimResponses += 1;
    if (interimResponses > mostInterimResponses)
      finish({ problem: `more than ${mostInterimResponses} interim responses (1xx), and no final one` });
  });
  sent.once("response", (incoming) => {
    message = incoming;
    void readResponse(incoming, options.maximumBytes).then(finish);
  });
  // A response with the status 101, and a successful one to CONNECT, have no body: another protocol follows.
  for (const event of ["upgrade", "connect"])
    sent.once(event, (incoming: IncomingMessage) => {
      finish({ ...headOf(incoming), text: "", json: undefined });
      sent.destroy();
    });
  sent.on("error", (error: SocketError) => {
    const isInvalid = isParserError(error);
    if (message !== undefined && !isInvalid) return;
    // Bytes after a response without a body, for example a body after HEAD, take nothing from this response.
    if (isInvalid && message?.complete === true && hasNoBody(method, message)) return;
    if (isInvalid && message?.complete === true)
      return finish({ problem: "the response has more bytes than its Content-Length" });
    const isClosed = closedCodes.has(error.code ?? "");
    if (isClosed && (sent.socket?.bytesRead ?? 0) > readBefore) return finish({ problem: closedInTheMiddle });
    finish({ problem: problemOf(error, host) }, isClosed && sent.reusedSocket);
  });
  sent.once("close", () => {
    if (message === undefined) finish({ problem: "the connection was closed before a response came" });
  });
  return promise;
}

function hasNoBody(method: string, { statusCode }: IncomingMessage): boolean {
  return method === "HEAD" || statusCode === 204 || statusCode === 304;
}

const mostChunks = 1000;
const closedInTheMiddle = "the connection was closed in the middle of the response";

/** Reads a body; never rejects. */
export async function readResponse(message: IncomingMessage, maximumBytes: number): Promise<Response | NoResponse> {
  const head = headOf(message);
  const chunks: Buffer[] = [];
  const joined: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maximumBytes) return { problem: `the body is longer than ${maximumBytes} bytes` };
      // A body may come in chunks of one byte, and each of them would take a hundred.
      if (chunks.push(chunk) === mostChunks) joined.push(Buffer.concat(chunks.splice(0)));
    }
  } catch {
    return { problem: closedInTheMiddle };
  }
  const bytes = await decompressed(
    Buffer.concat([...joined, ...chunks]),
    head.headers["content-encoding"],
    maximumBytes,
  );
  if (!(bytes instanceof Uint8Array)) return bytes;
  const text = new TextDecoder("utf-8").decode(bytes);
  return { ...head, text, json: jsonOf(bytes) };
}

export function headOf(message: IncomingMessage): Pick<Response, "status" | "statusText" | "headers"> {
  const { statusCode = 0, statusMessage = "" } = message;
  return { status: statusCode, ...(statusMessage && { statusText: statusMessage }), headers: fieldsOf(message) };
}

/** Returns the header fields by lower-case name. Node's `headers` would drop the second field of some names. */
export function fieldsOf({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const value = rawHeaders[at + 1] as string;
    fields.set(name, fields.has(name) ? `${fields.get(name)}, ${value}` : value);
  }
  return Object.fromEntries(fields);
}

type Decompress = (bytes: Uint8Array, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Uint8Array>;

const gunzip: Decompress = promisify(zlib.gunzip);
const decompressors: ReadonlyMap<string, Decompress> = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  // Some servers send the compressed data alone, without the header of zlib (RFC 1950) that RFC 9110 requires.
  ["deflate", (bytes, options) => promisify(isZlib(bytes) ? zlib.inflate : zlib.inflateRaw)(bytes, options)],
  ["br", promisify(zlib.brotliDecompress)],
  ["identity", (bytes) => Promise.resolve(bytes)],
]);

function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/** Decodes the codings of a body, of which the last one was applied last. A body with an unknown coding stays as it is. */
async function decompressed(
  body: Uint8Array,
  field: string | undefined,
  maximumBytes: number,
): Promise<Uint8Array | NoResponse> {
  let bytes = body;
  for (const coding of (field ?? "identity").toLowerCase().split(",").reverse()) {
    const decompress = decompressors.get(coding.trim());
    // A response to HEAD has the field, but no body.
    if (decompress === undefined || bytes.length === 0) return bytes;
    try {
      bytes = await decompress(bytes, { maxOutputLength: maximumBytes });
    } catch (thrown) {
      const isTooLong = (thrown as SocketError).code === "ERR_BUFFER_TOO_LARGE";
      return {
        problem: isTooLong ? `the body is longer than ${maximumBytes} bytes` : `the body is not valid ${coding.trim()}`,
      };
    }
  }
  return bytes;
}

/** Returns the value of a JSON text in UTF-8; undefined if it is none, or has a member twice. */
function jsonOf(bytes: Uint8Array): Json | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = JSON.parse(text) as Json;
    return hasDuplicates(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether an object in a valid JSON text has a member twice: `JSON.parse` would hide all but the last one. */
function hasDuplicates(text: string): boolean {
  // The names of each open object; undefined for an open list.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{" || sign === "[") open.push(sign === "{" ? new Set() : undefined);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const start = at;
      at = endOfString(text, start);
      const names = open.at(-1);
      if (names === undefined || !isFollowedByColon(text, at)) continue;
      const name = JSON.parse(text.slice(start, at + 1)) as string;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function isFollowedByColon(text: string, end: number): boolean {
  const colon = /\s*:/y;
  colon.lastIndex = end + 1;
  return colon.test(text);
}

// ── Problems ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** An error of a socket, or of the HTTP parser, which adds a reason. */
export type SocketError = NodeJS.ErrnoException & { readonly reason?: string };

const closedCodes = new Set(["ECONNRESET", "EPIPE"]);

function isParserError({ code = "" }: SocketError): boolean {
  return code.startsWith("HPE_");
}

/** Says in plain words why there is no response. */
export function problemOf(error: SocketError, host: string): string {
  const { code = "", message, reason } = error;
  if (closedCodes.has(code)) return "the connection was closed before a response came";
  if (code === "ECONNREFUSED") return `nothing listens at ${host}: the connection was refused`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `the host ${host} is not known`;
  if (code === "HPE_HEADER_OVERFLOW") return `the response has more than ${maximumHeadBytes} bytes of header fields`;
  if (isParserError(error)) return `the response is not valid HTTP: ${reason ?? message}`;
  return `the connection failed: ${message || code}`;
}
