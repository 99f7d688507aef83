/**
 * Compares a value with a type of the document. It is written apart from the validators of a service, so that a mistake in them does
 * not hide itself.
 *
 * A value that a client sends has to follow the language to the letter. A value that an implementation returns has to follow only what
 * the document writes: other implementations need not know the defaults of the language.
 */
import { unixRange } from "../../base/unix-time.ts";
import { idForm } from "../../language/resources/id-form.ts";
import { RE2JS } from "@bufbuild/re2";
import { bytesInBase64, minorDigits, textFormats } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { getOrMake } from "../../base/once.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Fields, FieldType, ScalarName } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";
import { isAllowedMedia, isFileValue } from "../files.ts";
import { counted, type Direction, kindOf, type Problem, problemText } from "./problem.ts";
import { isDecimal, namedSchema, schemaProblems } from "./schema-fits.ts";

export type Scalar = FieldType & { readonly kind: "scalar" };

/** The largest sizes without declared bounds: of texts in characters (code points), of lists in items, of maps in members. */
export const maxima = { string: 10_000, email: 254, url: 2048, phone: 16, user: 255, name: 255, list: 1000, map: 50 };

/** Returns in plain words what is wrong with a value, and where; undefined if it has the type. */
export function problemOf(contract: Contract, type: FieldType, value: Json, direction: Direction): string | undefined {
  const [first] = problemsOf(contract, type, value, direction);
  return first === undefined ? undefined : problemText(first);
}

/** Returns everything that is wrong with a value. */
export function problemsOf(contract: Contract, type: FieldType, value: Json, direction: Direction): readonly Problem[] {
  const problems = [...typeProblems({ contract, direction, path: [] }, type, value)];
  return direction === "output" ? problems.filter(({ stated }) => stated) : [...problems, ...unstorable(value, [])];
}

interface Walk {
  readonly contract: Contract;
  readonly direction: Direction;
  readonly path: readonly string[];
}

type Problems = Iterable<Problem>;

function* typeProblems(walk: Walk, type: FieldType, value: Json): Problems {
  switch (type.kind) {
    case "scalar":
      return yield* scalarProblems(walk, type, value);
    case "id":
      return yield* idProblems(walk, type, value);
    case "one-of":
      return yield* choiceProblems(walk, type, value);
    case "list":
      return yield* listProblems(walk, type, value);
    case "map":
      return yield* mapProblems(walk, type.of, value);
    case "nullable":
      if (value !== null) yield* typeProblems(walk, type.of, value);
      return;
    case "named":
      return yield* namedProblems(walk, type.name, value);
    case "file":
      return yield* fileProblems(walk, type, value);
    case "schema":
      return yield* fromSchema(walk, type.schema, value);
  }
}

function* fromSchema({ contract, direction, path }: Walk, schema: Json, value: Json): Problems {
  for (const problem of schemaProblems(contract.model, schema, value, direction))
    yield { ...problem, path: [...path, ...problem.path] };
}

// ── Scalars ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the type of a scalar in JSON: a moment as Unix time is an integer. */
export function writtenAs(type: Scalar): Scalar {
  if (type.unix === undefined) return type;
  const [min, max] = unixRange[type.unix];
  return { kind: "scalar", name: "integer", min, max };
}

function* scalarProblems(walk: Walk, declared: Scalar, value: Json): Problems {
  const type = writtenAs(declared);
  switch (type.name) {
    case "json":
      return;
    case "boolean":
      if (typeof value !== "boolean") yield wrongType(walk, "true or false", value);
      return;
    case "integer":
    case "number":
    case "decimal":
      return yield* numberProblems(walk, type, value);
    case "money":
      return yield* moneyProblems(walk, type, value);
    default:
      if (typeof value === "string") yield* textProblems(walk, type, value);
      else yield wrongType(walk, "a text", value);
  }
}

