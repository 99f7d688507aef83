/** Compares what schemas say about a single value: types, null, listed values, ranges, texts, defaults. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { quoted, same } from "./difference.ts";
import { alternativesOf, type FlatSchema, flatSchema, listOf } from "./flat-schema.ts";
import {
  type Changes,
  type Direction,
  listText,
  type Path,
  type SchemaChange,
  type SchemaWalk,
} from "./schema-walk.ts";

export function* nullChanges({ nullable: old }: FlatSchema, { nullable: now }: FlatSchema, place: Path): Changes {
  if (old === false && now === true) yield { place, kind: "null", direction: "wider", wording: "can be null" };
  if (old === true && now === false)
    yield { place, kind: "null", direction: "narrower", wording: "can no longer be null" };
}

interface TypeChange {
  readonly change: SchemaChange;
  /** Whether no other keyword of the schemas is comparable. */
  readonly isUnlike: boolean;
}

export function typeChange(
  { texts }: SchemaWalk,
  old: JsonObject,
  now: JsonObject,
  place: Path,
): TypeChange | undefined {
  const [before, after] = [typesOf(old), typesOf(now)];
  if (before === after) return undefined;
  const wording = `is ${typeText(after)}, and was ${typeText(before)}`;
  const changed = (direction: Direction, isUnlike: boolean): TypeChange => ({
    change: { place, kind: "type", direction, wording },
    isUnlike,
  });
  if (before === undefined) return changed("narrower", true);
  if (after === undefined) return changed("wider", true);
  const isText = (type: Json): boolean =>
    texts === "all" || (texts === "scalars" && type !== "object" && type !== "array");
  const has = (types: readonly Json[], schema: JsonObject, type: Json): boolean =>
    types.includes(type) ||
    (type === "integer" && types.includes("number")) ||
    (types.includes("string") && isAnyText(schema) && isText(type));
  const removed = before.filter((type) => !has(after, now, type));
  const added = after.filter((type) => !has(before, old, type));
  const isUnlike = !before.some((type) => after.some((other) => other === type || isNumber(type, other)));
  if (removed.length + added.length === 0) return undefined;
  const direction = added.length === 0 ? "narrower" : removed.length === 0 ? "wider" : "other";
  return changed(direction, isUnlike);
}

function isNumber(one: Json, other: Json): boolean {
  return [one, other].every((type) => type === "integer" || type === "number");
}

function isAnyText({ enum: values, pattern, format, minLength, maxLength }: JsonObject): boolean {
  return [values, pattern, format, minLength, maxLength].every((one) => one === undefined);
}

/** Returns the types; undefined if the schema does not restrict them. Members mean an object, items an array. */
export function typesOf({ type, enum: values, ...rest }: JsonObject): readonly string[] | undefined {
  if (type !== undefined) return listOf(type).filter((one) => typeof one === "string");
  if (["properties", "required", "additionalProperties"].some((keyword) => rest[keyword] !== undefined))
    return ["object"];
  if (["items", "prefixItems"].some((keyword) => rest[keyword] !== undefined)) return ["array"];
  if (values !== undefined) return [...new Set(listOf(values).map(typeOf))];
  const alternatives = alternativesOf(rest).map((one) =>
    isObject(one) ? typesOf(flatSchema(one).keywords) : undefined,
  );
  const all = alternatives.flatMap((types) => types ?? []);
  return alternatives.length === 0 || alternatives.includes(undefined) ? undefined : [...new Set(all)];
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : value === null ? "null" : typeof value;
}

function typeText(types: readonly string[] | undefined): string {
  if (types === undefined) return "of any type";
  return types.length === 0 ? "`null`" : types.map((type) => quoted(type)).join(" or ");
}

