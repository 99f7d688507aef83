/**
 * Compares two JSON Schemas of one value, place by place: which values only one of them accepts. `schema-effects.ts` turns the
 * changes into effects, by the direction in which the value travels.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { same } from "./difference.ts";
import { alternativesOf, type FlatSchema, flatSchema, mergedSchemas } from "./flat-schema.ts";
import { alternativeChanges, alternativesAround, alternativeText } from "./schema-alternatives.ts";
import { conditionChanges } from "./schema-conditions.ts";
import { itemChanges, memberChanges } from "./schema-members.ts";
import {
  annotationChanges,
  nullChanges,
  rangeChanges,
  textChanges,
  typeChange,
  typesOf,
  valueChanges,
} from "./schema-values.ts";
import {
  type Changes,
  type Direction,
  type InnerWalk,
  joined,
  listText,
  type Path,
  type SchemaWalk,
  visitNames,
} from "./schema-walk.ts";

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
  const walk: InnerWalk = { ...outer, changes: schemaChanges, around: [...outer.around, [before, after] as const] };
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
      // Beside a name of one side, the other one may have the members of that schema.
      if (Object.hasOwn(before.keywords, "properties") !== Object.hasOwn(after.keywords, "properties")) return [];
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

function* flatChanges(walk: InnerWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
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

/** Compares a schema without alternatives with one that has some. */
function* splitChanges(walk: InnerWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  const isOld = alternativesOf(old.keywords).length > 0;
  const many = isOld ? old : now;
  const { anyOf: _, oneOf, ...rest } = many.keywords;
  const quiet: InnerWalk = { ...walk, visit: () => {} };
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
