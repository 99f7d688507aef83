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

export function typeDifferences(old: FieldType, now: FieldType, alike: Alike): readonly TypeDifference[] {
  if (old.kind === "nullable" || now.kind === "nullable") return nullableDifferences(old, now, alike);
  if (old.kind === "named" && now.kind === "named" && alike(old.name, now.name)) return [];
  if (old.kind === "scalar" && now.kind === "scalar") return scalarDifferences(old, now);
  if (old.kind === "one-of" && now.kind === "one-of") return valueDifferences(old, now);
  if (old.kind === "list" && now.kind === "list")
    return [...rangeDifferences(old, now, "has", "items"), ...typeDifferences(old.of, now.of, alike)];
  if (old.kind === "file" && now.kind === "file") return [...sizeDifferences(old, now), ...mediaDifferences(old, now)];
  if (old.kind === "map" && now.kind === "map") return typeDifferences(old.of, now.of, alike);
  if (same(old, now)) return [];
  if (old.kind === "one-of" && isAnyText(now)) return [changed(old, now, "wider")];
  if (now.kind === "one-of" && isAnyText(old)) return [changed(old, now, "narrower")];
  return [changed(old, now, "other")];
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

function nullableDifferences(old: FieldType, now: FieldType, alike: Alike): readonly TypeDifference[] {
  const inner = typeDifferences(withoutNull(old), withoutNull(now), alike);
  if (old.kind === now.kind) return inner;
  const direction = now.kind === "nullable" ? "wider" : "narrower";
  const wording = now.kind === "nullable" ? "can be null" : "can no longer be null";
  return [{ direction, what: "null", wording }, ...inner];
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

function scalarDifferences(old: Kind<"scalar">, now: Kind<"scalar">): readonly TypeDifference[] {
  const texts = [old.name, now.name].every((name) => name === "string" || name === "text");
  if (old.name !== now.name && !texts) {
    const direction = widerTypes[old.name]?.includes(now.name)
      ? "wider"
      : widerTypes[now.name]?.includes(old.name)
        ? "narrower"
        : "other";
    return [changed(old, now, direction)];
  }
  const lengths = ["string", "text", "bytes"].includes(now.name);
  return [
    ...rangeDifferences(old, now, lengths ? "is" : "goes", lengths ? "long" : ""),
    ...patternDifferences(old, now),
  ];
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function rangeDifferences(old: Bounds, now: Bounds, verb: string, noun: string): readonly TypeDifference[] {
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  const [oldMin, newMin] = [old.min ?? NEGATIVE_INFINITY, now.min ?? NEGATIVE_INFINITY];
  const [oldMax, newMax] = [old.max ?? POSITIVE_INFINITY, now.max ?? POSITIVE_INFINITY];
  const wording = `${verb} ${rangeText(now)}${noun === "" ? "" : ` ${noun}`}, and ${verb === "is" ? "was" : verb === "has" ? "had" : "went"} ${rangeText(old)}`;
  return [
    ...(newMin > oldMin || newMax < oldMax ? [{ direction: "narrower", what: "range", wording } as const] : []),
    ...(newMin < oldMin || newMax > oldMax ? [{ direction: "wider", what: "range", wording } as const] : []),
  ];
}

function rangeText({ min, max }: Bounds): string {
  if (min === undefined && max === undefined) return "without bounds";
  return min === max ? `exactly ${min}` : `${min ?? ""}..${max ?? ""}`;
}

function patternDifferences(old: Kind<"scalar">, now: Kind<"scalar">): readonly TypeDifference[] {
  if (old.pattern === now.pattern) return [];
  if (now.pattern === undefined)
    return [{ direction: "wider", what: "pattern", wording: "no longer has to match a pattern" }];
  const direction = old.pattern === undefined ? "narrower" : "other";
  return [{ direction, what: "pattern", wording: `has to match \`/${now.pattern}/\`` }];
}

function sizeDifferences(old: Kind<"file">, now: Kind<"file">): readonly TypeDifference[] {
  if (old.max === now.max) return [];
  const direction = now.max < old.max ? "narrower" : "wider";
  const wording = `is at most ${printSize(now.max)}, and was at most ${printSize(old.max)}`;
  return [{ direction, what: "range", wording }];
}

/** Compares the media types; an empty list accepts every type. */
function mediaDifferences(old: Kind<"file">, now: Kind<"file">): readonly TypeDifference[] {
  const mediaText = ({ media }: Kind<"file">): string =>
    media.length === 0 ? "of any media type" : media.map((one) => `\`${one}\``).join(" or ");
  const wording = `is ${mediaText(now)}, and was ${mediaText(old)}`;
  const holds = (wide: Kind<"file">, narrow: Kind<"file">): boolean =>
    wide.media.length === 0 ||
    (narrow.media.length > 0 && narrow.media.every((one) => wide.media.some((range) => inRange(one, range))));
  return [
    ...(holds(now, old) ? [] : [{ direction: "narrower", what: "media", wording } as const]),
    ...(holds(old, now) ? [] : [{ direction: "wider", what: "media", wording } as const]),
  ];
}

function inRange(type: string, range: string): boolean {
  return type === range || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}

function valueDifferences(old: Kind<"one-of">, now: Kind<"one-of">): readonly TypeDifference[] {
  const removed = old.values.filter((value) => !now.values.includes(value));
  const added = now.values.filter((value) => !old.values.includes(value));
  const opened = now.open && !old.open;
  const closed = old.open && !now.open;
  return [
    ...(opened
      ? [{ direction: "wider", what: "type", wording: "is an open list, and was a closed one" } as const]
      : []),
    ...(closed
      ? [{ direction: "narrower", what: "type", wording: "is a closed list, and was an open one" } as const]
      : []),
    ...removed.map(
      (value) =>
        ({ direction: "narrower", what: "values", wording: `no longer has the value \`${value}\``, value }) as const,
    ),
    ...added.map(
      (value) => ({ direction: "wider", what: "values", wording: `has the new value \`${value}\``, value }) as const,
    ),
  ];
}

/** Whether the type lists all its values, so that a client may have code for each value. */
export function isClosedList(type: FieldType): boolean {
  if (type.kind === "one-of") return !type.open;
  return (type.kind === "nullable" || type.kind === "list" || type.kind === "map") && isClosedList(type.of);
}
