/** Lists the differences between two types of one value: the values that only one type accepts. */
import { printSize } from "../base/bytes.ts";
import { printFieldType } from "../language/resources/field-print.ts";
import type { FieldType, ScalarName } from "../language/resources/model.ts";
import { same } from "./difference.ts";

/**
 * A difference of two types. `narrower`: fewer values; `wider`: more values; `other`: each type has values that the other
 * lacks.
 */
export interface TypeDifference {
  readonly direction: "narrower" | "wider" | "other";
  readonly what: "range" | "pattern" | "values" | "null" | "type" | "media";
  /** The difference as a text after the field's name, such as `can be null`. */
  readonly wording: string;
  /** The value that only one of two closed lists has. */
  readonly value?: string;
}

type Kind<K extends FieldType["kind"]> = Extract<FieldType, { kind: K }>;

/** Whether two type names mean the same type in requests and responses. */
export type Alike = (old: string, now: string) => boolean;

export function* typeDifferences(old: FieldType, now: FieldType, alike: Alike): Iterable<TypeDifference> {
  if (old.kind === "nullable" || now.kind === "nullable") yield* nullableDifferences(old, now, alike);
  else if (old.kind === "named" && now.kind === "named" && alike(old.name, now.name)) return;
  else if (old.kind === "scalar" && now.kind === "scalar") yield* scalarDifferences(old, now);
  else if (old.kind === "one-of" && now.kind === "one-of") yield* valueDifferences(old, now);
  else if (old.kind === "list" && now.kind === "list") {
    yield* rangeDifferences(old, now, "has", "items");
    yield* typeDifferences(old.of, now.of, alike);
  } else if (old.kind === "file" && now.kind === "file") {
    yield* sizeDifferences(old, now);
    yield* mediaDifferences(old, now);
  } else if (old.kind === "map" && now.kind === "map") yield* typeDifferences(old.of, now.of, alike);
  else if (same(old, now)) return;
  else if (old.kind === "one-of" && isAnyText(now)) yield changed(old, now, "wider");
  else yield changed(old, now, now.kind === "one-of" && isAnyText(old) ? "narrower" : "other");
}

function changed(old: FieldType, now: FieldType, direction: TypeDifference["direction"]): TypeDifference {
  return { direction, what: "type", wording: `is ${typeText(now)}, and was ${typeText(old)}` };
}

/** Returns a type as a document writes it. */
function typeText(type: FieldType): string {
  return type.kind === "schema" ? "of another schema" : `\`${printFieldType(type)}\``;
}

function isAnyText(type: FieldType): boolean {
  const bounded = type.kind !== "scalar" || type.pattern !== undefined || type.max !== undefined;
  return !bounded && type.kind === "scalar" && (type.name === "string" || type.name === "text");
}

function* nullableDifferences(old: FieldType, now: FieldType, alike: Alike): Iterable<TypeDifference> {
  if (old.kind !== "nullable") yield { direction: "wider", what: "null", wording: "can be null" };
  if (now.kind !== "nullable") yield { direction: "narrower", what: "null", wording: "can no longer be null" };
  yield* typeDifferences(withoutNull(old), withoutNull(now), alike);
}

function withoutNull(type: FieldType): FieldType {
  return type.kind === "nullable" ? withoutNull(type.of) : type;
}

/** For each scalar, the scalars that accept all its values. */
const widerTypes: Partial<Record<ScalarName, readonly ScalarName[]>> = {
  integer: ["number", "decimal"],
  decimal: ["number"],
  ...Object.fromEntries(
    ["email", "url", "uuid", "phone", "country", "currency", "language", "timezone"].map((name) => [
      name,
      ["string", "text"],
    ]),
  ),
};

