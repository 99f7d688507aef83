/** Makes valid values of the types of a document: usual ones, and ones that differ from each other. */
import { instantText } from "../../base/clock.ts";
import { unixTimeOf } from "../../base/unix-time.ts";
import { charactersOf, idForm } from "../../language/resources/id-form.ts";
import { countryCodes, minorDigits } from "../../base/formats.ts";
import { currencyDigits } from "../../base/currency-codes.ts";
import { isZone } from "../../base/timezone-names.ts";
import type { Json } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Fields, FieldType, ScalarName } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";
import { fileValue, leastBytes, usualMedia } from "../files.ts";
import { letters, numbered, type Random } from "../random.ts";
import { isOptional, maxima, problemOf, type Scalar, writtenAs } from "./fits.ts";
import { distinctNumbers, numbersIn } from "./numbers.ts";
import { namedSchema } from "./schema-fits.ts";
import { schemaValue } from "./schema-values.ts";
import { base64, distinctText, numberedText, textFor, type TextRules } from "./texts.ts";

/** What values are made of. */
export interface Supply {
  readonly random: Random;
  /** Milliseconds since 1970: dates and times are near it. */
  readonly now: number;
  /** Returns the id of a record to which a value may refer; undefined if there is none. */
  readonly reference: (resource: string) => Json | undefined;
  /** Returns the id of a caller. */
  readonly user: () => Json;
}

/** Which members and items a value has: some of those that it may have, all of them, or only those that it needs. */
export type Extent = "some" | "all" | "needed";

/** The most values inside a value. A type that needs more, such as a list of 10,000 lists, has no value here. */
const mostInside = 5_000;

/** Returns a random valid value; undefined if none is found. */
export function validValue(
  contract: Contract,
  type: FieldType,
  supply: Supply,
  extent: Extent = "some",
): Json | undefined {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const value = made({ contract, supply, extent, budget: { left: mostInside }, around: [] }, type);
    if (value !== undefined && problemOf(contract, type, value, "input") === undefined) return value;
  }
  return undefined;
}

/**
 * Returns a valid value that differs for each number wherever the type has room: for fields that are unique. A number means the same in
 * each run except for what is random in a long text, so each run begins with another number.
 */
export function distinctValue(contract: Contract, type: FieldType, supply: Supply, number: number): Json | undefined {
  const make: Make = { contract, supply, extent: "some", budget: { left: mostInside }, around: [], number };
  const value = made(make, type);
  if (value !== undefined && problemOf(contract, type, value, "input") === undefined) return value;
  return validValue(contract, type, { ...supply, random: numbered(number) });
}

/** Returns the same valid value at each call. */
export function constantValue(contract: Contract, type: FieldType, supply: Supply): Json | undefined {
  return distinctValue(contract, type, { ...supply, random: numbered(1) }, 1);
}

interface Make {
  readonly contract: Contract;
  readonly supply: Supply;
  readonly extent: Extent;
  readonly budget: { left: number };
  /** The embedded types around the value. */
  readonly around: readonly string[];
  /** The number from which the value is made, if it has to differ. */
  readonly number?: number;
}

function made(make: Make, type: FieldType): Json | undefined {
  make.budget.left -= 1;
  if (make.budget.left < 0) return undefined;
  const { contract, supply, extent, number } = make;
  const { random } = supply;
  switch (type.kind) {
    case "scalar":
      return madeScalar(make, type);
    case "id":
      return madeId(make, type);
    case "one-of":
      return number === undefined ? random.pick(type.values) : type.values[number % type.values.length];
    case "list":
      return madeList(make, type);
    case "map": {
      const names = { needed: [], all: ["member"], some: [random.text(6, letters)] }[extent];
      const members = names.map((name) => [name, made(make, type.of)] as const);
      return Object.fromEntries(members.filter((member): member is [string, Json] => member[1] !== undefined));
    }
    case "nullable": {
      const isNull = extent === "needed" || (extent === "some" && number === undefined && random.chance(0.2));
      return isNull ? null : (made(make, type.of) ?? null);
    }
    case "named":
      return madeNamed(make, type.name);
    case "file":
      return fileValue(usualMedia(type.media), Math.min(type.max, random.integer(leastBytes, 2 * leastBytes)));
    case "schema":
      return schemaValue(
        contract.model,
        type.schema,
        number === undefined ? supply : { ...supply, random: numbered(number) },
        extent,
      );
  }
}

