/**
 * Parses JSON as R2.5 and R2.6 require: one value, UTF-8 without a byte order mark, unique member names, no lone surrogates,
 * at most 64 levels. `JSON.parse` checks the grammar; one more pass here checks the rest. An integer that a double would round
 * becomes Infinity, which no schema accepts: so the error has a pointer instead of being a syntax error.
 */
import type { Json, JsonObject } from "../base/json.ts";

export type Parsed =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "fault"; readonly detail: string };

const maximumDepth = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function parseJson(bytes: Uint8Array): Parsed {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { kind: "fault", detail: "The body is not UTF-8" };
  }
  if (text.charCodeAt(0) === 0xfeff) return { kind: "fault", detail: "The body starts with a byte order mark" };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { kind: "fault", detail: text.trim() === "" ? "The body is empty" : "The body is not a JSON value" };
  }
  const found = textProblem(text);
  if (found === "rounded") return { kind: "value", value: JSON.parse(text, unrounded) as Json };
  return found === undefined ? { kind: "value", value } : { kind: "fault", detail: found };
}

/** Marks rounded integers as a reviver of `JSON.parse`; it changes no other value. */
function unrounded(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === "number" && isRounded(source ?? "") ? Number.POSITIVE_INFINITY * Math.sign(value) : value;
}

const quote = 0x22;
const backslash = 0x5c;

/** Returns the error in a text that `JSON.parse` accepts, or "rounded"; takes linear time. */
function textProblem(text: string): string | undefined {
  // The member names of each open object; undefined for an open list.
  const open: (Set<string> | undefined)[] = [];
  let escape = text.indexOf("\\");
  let rounded = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      // The search continues from the last escape instead of starting again for each string.
      if (escape !== -1 && escape < at) escape = text.indexOf("\\", at);
      const plain = escape === -1 || escape > end;
      if (!plain || hasSurrogates(text, at, end)) {
        if (!(JSON.parse(text.slice(at, end + 1)) as string).isWellFormed())
          return "A text contains half of a surrogate pair";
      }
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) {
        const name = plain ? text.slice(at + 1, end) : (JSON.parse(text.slice(at, end + 1)) as string);
        if (names.has(name)) return `The member ${JSON.stringify(name)} appears twice in one object`;
        names.add(name);
      }
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? new Set() : undefined);
      if (open.length > maximumDepth) return `The body is nested deeper than ${maximumDepth} levels`;
    } else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const end = endOfNumber(text, at);
      if (end - at >= 16) rounded ||= isRounded(text.slice(at, end));
      at = end - 1;
    }
  }
  return rounded ? "rounded" : undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
}

function hasSurrogates(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((text.charCodeAt(at) & 0xf800) === 0xd800) return true;
  return false;
}

/** Whether the string that ends at `end` is a member name: a colon follows. */
function isName(text: string, end: number): boolean {
  for (let at = end + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return false;
  }
  return false;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && !isBreak(text.charCodeAt(end))) end += 1;
  return end;
}

/** Whether the character ends a number in JSON: a comma, bracket, brace or white space. */
function isBreak(code: number): boolean {
  return code === 0x2c || code === 0x5d || code === 0x7d || code <= 0x20;
}

/** Whether the literal is an integer that a double rounds (R2.6). */
function isRounded(literal: string): boolean {
  return /^-?[0-9]{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal));
}

/** Returns the JSON text of a value, independent of the order of members. */
export function canonicalText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  let members = "";
  // Names are sorted by UTF-16 code units, the default of `sort`.
  for (const name of Object.keys(value).sort())
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${canonicalText((value as JsonObject)[name] as Json)}`;
  return `{${members}}`;
}
