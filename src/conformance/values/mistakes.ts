/** Values one step outside of what a part of a value may be, as proposals: the caller compares each with its type. */
import { minorDigits } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject, omit } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Fields, FieldType } from "../../language/resources/model.ts";
import { fileValue, isAllowedMedia, leastBytes, usualMedia } from "../files.ts";
import { letters, type Random } from "../random.ts";
import {
  type FileType,
  fileText,
  integerRules,
  listFrom,
  listOf,
  listText,
  longest,
  mapOf,
  namesOf,
  printed,
  rangeOf,
  textOf,
} from "./edges.ts";
import { isOptional, maxima, type Scalar, writtenAs } from "./fits.ts";
import { above, below, type NumberRules } from "./numbers.ts";
import { counted, kindOf } from "./problem.ts";
import { codeOf } from "./schema-fits.ts";
import { type Keywords, requiredOf, textRules } from "./schema-values.ts";
import type { Scope, Spot } from "./spots.ts";
import { base64, textFor, textOfLength, type TextRules } from "./texts.ts";
import { amountText, rulesOf, type Supply } from "./valid.ts";

/** A value that should be invalid. */
export interface Mistake {
  readonly what: string;
  readonly value: Json;
  /** The code of the violated rule. */
  readonly code: string;
  /** The member to which an error points, such as a missing one. */
  readonly member?: string;
  /** Whether the document writes the rule; by default the comparison with the type decides it. */
  readonly stated?: boolean;
  /** Further codes with which an implementation may answer. */
  readonly codes?: readonly string[];
  /** The error that the request gets, if it is not `invalid-request`. */
  readonly error?: string;
  /** Whether a merge patch with the value would mean something else: null removes a member, and a missing member is retained. */
  readonly completeOnly?: boolean;
}

export function* mistakesAt(scope: Scope, spot: Spot): Iterable<Mistake> {
  const { keywords, type, value } = spot;
  if (keywords !== undefined) return yield* keywordMistakes(keywords, value as Json, scope.supply);
  switch (type.kind) {
    case "scalar":
      return yield* scalarMistakes(scope, type, value);
    case "id":
      return yield* idMistakes(scope, spot, type);
    case "one-of":
      if (!type.open)
        for (const value of ["other", `${type.values[0] ?? ""}-other`])
          yield { what: "a text that is not listed", value, code: "not-one-of" };
      else yield { what: "an empty text", value: "", code: "too-short" };
      return yield* typeMistakes("a text");
    case "list":
      return yield* listMistakes(scope, type);
    case "map":
      return yield* mapMistakes(scope, type.of);
    case "named":
      return yield* namedMistakes(scope, spot, type.name);
    case "file":
      return yield* fileMistakes(type);
    case "schema":
    case "nullable":
      return;
  }
}

function* scalarMistakes(
  { supply: { random, now } }: Scope,
  declared: Scalar,
  fit: Json | undefined,
): Iterable<Mistake> {
  const type = writtenAs(declared);
  const { name, min, max } = type;
  switch (name) {
    case "json":
      return;
    case "string":
    case "text":
    case "email":
    case "url":
    case "phone":
      yield* textMistakes(rulesOf(type), random, now);
      return yield* typeMistakes("a text");
    case "integer":
      yield* numberMistakes(integerRules(type));
      if (typeof fit === "number") yield { what: "a fraction", value: fractionNear(fit, type), code: "wrong-type" };
      return yield* typeMistakes("a number");
    case "number":
    case "decimal":
      yield* numberMistakes({ min, max });
      if (name === "decimal") yield* digitsMistakes(fit);
      return yield* typeMistakes("a number");
    case "money":
      return yield* moneyMistakes(type, fit);
    case "bytes":
      yield* bytesMistakes(type, random);
      return yield* typeMistakes("a text");
    case "boolean":
      return yield* typeMistakes("true or false");
    default:
      for (const [value, code] of fixedMistakes[name] ?? []) yield { what: printed(value), value, code };
      return yield* typeMistakes("a text");
  }
}

const fixedMistakes: { readonly [Name in Scalar["name"]]?: readonly (readonly [value: string, code: string])[] } = {
  date: [["2026-02-30", "wrong-format"], ["tomorrow", "wrong-format"]],
  time: [["25:00", "wrong-pattern"], ["noon", "wrong-pattern"]],
  datetime: [["2026-02-30T12:00:00Z", "wrong-format"], ["tomorrow", "wrong-format"]],
  duration: [["an hour", "wrong-format"]],
  uuid: [["no-uuid", "wrong-format"]],
  country: [["ZZ", "wrong-format"], ["Norway", "wrong-format"]],
  currency: [["ZZZ", "wrong-format"], ["euro", "wrong-format"]],
  language: [["not a language", "wrong-format"]],
  timezone: [["Mars/Olympus", "wrong-format"]],
}; // biome-ignore format: a table

