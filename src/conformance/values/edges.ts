/** Values at the edges of what a part of a value may be, as proposals: the caller compares each with its type. */
import { minorDigits } from "../../base/formats.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { fileValue, leastBytes, usualMedia } from "../files.ts";
import type { Random } from "../random.ts";
import { maxima, type Scalar, writtenAs } from "./fits.ts";
import type { NumberRules } from "./numbers.ts";
import { counted } from "./problem.ts";
import { type Keywords, numberRules, textRules } from "./schema-values.ts";
import { schemaOf, type Scope, type Spot } from "./spots.ts";
import { base64, textFor, type TextRules } from "./texts.ts";
import { rulesOf, type Supply, validValue } from "./valid.ts";

/** A value that should be valid. */
export interface Edge {
  /** What the value is, with its article: `a text of 80 characters`. */
  readonly what: string;
  readonly value: Json;
  /** Whether the document writes the limit; false for a default of the language, which others need not follow. */
  readonly stated: boolean;
}

/** Longer values, in bytes or characters, are not tried, since they are near the size of a request. */
export const longest = 100_000;

export function* edgesAt(scope: Scope, spot: Spot): Iterable<Edge> {
  const { keywords, type, value } = spot;
  if (keywords !== undefined) return yield* keywordEdges(keywords, value as Json, scope.supply);
  if (spot.isNullable) yield { what: "null", value: null, stated: true };
  switch (type.kind) {
    case "scalar":
      return yield* scalarEdges(scope, type);
    case "id":
      if (type.of !== undefined) yield* edgesAt(scope, { ...spot, type: type.of, isNullable: false });
      return;
    case "one-of":
      return yield* listedEdges("text", type.values);
    case "list":
      return yield* listEdges(scope, type);
    case "map":
      return yield* mapEdges(scope, type.of);
    case "named":
      return yield* objectEdges(scope, type, type.name);
    case "schema":
      return yield* objectEdges(scope, type, "a value");
    case "file":
      return yield* fileEdges(type);
    case "nullable":
      return;
  }
}

function* listedEdges(noun: string, values: readonly Json[]): Iterable<Edge> {
  for (const value of values.slice(0, 20)) yield { what: `the ${noun} ${JSON.stringify(value)}`, value, stated: true };
}

function* scalarEdges({ supply: { random, now } }: Scope, declared: Scalar): Iterable<Edge> {
  const type = writtenAs(declared);
  const { name, min, max } = type;
  const stated = { min: min !== undefined, max: max !== undefined };
  switch (name) {
    case "string":
    case "text":
    case "email":
    case "url":
    case "phone":
      return yield* textEdges(rulesOf(type), stated, random, now);
    case "integer":
      return yield* numberEdges(integerRules(type), stated);
    case "number":
    case "decimal":
      return yield* numberEdges({ min, max }, stated);
    case "money":
      return yield* moneyEdges(type);
    case "bytes":
      yield* bytesEdges(min ?? 0, stated.min, random);
      return yield* bytesEdges(max ?? maxima.string, stated.max, random);
    default:
      yield* fixedEdgesOf(name);
  }
}

function* fixedEdgesOf(name: Scalar["name"]): Iterable<Edge> {
  for (const [value, stated] of fixedEdges[name] ?? []) yield { what: printed(value), value, stated };
}

/** Values of types without bounds, and whether every implementation knows them. */
const fixedEdges: { readonly [Name in Scalar["name"]]?: readonly (readonly [value: Json, stated: boolean])[] } = {
  boolean: [[true, true], [false, true]],
  date: [["2024-02-29", true], ["0001-01-01", false], ["9999-12-31", false]],
  time: [["00:00", true], ["23:59:59", true]],
  datetime: [
    ["2024-02-29T23:59:59Z", true], ["2026-01-31T12:00:00+05:30", false],
    ["0001-01-01T00:00:00Z", false], ["9999-12-31T23:59:59.999Z", false],
  ],
  duration: [["P1DT2H", true], ["PT0S", false]],
  json: [["text", true], [0.5, true], [false, true], [[], true], [{}, true], [{ a: [{ b: [] }] }, true]],
}; // biome-ignore format: a table