// ── Scalars ────────────────────────────────────────────────────────────────────────────────────────────────────────

function madeScalar({ supply, number }: Make, declared: Scalar): Json | undefined {
  const { random, now } = supply;
  if (declared.unix !== undefined && number === undefined)
    return unixTimeOf(instantText(now + random.integer(-2_592_000, 2_592_000) * 1000), declared.unix);
  const type = writtenAs(declared);
  switch (type.name) {
    case "user":
      return supply.user();
    case "boolean":
      return number === undefined ? random.chance(0.5) : number % 2 === 1;
    case "json":
      return number === undefined ? random.pick<Json>([random.text(8), random.integer(0, 999), { a: [true] }]) : number;
    case "integer":
    case "number":
    case "decimal":
      return fitting(numbersOf(type, random, number), type);
    case "money":
      return madeMoney(type, random, number);
    case "bytes":
      return madeBytes(type, random, number);
    case "country":
      return number === undefined ? text(type, random, now) : nth(countryCodes, number);
    case "currency":
      return number === undefined ? text(type, random, now) : nth(currencyDigits.keys(), number);
    case "timezone":
      return number === undefined ? text(type, random, now) : nth(zones(), number);
    case "language":
      return number === undefined ? text(type, random, now) : `en-x-${numberedText(8, random, number)}`;
    default:
      return number === undefined ? text(type, random, now) : distinctText(rulesOf(type), random, now, number);
  }
}

function text(type: Scalar, random: Random, now: number): string | undefined {
  return textFor(rulesOf(type), random, now);
}

/** The formats of texts by type, as `textFor` knows them. */
const formats: { readonly [Name in ScalarName]?: string } = {
  email: "email", url: "uri", phone: "phone", date: "date", time: "time", datetime: "date-time", duration: "duration",
  uuid: "uuid", country: "country", currency: "currency", language: "language", timezone: "timezone",
}; // biome-ignore format: a table

/** Returns the rules that texts of a type follow. */
export function rulesOf({ name, min, max, pattern }: Scalar): TextRules {
  const most = name === "email" || name === "url" || name === "phone" ? maxima[name] : maxima.string;
  // A phone number with a pattern of the document need not be one of E.164.
  const isFree = name === "phone" && pattern !== undefined;
  return {
    least: min ?? 0,
    most: max ?? most,
    pattern,
    format: isFree ? undefined : formats[name],
    usualFormat: isFree ? formats[name] : undefined,
  };
}

function numbersOf({ name, min, max }: Scalar, random: Random, number: number | undefined): Iterable<number> {
  const rules = { min, max, multipleOf: name === "integer" ? 1 : undefined };
  return number === undefined ? numbersIn(rules, random) : distinctNumbers(rules, number);
}

function fitting(numbers: Iterable<number>, type: Scalar): number | undefined {
  for (const value of numbers) {
    const isInRange = value >= (type.min ?? -Infinity) && value <= (type.max ?? Infinity);
    if (isInRange && (type.name !== "integer" || Number.isSafeInteger(value))) return value;
  }
  return undefined;
}

/** Currencies by their number of digits after the point: a narrow range may need more than two, or none. */
const currencies = ["EUR", "KWD", "CLF", "JPY"];

function madeMoney({ min, max }: Scalar, random: Random, number: number | undefined): Json | undefined {
  for (const currency of currencies) {
    const factor = 10 ** minorDigits(currency);
    const rules = {
      min: min === undefined ? undefined : Math.ceil(min * factor),
      max: max === undefined ? undefined : Math.floor(max * factor),
      multipleOf: 1,
    };
    for (const units of number === undefined ? numbersIn(rules, random) : distinctNumbers(rules, number)) {
      const amount = amountText(units, minorDigits(currency));
      const isInRange = Number(amount) >= (min ?? -Infinity) && Number(amount) <= (max ?? Infinity);
      if (isInRange && Math.abs(units) < Number.MAX_SAFE_INTEGER) return { amount, currency };
    }
  }
  return undefined;
}

