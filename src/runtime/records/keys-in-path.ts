/** Values of path parameters: from the path to a column's value, and back. */
import type { Value } from "../../expression/evaluate.ts";
import type { Column } from "../../plan/resources/types.ts";

export function encodeKey(value: string): string {
  return encodeURIComponent(value);
}

/** The value to look the column up by; undefined where no value of its type reads like this, so that nothing matches. */
export function decodeKey(text: string, column: Pick<Column, "type">): Value | undefined {
  // One number has one spelling in a path: the one that `Location` has.
  if (column.type === "number")
    return Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : undefined;
  if (column.type !== "integer") return text;
  return /^(?:0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}

/** An id as callers are known by it: one that is counted as its digits. */
export function idText(id: Value | undefined): string {
  return typeof id === "number" ? id.toString() : typeof id === "string" ? id : "";
}