function* digitsMistakes(fit: Json | undefined): Iterable<Mistake> {
  const near = typeof fit === "number" ? [fit * (1 + Number.EPSILON), fit * (1 - Number.EPSILON)] : [];
  for (const value of [1.234567890123456, 0.1234567890123456, 12.34567890123456, ...near])
    yield { what: "a number of 16 digits", value, code: "wrong-format" };
}

function* moneyMistakes({ min, max }: Scalar, fit: Json | undefined): Iterable<Mistake> {
  yield* typeMistakes("an object");
  const { amount: fitAmount, currency } = isObject(fit) ? fit : {};
  if (!isObject(fit) || typeof fitAmount !== "string" || typeof currency !== "string") return;
  const digits = minorDigits(currency);
  const unit = 10 ** digits;
  for (const [limit, sign, code] of [
    [min, -1, "too-small"],
    [max, 1, "too-large"],
  ] as const) {
    if (limit === undefined) continue;
    const units = sign * (Math.floor(sign * limit * unit) + 1);
    const amount = Number.isSafeInteger(units) ? amountText(units, digits) : undefined;
    if (amount !== undefined) yield { what: `the amount ${amount}`, value: { ...fit, amount }, code, member: "amount" };
  }
  for (const [what, member, value, code] of [
    ["an amount that is no number", "amount", "much", "wrong-pattern"],
    ["a number as amount", "amount", Number(fitAmount), "wrong-type"],
    ["the currency ZZZ", "currency", "ZZZ", "wrong-format"],
  ] as const)
    yield { what, value: { ...fit, [member]: value }, code, member };
  // An amount in yen has no decimal places.
  const yen = { amount: fitAmount.replace(/(?:\.\d*)?$/, ".50"), currency: "JPY" };
  yield { what: "half a yen", value: yen, code: "wrong-format", member: "amount" };
  yield* missingMistakes(fit, ["amount", "currency"]);
  yield* unknownMistakes(fit);
}

function* missingMistakes(fit: JsonObject, names: readonly string[]): Iterable<Mistake> {
  for (const member of names)
    yield {
      what: `an object without ${member}`,
      value: omit(fit, [member]),
      code: "required",
      member,
      completeOnly: true,
    };
}

function* unknownMistakes(fit: JsonObject): Iterable<Mistake> {
  let name = "unknownMember";
  while (Object.hasOwn(fit, name)) name += "2";
  yield { what: "an unknown member", value: { ...fit, [name]: 1 }, code: "unknown-field", member: name };
}

function* bytesMistakes({ min, max = maxima.string }: Scalar, random: Random): Iterable<Mistake> {
  const fit = base64(Math.max(min ?? 0, Math.min(max, 6)), random);
  yield { what: "a text that is not base 64", value: `*${fit.slice(1)}`, code: "wrong-pattern" };
  if (min !== undefined && min > 0 && min <= longest)
    yield { what: `base 64 of ${counted(min - 1, "byte")}`, value: base64(min - 1, random), code: "too-short" };
  if (max < longest)
    yield { what: `base 64 of ${counted(max + 1, "byte")}`, value: base64(max + 1, random), code: "too-long" };
}

function* idMistakes(scope: Scope, spot: Spot, type: FieldType & { readonly kind: "id" }): Iterable<Mistake> {
  if (type.of !== undefined) return yield* mistakesAt(scope, { ...spot, type: type.of });
  if (type.made === "counter") {
    yield { what: "the number 0", value: 0, code: "too-small" };
    return yield* typeMistakes("a number");
  }
  yield { what: "a text that is no id", value: "no/id", code: "wrong-pattern" };
  yield* typeMistakes("a text");
}

/** A value that is no id refers to no record, whether or not the document writes the form of the id. */
function* referenceMistakes(scope: Scope, spot: Spot, id: FieldType): Iterable<Mistake> {
  for (const mistake of mistakesAt(scope, { ...spot, type: id }))
    yield { ...mistake, stated: true, codes: ["reference-not-found"] };
}

