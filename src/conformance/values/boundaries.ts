/**
 * Values at the edges of what a type allows, and values one step outside. Each is compared with the type before it is returned, so that
 * no valid value is ever sent as an invalid one.
 */
import { minorDigits } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fragmentSegment } from "../../base/json-pointer.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Fields, FieldType } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";
import { fileValue, isAllowedMedia, leastBytes, usualMedia } from "../files.ts";
import {
  listText,
  type Edge,
  type Mistake,
  numberEdges,
  numberMistakes,
  textEdges,
  textMistakes,
  typeMistakes,
} from "./candidates.ts";
import type { Random } from "../random.ts";
import { isOptional, maxima, problemsOf, type Scalar } from "./fits.ts";
import type { NumberRules } from "./numbers.ts";
import { counted } from "./problem.ts";
import { namedSchema } from "./schema-fits.ts";
import { schemaEdges, schemaMistakes } from "./schema-boundaries.ts";
import { base64 } from "./texts.ts";
import { amountText, rulesOf, type Supply, validValue } from "./valid.ts";

export interface EdgeValue {
  /** What the value is: `a text of 80 characters at address/street`. */
  readonly what: string;
  readonly value: Json;
  /** Whether the document writes the limit; false for a default of the language, which others need not follow. */
  readonly stated: boolean;
}

export interface InvalidValue extends EdgeValue {
  /** The codes of the entries of `errors` that Nonet has for the value: one of them, or several. */
  readonly codes: readonly string[];
  /** The part that is wrong, to be put behind the pointer to the value: `/0/street`, or nothing for the value itself. */
  readonly pointer: string;
  /** Whether a merge patch with the value means something else, so that it is invalid only in a complete body. */
  readonly completeOnly: boolean;
  /** The error that the request gets, if it is not `invalid-request`. */
  readonly error?: string;
}

/** Longer values are not tried, since they are near the size of a request. */
const mostBytes = 100_000;

export function edgeValues(contract: Contract, type: FieldType, supply: Supply): readonly EdgeValue[] {
  const scope: Scope = { contract, supply };
  const found = new Map<string, EdgeValue>();
  for (const spot of spotsOf(scope, type)) {
    for (const edge of edgesAt(scope, spot)) {
      const value = spot.put(edge.value);
      if (value === undefined || problemsOf(contract, type, value, "input").length > 0) continue;
      const key = edge.what + locationOf([...spot.path, ...(edge.where ?? [])]);
      // The same value may be at two edges, of which the document writes one.
      if (found.get(key)?.stated !== true) found.set(key, { what: key, value, stated: edge.stated });
    }
  }
  return [...found.values()];
}

export function invalidValues(contract: Contract, type: FieldType, supply: Supply): readonly InvalidValue[] {
  const scope: Scope = { contract, supply };
  const found = new Map<string, InvalidValue>();
  for (const spot of spotsOf(scope, type)) {
    for (const mistake of mistakesAt(scope, spot)) {
      const key = mistake.what + locationOf([...spot.path, ...(mistake.where ?? [])]);
      if (found.has(key)) continue;
      const invalid = verified(scope, type, spot, mistake);
      if (invalid !== undefined) found.set(key, { what: key, ...invalid });
    }
  }
  return [...found.values()];
}

/** Compares a value with the type; undefined unless it is wrong exactly where it should be, and for that reason. */
function verified(
  { contract }: Scope,
  type: FieldType,
  spot: Spot,
  mistake: Mistake,
): Omit<InvalidValue, "what"> | undefined {
  const value = spot.put(mistake.value);
  if (value === undefined) return undefined;
  const { where = [], member } = mistake;
  const path = [...spot.path, ...where, ...(member === undefined ? [] : [member])];
  const problems = problemsOf(contract, type, value, "input");
  const here = problems.filter((problem) => isSamePath(problem.path, path));
  if (!here.some(({ code }) => code === mistake.code)) return undefined;
  // A mistake may violate several branches of a schema, some of them at other values.
  const isSchema = spot.type.kind === "schema" || isNamedSchema(contract, spot.type);
  if (here.length < problems.length && !isSchema) return undefined;
  return {
    value,
    codes: [...new Set([...problems.map(({ code }) => code), ...(mistake.codes ?? [])])],
    pointer: path.map((step) => `/${fragmentSegment(step)}`).join(""),
    stated: mistake.stated ?? here.some((problem) => problem.stated),
    completeOnly: mistake.completeOnly === true && !spot.inList,
    ...(mistake.error === undefined ? {} : { error: mistake.error }),
  };
}

function isNamedSchema({ model }: Contract, type: FieldType): boolean {
  return type.kind === "named" && lookup(model.resources.schemas ?? {}, type.name) !== undefined;
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

function locationOf(path: readonly string[]): string {
  return path.length === 0 ? "" : ` at ${path.join("/")}`;
}

// ── Spots ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Scope {
  readonly contract: Contract;
  readonly supply: Supply;
}

