/**
 * Compares two JSON Schemas of one value, place by place: which values only one of them accepts. `schema-effects.ts` turns the
 * changes into effects, by the direction in which the value travels.
 */
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../base/json.ts";
import { quoted, same } from "./difference.ts";
import { type FlatSchema, flatSchema, listOf, mapOf, mergedSchemas, referredName } from "./flat-schema.ts";

/** Who reads the value: the service (`request`) or its callers (`response`). */
export type Use = "request" | "response";

export type SchemaChangeKind =
  | "type" | "null" | "value" | "range" | "pattern" | "member-added" | "member-removed" | "member-required" | "other-members"
  | "alternative" | "condition" | "default" | "annotation"; // biome-ignore format: a list

export interface SchemaChange {
  /**
   * The path of the value: names of members, `*` for each item and each other member, the index in a tuple; empty for the value
   * itself.
   */
  readonly place: readonly string[];
  readonly kind: SchemaChangeKind;
  /** `narrower`: fewer values; `wider`: more values; `other`: each schema has values that the other lacks; `same`: neither. */
  readonly direction: Direction;
  /** The change as a text after the place, such as `can be null`. */
  readonly wording: string;
  /** For a removed member: the date that its `x-sunset` announced. */
  readonly sunset?: string;
}

export type Direction = "narrower" | "wider" | "other" | "same";

export interface SchemaWalk {
  readonly use: Use;
  /** The values that are texts, so that the type string accepts them: scalars in parameters and forms, all in plain text. */
  readonly texts: "none" | "scalars" | "all";
  /** Returns a named schema of the old or the new description. */
  readonly old: (name: string) => Json | undefined;
  readonly now: (name: string) => Json | undefined;
  /** Receives the names of schemas in both descriptions whose differences are at their own place. */
  readonly visit: (old: string, now: string) => void;
  /** The pairs of schemas around the current one: schemas may be recursive. */
  readonly around: readonly (readonly [old: JsonObject, now: JsonObject])[];
  /** How many more pairs of schemas the comparison looks at: nested alternatives would multiply. */
  readonly budget: { left: number };
}

type Changes = Iterable<SchemaChange>;
type Path = readonly string[];

export function* schemaChanges(outer: SchemaWalk, old: Json, now: Json, place: Path = []): Changes {
  const [before, after] = [acceptedBy(old), acceptedBy(now)];
  if (before === undefined || after === undefined) {
    const [direction, wording] =
      after === undefined ? (["narrower", "has no value"] as const) : (["wider", "may have values"] as const);
    if (before !== after) yield { place, kind: "type", direction, wording };
    return;
  }
  if (outer.around.some(([one, other]) => one === before && other === after)) return;
  if (--outer.budget.left < 0) {
    if (!same(old, now)) yield { place, kind: "condition", direction: "other", wording: "is of another schema" };
    return;
  }
  const walk = { ...outer, around: [...outer.around, [before, after] as const] };
  const wrapped = alternativesAround(walk, before, after, place);
  if (wrapped !== undefined) yield wrapped;
  else yield* flatChanges(walk, ...withoutSharedNames(walk, flatSchema(before), flatSchema(after)), place);
}

/**
 * Compares the schemas of a parameter, whose single value is also a list of one: `tag=a` may become a list. A schema with
 * alternatives is compared as it is.
 */
export function* parameterChanges(walk: SchemaWalk, old: Json, now: Json): Changes {
  const [before, after] = [old, now].map((schema) => typesOf(flatSchema(acceptedBy(schema) ?? anything).keywords));
  const isList = (types: readonly Json[] | undefined): boolean => types?.length === 1 && types[0] === "array";
  const isScalar = (types: readonly Json[] | undefined): boolean =>
    types !== undefined && types.length > 0 && types.every((type) => type !== "array" && type !== "object");
  const listed = (items: Json): JsonObject => ({ type: "array", items, minItems: 1, maxItems: 1 });
  if (isScalar(before) && isList(after)) yield* schemaChanges(walk, listed(old), now);
  else if (isList(before) && isScalar(after)) yield* schemaChanges(walk, old, listed(now));
  else yield* schemaChanges(walk, old, now);
}