function* namedMistakes(scope: Scope, spot: Spot, name: string): Iterable<Mistake> {
  const { resources, types } = scope.contract.model.resources;
  const id = lookup(resources, name)?.fields["id"];
  if (id !== undefined) return yield* referenceMistakes(scope, spot, id.type);
  const fields = lookup(types, name);
  if (fields !== undefined) yield* objectMistakes(scope, fields, spot.value);
}

function* objectMistakes({ contract }: Scope, fields: Fields, fit: Json | undefined): Iterable<Mistake> {
  yield* typeMistakes("an object");
  if (!isObject(fit)) return;
  const required = Object.entries(fields).filter(([, field]) => !isOptional({ contract, direction: "input" }, field));
  yield* missingMistakes(
    fit,
    required.map(([name]) => name),
  );
  yield* unknownMistakes(fit);
}

function* listMistakes(scope: Scope, { of, min, max }: FieldType & { readonly kind: "list" }): Iterable<Mistake> {
  if (min !== undefined) yield* countMistake(listOf(scope, of, min - 1), "too-few");
  yield* countMistake(listOf(scope, of, (max ?? maxima.list) + 1), "too-many");
  yield* typeMistakes("a list");
}

function* countMistake(value: readonly Json[] | undefined, code: string): Iterable<Mistake> {
  if (value !== undefined) yield { what: listText(value.length), value, code };
}

function* mapMistakes(scope: Scope, of: FieldType): Iterable<Mistake> {
  const many = mapOf(scope, of, namesOf(maxima.map + 1));
  if (many !== undefined) yield { what: `an object of ${maxima.map + 1} members`, value: many, code: "too-many" };
  const unnamed = mapOf(scope, of, [""]);
  if (unnamed !== undefined) yield { what: "a member without a name", value: unnamed, code: "too-short", member: "" };
  yield* typeMistakes("an object");
}

function* fileMistakes({ max, media }: FileType): Iterable<Mistake> {
  const usual = usualMedia(media);
  if (max < longest) {
    const value = fileValue(usual, max + 1);
    yield { what: fileText(usual, max + 1), value, code: "too-large", error: "too-large" };
  }
  const type = isAllowedMedia(media, "text/plain") ? "application/x-other" : "text/plain";
  const size = Math.min(max, leastBytes);
  yield { what: fileText(type, size), value: fileValue(type, size), code: "not-one-of" };
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Mistakes against the keywords of a schema. A merge patch with an object would be merged. */
function* keywordMistakes(keywords: Keywords, value: Json, supply: Supply): Iterable<Mistake> {
  for (const mistake of mistakesAgainst(keywords, value, supply))
    yield isObject(mistake.value) ? { ...mistake, completeOnly: true } : mistake;
}

function* mistakesAgainst(keywords: Keywords, value: Json, { random, now }: Supply): Iterable<Mistake> {
  const { plain } = keywords;
  if (plain["enum"] !== undefined || plain["const"] !== undefined) {
    const other = typeof value === "number" ? value + 0.5 : "not-listed";
    yield { what: "a value that is not listed", value: other, code: "not-one-of" };
    return;
  }
  if (plain["type"] !== undefined) yield* typeMistakes(kindFor(value));
  if (typeof value === "string") yield* textMistakes(textRules(keywords), random, now);
  if (typeof value === "number") yield* rangeMistakes(keywords, value);
  if (Array.isArray(value)) yield* arrayMistakes(keywords, value as readonly Json[]);
  if (isObject(value)) yield* membersMistakes(keywords, value);
}

function kindFor(value: Json): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return typeof value === "number" ? "a number" : typeof value === "boolean" ? "true or false" : "a text";
}

function* rangeMistakes(keywords: Keywords, value: number): Iterable<Mistake> {
  const { multipleOf, exclusiveMinimum, exclusiveMaximum } = keywords.plain;
  yield* numberMistakes(rangeOf(keywords));
  for (const [limit, code] of [
    [exclusiveMinimum, "too-small"],
    [exclusiveMaximum, "too-large"],
  ] as const)
    if (typeof limit === "number") yield { what: printed(limit), value: limit, code };
  if (typeof multipleOf === "number")
    yield {
      what: `a number that is no multiple of ${multipleOf}`,
      value: value + multipleOf / 2,
      code: codeOf("multipleOf"),
    };
  if (keywords.plain["type"] === "integer")
    yield { what: "a fraction", value: fractionNear(value, rangeOf(keywords)), code: "wrong-type" };
}

/** Returns a fraction next to a whole number, if possible between the limits, so that it is wrong as a fraction alone. */
function fractionNear(
  value: number,
  { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined },
): number {
  return max === undefined || value + 0.5 <= max || value - 0.5 < (min ?? value) ? value + 0.5 : value - 0.5;
}