export function integerRules({ min, max }: Scalar): NumberRules {
  return { min: min ?? Number.MIN_SAFE_INTEGER, max: max ?? Number.MAX_SAFE_INTEGER, multipleOf: 1 };
}

function* moneyEdges({ min, max }: Scalar): Iterable<Edge> {
  for (const limit of [min, max]) {
    if (limit === undefined) continue;
    for (const value of amountsAt(limit))
      yield { what: `the amount ${value.amount} ${value.currency}`, value, stated: true };
  }
}

/** Returns the amount that is exactly so much, in a currency that has enough digits; none if no currency has. */
function amountsAt(limit: number): readonly { readonly amount: string; readonly currency: string }[] {
  const currency = ["EUR", "KWD", "CLF"].find((one) => Number(limit.toFixed(minorDigits(one))) === limit);
  return currency === undefined || Math.abs(limit) >= 1e15
    ? []
    : [{ amount: (limit + 0).toFixed(minorDigits(currency)), currency }];
}

function* bytesEdges(bytes: number, stated: boolean, random: Random): Iterable<Edge> {
  if (bytes > longest) return;
  yield { what: `base 64 of ${counted(bytes, "byte")}`, value: base64(bytes, random), stated };
}

function* listEdges(scope: Scope, { of, min, max }: FieldType & { readonly kind: "list" }): Iterable<Edge> {
  const limits = [
    { count: min ?? 0, stated: min !== undefined },
    { count: max ?? maxima.list, stated: max !== undefined },
  ];
  for (const { count, stated } of limits) {
    const value = listOf(scope, of, count);
    if (value !== undefined) yield { what: listText(count), value, stated };
  }
}

function* mapEdges(scope: Scope, of: FieldType): Iterable<Edge> {
  yield { what: "an empty object", value: {}, stated: false };
  for (const [what, names] of [
    [`an object of ${maxima.map} members`, namesOf(maxima.map)],
    [`a name of ${maxima.name} characters`, ["n".repeat(maxima.name)]],
  ] as const) {
    const value = mapOf(scope, of, names);
    if (value !== undefined) yield { what, value, stated: false };
  }
}

/** Values of a type or a schema with few and with many members. */
function* objectEdges({ contract, supply }: Scope, type: FieldType, what: string): Iterable<Edge> {
  const { model } = contract;
  const isType = type.kind === "named" && lookup(model.resources.types, type.name) !== undefined;
  if (!isType && schemaOf(model, type) === undefined) return;
  for (const [extent, members] of [
    ["needed", "only what it needs"],
    ["all", "all its members"],
  ] as const) {
    const value = validValue(contract, type, supply, extent);
    if (value !== undefined) yield { what: `${what} with ${members}`, value, stated: true };
  }
}

export type FileType = FieldType & { readonly kind: "file" };

function* fileEdges({ max, media }: FileType): Iterable<Edge> {
  const usual = usualMedia(media);
  if (max <= longest) yield { what: fileText(usual, max), value: fileValue(usual, max), stated: true };
  const size = Math.min(max, leastBytes);
  for (const type of media.length === 0 ? [usual] : media.map((one) => usualMedia([one])))
    yield { what: fileText(type, size), value: fileValue(type, size), stated: true };
}

export function fileText(type: string, bytes: number): string {
  return `a file of the type ${type} with ${counted(bytes, "byte")}`;
}

/** Returns a list with so many items; undefined if it is too long to be tried. */
export function listOf({ contract, supply }: Scope, of: FieldType, count: number): readonly Json[] | undefined {
  if (count < 0) return undefined;
  const items: Json[] = [];
  let characters = 0;
  for (let index = 0; index < count; index += 1) {
    const item = validValue(contract, of, supply, "needed");
    if (item === undefined) return undefined;
    items.push(item);
    characters += JSON.stringify(item).length + 1;
    // The first items show how long the list would be.
    if ((characters / items.length) * count > longest) return undefined;
  }
  return items;
}

export function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `name${index}`);
}

