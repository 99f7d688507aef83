/** JSON as RFC 7493 wants it: UTF-8, no BOM, unique names, no lone surrogates, bounded depth (R2.5, R2.6, R2.7). */
import { isUtf8 } from "node:buffer";
import { invalid } from "./problem.ts";

const DEPTH = 64;
const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

export function parseStrictly(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed("The body is empty.");
  if (!isUtf8(bytes)) throw malformed("The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed("The body is not JSON.");
  }
  // JSON.parse keeps the last of two members with one name, so fewer members than colons means a duplicate.
  const walk = { members: 0, escapes: text.includes("\\u") };
  visit(value, 1, walk, "#");
  if (walk.members !== countColons(bytes)) throw malformed("A member name appears twice in one object.");
  return value;
}

function visit(value: unknown, depth: number, walk: { members: number; escapes: boolean }, pointer: string): void {
  if (typeof value === "number") {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      throw invalid(422, "A number is too large.", [{ pointer, code: "number-range", detail: "Beyond 2^53 - 1." }]);
    }
  } else if (typeof value === "string") {
    if (walk.escapes) checkText(value, pointer);
  } else if (typeof value === "object" && value !== null) {
    if (depth > DEPTH) throw malformed(`The body is nested deeper than ${DEPTH}.`);
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) visit(value[i], depth + 1, walk, pointer);
    } else {
      for (const name of Object.keys(value)) {
        walk.members++;
        if (walk.escapes) checkText(name, pointer);
        visit((value as Record<string, unknown>)[name], depth + 1, walk, pointer);
      }
    }
  }
}

function checkText(text: string, pointer: string): void {
  if (!text.isWellFormed()) throw malformed("A text holds half a surrogate pair.");
  if (text.includes("\0")) throw invalid(422, "A text holds U+0000.", [{ pointer, code: "text", detail: "U+0000" }]);
}

function countColons(bytes: Buffer): number {
  let colons = 0;
  let quoted = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) {
      if (byte === BACKSLASH) i++;
    } else if (byte === COLON) colons++;
  }
  return colons;
}

const malformed = (detail: string) => invalid(400, detail, []);