/** Returns the schema as an object; undefined if it accepts no value. */
function acceptedBy(schema: Json): JsonObject | undefined {
  if (schema === false) return undefined;
  if (!isObject(schema)) return anything;
  const { not } = schema;
  return not === true || (isObject(not) && Object.keys(not).length === 0) ? undefined : schema;
}

const anything: JsonObject = {};

/**
 * Visits the named schemas that both sides refer to, and replaces all other references by their schemas. A name that only one
 * description has may be the new name of a schema.
 */
function withoutSharedNames(walk: SchemaWalk, old: FlatSchema, now: FlatSchema): readonly [FlatSchema, FlatSchema] {
  const shared: string[] = [];
  let [before, after] = [old, now];
  for (let round = 0; round < mostReferences; round++) {
    const both = before.names.filter((name) => after.names.includes(name));
    for (const name of both) walk.visit(name, name);
    const removed = before.names.filter((name) => !both.includes(name));
    const added = after.names.filter((name) => !both.includes(name));
    const renamed = removed.flatMap((name) => {
      const other = added.find((one) => walk.old(one) === undefined && walk.now(name) === undefined);
      if (other !== undefined) added.splice(added.indexOf(other), 1);
      return other === undefined ? [] : [[name, other] as const];
    });
    for (const [name, other] of renamed) walk.visit(name, other);
    shared.push(...both);
    const left = removed.filter((name) => !renamed.some(([one]) => one === name));
    before = expanded({ ...before, names: [] }, left, walk.old);
    after = expanded({ ...after, names: [] }, added, walk.now);
    if (before.names.length + after.names.length === 0) break;
  }
  const withShared = (flat: FlatSchema): FlatSchema => ({ ...flat, names: shared });
  return [withShared(before), withShared(after)];
}

/** The longest chain of references that a comparison follows. */
const mostReferences = 32;

function expanded(flat: FlatSchema, names: readonly string[], schemaOf: SchemaWalk["old"]): FlatSchema {
  return names.reduce((sum, name) => {
    const schema = acceptedBy(schemaOf(name) ?? true);
    return schema === undefined ? { ...sum, parts: [...sum.parts, false] } : mergedSchemas(sum, flatSchema(schema));
  }, flat);
}

function* flatChanges(walk: SchemaWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  yield* nullChanges(old, now, place);
  const [wereMany, areMany] = [old, now].map(({ keywords }) => alternativesOf(keywords).length > 0);
  if (wereMany !== areMany) {
    yield* splitChanges(walk, old, now, place);
    return;
  }
  const [before, after] = [old.keywords, now.keywords];
  // Types that only follow from the alternatives are compared with them.
  const hasTypes = !areMany || [before, after].some(({ type }) => type !== undefined);
  const types = hasTypes ? typeChange(walk, before, after, place) : undefined;
  // A named schema that both sides refer to may have the type.
  const isShared = now.names.length > 0 && [before, after].some((schema) => typesOf(schema) === undefined);
  if (types !== undefined && !isShared) yield types.change;
  if (types?.isUnlike === true && !isShared) return;
  yield* valueChanges(before, after, place);
  yield* rangeChanges(before, after, place);
  yield* textChanges(before, after, place);
  yield* memberChanges(walk, old, now, place);
  yield* itemChanges(walk, before, after, place);
  yield* alternativeChanges(walk, before, after, place);
  yield* conditionChanges(walk, old, now, place);
  yield* annotationChanges(walk, before, after, place);
}

// ── Types and values ───────────────────────────────────────────────────────────────────────────────────────────────

function* nullChanges({ nullable: old }: FlatSchema, { nullable: now }: FlatSchema, place: Path): Changes {
  if (old === false && now === true) yield { place, kind: "null", direction: "wider", wording: "can be null" };
  if (old === true && now === false)
    yield { place, kind: "null", direction: "narrower", wording: "can no longer be null" };
}