export function mapOf(scope: Scope, of: FieldType, names: readonly string[]): JsonObject | undefined {
  const values = listOf(scope, of, names.length);
  return values && Object.fromEntries(names.map((name, index) => [name, values[index] as Json]));
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The values at the limits that a schema writes. */
function* keywordEdges(keywords: Keywords, value: Json, { random, now }: Supply): Iterable<Edge> {
  const { plain } = keywords;
  const { minimum, maximum, minItems, maxItems } = plain;
  if (Array.isArray(plain["enum"])) return yield* listedEdges("value", plain["enum"] as readonly Json[]);
  if (typeof value === "boolean") yield* fixedEdgesOf("boolean");
  if (typeof value === "string") {
    const stated = { min: plain["minLength"] !== undefined, max: plain["maxLength"] !== undefined };
    yield* onlyStated(textEdges(textRules(keywords), stated, random, now));
  }
  if (typeof value === "number") {
    const stated = { min: minimum !== undefined, max: maximum !== undefined };
    yield* onlyStated(numberEdges(rangeOf(keywords), stated));
  }
  for (const count of Array.isArray(value) ? [minItems, maxItems] : []) {
    const list = listFrom(value as readonly Json[], count);
    if (list !== undefined) yield { what: listText(list.length), value: list, stated: true };
  }
}

/** Returns the rules of a number, with the limits as the schema writes them. */
export function rangeOf(keywords: Keywords): NumberRules {
  const { min, max, multipleOf } = numberRules(keywords);
  const { minimum = min, maximum = max } = keywords.plain;
  return { min: minimum as number | undefined, max: maximum as number | undefined, multipleOf };
}

function* onlyStated(edges: Iterable<Edge>): Iterable<Edge> {
  for (const edge of edges) if (edge.stated) yield edge;
}

/** Returns a list of so many items, with those of a valid list; undefined if it has to have other items. */
export function listFrom(items: readonly Json[], count: Json | undefined): readonly Json[] | undefined {
  if (typeof count !== "number" || count < 0 || count > 1000) return undefined;
  const last = items.at(-1);
  if (count > items.length && last === undefined) return undefined;
  return Array.from({ length: count }, (_, index) => items[index] ?? (last as Json));
}

// ── Texts and numbers ──────────────────────────────────────────────────────────────────────────────────────────────

/** Which of the limits the document writes. */
interface Stated {
  readonly min: boolean;
  readonly max: boolean;
}

/** Characters that take two UTF-16 code units each. */
const outsidePlane = Array.from({ length: 64 }, (_, index) => String.fromCodePoint(0x1f600 + index)).join("");

function* textEdges(rules: TextRules, stated: Stated, random: Random, now: number): Iterable<Edge> {
  const { least, most, pattern, format } = rules;
  const ends = [
    { length: least, stated: stated.min },
    { length: most, stated: stated.max },
  ];
  for (const end of ends.filter(({ length }) => length <= longest)) {
    const value = textFor({ ...rules, least: end.length, most: end.length }, random, now);
    if (value !== undefined) yield { what: textOf(end.length), value, stated: end.stated };
  }
  if (pattern !== undefined || format !== undefined || most === 0 || most > longest) return;
  // A unique text must differ from those of earlier runs, too.
  const value = random.text(most, outsidePlane);
  yield { what: `a text of ${most} emoji`, value, stated: stated.max };
}

function* numberEdges({ min, max, multipleOf }: NumberRules, stated: Stated): Iterable<Edge> {
  const least = min === undefined ? undefined : inside(min, multipleOf, 1);
  const most = max === undefined ? undefined : inside(max, multipleOf, -1);
  if (least !== undefined) yield { what: `the number ${least}`, value: least, stated: stated.min };
  if (most !== undefined) yield { what: `the number ${most}`, value: most, stated: stated.max };
  yield { what: "the number 0", value: 0, stated: stated.min && stated.max };
}

/** Returns the multiple that is next to a limit, on the side of the sign. */
function inside(limit: number, multipleOf: number | undefined, sign: 1 | -1): number {
  if (multipleOf === undefined) return limit;
  return (sign === 1 ? Math.ceil(limit / multipleOf) : Math.floor(limit / multipleOf)) * multipleOf + 0;
}

// ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function textOf(length: number): string {
  return length === 0 ? "an empty text" : `a text of ${counted(length, "character")}`;
}

export function listText(count: number): string {
  return count === 0 ? "an empty list" : `a list of ${counted(count, "item")}`;
}

export function printed(value: Json): string {
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return typeof value === "number" ? `the number ${value}` : JSON.stringify(value);
}
