/** Compares alternatives (`oneOf`, `anyOf`): which of them belong together, and which are new or gone. */
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../base/json.ts";
import { alternativesOf, flatSchema, listOf, mapOf, referredName } from "./flat-schema.ts";
import { typesOf } from "./schema-values.ts";
import {
  type Changes,
  type InnerWalk,
  listText,
  overallQuietly,
  type Path,
  type SchemaChange,
  type SchemaWalk,
  visitNames,
} from "./schema-walk.ts";

/** Returns a change if one schema is an alternative of the other one, which has others too. */
export function alternativesAround(
  walk: InnerWalk,
  old: JsonObject,
  now: JsonObject,
  place: Path,
): SchemaChange | undefined {
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

export function* alternativeChanges(walk: InnerWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const [before, after] = [[...alternativesOf(old)], [...alternativesOf(now)]];
  if (before.length === 0 || after.length === 0) return;
  const kind = "alternative";
  const [wasOne, isOne] = [old["oneOf"] !== undefined, now["oneOf"] !== undefined];
  if (wasOne !== isOne && !areDisjoint(walk, after))
    yield isOne
      ? { place, kind, direction: "narrower", wording: "has to match only one of its alternatives" }
      : { place, kind, direction: "wider", wording: "may match several of its alternatives" };
  for (const [one, other] of matched(walk, before, after)) yield* walk.changes(walk, one, other, place);
  if (before.length > 0)
    yield { place, kind, direction: "narrower", wording: `can no longer be ${listText(before.map(alternativeText))}` };
  if (after.length > 0)
    yield { place, kind, direction: "wider", wording: `can be ${listText(after.map(alternativeText))} too` };
}

/** Whether no value can match two of the alternatives, because their types or their constants all differ. */
function areDisjoint(walk: InnerWalk, alternatives: readonly Json[]): boolean {
  return [onlyType, (schema: Json) => constantsOf(schema, walk.now)].some((identity) => {
    const all = alternatives.map(identity);
    return !all.includes(undefined) && new Set(all).size === all.length;
  });
}

/** Removes the matching alternatives from both lists, and returns their pairs: the best matches first. */
export function matched(walk: InnerWalk, old: Json[], now: Json[]): readonly (readonly [Json, Json])[] {
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

export function alternativeText(schema: Json): string {
  const name = referenceOf(schema, () => undefined) ?? titleOf(schema, () => undefined);
  if (name !== undefined) return `\`${name}\``;
  const type = typesOf(flatSchema(mapOf(schema)).keywords)?.join(" or ");
  return type === undefined ? "another value" : `${/^[aeiou]/.test(type) ? "an" : "a"} \`${type}\``;
}