export function* valueChanges({ enum: old }: JsonObject, { enum: now }: JsonObject, place: Path): Changes {
  if (old === undefined && now === undefined) return;
  const kind = "value";
  if (old === undefined)
    yield { place, kind, direction: "narrower", wording: `has only the ${valuesText(listOf(now))}` };
  else if (now === undefined)
    yield { place, kind, direction: "wider", wording: `is not restricted to the ${valuesText(listOf(old))}` };
  else {
    const lacks = (values: Json, value: Json): boolean => !listOf(values).some((one) => same(one, value));
    const removed = listOf(old).filter((value) => lacks(now, value));
    const added = listOf(now).filter((value) => lacks(old, value));
    if (removed.length > 0)
      yield { place, kind, direction: "narrower", wording: `no longer has the ${valuesText(removed)}` };
    if (added.length > 0) yield { place, kind, direction: "wider", wording: `has the new ${valuesText(added)}` };
  }
}

function valuesText(values: readonly Json[]): string {
  const texts = values.map((value) => quoted(value));
  const list = texts.length <= 4 ? texts : [...texts.slice(0, 3), `${texts.length - 3} more`];
  return `${values.length === 1 ? "value" : "values"} ${listText(list)}`;
}

// ── Ranges and texts ───────────────────────────────────────────────────────────────────────────────────────────────

const ranges = [
  ["minLength", "maxLength", "length"],
  ["minItems", "maxItems", "number of items"],
  ["minProperties", "maxProperties", "number of members"],
  ["x-min-bytes", "x-max-bytes", "number of bytes"],
] as const;

export function* rangeChanges(old: JsonObject, now: JsonObject, place: Path): Changes {
  for (const [low, high, noun] of ranges) {
    const rangeOf = (schema: JsonObject): Range => ({ low: bound(schema[low], 0), high: bound(schema[high], most) });
    yield* rangeChange(rangeOf(old), rangeOf(now), noun, place);
  }
  yield* rangeChange(valueRange(old, now), valueRange(now, old), "range", place);
  const [step, newStep] = [old["multipleOf"], now["multipleOf"]].map((one) => bound(one, 0).value);
  if (step !== newStep && step !== undefined && newStep !== undefined) {
    const isMultiple = (value: number, of: number): boolean =>
      of === 0 || (value !== 0 && Number.isInteger(value / of));
    const direction = isMultiple(newStep, step) ? "narrower" : isMultiple(step, newStep) ? "wider" : "other";
    const text = (of: number): string => (of === 0 ? "any number" : `a multiple of ${of}`);
    yield { place, kind: "range", direction, wording: `is ${text(newStep)}, and was ${text(step)}` };
  }
  const [unique, newUnique] = [old["uniqueItems"] === true, now["uniqueItems"] === true];
  if (unique !== newUnique) {
    const [direction, wording] = newUnique
      ? (["narrower", "has each item once"] as const)
      : (["wider", "may repeat items"] as const);
    yield { place, kind: "range", direction, wording };
  }
}

interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

export interface Range {
  readonly low: Bound;
  readonly high: Bound;
}

export const most: number = Number.POSITIVE_INFINITY;

export function bound(value: Json | undefined, absent: number, exclusive = false): Bound {
  return typeof value === "number" ? { value, exclusive } : { value: absent, exclusive: false };
}

/**
 * Returns the tighter bound of each side: `minimum` or `exclusiveMinimum`, also `x-minimum` of amounts in texts. The bounds of the
 * format `int32` are those that the other schema may have in place of the format.
 */
function valueRange(schema: JsonObject, other: JsonObject): Range {
  const [format, without] = [schema, other].map((one) => textOf(one, "format"));
  const isShort =
    format === "int32" &&
    without === undefined &&
    [other["minimum"], other["maximum"]].some((one) => one !== undefined);
  const low = bound(schema["minimum"] ?? schema["x-minimum"], isShort ? -(2 ** 31) : -most);
  const high = bound(schema["maximum"] ?? schema["x-maximum"], isShort ? 2 ** 31 - 1 : most);
  const [above, beneath] = [schema["exclusiveMinimum"], schema["exclusiveMaximum"]];
  return {
    low: typeof above === "number" && above >= low.value ? bound(above, -most, true) : low,
    high: typeof beneath === "number" && beneath <= high.value ? bound(beneath, most, true) : high,
  };
}