interface TypeChange {
  readonly change: SchemaChange;
  /** Whether no other keyword of the schemas is comparable. */
  readonly isUnlike: boolean;
}

function typeChange({ texts }: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): TypeChange | undefined {
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
function typesOf({ type, enum: values, ...rest }: JsonObject): readonly string[] | undefined {
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

function* valueChanges({ enum: old }: JsonObject, { enum: now }: JsonObject, place: Path): Changes {
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

/** Returns the texts with commas, and `and` before the last one. */
export function listText(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

// ── Ranges and texts ───────────────────────────────────────────────────────────────────────────────────────────────

const ranges = [
  ["minLength", "maxLength", "length"],
  ["minItems", "maxItems", "number of items"],
  ["minProperties", "maxProperties", "number of members"],
  ["x-min-bytes", "x-max-bytes", "number of bytes"],
] as const;

function* rangeChanges(old: JsonObject, now: JsonObject, place: Path): Changes {
  for (const [low, high, noun] of ranges) {
    const rangeOf = (schema: JsonObject): Range => ({ low: bound(schema[low], 0), high: bound(schema[high], most) });
    yield* rangeChange(rangeOf(old), rangeOf(now), noun, place);
  }
  yield* rangeChange(valueRange(old), valueRange(now), "range", place);
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

interface Range {
  readonly low: Bound;
  readonly high: Bound;
}

const most = Number.POSITIVE_INFINITY;

function bound(value: Json | undefined, absent: number, exclusive = false): Bound {
  return typeof value === "number" ? { value, exclusive } : { value: absent, exclusive: false };
}

/** Returns the tighter bound of each side: `minimum` or `exclusiveMinimum`, also `x-minimum` of amounts in texts. */
function valueRange(schema: JsonObject): Range {
  const low = bound(schema["minimum"] ?? schema["x-minimum"], -most);
  const high = bound(schema["maximum"] ?? schema["x-maximum"], most);
  const [above, beneath] = [schema["exclusiveMinimum"], schema["exclusiveMaximum"]];
  return {
    low: typeof above === "number" && above >= low.value ? bound(above, -most, true) : low,
    high: typeof beneath === "number" && beneath <= high.value ? bound(beneath, most, true) : high,
  };
}

function* rangeChange(old: Range, now: Range, noun: string, place: Path): Changes {
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

function* textChanges(old: JsonObject, now: JsonObject, place: Path): Changes {
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
  return typeof value === "string" && !hints.has(value) ? value : undefined;
}

// ── Objects ────────────────────────────────────────────────────────────────────────────────────────────────────────

function* memberChanges(walk: SchemaWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  const [before, after] = [membersOf(walk, old, walk.old), membersOf(walk, now, walk.now)];
  for (const name of new Set([...Object.keys(after.visible), ...Object.keys(before.visible)])) {
    const [was, is] = [lookup(before.visible, name), lookup(after.visible, name)];
    const inner = [...place, name];
    const needs = { old: before.required.has(name), now: after.required.has(name) };
    if (was !== undefined && is !== undefined) {
      yield* requiredChange(needs, inner);
      yield* schemaChanges(walk, was, is, inner);
    } else if (is !== undefined) yield* addedMember(walk, before, is, needs, inner);
    else if (was !== undefined) yield* removedMember(walk, after, was, needs, inner);
  }
  for (const name of new Set([...before.required, ...after.required])) {
    const isDescribed = [before, after].some(({ visible, hidden }) => Object.hasOwn(visible, name) || hidden.has(name));
    if (!isDescribed)
      yield* requiredChange({ old: before.required.has(name), now: after.required.has(name) }, [...place, name]);
  }
  yield* otherMemberChanges(walk, old.keywords, now.keywords, place);
}

interface Members {
  /** The members that the use has: requests omit read-only members, responses write-only ones. */
  readonly visible: JsonObject;
  readonly hidden: ReadonlySet<string>;
  /** The members of named schemas that both sides refer to. */
  readonly inherited: JsonObject;
  readonly required: ReadonlySet<string>;
  /** The schema of each member that is not described. */
  readonly rest: Json;
}

function membersOf({ use }: SchemaWalk, flat: FlatSchema, schemaOf: SchemaWalk["old"]): Members {
  const { properties, required, additionalProperties = true } = flat.keywords;
  const isHidden = (schema: Json): boolean => {
    const target =
      isObject(schema) && typeof schema["$ref"] === "string" ? schemaOf(referredName(schema["$ref"]) ?? "") : undefined;
    return [schema, target].some((one) => isObject(one) && flatSchema(one).keywords[hiding[use]] === true);
  };
  const shared = flat.names.map((name) => mapOf(flatSchema(mapOf(schemaOf(name))).keywords["properties"]));
  const inherited = Object.assign({}, ...shared) as JsonObject;
  const all = Object.entries({ ...inherited, ...mapOf(properties) });
  const hidden = new Set(all.filter(([, schema]) => isHidden(schema)).map(([name]) => name));
  const visible = Object.entries(mapOf(properties)).filter(([name, schema]) => !hidden.has(name) && schema !== false);
  const needed = listOf(required).filter((name): name is string => typeof name === "string" && !hidden.has(name));
  const members = { visible: Object.fromEntries(visible), hidden, inherited };
  return { ...members, required: new Set(needed), rest: additionalProperties };
}

const hiding = { request: "readOnly", response: "writeOnly" } as const;

function lookup(members: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

interface Needs {
  readonly old: boolean;
  readonly now: boolean;
}

function* requiredChange({ old, now }: Needs, place: Path): Changes {
  if (!old && now) yield { place, kind: "member-required", direction: "narrower", wording: "is required" };
  if (old && !now) yield { place, kind: "member-required", direction: "wider", wording: "may be absent" };
}

function* addedMember(walk: SchemaWalk, before: Members, schema: Json, needs: Needs, place: Path): Changes {
  const name = place.at(-1) ?? "";
  const inherited = lookup(before.inherited, name);
  if (inherited !== undefined) {
    yield* requiredChange(needs, place);
    yield* schemaChanges(walk, inherited, schema, place);
  } else if (isObject(before.rest) && Object.keys(before.rest).length > 0) {
    yield* requiredChange(needs, place);
    yield* schemaChanges(walk, before.rest, schema, place);
  } else if (needs.old && needs.now) yield* schemaChanges(walk, true, schema, place);
  else {
    const wording = before.hidden.has(name)
      ? `is no longer ${walk.use === "request" ? "read" : "write"}-only`
      : "is new";
    if (needs.now) yield { place, kind: "member-required", direction: "narrower", wording: `${wording}, and required` };
    else yield { place, kind: "member-added", direction: "narrower", wording };
  }
}

function* removedMember(walk: SchemaWalk, after: Members, schema: Json, needs: Needs, place: Path): Changes {
  const name = place.at(-1) ?? "";
  const inherited = lookup(after.inherited, name);
  if (inherited !== undefined) {
    yield* schemaChanges(walk, schema, inherited, place);
    return;
  }
  if (isObject(after.rest) && Object.keys(after.rest).length > 0 && !after.hidden.has(name)) {
    yield* requiredChange(needs, place);
    yield* schemaChanges(walk, schema, after.rest, place);
    return;
  }
  const wording = after.hidden.has(name) ? `is ${walk.use === "request" ? "read" : "write"}-only` : "is removed";
  yield { place, kind: "member-removed", direction: "wider", wording, ...sunsetOf(schema) };
}

/** Returns the date on which a deprecated value ends, as descriptions announce it. */
export function sunsetOf(schema: Json): { readonly sunset?: string } {
  const { deprecated, "x-sunset": sunset } = mapOf(schema);
  return deprecated === true && typeof sunset === "string" ? { sunset } : {};
}

function* otherMemberChanges(walk: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  for (const [keyword, at] of [
    ["additionalProperties", "*"],
    ["unevaluatedProperties", "*"],
    ["unevaluatedItems", "*"],
  ] as const) {
    const [before, after] = [old[keyword] ?? true, now[keyword] ?? true];
    const noun = keyword === "unevaluatedItems" ? "items" : "members";
    const kind = "other-members";
    if (before === false && after !== false)
      yield { place, kind, direction: "wider", wording: `may have other ${noun}` };
    else if (before !== false && after === false)
      yield { place, kind, direction: "narrower", wording: `has no other ${noun}` };
    else if (before !== after) yield* schemaChanges(walk, before, after, [...place, at]);
  }
  for (const [name, before, after] of bothOf(old["patternProperties"], now["patternProperties"])) {
    if (before !== undefined && after !== undefined) yield* schemaChanges(walk, before, after, [...place, `/${name}/`]);
    else yield conditionChange(before, after, `the members that match \`/${name}/\``, place);
  }
  const named = overall(walk, old["propertyNames"] ?? true, now["propertyNames"] ?? true);
  if (named !== "same") yield { place, kind: "condition", direction: named, wording: "has other names of members" };
}

/** Returns the members of two maps by name. */
function bothOf(
  old: Json | undefined,
  now: Json | undefined,
): readonly (readonly [name: string, old: Json | undefined, now: Json | undefined])[] {
  const [before, after] = [mapOf(old), mapOf(now)];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.map((name) => [name, lookup(before, name), lookup(after, name)] as const);
}

// ── Arrays ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function* itemChanges(walk: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const [before, after] = [listOf(old["prefixItems"]), listOf(now["prefixItems"])];
  const [rest, newRest] = [old["items"] ?? true, now["items"] ?? true];
  for (const index of Array(Math.max(before.length, after.length)).keys())
    yield* schemaChanges(walk, before[index] ?? rest, after[index] ?? newRest, [...place, String(index)]);
  if (rest !== newRest) yield* schemaChanges(walk, rest, newRest, [...place, "*"]);
  const [contains, newContains] = [old["contains"], now["contains"]];
  if (contains === undefined && newContains === undefined) return;
  if (contains === undefined || newContains === undefined) {
    yield conditionChange(contains, newContains, "an item that its schema names", place);
    return;
  }
  const direction = overall(walk, contains, newContains);
  const isCounted = old["maxContains"] !== undefined || now["maxContains"] !== undefined;
  const wording = "has to contain other items";
  if (direction !== "same") yield { place, kind: "condition", direction: isCounted ? "other" : direction, wording };
  const rangeOf = (schema: JsonObject): Range => ({
    low: bound(schema["minContains"], 1),
    high: bound(schema["maxContains"], most),
  });
  yield* rangeChange(rangeOf(old), rangeOf(now), "number of items that match", place);
}

// ── Alternatives ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns a change if one schema is an alternative of the other one, which has others too. */
function alternativesAround(walk: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): SchemaChange | undefined {
  const [before, after] = [alternativesOf(old), alternativesOf(now)].map((list) =>
    list.filter((one) => !isNullOnly(one)),
  );
  if (before === undefined || after === undefined || before.length > 0 === after.length > 0) return undefined;
  const [many, one] = before.length > 0 ? [before, now] : [after, old];
  const found =
    many.length < 2 ? undefined : many.find((each) => isObject(each) && isWrittenAlike(bare(each), bare(one)));
  if (found === undefined) return undefined;
  visitNames(walk, found);
  const others = listText(many.filter((each) => each !== found).map(alternativeText));
  return before.length > 0
    ? { place, kind: "alternative", direction: "narrower", wording: `can no longer be ${others}` }
    : { place, kind: "alternative", direction: "wider", wording: `can be ${others} too` };
}

function isNullOnly(schema: Json): boolean {
  return isObject(schema) && schema["type"] === "null";
}

function bare(schema: JsonObject): JsonObject {
  const { title: _title, description: _description, ...rest } = schema;
  return rest;
}

function alternativesOf({ anyOf, oneOf }: JsonObject): readonly Json[] {
  return [...listOf(anyOf), ...listOf(oneOf)];
}

/** Visits every named schema that the schema refers to and that both descriptions have. */
export function visitNames(walk: SchemaWalk, schema: Json): void {
  if (Array.isArray(schema)) for (const one of schema as readonly Json[]) visitNames(walk, one);
  else if (isObject(schema)) {
    const { $ref: reference } = schema;
    const name = typeof reference === "string" ? referredName(reference) : undefined;
    if (name !== undefined && walk.old(name) !== undefined && walk.now(name) !== undefined) walk.visit(name, name);
    for (const part of Object.values(schema)) visitNames(walk, part);
  }
}

/** Compares a schema without alternatives with one that has some. */
function* splitChanges(walk: SchemaWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  const isOld = alternativesOf(old.keywords).length > 0;
  const many = isOld ? old : now;
  const { anyOf: _, oneOf, ...rest } = many.keywords;
  const quiet: SchemaWalk = { ...walk, visit: () => {} };
  const directions = alternativesOf(many.keywords).map((one): Direction => {
    const schema = acceptedBy(one);
    const variant = mergedSchemas({ ...many, keywords: rest }, schema === undefined ? nothing : flatSchema(schema));
    const pair = isOld ? withoutSharedNames(quiet, variant, now) : withoutSharedNames(quiet, old, variant);
    return joined([...flatChanges(quiet, ...pair, place)].map(({ direction }) => direction));
  });
  // What the alternatives are to the schema, the new schema is to the old one, or the reverse.
  const [wider, narrower] = isOld ? (["narrower", "wider"] as const) : (["wider", "narrower"] as const);
  // An alternative that has every value makes the schema at least as wide; of `oneOf` only one alternative may match.
  const holding = directions.filter((one) => one === "same" || one === wider);
  const isHeld = holding.length === 1 || (holding.length > 1 && oneOf === undefined);
  const areInside = directions.every((one) => one === "same" || one === narrower);
  for (const one of alternativesOf(many.keywords)) visitNames(walk, one);
  if (isHeld && areInside) return;
  const direction = isHeld ? wider : areInside ? narrower : "other";
  const list = listText(alternativesOf(many.keywords).map(alternativeText));
  const wording = isOld ? `is one schema, and was ${list}` : `is ${list}, and was one schema`;
  yield { place, kind: "alternative", direction, wording };
}

const nothing: FlatSchema = { keywords: { enum: [] }, names: [], parts: [], nullable: false };

function* alternativeChanges(walk: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const [before, after] = [[...alternativesOf(old)], [...alternativesOf(now)]];
  if (before.length === 0 || after.length === 0) return;
  const kind = "alternative";
  const [wasOne, isOne] = [old["oneOf"] !== undefined, now["oneOf"] !== undefined];
  if (wasOne !== isOne && !areDisjoint(walk, after))
    yield isOne
      ? { place, kind, direction: "narrower", wording: "has to match only one of its alternatives" }
      : { place, kind, direction: "wider", wording: "may match several of its alternatives" };
  for (const [one, other] of matched(walk, before, after)) yield* schemaChanges(walk, one, other, place);
  if (before.length > 0)
    yield { place, kind, direction: "narrower", wording: `can no longer be ${listText(before.map(alternativeText))}` };
  if (after.length > 0)
    yield { place, kind, direction: "wider", wording: `can be ${listText(after.map(alternativeText))} too` };
}

/** Whether no value can match two of the alternatives: each has a type of its own, or constants of its own. */
function areDisjoint(walk: SchemaWalk, alternatives: readonly Json[]): boolean {
  return [onlyType, (schema: Json) => constantsOf(schema, walk.now)].some((identity) => {
    const all = alternatives.map(identity);
    return !all.includes(undefined) && new Set(all).size === all.length;
  });
}

/** Removes the matching alternatives from both lists, and returns their pairs: the best matches first. */
function matched(walk: SchemaWalk, old: Json[], now: Json[]): readonly (readonly [Json, Json])[] {
  const found: (readonly [Json, Json])[] = [];
  const pairUp = (isMatch: (one: Json, other: Json) => boolean): void => {
    for (const one of [...old]) {
      const other = now.find((each) => isMatch(one, each));
      if (other === undefined) continue;
      old.splice(old.indexOf(one), 1);
      now.splice(now.indexOf(other), 1);
      found.push([one, other]);
    }
  };
  pairUp(isWrittenAlike);
  for (const identity of [referenceOf, titleOf, constantsOf]) {
    pairUp((one, other) => {
      const [mine, theirs] = [identity(one, walk.old), identity(other, walk.now)];
      return mine !== undefined && mine === theirs;
    });
  }
  if (old.length * now.length <= mostTrials) pairUp((one, other) => overallQuietly(walk, one, other) === "same");
  const isInline = (schema: Json): boolean => referenceOf(schema, walk.old) === undefined;
  if (old.length * now.length <= mostTrials)
    pairUp((one, other) => isInline(one) && isInline(other) && overallQuietly(walk, one, other) !== "other");
  const [typed, newTyped] = [old, now].map((list) => list.map(onlyType));
  pairUp((one, other) => {
    const type = onlyType(one);
    const isUnique = [typed, newTyped].every((types) => types?.filter((each) => each === type).length === 1);
    return type !== undefined && isUnique && type === onlyType(other);
  });
  return found;
}

/** The most pairs of alternatives that are compared to find out which ones belong together. */
const mostTrials = 64;

type Identity = (schema: Json, schemaOf: SchemaWalk["old"]) => string | undefined;

const referenceOf: Identity = (schema) => {
  const reference = mapOf(schema)["$ref"];
  return typeof reference === "string" ? referredName(reference) : undefined;
};

const titleOf: Identity = (schema) => {
  const title = mapOf(schema)["title"];
  return typeof title === "string" ? title : undefined;
};

/** Returns the members that have one value each, such as the property of a discriminator. */
const constantsOf: Identity = (schema, schemaOf) => {
  const name = referenceOf(schema, schemaOf);
  const target = name === undefined ? schema : schemaOf(name);
  const constants = Object.entries(mapOf(mapOf(target)["properties"])).flatMap(([member, value]) => {
    const values = isObject(value) ? listOf(flatSchema(value).keywords["enum"]) : [];
    return values.length === 1 ? [[member, values[0]]] : [];
  });
  return constants.length === 0 ? undefined : JSON.stringify(constants.map((one) => JSON.stringify(one)).toSorted());
};

function onlyType(schema: Json): string | undefined {
  const { type } = mapOf(schema);
  return typeof type === "string" ? type : undefined;
}

function alternativeText(schema: Json): string {
  const name = referenceOf(schema, () => undefined) ?? titleOf(schema, () => undefined);
  if (name !== undefined) return `\`${name}\``;
  const type = typesOf(flatSchema(mapOf(schema)).keywords)?.join(" or ");
  return type === undefined ? "another value" : `${/^[aeiou]/.test(type) ? "an" : "a"} \`${type}\``;
}

// ── Conditions ─────────────────────────────────────────────────────────────────────────────────────────────────────

function* conditionChanges(walk: SchemaWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  yield* partChanges(walk, old.parts, now.parts, place);
  const [before, after] = [old.keywords, now.keywords];
  const [not, newNot] = [before["not"], after["not"]];
  if (not !== undefined || newNot !== undefined) {
    const direction = opposite[overall(walk, not ?? false, newNot ?? false)];
    const wording = `excludes ${direction === "wider" ? "fewer" : direction === "narrower" ? "more" : "other"} values`;
    if (direction !== "same") yield { place, kind: "condition", direction, wording };
  }
  yield* choiceChanges(walk, before, after, place);
  for (const [name, names, newNames] of bothOf(before["dependentRequired"], after["dependentRequired"])) {
    const [removed, added] = [difference(names, newNames), difference(newNames, names)];
    if (added.length > 0)
      yield {
        place,
        kind: "condition",
        direction: "narrower",
        wording: `needs ${added.join(", ")} if it has \`${name}\``,
      };
    if (removed.length > 0)
      yield {
        place,
        kind: "condition",
        direction: "wider",
        wording: `no longer needs ${removed.join(", ")} if it has \`${name}\``,
      };
  }
  for (const [name, schema, newSchema] of bothOf(before["dependentSchemas"], after["dependentSchemas"])) {
    const direction = overall(walk, schema ?? true, newSchema ?? true);
    const wording = `is another object if it has \`${name}\``;
    if (direction !== "same") yield { place, kind: "condition", direction, wording };
  }
  const [content, newContent] = [before["contentSchema"] ?? true, after["contentSchema"] ?? true];
  if (content !== newContent) yield* schemaChanges(walk, content, newContent, place);
}

const opposite: Readonly<Record<Direction, Direction>> = {
  narrower: "wider",
  wider: "narrower",
  other: "other",
  same: "same",
};

/** Returns the names in backticks that only the first list has. */
function difference(names: Json | undefined, others: Json | undefined): readonly string[] {
  return listOf(names)
    .filter((name) => !listOf(others).includes(name))
    .map((name) => quoted(name));
}

function* partChanges(walk: SchemaWalk, old: readonly Json[], now: readonly Json[], place: Path): Changes {
  const [before, after] = [[...old], [...now]];
  for (const [one, other] of matched(walk, before, after)) yield* schemaChanges(walk, one, other, place);
  for (const [index, one] of before.entries()) {
    const other = after[index];
    if (other !== undefined) yield* schemaChanges(walk, one, other, place);
    else yield conditionChange(one, undefined, "a part of `allOf`", place);
  }
  for (const one of after.slice(before.length)) yield conditionChange(undefined, one, "a part of `allOf`", place);
}

function* choiceChanges(walk: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const { if: condition } = old;
  const { if: newCondition } = now;
  if (condition === undefined && newCondition === undefined) return;
  const directions = [["then"], ["else"]].map(([keyword = ""]) => {
    const [before, after] = [
      condition === undefined ? true : old[keyword],
      newCondition === undefined ? true : now[keyword],
    ];
    return overall(walk, before ?? true, after ?? true);
  });
  const isSame = condition === undefined || newCondition === undefined || same(condition, newCondition);
  const direction = isSame ? joined(directions) : "other";
  if (direction !== "same") yield { place, kind: "condition", direction, wording: "has other values by `if`" };
}

function conditionChange(old: Json | undefined, now: Json | undefined, what: string, place: Path): SchemaChange {
  if (old === undefined && now !== undefined)
    return { place, kind: "condition", direction: "narrower", wording: `has to match ${what}` };
  return { place, kind: "condition", direction: "wider", wording: `no longer has to match ${what}` };
}

/** Returns the direction of all changes together. */
function overall(walk: SchemaWalk, old: Json, now: Json): Direction {
  if (old === now) return "same";
  return joined([...schemaChanges(walk, old, now)].map(({ direction }) => direction));
}

/** Like `overall`, for a trial: visits no named schemas, which are the same only by name. */
function overallQuietly(walk: SchemaWalk, old: Json, now: Json): Direction {
  return overall({ ...walk, visit: () => {} }, old, now);
}

function joined(directions: readonly Direction[]): Direction {
  const all = new Set(directions.filter((direction) => direction !== "same"));
  const [only = "same"] = all;
  return all.size > 1 ? "other" : only;
}

// ── Annotations ────────────────────────────────────────────────────────────────────────────────────────────────────

function* annotationChanges({ use }: SchemaWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
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