/** A part of a valid value, whose value is exchanged. */
interface Spot {
  readonly type: FieldType;
  readonly path: readonly string[];
  /** The valid value of the part; undefined if the type has none. */
  readonly value: Json | undefined;
  /** Whether the part is in a list, which a merge patch replaces as a whole. */
  readonly inList: boolean;
  readonly isNullable: boolean;
  /** Returns the whole value with another value of the part. */
  readonly put: (value: Json) => Json | undefined;
}

function spotsOf({ contract, supply }: Scope, type: FieldType): readonly Spot[] {
  const value = validValue(contract, type, supply, "all");
  const root: Spot = { type, path: [], value, inList: false, isNullable: false, put: (other) => other };
  return [...spotsIn(contract, root)];
}

function* spotsIn(contract: Contract, spot: Spot): Iterable<Spot> {
  const { type, value, put } = spot;
  if (type.kind === "nullable") return yield* spotsIn(contract, { ...spot, type: type.of, isNullable: true });
  yield spot;
  if (Array.isArray(value) && type.kind === "list") {
    const items = value as readonly Json[];
    if (items.length === 0) return;
    // The last item shows best whether a pointer has the right index.
    const index = items.length - 1;
    const inner = innerSpot(spot, type.of, String(index), (other) => put(items.with(index, other)));
    return yield* spotsIn(contract, { ...inner, inList: true });
  }
  if (!isObject(value)) return;
  const fields = type.kind === "named" ? lookup(contract.model.resources.types, type.name) : undefined;
  for (const [name] of Object.entries(value)) {
    const of = type.kind === "map" ? type.of : fields && lookup(fields, name)?.type;
    if (of === undefined) continue;
    const inner = innerSpot(spot, of, name, (other) => put({ ...value, [name]: other }));
    yield* spotsIn(contract, inner);
  }
}

function innerSpot(spot: Spot, type: FieldType, step: string, put: Spot["put"]): Spot {
  const value = (spot.value as Readonly<Record<string, Json>>)[step];
  return { type, path: [...spot.path, step], value, inList: spot.inList, isNullable: false, put };
}

// ── Edges ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function* edgesAt(scope: Scope, spot: Spot): Iterable<Edge> {
  const { type } = spot;
  if (spot.isNullable) yield { what: "null", value: null, stated: true };
  switch (type.kind) {
    case "scalar":
      return yield* scalarEdges(scope, type);
    case "id":
      if (type.of !== undefined) yield* edgesAt(scope, { ...spot, type: type.of, isNullable: false });
      return;
    case "one-of":
      for (const value of type.values.slice(0, 20))
        yield { what: `the text ${JSON.stringify(value)}`, value, stated: true };
      return;
    case "list":
      return yield* listEdges(scope, type);
    case "map":
      return yield* mapEdges(scope, type.of);
    case "named":
      return yield* objectEdges(scope, type);
    case "schema":
      return yield* schemaEdges(scope.contract.model, type.schema, spot.value, scope.supply);
    case "file":
      return yield* fileEdges(type);
    case "nullable":
      return;
  }
}

function* scalarEdges({ supply: { random, now } }: Scope, type: Scalar): Iterable<Edge> {
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
      for (const [value, isStated] of fixedEdges[name] ?? []) yield { what: printed(value), value, stated: isStated };
  }
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

function integerRules({ min, max }: Scalar): NumberRules {
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
  if (bytes > mostBytes) return;
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

/** Returns a list with so many items; undefined if it is too long to be tried. */
function listOf({ contract, supply }: Scope, of: FieldType, count: number): readonly Json[] | undefined {
  if (count < 0) return undefined;
  const items: Json[] = [];
  let characters = 0;
  for (let index = 0; index < count; index += 1) {
    const item = validValue(contract, of, supply, "needed");
    if (item === undefined) return undefined;
    items.push(item);
    characters += JSON.stringify(item).length + 1;
    // The first items show how long the list would be.
    if ((characters / items.length) * count > mostBytes) return undefined;
  }
  return items;
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

function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `name${index}`);
}

function mapOf(scope: Scope, of: FieldType, names: readonly string[]): JsonObject | undefined {
  const values = listOf(scope, of, names.length);
  return values && Object.fromEntries(names.map((name, index) => [name, values[index] as Json]));
}

function* objectEdges({ contract, supply }: Scope, type: FieldType & { readonly kind: "named" }): Iterable<Edge> {
  const { types, schemas = {} } = contract.model.resources;
  if (lookup(types, type.name) === undefined && lookup(schemas, type.name) === undefined) return;
  const needed = validValue(contract, type, supply, "needed");
  if (needed !== undefined) yield { what: `${type.name} with only what it needs`, value: needed, stated: true };
  const all = validValue(contract, type, supply, "all");
  if (all !== undefined) yield { what: `${type.name} with all its members`, value: all, stated: true };
}

