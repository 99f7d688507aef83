/** Prints JSON for readers: a list or object that fits on its line is on one line. */
import type { Json, JsonObject } from "./json.ts";

/** The most columns of a line with a list or object. */
const mostColumns = 120;

export function jsonText(value: Json): string {
  return `${printed(value, 0, 0)}\n`;
}

/** `indent`: the columns before the value's other lines; `used`: the columns before its first line. */
function printed(value: Json, indent: number, used: number): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const flat = flatText(value, mostColumns - used);
  if (flat !== undefined) return flat;
  const margin = " ".repeat(indent + 2);
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item: Json) => margin + printed(item, indent + 2, indent + 3))
    : Object.entries(value as JsonObject).map(([name, member]) => {
        const head = `${margin}${JSON.stringify(name)}: `;
        return head + printed(member, indent + 2, head.length + 1);
      });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}\n${" ".repeat(indent)}${close}`;
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