/** Returns an amount in the smallest units of a currency as text: 1250 with 2 digits is `12.50`. */
export function amountText(units: number, digits: number): string {
  const all = String(Math.abs(units)).padStart(digits + 1, "0");
  const front = all.slice(0, all.length - digits);
  return `${units < 0 ? "-" : ""}${front}${digits === 0 ? "" : `.${all.slice(-digits)}`}`;
}

function madeBytes({ min = 0, max = maxima.string }: Scalar, random: Random, number: number | undefined): string {
  if (number === undefined) return base64(random.integer(min, Math.max(min, Math.min(max, min + 12))), random);
  // Each text of letters and digits whose length is a multiple of four is base 64.
  const bytes = Math.max(min, Math.min(max, 12));
  const triples = Math.floor(bytes / 3);
  return numberedText(triples * 4, random, number) + base64(bytes - triples * 3, random);
}

/** The time zones of this machine that the language knows, with their usual capitals. */
function zones(): readonly string[] {
  return Intl.supportedValuesOf("timeZone").filter(isZone);
}

function nth(texts: Iterable<string>, number: number): string | undefined {
  const list = [...texts];
  return list[number % list.length];
}

// ── Ids, lists and embedded types ──────────────────────────────────────────────────────────────────────────────────

function madeId(make: Make, type: FieldType & { readonly kind: "id" }): Json | undefined {
  const { random } = make.supply;
  if (type.made === "counter") return (make.number ?? random.integer(0, 998)) + 1;
  if (type.of !== undefined) return made(make, type.of);
  const text = make.number === undefined ? random.text(10, letters) : numberedText(16, random, make.number);
  if (type.made === "client") return text;
  if (type.length !== undefined) {
    const characters = charactersOf(idForm(type).alphabet) ?? "";
    const own = random.text(type.length, characters);
    return `${type.prefix === undefined ? "" : `${type.prefix}_`}${own}`;
  }
  const id = `${random.text(10, "0123456789")}${text.padEnd(16, "0")}`;
  return `${type.prefix === undefined ? "" : `${type.prefix}_`}${id.slice(0, 26)}`;
}

/** How many items a list has, if its bounds allow it. */
const usualItems: Readonly<Record<Extent, readonly [number, number]>> = { needed: [0, 0], all: [2, 2], some: [1, 3] };

function madeList(
  make: Make,
  { of, min = 0, max = maxima.list }: FieldType & { readonly kind: "list" },
): Json | undefined {
  const { extent, number, supply } = make;
  if (min > make.budget.left) return undefined;
  const [few, many] = usualItems[extent];
  const most = Math.min(max, Math.max(min, many));
  const least = Math.min(most, Math.max(min, few));
  const count = number === undefined ? supply.random.integer(least, most) : least;
  const items: Json[] = [];
  for (let index = 0; index < count; index += 1) {
    const item = made(number === undefined ? make : { ...make, number: number * count + index }, of);
    if (item === undefined) return min === 0 ? [] : undefined;
    items.push(item);
  }
  return items;
}

function madeNamed(make: Make, name: string): Json | undefined {
  const { resources, types, schemas = {} } = make.contract.model.resources;
  if (lookup(resources, name) !== undefined) return make.supply.reference(name);
  const fields = lookup(types, name);
  if (fields !== undefined) return make.around.includes(name) ? undefined : madeObject(make, name, fields);
  return lookup(schemas, name) === undefined
    ? undefined
    : made(make, { kind: "schema", schema: namedSchema(make.contract.model, name) });
}

function madeObject(make: Make, name: string, fields: Fields): Json | undefined {
  const { contract, extent, supply } = make;
  const members: [string, Json][] = [];
  for (const [member, field] of Object.entries(fields)) {
    const optional = isOptional({ contract, direction: "input" }, field);
    if (optional && (extent === "needed" || (extent === "some" && supply.random.chance(0.3)))) continue;
    const value = made({ ...make, around: [...make.around, name] }, field.type);
    if (value !== undefined) members.push([member, value]);
    else if (!optional) return undefined;
  }
  return Object.fromEntries(members);
}
