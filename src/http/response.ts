/** Sends a response: head and body in one write, or a stream with backpressure. */
import type { ServerResponse } from "node:http";
import process from "node:process";
import type { HttpResponse, Streaming } from "./message.ts";

// `node-server.ts` explains why this is not an import.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Sends a response. @throws if a field is invalid, which is a bug of Nonet; nothing has been sent then. */
export function send(response: ServerResponse, answer: HttpResponse, closes: boolean): void {
  const { status, body, stream } = answer;
  const headers = closes ? [...answer.headers, "Connection", "close"] : [...answer.headers];
  // Otherwise `writeHead` would reuse the status message of a failed response.
  response.statusMessage = STATUS_CODES[status] ?? "";
  if (stream !== undefined) {
    response.writeHead(status, headers);
    sendStream(response, stream, headers);
    return;
  }
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
  if (body !== undefined || (status !== 204 && status !== 304)) headers.push("Content-Length", String(bytes));
  response.writeHead(status, headers);
  // A text in ASCII has the same bytes in Latin-1, which Node writes faster and together with the head.
  if (typeof body === "string") response.end(body, bytes === body.length ? "latin1" : "utf8");
  else response.end(body);
}

function sendStream(response: ServerResponse, stream: Streaming, headers: readonly string[]): void {
  const { socket } = response.req;
  const cut = (): void => void response.destroy();
  response.once("close", () => {
    socket.off("end", cut);
    stream.ended();
  });
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  const isSized = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === "content-length");
  // A closed connection and a half-closed one look the same here; a client does not half-close and then follow an endless
  // stream, so the connection is cut.
  if (!isSized) {
    if (socket.readableEnded) return cut();
    socket.once("end", cut);
  }
  // The head is sent before the first event.
  response.flushHeaders();
  stream.start({
    write: (text) => void response.write(text),
    get waiting() {
      return response.writableLength;
    },
    drained: () =>
      new Promise((resolve) => {
        if (!response.writableNeedDrain || response.destroyed) return resolve();
        // Both listeners are removed: a long file drains many times, and listeners would accumulate.
        const done = (): void => {
          for (const event of ["drain", "close"]) response.off(event, done);
          resolve();
        };
        for (const event of ["drain", "close"]) response.on(event, done);
      }),
    end: () => void response.end(),
    cut,
  });
}

/** Returns a response as text, for errors without a Node response object. It closes the connection. */
export function rawText({ status, headers, body = "" }: HttpResponse): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
  ];
  for (let i = 0; i + 1 < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join("\r\n")}\r\n\r\n${String(body)}`;
}