function* arrayMistakes({ plain }: Keywords, items: readonly Json[]): Iterable<Mistake> {
  const { minItems, maxItems, uniqueItems } = plain;
  if (typeof minItems === "number") yield* countMistake(listFrom(items, minItems - 1), "too-few");
  if (typeof maxItems === "number") yield* countMistake(listFrom(items, maxItems + 1), "too-many");
  const [first] = items;
  if (uniqueItems === true && first !== undefined) {
    const twice = items.length > 1 ? items.with(1, first) : [first, first];
    yield { what: "the same item twice", value: twice, code: "repeated" };
  }
}

function* membersMistakes(keywords: Keywords, value: JsonObject): Iterable<Mistake> {
  yield* missingMistakes(value, requiredOf(keywords));
  yield* unknownMistakes(value);
  const { minProperties, maxProperties } = keywords.plain;
  const names = Object.keys(value);
  if (typeof minProperties === "number" && minProperties > 0) {
    const few = Object.fromEntries(Object.entries(value).slice(0, minProperties - 1));
    yield { what: `an object of ${counted(minProperties - 1, "member")}`, value: few, code: "too-few" };
  }
  if (typeof maxProperties === "number" && maxProperties < 1000) {
    const more = Array.from({ length: Math.max(0, maxProperties + 1 - names.length) }, (_, index) => `more${index}`);
    const many = { ...value, ...Object.fromEntries(more.map((name) => [name, Object.values(value)[0] ?? "text"])) };
    yield { what: `an object of ${counted(maxProperties + 1, "member")}`, value: many, code: "too-many" };
  }
}

// ── Texts, numbers and types ───────────────────────────────────────────────────────────────────────────────────────

function* textMistakes(rules: TextRules, random: Random, now: number): Iterable<Mistake> {
  const { least, most, pattern, format } = rules;
  for (const { length, code } of [
    { length: least - 1, code: "too-short" },
    { length: most + 1, code: "too-long" },
  ]) {
    if (length < 0 || length > longest) continue;
    yield { what: textOf(length), value: textOfLength(rules, length, random, now), code };
  }
  const fit = textFor(rules, random, now) ?? "";
  if (pattern !== undefined) {
    for (const value of unlike(fit, rules, random))
      yield { what: "a text that does not match the pattern", value, code: "wrong-pattern" };
  }
  if (format !== undefined) {
    for (const value of [random.text(Math.max(least, 8), letters), ...unlike(fit, rules, random)]) {
      for (const code of ["wrong-format", "wrong-pattern"])
        yield { what: `a text that is not of the format ${format}`, value, code };
    }
  }
  if (fit !== "")
    yield { what: "a text with U+0000", value: `${fit.slice(0, -1)}\0`, code: "wrong-pattern", stated: false };
}

/** Texts that hardly any pattern or format allows, within the bounds of the length. `fit`: a text that follows the rules. */
function unlike(fit: string, { least, most }: TextRules, random: Random): readonly string[] {
  const length = Math.max(least, Math.min(most, 8));
  const filled = ["!", " ", "a", "A", "0", "-", "é", "."].map((one) => one.repeat(length));
  const changed = ["!", "a", "0", "/"].flatMap((one) => [
    one + fit.slice(1),
    fit.slice(0, -1) + one,
    fit.slice(0, fit.length / 2) + one + fit.slice(fit.length / 2 + 1),
  ]);
  return [...changed, ...filled, random.text(length)].filter((text) => text.length >= least && text.length <= most);
}

function* numberMistakes({ min, max, multipleOf }: NumberRules): Iterable<Mistake> {
  if (min !== undefined)
    for (const value of below(min, multipleOf)) yield { what: `a number below ${min}`, value, code: "too-small" };
  if (max !== undefined)
    for (const value of above(max, multipleOf)) yield { what: `a number above ${max}`, value, code: "too-large" };
}

/** Values of other types. What is accepted: `a text`. */
const otherTypes: Readonly<Record<string, readonly Json[]>> = {
  "a text": [{}, 12],
  "a number": ["twelve", true],
  "true or false": ["yes", 1],
  "a list": [{}, "text"],
  "an object": ["text", []],
};

function* typeMistakes(expected: string): Iterable<Mistake> {
  for (const value of otherTypes[expected] ?? [])
    yield { what: `${kindOf(value)} instead of ${expected}`, value, code: "wrong-type" };
  yield { what: `null instead of ${expected}`, value: null, code: "wrong-type", completeOnly: true };
}
