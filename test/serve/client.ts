/** Sends requests to a served document over real sockets: well-formed ones by `node:http`, all others byte by byte. */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A text or bytes as they are; anything else as JSON, with a Content-Type where none is given. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  /** By lower-case name; repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** As they came. */
  readonly bytes: Buffer;
  /** The body without its content coding. */
  readonly text: string;
  /** The body parsed; undefined where it is not JSON. */
  readonly json: unknown;
}

/** Told of every reply that a test gets, with what was asked: the one place that all of them pass. */
export type Observer = (sent: Sent | string, reply: Reply) => void;

export interface Client extends Disposable {
  send(sent: Sent): Promise<Reply>;
  /** Writes exactly this, waits for the connection's end (or `replies` replies), and gives all replies. */
  raw(text: string | Buffer, replies?: number): Promise<readonly Reply[]>;
  /** A connection of the test's own. */
  open(): Promise<Connection>;
}

export interface Connection extends Disposable {
  write(text: string | Buffer): void;
  /** Nothing more will be written. */
  finish(): void;
  /** The next whole reply; undefined when the connection ends before one. */
  next(head?: boolean): Promise<Reply | undefined>;
  /** Resolves when the server has closed it. */
  readonly ended: Promise<void>;
}

export function createClient(port: number, observe: Observer): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    async send(sent) {
      const reply = await sendOne(agent, port, sent);
      observe(sent, reply);
      return reply;
    },
    async raw(text, replies = Number.POSITIVE_INFINITY) {
      using connection = await openConnection(port);
      connection.write(text);
      const given: Reply[] = [];
      while (given.length < replies) {
        const reply = await connection.next(text.toString("latin1").startsWith("HEAD "));
        if (reply === undefined) break;
        observe(text.toString("latin1").slice(0, 200), reply);
        given.push(reply);
      }
      return given;
    },
    open: () => openConnection(port),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function sendOne(agent: Agent, port: number, { method, path, headers = {}, body }: Sent): Promise<Reply> {
  const plain = typeof body === "string" || Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : plain ? body : JSON.stringify(body);
  const named = Object.keys(headers).some((name) => /^content-type$/i.test(name));
  const framed = Object.keys(headers).some((name) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const all = {
    ...(bytes === undefined || named || plain ? {} : { "Content-Type": "application/json" }),
    ...(bytes === undefined || framed ? {} : { "Content-Length": String(Buffer.byteLength(bytes)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const going = request({ agent, host: "127.0.0.1", port, method, path, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(replyOf(response.statusCode ?? 0, response.rawHeaders, Buffer.concat(chunks))));
    });
    going.on("error", reject);
    going.end(bytes);
  });
}

function replyOf(status: number, raw: readonly string[], bytes: Buffer): Reply {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    headers[name] = name in headers ? `${headers[name]}, ${raw[i + 1]}` : (raw[i + 1] as string);
  }
  const coding = headers["content-encoding"];
  const plain =
    bytes.length === 0
      ? bytes
      : coding === "br"
        ? brotliDecompressSync(bytes)
        : coding === "gzip"
          ? gunzipSync(bytes)
          : bytes;
  const text = plain.toString("utf8");
  return { status, headers, bytes, text, json: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function openConnection(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    let received = Buffer.alloc(0);
    let over = false;
    let wake = (): void => {};
    const ended = new Promise<void>((done) => {
      const end = (): void => {
        over = true;
        wake();
        done();
      };
      socket.on("end", end);
      socket.on("close", end);
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      wake();
    });
    // A reset is an end like any other for who reads; replies that came before it count.
    socket.on("error", (error) => (over ? undefined : reject(error)));
    socket.once("connect", () =>
      resolve({
        ended,
        write: (text) => void socket.write(text),
        finish: () => void socket.end(),
        async next(head = false) {
          for (;;) {
            const parsed = parseReply(received, head);
            if (parsed !== undefined) {
              received = received.subarray(parsed.length);
              return parsed.reply;
            }
            if (over) return undefined;
            await new Promise<void>((again) => {
              wake = again;
            });
          }
        },
        [Symbol.dispose]: () => socket.destroy(),
      }),
    );
  });
}

/** One reply from the front of what was received, with its length; interim replies (1xx) are replies too. */
function parseReply(received: Buffer, head: boolean): { reply: Reply; length: number } | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [line = "", ...fields] = received.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
  const raw = fields.flatMap((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  const empty = head || status < 200 || status === 204 || status === 304;
  const length = empty ? 0 : Number(fields.find((field) => /^content-length:/i.test(field))?.slice(15) ?? 0);
  const start = end + 4;
  if (received.length < start + length) return undefined;
  return { reply: replyOf(status, raw, received.subarray(start, start + length)), length: start + length };
}