function* textProblems(walk: Walk, type: Scalar, text: string): Problems {
  const { name, pattern } = type;
  switch (name) {
    case "string":
    case "text":
    case "email":
    case "url":
    case "phone":
      yield* lengthProblems(walk, text, type, maxima[name === "text" ? "string" : name]);
      yield* patternProblems(walk, text, pattern);
      // A pattern of the document stands for that of E.164.
      if (name !== "phone" || pattern === undefined) yield* formatProblems(walk, name, text);
      return;
    case "user":
      return yield* lengthProblems(walk, text, {}, maxima.user, 1);
    case "bytes":
      yield* formatProblems(walk, name, text);
      return yield* bytesProblems(walk, text, type);
    default:
      // No text of these types is long, and Nonet does not read long ones.
      if (text.length > 64) yield problem(walk, "too-long", `${text.length} characters`, false);
      return yield* formatProblems(walk, name, text);
  }
}

/** Compares a number of characters, bytes, items or members with its bounds. `otherwise`: the bounds if the document writes none. */
function* countProblems(
  walk: Walk,
  count: number,
  noun: string,
  { min, max }: Bounds,
  otherwise: { readonly min?: number; readonly max: number },
): Problems {
  const isText = noun === "character" || noun === "byte";
  const [least, most] = [min ?? otherwise.min ?? 0, max ?? otherwise.max];
  const found = counted(count, noun);
  if (count < least)
    yield problem(walk, isText ? "too-short" : "too-few", `${found}, at least ${least} are needed`, min !== undefined);
  if (count > most)
    yield problem(walk, isText ? "too-long" : "too-many", `${found}, at most ${most} are allowed`, max !== undefined);
}

function lengthProblems(walk: Walk, text: string, bounds: Bounds, most: number, least = 0): Problems {
  return countProblems(walk, [...text].length, "character", bounds, { min: least, max: most });
}

