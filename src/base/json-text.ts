/** Prints JSON for readers: a list or object that fits on its line is on one line. */
import type { Json, JsonObject } from "./json.ts";

/** The most columns of a line with a list or object. */
const mostColumns = 120;

export function jsonText(value: Json): string {
  return [...jsonPieces(value)].join("");
}

/** Returns the text in pieces, so that a program that writes them never has the text of a large value as a whole. */
export function* jsonPieces(value: Json): Iterable<string> {
  yield* pieces(value, 0, 0);
  yield "\n";
}

/** The nesting below which a value is one piece: of an OpenAPI description, an operation or a schema. */
const deepestPieces = 3;

/** `indent`: the columns before the value's other lines; `used`: the columns before its first line. */
function* pieces(value: Json, indent: number, used: number): Iterable<string> {
  const flat = flatText(value, mostColumns - used);
  if (flat !== undefined || value === null || typeof value !== "object") return yield flat ?? JSON.stringify(value);
  const isList = Array.isArray(value);
  const margin = " ".repeat(indent + 2);
  let before = isList ? "[\n" : "{\n";
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const head = isList ? margin : `${margin}${JSON.stringify(name)}: `;
    yield before + head;
    const inner = pieces(member, indent + 2, head.length + 1);
    if (indent < 2 * deepestPieces) yield* inner;
    else yield [...inner].join("");
    before = ",\n";
  }
  yield `\n${" ".repeat(indent)}${isList ? "]" : "}"}`;
}

/** Returns the value on one line; undefined if the line is longer than `columns`. */
function flatText(value: Json, columns: number): string | undefined {
  if (value === null || typeof value !== "object") {
    const text = JSON.stringify(value);
    return text.length > columns ? undefined : text;
  }
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = columns - 2;
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const head = isList ? "" : `${JSON.stringify(name)}: `;
    const inner = flatText(member, left - head.length);
    if (inner === undefined) return undefined;
    parts.push(head + inner);
    left -= head.length + inner.length + 2;
  }
  if (parts.length === 0) return isList ? "[]" : "{}";
  const text = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  return text.length > columns ? undefined : text;
}
