/** The status line and fields of an answer as the text that goes over the wire (RFC 9112 section 4). */
import process from "node:process";

// See `server.ts` for why this is no import.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** What comes behind the fields of the answer itself. `length` is that of the body, where it is known and said. */
export interface Ending {
  readonly length: number | undefined;
  readonly chunked: boolean;
  readonly closes: boolean;
}

/** How long a connection is kept for another request, as callers are told. */
export const keptSeconds = 65;

const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n\r\n`;
const closed = "Connection: close\r\n\r\n";

const statusLines = new Map<number, string>();

/** @throws Error where a field would not stay in its line: a mistake of ours, and never sent. */
export function answerHead(status: number, headers: readonly string[], { length, chunked, closes }: Ending): string {
  let text = "";
  let given = "";
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value] = [headers[at] as string, headers[at + 1] as string];
    text += `${name}: ${value}\r\n`;
    given += name + value;
  }
  // Else a value could end its field and begin another, or the body.
  if (unsafe.test(given)) throw new Error("an answer has a field that cannot be sent");
  if (length !== undefined) text += `Content-Length: ${length}\r\n`;
  if (chunked) text += "Transfer-Encoding: chunked\r\n";
  return `${statusLine(status)}${text}Date: ${dateText()}\r\n${closes ? closed : kept}`;
}

const unsafe = /[^\t\x20-\x7e\x80-\xff]/;

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

let dateSecond = 0;
let date = "";

/** Of the present second, which many answers share. */
function dateText(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) [dateSecond, date] = [second, new Date(now).toUTCString()];
  return date;
}