type FileType = FieldType & { readonly kind: "file" };

function* fileEdges({ max, media }: FileType): Iterable<Edge> {
  const usual = usualMedia(media);
  if (max <= mostBytes) yield { what: fileText(usual, max), value: fileValue(usual, max), stated: true };
  const size = Math.min(max, leastBytes);
  for (const type of media.length === 0 ? [usual] : media.map((one) => usualMedia([one])))
    yield { what: fileText(type, size), value: fileValue(type, size), stated: true };
}

function fileText(type: string, bytes: number): string {
  return `a file of the type ${type} with ${counted(bytes, "byte")}`;
}

// ── Mistakes ───────────────────────────────────────────────────────────────────────────────────────────────────────

function* mistakesAt(scope: Scope, spot: Spot): Iterable<Mistake> {
  const { type, value } = spot;
  const { contract, supply } = scope;
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
    case "schema":
      return yield* schemaMistakes(contract.model, type.schema, value, supply);
    case "file":
      return yield* fileMistakes(type);
    case "nullable":
      return;
  }
}

function* scalarMistakes({ supply: { random, now } }: Scope, type: Scalar, fit: Json | undefined): Iterable<Mistake> {
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
      if (typeof fit === "number") yield { what: "a fraction", value: fit + 0.5, code: "wrong-type" };
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
  yield {
    what: "an amount that is no number",
    value: { ...fit, amount: "much" },
    code: "wrong-pattern",
    member: "amount",
  };
  yield {
    what: "a number as amount",
    value: { ...fit, amount: Number(fitAmount) },
    code: "wrong-type",
    member: "amount",
  };
  yield { what: "the currency ZZZ", value: { ...fit, currency: "ZZZ" }, code: "wrong-format", member: "currency" };
  // No digit of an amount in yen stands behind the point.
  const yen = { amount: fitAmount.replace(/(?:\.\d*)?$/, ".50"), currency: "JPY" };
  yield { what: "half a yen", value: yen, code: "wrong-format", member: "amount" };
  yield* missingMistakes(fit, ["amount", "currency"]);
  yield* unknownMistakes(fit);
}

function* missingMistakes(fit: JsonObject, names: readonly string[]): Iterable<Mistake> {
  for (const missing of names) {
    const rest = Object.fromEntries(Object.entries(fit).filter(([name]) => name !== missing));
    yield { what: `no ${missing}`, value: rest, code: "required", member: missing, completeOnly: true };
  }
}

function* unknownMistakes(fit: JsonObject): Iterable<Mistake> {
  let name = "unknownMember";
  while (Object.hasOwn(fit, name)) name += "2";
  yield { what: "an unknown member", value: { ...fit, [name]: 1 }, code: "unknown-field", member: name };
}

function* bytesMistakes({ min, max = maxima.string }: Scalar, random: Random): Iterable<Mistake> {
  const fit = base64(Math.max(min ?? 0, Math.min(max, 6)), random);
  yield { what: "a text that is not base 64", value: `*${fit.slice(1)}`, code: "wrong-pattern" };
  if (min !== undefined && min > 0 && min <= mostBytes)
    yield { what: `base 64 of ${counted(min - 1, "byte")}`, value: base64(min - 1, random), code: "too-short" };
  if (max < mostBytes)
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
  const { resources, types, schemas = {} } = scope.contract.model.resources;
  const id = lookup(resources, name)?.fields["id"];
  if (id !== undefined) return yield* referenceMistakes(scope, spot, id.type);
  const fields = lookup(types, name);
  if (fields !== undefined) return yield* objectMistakes(scope, fields, spot.value);
  if (lookup(schemas, name) === undefined) return;
  yield* schemaMistakes(scope.contract.model, namedSchema(scope.contract.model, name), spot.value, scope.supply);
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
  const few = min === undefined ? undefined : listOf(scope, of, min - 1);
  if (few !== undefined) yield { what: listText(few.length), value: few, code: "too-few" };
  const many = listOf(scope, of, (max ?? maxima.list) + 1);
  if (many !== undefined) yield { what: listText(many.length), value: many, code: "too-many" };
  yield* typeMistakes("a list");
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
  if (max < mostBytes) {
    const value = fileValue(usual, max + 1);
    yield { what: fileText(usual, max + 1), value, code: "too-large", error: "too-large" };
  }
  const type = isAllowedMedia(media, "text/plain") ? "application/x-other" : "text/plain";
  const size = Math.min(max, leastBytes);
  yield { what: fileText(type, size), value: fileValue(type, size), code: "not-one-of" };
}

function printed(value: Json): string {
  if (typeof value === "string") return `the text ${JSON.stringify(value)}`;
  return typeof value === "number" ? `the number ${value}` : JSON.stringify(value);
}
