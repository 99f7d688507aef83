/** What is wrong with a value, as the document or the language says. */
import type { Json } from "../../base/json.ts";

/** Whether a client sends the value, or the implementation returns it. */
export type Direction = "input" | "output";

export interface Problem {
  /** The members and indexes from the value to the part that is wrong. */
  readonly path: readonly string[];
  /** The code of an entry of `errors` with which Nonet answers. */
  readonly code: string;
  readonly message: string;
  /** Whether the document writes what is violated; false for a rule of the language, which others need not follow. */
  readonly stated: boolean;
}

/** Returns the path of a part of a value and the message: `items/3: 81 characters, at most 80 are allowed`. */
export function problemText({ path, message }: Problem): string {
  return path.length === 0 ? message : `${path.join("/")}: ${message}`;
}

/** Returns what kind of JSON a value is, with its article: `a text`. */
export function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return Number.isInteger(value) ? "a number" : "a fraction";
    case "boolean":
      return String(value);
    default:
      return "an object";
  }
}

/** Returns a number with a noun: `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