function* bytesProblems(walk: Walk, text: string, bounds: Bounds): Problems {
  const { min = 0, max = maxima.string } = bounds;
  if (isBase64(text))
    return yield* countProblems(walk, bytesInBase64(text) ?? 0, "byte", bounds, { max: maxima.string });
  // Of a text that is not base 64, Nonet compares the length in characters.
  if (text.length < 4 * Math.ceil(min / 3)) yield problem(walk, "too-short", counted(text.length, "character"), false);
  if (text.length > 4 * Math.ceil(max / 3)) yield problem(walk, "too-long", counted(text.length, "character"), false);
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

function* patternProblems(walk: Walk, text: string, pattern: string | undefined): Problems {
  if (pattern !== undefined && !matches(pattern, text))
    yield problem(walk, "wrong-pattern", `${quoted(text)} does not match /${pattern}/`);
}

const compiled = new Map<string, RE2JS>();

/** Whether a text matches a pattern somewhere, as RE2 reads it. */
export function matches(pattern: string, text: string): boolean {
  return getOrMake(compiled, pattern, () => RE2JS.compile(pattern)).test(text);
}

function* formatProblems(walk: Walk, name: ScalarName, text: string): Problems {
  const format = formats[name];
  if (format === undefined) return;
  const holds = walk.direction === "output" ? (format.returned ?? format.holds) : format.holds;
  if (holds(text)) return;
  const message = `${quoted(text)} is not ${format.what}`;
  for (const code of format.codes ?? ["wrong-format"]) yield problem(walk, code, message);
}

interface TextFormat {
  /** With its article: `an e-mail address`. */
  readonly what: string;
  readonly holds: (text: string) => boolean;
  /** Whether an implementation may return the text; by default it may return what a client may send. */
  readonly returned?: (text: string) => boolean;
  /** The codes with which Nonet answers; by default `wrong-format`. */
  readonly codes?: readonly string[];
}

const formats: { readonly [Name in ScalarName]?: TextFormat } = {
  email: { what: "an e-mail address", holds: named("email"), returned: (text) => /^.+@.+$/s.test(text) },
  url: {
    what: "an absolute address",
    holds: (text) => /^https?:/i.test(text) && named("uri")(text),
    returned: (text) => URL.canParse(text),
  },
  phone: {
    what: "a phone number of E.164",
    holds: (text) => /^\+[1-9][0-9]{1,14}$/.test(text),
    codes: ["wrong-pattern"],
  },
  date: { what: "a date such as 2026-09-01", holds: isDay },
  time: {
    what: "a time such as 09:30",
    holds: (text) => /^([01][0-9]|2[0-3])(:[0-5][0-9]){1,2}$/.test(text),
    codes: ["wrong-pattern"],
  },
  datetime: {
    what: "a date and a time of RFC 3339",
    holds: (text) => isInstant(text) && /^.{10}t/i.test(text) && !/\.\d{10}/.test(text),
    returned: isInstant,
  },
  duration: {
    what: "a duration of ISO 8601",
    holds: named("duration"),
    returned: (text) => /^[-+]?P(?=[\dT])(?:[\d.,]+[YMWD])*(?:T(?:[\d.,]+[HMS])+)?$/.test(text),
  },
  uuid: { what: "a UUID", holds: named("uuid") },
  country: { what: "a code of ISO 3166-1", holds: named("country"), codes: ["wrong-format", "wrong-pattern"] },
  currency: { what: "a code of ISO 4217", holds: named("currency"), codes: ["wrong-format", "wrong-pattern"] },
  language: { what: "a language tag of BCP 47", holds: named("language"), codes: ["wrong-format", "wrong-pattern"] },
  timezone: { what: "a time zone of the IANA database", holds: named("timezone") },
  bytes: { what: "base 64 with padding", holds: isBase64, codes: ["wrong-pattern"] },
};

function named(format: string): (text: string) => boolean {
  return (text) => textFormats[format]?.(text) ?? true;
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** Whether a text is a day of the years 0001 to 9999. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith("0000")) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Whether a text is an instant of RFC 3339, of the years 0001 to 9999 in UTC. */
function isInstant(text: string): boolean {
  const form = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
  const [, day = "", hour, minute, second, sign, hours = "0", minutes = "0"] = form.exec(text) ?? [];
  if (!isDay(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  if (Number(hours) > 23 || Number(minutes) > 59) return false;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const utc = new Date(Date.parse(`${day}T${hour}:${minute}:00Z`) - offset * 60_000).toISOString();
  // A leap second is the last second of a day in UTC.
  if (Number(second) === 60 && !utc.includes("T23:59")) return false;
  return /^\d{4}-/.test(utc) && !utc.startsWith("0000") && !(Number(second) === 60 && utc.startsWith("9999-12-31"));
}

function* numberProblems(walk: Walk, { name, min, max }: Scalar, value: Json): Problems {
  if (typeof value !== "number")
    return yield wrongType(walk, name === "integer" ? "a whole number" : "a number", value);
  if (!Number.isFinite(value)) return;
  if (name === "integer" && !Number.isInteger(value)) yield wrongType(walk, "a whole number", value);
  if (name === "decimal" && !isDecimal(value))
    yield problem(walk, "wrong-format", `${value} has more than 15 digits`, false);
  yield* rangeProblems(walk, value, { min, max });
  if (name !== "integer") return;
  if (value < Number.MIN_SAFE_INTEGER) yield problem(walk, "too-small", `${value} is below -(2^53 - 1)`, false);
  if (value > Number.MAX_SAFE_INTEGER) yield problem(walk, "too-large", `${value} is above 2^53 - 1`, false);
}

function* rangeProblems(walk: Walk, value: number, { min, max }: Bounds): Problems {
  if (min !== undefined && value < min) yield problem(walk, "too-small", `${value}, at least ${min} is needed`);
  if (max !== undefined && value > max) yield problem(walk, "too-large", `${value}, at most ${max} is allowed`);
}

function* moneyProblems(walk: Walk, { min, max }: Scalar, value: Json): Problems {
  if (!isObject(value)) return yield wrongType(walk, "an amount with its currency", value);
  yield* namesProblems(walk, value, ["amount", "currency"], ["amount", "currency"]);
  const { amount, currency } = value;
  if (currency !== undefined)
    yield* scalarProblems(inside(walk, "currency"), { kind: "scalar", name: "currency" }, currency);
  if (amount === undefined) return;
  const at = inside(walk, "amount");
  if (typeof amount !== "string") return yield wrongType(at, "a text", amount);
  if (!/^-?\d+(?:\.\d+)?$/.test(amount))
    return yield problem(at, "wrong-pattern", `${quoted(amount)} is not an amount such as 12.50`);
  if (!/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,4})?$/.test(amount))
    yield problem(at, "wrong-pattern", `${amount} has too many digits, or a zero in front`, false);
  yield* rangeProblems(at, Number(amount), { min, max });
  const digits = amount.split(".")[1]?.length ?? 0;
  if (typeof currency === "string" && digits > minorDigits(currency))
    yield problem(at, "wrong-format", `${amount} has more digits after the point than ${currency}`, false);
}

// ── Ids, choices, lists and objects ────────────────────────────────────────────────────────────────────────────────

function* idProblems(walk: Walk, type: FieldType & { readonly kind: "id" }, value: Json): Problems {
  if (type.made === "counter") {
    yield* numberProblems(walk, { kind: "scalar", name: "integer" }, value);
    if (typeof value === "number" && value < 1) yield problem(walk, "too-small", `${value}, ids are counted from 1`);
    return;
  }
  if (type.of !== undefined) return yield* typeProblems(walk, type.of, value);
  if (typeof value !== "string") return yield wrongType(walk, "an id", value);
  if (type.made === "client") {
    if (!/^[A-Za-z0-9_.~-]{1,64}$/.test(value))
      yield problem(walk, "wrong-pattern", `${quoted(value)} is not an id`, false);
    return;
  }
  const prefix = type.prefix === undefined ? "" : `${type.prefix}_`;
  if (!value.startsWith(prefix) || value === prefix)
    yield problem(walk, "wrong-pattern", `${quoted(value)} is not an id that begins with ${prefix}`);
  const { alphabet, length } = idForm(type);
  if (value.startsWith(prefix) && value !== prefix && !isRandom(value.slice(prefix.length), alphabet, length)) {
    const what = type.length === undefined ? "26 letters and digits" : `${length} characters of ${alphabet}`;
    yield problem(walk, "wrong-pattern", `${quoted(value)} has not ${what}`, type.length !== undefined);
  }
}

function isRandom(text: string, alphabet: string, length: number): boolean {
  return new RegExp(`^[${alphabet}]{${length}}$`).test(text);
}

function* choiceProblems(walk: Walk, { values, open }: FieldType & { readonly kind: "one-of" }, value: Json): Problems {
  if (typeof value !== "string") yield wrongType(walk, "a text", value);
  else if (open) yield* lengthProblems(walk, value, {}, maxima.string, 1);
  else if (!values.includes(value))
    yield problem(walk, "not-one-of", `${quoted(value)} is none of ${values.map(quoted).join(", ")}`);
}

function* listProblems(walk: Walk, type: FieldType & { readonly kind: "list" }, value: Json): Problems {
  if (!Array.isArray(value)) return yield wrongType(walk, "a list", value);
  const items = value as readonly Json[];
  yield* countProblems(walk, items.length, "item", type, { max: maxima.list });
  for (const [index, item] of items.entries()) yield* typeProblems(inside(walk, String(index)), type.of, item);
}

function* mapProblems(walk: Walk, of: FieldType, value: Json): Problems {
  if (!isObject(value)) return yield wrongType(walk, "an object", value);
  const members = Object.entries(value);
  yield* countProblems(walk, members.length, "member", {}, { max: maxima.map });
  for (const [name, member] of members) {
    const at = inside(walk, name);
    for (const found of lengthProblems(at, name, {}, maxima.name, 1))
      yield { ...found, message: `the name has ${found.message}` };
    yield* typeProblems(at, of, member);
  }
}

function* namedProblems(walk: Walk, name: string, value: Json): Problems {
  const { resources, types, schemas = {}, views = {} } = walk.contract.model.resources;
  const id = lookup(resources, name)?.fields["id"];
  if (id !== undefined) return yield* typeProblems(walk, id.type, value);
  const fields = lookup(types, name);
  if (fields !== undefined) return yield* objectProblems(walk, name, fields, value);
  if (lookup(schemas, name) !== undefined)
    return yield* fromSchema(walk, namedSchema(walk.contract.model, name), value);
  const view = lookup(views, name);
  if (view === undefined) return;
  const viewed = lookup(resources, view.of)?.fields ?? {};
  const declared = (view.fields ?? []).map((member) => [member, lookup(viewed, member)] as const);
  // A caller who may not see a field does not get its members, so none is required.
  const members = [...declared, ...Object.entries(view.members ?? {})].flatMap(([member, field]) =>
    field === undefined ? [] : [[member, { ...field, optional: true }] as const],
  );
  yield* objectProblems(walk, name, Object.fromEntries(members), value);
}

function* objectProblems(walk: Walk, type: string, fields: Fields, value: Json): Problems {
  if (!isObject(value)) return yield wrongType(walk, `an object of the type ${type}`, value);
  const required = Object.entries(fields)
    .filter(([, field]) => !isOptional(walk, field))
    .map(([name]) => name);
  yield* namesProblems(walk, value, Object.keys(fields), required);
  for (const [name, member] of Object.entries(value)) {
    const field = lookup(fields, name);
    if (field !== undefined) yield* typeProblems(inside(walk, name), field.type, member);
  }
}

/** Whether a member may be missing. A client may leave out what has a default; a response has it. */
export function isOptional(
  { contract, direction }: Pick<Walk, "contract" | "direction">,
  field: Fields[string],
): boolean {
  return field.optional || (direction === "input" && defaultValue(contract.model, field) !== undefined);
}

/**
 * Compares the names of an object's members. Other implementations may ignore unknown members that a client sends, but what a
 * response contains is what the document lists.
 */
function* namesProblems(
  walk: Walk,
  value: JsonObject,
  known: readonly string[],
  required: readonly string[],
): Problems {
  for (const name of required)
    if (!Object.hasOwn(value, name)) yield problem(inside(walk, name), "required", "is missing");
  for (const name of Object.keys(value)) {
    if (!known.includes(name))
      yield problem(
        inside(walk, name),
        "unknown-field",
        "is no member that the document lists",
        walk.direction === "output",
      );
  }
}

/**
 * A client sends a file as a part of a form. A response describes it; which members the description has is not the document's, so only
 * those are compared that are there.
 */
function* fileProblems(walk: Walk, { max, media }: FieldType & { readonly kind: "file" }, value: Json): Problems {
  const isInput = walk.direction === "input";
  if (isInput && !isFileValue(value)) return yield wrongType(walk, "a file", value);
  if (!isObject(value)) return yield wrongType(walk, "the description of a file", value);
  const { bytes, type } = value;
  const at = (member: string): Walk => (isInput ? walk : inside(walk, member));
  if (typeof bytes === "number") yield* rangeProblems(at("bytes"), bytes, { max });
  if (typeof type !== "string" || isAllowedMedia(media, type)) return;
  yield problem(at("type"), "not-one-of", `${quoted(type)} is none of ${media.join(", ")}`);
}

/** Finds texts with U+0000 and numbers that JSON cannot contain, which Nonet does not store. */
function* unstorable(value: Json, path: readonly string[]): Problems {
  if (typeof value === "string" && value.includes("\0")) yield { path, code: "wrong-pattern", ...nul };
  if (typeof value === "number" && !Number.isFinite(value))
    yield { path, code: "too-large", message: `${value} is too large`, stated: false };
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name.includes("\0")) yield { path: [...path, name], code: "wrong-pattern", ...nul };
    else yield* unstorable(member as Json, [...path, name]);
  }
}

const nul = { message: "contains U+0000", stated: false };

// ── Words ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function problem({ path }: Walk, code: string, message: string, stated = true): Problem {
  return { path, code, message, stated };
}

function wrongType(walk: Walk, expected: string, value: Json): Problem {
  return problem(walk, "wrong-type", `${kindOf(value)} instead of ${expected}`);
}

/** Returns a text in quotes, cut after 80 characters. */
function quoted(text: string): string {
  const characters = [...text];
  return JSON.stringify(characters.length <= 80 ? text : `${characters.slice(0, 80).join("")}…`);
}

function inside(walk: Walk, step: string): Walk {
  return { ...walk, path: [...walk.path, step] };
}
