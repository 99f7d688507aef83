/** Decides by simple comparison whether every value of one JSON Schema is valid for another: then data needs no check. */
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";

/** Keywords that do not restrict values. */
const annotations = [
  "description",
  "examples",
  "default",
  "title",
  "deprecated",
  "x-deprecated-since",
  "x-sunset",
  "x-deprecated-guide",
  "readOnly",
  "writeOnly",
];
const lower = ["minimum", "minLength", "minItems", "minProperties"];
const upper = ["maximum", "maxLength", "maxItems", "maxProperties"];

/**
 * Whether every value that is valid for `before` is valid for `after`. May return false for wider schemas that are hard to
 * compare.
 */
export function isWider(before: JsonObject, after: JsonObject): boolean {
  const names = Object.keys(after).filter((name) => !annotations.includes(name));
  if (names.some((name) => !isLooser(name, before[name], after[name]))) return false;
  // Without a bound more values are valid; `properties` and `required` only have an effect in combination.
  const removed = Object.keys(before).filter((name) => !annotations.includes(name) && !Object.hasOwn(after, name));
  return removed.every((name) => [...lower, ...upper, "pattern", "format", "enum", "required"].includes(name));
}

function isLooser(name: string, before: Json | undefined, after: Json | undefined): boolean {
  if (isWrittenAlike(before, after)) return true;
  if (typeof before === "number" && typeof after === "number") {
    if (lower.includes(name)) return after <= before;
    if (upper.includes(name)) return after >= before;
  }
  if ((name === "enum" || name === "type") && before !== undefined && after !== undefined) {
    const values = listOf(after);
    return listOf(before).every((value) => values.some((one) => isWrittenAlike(one, value)));
  }
  if (name === "items" && isObject(before) && isObject(after)) return isWider(before, after);
  return false;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}