function* scalarDifferences(old: Kind<"scalar">, now: Kind<"scalar">): Iterable<TypeDifference> {
  const texts = [old.name, now.name].every((name) => name === "string" || name === "text");
  if (old.unix !== now.unix) yield changed(old, now, "other");
  else if (old.name === now.name || texts) {
    const isLength = ["string", "text", "bytes"].includes(now.name);
    yield* rangeDifferences(old, now, isLength ? "is" : "goes", isLength ? "long" : "");
    yield* patternDifferences(old, now);
  } else if (widerTypes[old.name]?.includes(now.name)) yield changed(old, now, "wider");
  else yield changed(old, now, widerTypes[now.name]?.includes(old.name) ? "narrower" : "other");
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function* rangeDifferences(
  old: Bounds,
  now: Bounds,
  verb: "is" | "has" | "goes",
  noun: string,
): Iterable<TypeDifference> {
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  const [oldMin, newMin] = [old.min ?? NEGATIVE_INFINITY, now.min ?? NEGATIVE_INFINITY];
  const [oldMax, newMax] = [old.max ?? POSITIVE_INFINITY, now.max ?? POSITIVE_INFINITY];
  const past = { is: "was", has: "had", goes: "went" }[verb];
  const wording = `${`${verb} ${rangeText(now)} ${noun}`.trimEnd()}, and ${past} ${rangeText(old)}`;
  if (newMin > oldMin || newMax < oldMax) yield { direction: "narrower", what: "range", wording };
  if (newMin < oldMin || newMax > oldMax) yield { direction: "wider", what: "range", wording };
}

function rangeText({ min, max }: Bounds): string {
  if (min === undefined && max === undefined) return "without bounds";
  return min === max ? `exactly ${min}` : `${min ?? ""}..${max ?? ""}`;
}

function* patternDifferences(old: Kind<"scalar">, now: Kind<"scalar">): Iterable<TypeDifference> {
  if (old.pattern === now.pattern) return;
  const what = "pattern";
  if (now.pattern === undefined) yield { direction: "wider", what, wording: "no longer has to match a pattern" };
  else {
    const direction = old.pattern === undefined ? "narrower" : "other";
    yield { direction, what, wording: `has to match \`/${now.pattern}/\`` };
  }
}

function* sizeDifferences(old: Kind<"file">, now: Kind<"file">): Iterable<TypeDifference> {
  const wording = `is at most ${printSize(now.max)}, and was at most ${printSize(old.max)}`;
  if (now.max !== old.max) yield { direction: now.max < old.max ? "narrower" : "wider", what: "range", wording };
}

/** Compares the media types; an empty list accepts every type. */
function* mediaDifferences(old: Kind<"file">, now: Kind<"file">): Iterable<TypeDifference> {
  const mediaText = ({ media }: Kind<"file">): string =>
    media.length === 0 ? "of any media type" : media.map((one) => `\`${one}\``).join(" or ");
  const wording = `is ${mediaText(now)}, and was ${mediaText(old)}`;
  const holds = (wide: Kind<"file">, narrow: Kind<"file">): boolean =>
    wide.media.length === 0 ||
    (narrow.media.length > 0 && narrow.media.every((one) => wide.media.some((range) => inRange(one, range))));
  if (!holds(now, old)) yield { direction: "narrower", what: "media", wording };
  if (!holds(old, now)) yield { direction: "wider", what: "media", wording };
}

function inRange(type: string, range: string): boolean {
  return type === range || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}

function* valueDifferences(old: Kind<"one-of">, now: Kind<"one-of">): Iterable<TypeDifference> {
  if (now.open && !old.open)
    yield { direction: "wider", what: "type", wording: "is an open list, and was a closed one" };
  if (old.open && !now.open)
    yield { direction: "narrower", what: "type", wording: "is a closed list, and was an open one" };
  for (const value of old.values.filter((one) => !now.values.includes(one)))
    yield { direction: "narrower", what: "values", wording: `no longer has the value \`${value}\``, value };
  for (const value of now.values.filter((one) => !old.values.includes(one)))
    yield { direction: "wider", what: "values", wording: `has the new value \`${value}\``, value };
}

/** Whether the type lists all its values, so that a client may have code for each value. */
export function isClosedList(type: FieldType): boolean {
  if (type.kind === "one-of") return !type.open;
  return (type.kind === "nullable" || type.kind === "list" || type.kind === "map") && isClosedList(type.of);
}