export function* rangeChange(old: Range, now: Range, noun: string, place: Path): Changes {
  const [low, high] = [tighter(old.low, now.low, 1), tighter(old.high, now.high, -1)];
  if (low === 0 && high === 0) return;
  const direction = low >= 0 && high >= 0 ? "narrower" : low <= 0 && high <= 0 ? "wider" : "other";
  yield { place, kind: "range", direction, wording: `has the ${noun} ${rangeText(now)}, and had ${rangeText(old)}` };
}

/** Positive if the new bound allows less. `side`: 1 for a lower bound, -1 for an upper one. */
function tighter(old: Bound, now: Bound, side: 1 | -1): number {
  if (old.value !== now.value) return side * Math.sign(now.value - old.value);
  return Number(now.exclusive) - Number(old.exclusive);
}

function rangeText({ low, high }: Range): string {
  const text = ({ value, exclusive }: Bound): string =>
    Number.isFinite(value) ? `${value}${exclusive ? " (excluded)" : ""}` : "";
  const isOpen = high.value === most && (low.value === -most || low.value === 0);
  if (isOpen && !low.exclusive) return "any";
  return low.value === high.value ? `${low.value}` : `${text(low)}..${text(high)}`;
}

const textKeywords = ["pattern", "format", "contentEncoding", "contentMediaType"] as const;

/** The formats whose values are all values of another format of the same type. */
const widerFormats: Readonly<Record<string, readonly string[]>> = {
  int32: ["int64", "bigint"],
  int64: ["bigint"],
  float: ["double"],
  email: ["idn-email"],
  hostname: ["idn-hostname"],
  uri: ["uri-reference", "iri"],
  url: ["uri"],
};

/** Formats and patterns that accept every text: hints for people. */
const hints: ReadonlySet<string> = new Set(["password", ".*", "^.*$", "^.*", ".*$", ""]);

export function* textChanges(old: JsonObject, now: JsonObject, place: Path): Changes {
  for (const keyword of textKeywords) {
    const [before, after] = [old, now].map((schema) => textOf(schema, keyword));
    if (before === after) continue;
    const isIn = (one: string | undefined, other: string | undefined): boolean =>
      other === undefined || (one !== undefined && widerFormats[one]?.includes(other) === true);
    const direction = isIn(before, after) ? "wider" : isIn(after, before) ? "narrower" : "other";
    const verb = keyword === "pattern" ? "pattern" : keyword === "format" ? "format" : "content";
    const wording = `has the ${verb} ${after === undefined ? "any" : quoted(after)}, and had ${before === undefined ? "any" : quoted(before)}`;
    yield { place, kind: "pattern", direction, wording };
  }
}

/** Returns the text of a keyword, also of one that the service does not enforce (`x-format`); undefined for a hint. */
function textOf(schema: JsonObject, keyword: string): string | undefined {
  const value = schema[keyword] ?? schema[`x-${keyword}`];
  if (typeof value !== "string" || hints.has(value)) return undefined;
  // A slash means the same with and without an escape.
  return keyword === "pattern"
    ? value.replaceAll(/\\(\\|\/)/g, (all, escaped) => (escaped === "/" ? "/" : all))
    : value;
}

// ── Annotations ────────────────────────────────────────────────────────────────────────────────────────────────────

export function* annotationChanges({ use }: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const [made, newMade] = [old["default"], now["default"]];
  if (!same(made, newMade)) {
    // A caller who omits the value gets another one; before a default there was no promise.
    const direction = use === "response" ? "same" : made === undefined ? "wider" : "other";
    const wording = `has the default ${quoted(newMade)}, and had ${quoted(made)}`;
    yield { place, kind: "default", direction, wording };
  }
  if ((old["deprecated"] === true) !== (now["deprecated"] === true)) {
    const wording = now["deprecated"] === true ? "is deprecated" : "is no longer deprecated";
    yield { place, kind: "annotation", direction: "same", wording };
  }
}
