/** Compares the members of objects and the items of arrays. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { type FlatSchema, flatSchema, listOf, mapOf, referredName } from "./flat-schema.ts";
import { bound, most, type Range, rangeChange } from "./schema-values.ts";
import { type Changes, conditionChange, type InnerWalk, overall, type Path, type SchemaWalk } from "./schema-walk.ts";

export function* memberChanges(walk: InnerWalk, old: FlatSchema, now: FlatSchema, place: Path): Changes {
  const [before, after] = [membersOf(walk, old, walk.old), membersOf(walk, now, walk.now)];
  for (const name of new Set([...Object.keys(after.visible), ...Object.keys(before.visible)])) {
    const [was, is] = [lookup(before.visible, name), lookup(after.visible, name)];
    const inner = [...place, name];
    const needs = { old: before.required.has(name), now: after.required.has(name) };
    if (was !== undefined && is !== undefined) {
      yield* requiredChange(needs, inner);
      yield* walk.changes(walk, was, is, inner);
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

function membersOf({ use }: InnerWalk, flat: FlatSchema, schemaOf: SchemaWalk["old"]): Members {
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

export function lookup(members: JsonObject, name: string): Json | undefined {
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

function* addedMember(walk: InnerWalk, before: Members, schema: Json, needs: Needs, place: Path): Changes {
  const name = place.at(-1) ?? "";
  const inherited = lookup(before.inherited, name);
  if (inherited !== undefined) {
    yield* requiredChange(needs, place);
    yield* walk.changes(walk, inherited, schema, place);
  } else if (isObject(before.rest) && Object.keys(before.rest).length > 0) {
    yield* requiredChange(needs, place);
    yield* walk.changes(walk, before.rest, schema, place);
  } else if (needs.old && needs.now) yield* walk.changes(walk, true, schema, place);
  else {
    const wording = before.hidden.has(name)
      ? `is no longer ${walk.use === "request" ? "read" : "write"}-only`
      : "is new";
    if (needs.now) yield { place, kind: "member-required", direction: "narrower", wording: `${wording}, and required` };
    else yield { place, kind: "member-added", direction: "narrower", wording };
  }
}

function* removedMember(walk: InnerWalk, after: Members, schema: Json, needs: Needs, place: Path): Changes {
  const name = place.at(-1) ?? "";
  const inherited = lookup(after.inherited, name);
  if (inherited !== undefined) {
    yield* walk.changes(walk, schema, inherited, place);
    return;
  }
  if (isObject(after.rest) && Object.keys(after.rest).length > 0 && !after.hidden.has(name)) {
    yield* requiredChange(needs, place);
    yield* walk.changes(walk, schema, after.rest, place);
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

function* otherMemberChanges(walk: InnerWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
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
    else if (before !== after) yield* walk.changes(walk, before, after, [...place, at]);
  }
  for (const [name, before, after] of bothOf(old["patternProperties"], now["patternProperties"])) {
    if (before !== undefined && after !== undefined) yield* walk.changes(walk, before, after, [...place, `/${name}/`]);
    else yield conditionChange(before, after, `the members that match \`/${name}/\``, place);
  }
  const named = overall(walk, old["propertyNames"] ?? true, now["propertyNames"] ?? true);
  if (named !== "same") yield { place, kind: "condition", direction: named, wording: "has other names of members" };
}

/** Returns the members of two maps by name. */
export function bothOf(
  old: Json | undefined,
  now: Json | undefined,
): readonly (readonly [name: string, old: Json | undefined, now: Json | undefined])[] {
  const [before, after] = [mapOf(old), mapOf(now)];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.map((name) => [name, lookup(before, name), lookup(after, name)] as const);
}

// ── Arrays ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function* itemChanges(walk: InnerWalk, old: JsonObject, now: JsonObject, place: Path): Changes {
  const [before, after] = [listOf(old["prefixItems"]), listOf(now["prefixItems"])];
  const [rest, newRest] = [old["items"] ?? true, now["items"] ?? true];
  for (const index of Array(Math.max(before.length, after.length)).keys())
    yield* walk.changes(walk, before[index] ?? rest, after[index] ?? newRest, [...place, String(index)]);
  if (rest !== newRest) yield* walk.changes(walk, rest, newRest, [...place, "*"]);
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
