/**
 * The status line and fields of an answer as the text that goes over the wire (RFC 9112 section 4). Most fields of an answer
 * are those of the answer before it, so the text between the few that differ is kept, already checked.
 */
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

/** @throws Error where a field would not stay in its line: a mistake of ours, and never sent. */
export function answerHead(status: number, headers: readonly string[], { length, chunked, closes }: Ending): string {
  const framing = chunked ? "Transfer-Encoding: chunked\r\n" : "";
  const said = length === undefined ? framing : `Content-Length: ${length}\r\n${framing}`;
  return `${fieldsText(status, headers)}${said}${dateLine()}${closes ? closed : kept}`;
}

/**
 * What answers of one status with the same fields had in common: `texts[0]`, the value at `differing[0]`, `texts[1]`, and so
 * on.
 */
interface Pattern {
  /** Those of one of them: names and values in turn. */
  readonly headers: readonly string[];
  readonly differing: readonly number[];
  readonly texts: readonly string[];
}

/** By status and number of fields. */
const patterns = new Map<number, Pattern[]>();
/** Operations answer with few lists of names; what a function makes up must not fill the memory. */
const mostAlike = 8;

function fieldsText(status: number, headers: readonly string[]): string {
  const { differing, texts } = patternFor(status, headers);
  let text = texts[0] as string;
  for (let index = 0; index < differing.length; index += 1) {
    const value = headers[differing[index] as number] as string;
    // Else a value could end its field and begin another, or the body.
    if (unsafe.test(value)) throw new Error(unsent);
    text += value + (texts[index + 1] as string);
  }
  return text;
}

function patternFor(status: number, headers: readonly string[]): Pattern {
  const key = status * 256 + headers.length;
  const alike = patterns.get(key);
  if (alike !== undefined) for (const pattern of alike) if (fits(pattern, headers)) return pattern;
  const place = alike?.findIndex((one) => isNamedLike(one, headers)) ?? -1;
  const learnt = learn(status, headers, alike?.[place]);
  if (alike === undefined) patterns.set(key, [learnt]);
  else if (place >= 0) alike[place] = learnt;
  else alike[alike.length < mostAlike ? alike.length : 0] = learnt;
  return learnt;
}

/** Whether all is the same but for the values that differ. */
function fits({ headers: known, differing }: Pattern, headers: readonly string[]): boolean {
  if (headers.length !== known.length) return false;
  let next = 0;
  for (let at = 0; at < headers.length; at += 1) {
    if (at === differing[next]) next += 1;
    else if (headers[at] !== known[at]) return false;
  }
  return true;
}

function isNamedLike({ headers: known }: Pattern, headers: readonly string[]): boolean {
  return headers.length === known.length && known.every((name, at) => at % 2 === 1 || name === headers[at]);
}

/** A pattern for these fields, and for those that `before` is for. */
function learn(status: number, headers: readonly string[], before: Pattern | undefined): Pattern {
  if (headers.some((text) => unsafe.test(text))) throw new Error(unsent);
  const differing = headers.flatMap((text, at) => {
    const differs = before !== undefined && (before.differing.includes(at) || before.headers[at] !== text);
    return differs ? [at] : [];
  });
  const texts = [statusLine(status)];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    texts[texts.length - 1] += `${headers[at]}: `;
    if (differing.includes(at + 1)) texts.push("\r\n");
    else texts[texts.length - 1] += `${headers[at + 1]}\r\n`;
  }
  return { headers: [...headers], differing, texts };
}

const unsafe = /[^\t\x20-\x7e\x80-\xff]/;
const unsent = "an answer has a field that cannot be sent";

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
}

let dateSecond = 0;
let date = "";

/** Of the present second, which many answers share. */
function dateLine(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) [dateSecond, date] = [second, `Date: ${new Date(now).toUTCString()}\r\n`];
  return date;
}
