/**
 * The head of a request in HTTP/1.1, taken apart by the grammar of RFC 9112 and nothing wider: what a lenient reader would mend
 * is what two readers understand in two ways, and that is how requests are smuggled (section 11.2). Pure; no sockets here.
 */
import type { RequestHeaders } from "../exchange.ts";

export interface Head {
  readonly method: string;
  readonly target: string;
  readonly version: "1.0" | "1.1";
  readonly headers: RequestHeaders;
  /** Of all fields, with their line endings. */
  readonly fieldBytes: number;
  /** Where the body begins. */
  readonly end: number;
}

/** `more`: what there is may become a head. The others say what it can not be. */
export type Fault = "bad" | "long-target" | "long-fields";

/** More than a target and its fields may have together, so that it can be said which of them is too long (R4.3). */
const maximumBytes = 61_440;
const shortBytes = 1024;

/** Reads the head that begins at `start`; `targetBytes`: how long the first line may be before it is the one to blame. */
export function readHead(bytes: Buffer, start: number, targetBytes: number): Head | Fault | "more" {
  const begin = afterEmptyLines(bytes, start);
  // Most heads are short: a look at what such a one would be costs less than asking the bytes for its end.
  const first = bytes.toString("latin1", begin, Math.min(bytes.length, begin + shortBytes));
  const near = first.indexOf("\r\n\r\n");
  if (near !== -1) return parse(first.slice(0, near + 2), begin + near + 4);
  const end = bytes.indexOf("\r\n\r\n", begin, "latin1");
  if (end !== -1 && end - begin <= maximumBytes) return parse(bytes.toString("latin1", begin, end + 2), end + 4);
  const text = bytes.toString("latin1", begin, Math.min(bytes.length, begin + maximumBytes + 1));
  if (!mayBecomeHead(text)) return "bad";
  if (text.length <= maximumBytes) return "more";
  const line = text.indexOf("\r\n");
  return line === -1 || line > targetBytes ? "long-target" : "long-fields";
}

/** Section 2.2: a server passes over an empty line before a request. */
function afterEmptyLines(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 2;
  return at;
}

/** Control characters, a carriage return that ends no line, a line that ends without one (sections 2.2 and 5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const misplaced = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]|(?:^|[^\r])\n/;

/** Whoever speaks another protocol learns at once that this is none of it. */
function mayBecomeHead(text: string): boolean {
  if (text === "" || text === "\r") return true;
  if (misplaced.test(text)) return false;
  const line = text.indexOf("\r");
  return line === -1
    ? /^[\w!#$%&'*+.^`|~-]+(?: [\x21-\xff]*(?: [HTP/.\d]*)?)?$/.test(text)
    : requestLine.test(text.slice(0, line));
}

const requestLine = /^([\w!#$%&'*+.^`|~-]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/;

function parse(text: string, end: number): Head | Fault {
  const lineEnd = text.indexOf("\r\n");
  const [, method, target, minor] = requestLine.exec(text.slice(0, lineEnd)) ?? [];
  if (method === undefined || target === undefined) return "bad";
  const block = text.slice(lineEnd);
  const headers = knownBlocks.get(block) ?? learn(block);
  if (headers === undefined) return "bad";
  return { method, target, version: minor === "0" ? "1.0" : "1.1", headers, fieldBytes: block.length - 2, end };
}

/**
 * Fields as they were read before, by their text with the line ending before them: a caller sends the same ones with each
 * request, and many of its requests differ in their first line alone.
 */
const knownBlocks = new Map<string, RequestHeaders>();
const mostBlocks = 256;
/** What is longer is read each time, so that what is kept stays small. */
const mostBlockBytes = 1024;

function learn(sent: string): RequestHeaders | undefined {
  if (misplaced.test(sent)) return undefined;
  if (sent.length > mostBlockBytes) return readFields(sent);
  // A part of a text keeps all of it, and here bytes of a body might be behind it.
  const block = Buffer.from(sent, "latin1").toString("latin1");
  const headers = readFields(block);
  if (headers === undefined) return undefined;
  if (knownBlocks.size >= mostBlocks) knownBlocks.clear();
  knownBlocks.set(block, headers);
  return headers;
}

/** `block` begins with the end of the line before it, and ends with that of its last field. */
function readFields(block: string): RequestHeaders | undefined {
  const values = new Map<string, string>();
  let twice: Set<string> | undefined;
  for (let at = 2; at < block.length; ) {
    const next = block.indexOf("\r\n", at);
    const colon = block.indexOf(":", at);
    if (colon === -1 || colon >= next) return undefined;
    const name = fieldName(block.slice(at, colon));
    if (name === undefined) return undefined;
    const value = trimmed(block, colon + 1, next);
    const before = values.get(name);
    if (before === undefined) values.set(name, value);
    else {
      (twice ??= new Set()).add(name);
      values.set(name, `${before}, ${value}`);
    }
    at = next + 2;
  }
  return twice === undefined ? new Fields(values) : new Fields(values, twice);
}

class Fields implements RequestHeaders {
  readonly #values: ReadonlyMap<string, string>;
  readonly #twice: ReadonlySet<string> | undefined;

  constructor(values: ReadonlyMap<string, string>, twice?: ReadonlySet<string>) {
    this.#values = values;
    this.#twice = twice;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  repeated(name: string): boolean {
    return this.#twice?.has(name) === true;
  }
}

/** Names as they were sent to their lower case. Callers send few different ones, over and over. */
const knownNames = new Map<string, string>();
const mostKnown = 500;

/** Undefined where it is no token: nothing may stand before the colon either (section 5.1). */
function fieldName(sent: string): string | undefined {
  const known = knownNames.get(sent);
  if (known !== undefined) return known;
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(sent)) return undefined;
  const name = sent.toLowerCase();
  if (knownNames.size < mostKnown && sent.length <= 40) knownNames.set(sent, name);
  return name;
}

/** Without the white space around it, which is blanks and tabs and nothing else. */
function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
