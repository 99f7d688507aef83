/**
 * Makes values for a JSON Schema of the document. The usual keywords lead to a proposal, and Ajv decides whether the schema allows it:
 * keywords such as `not` only decide.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { unescapeSegment } from "../../base/json-pointer.ts";
import type { Model } from "../../language/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { schemaName } from "../../language/resources/schema.ts";
import type { Random } from "../random.ts";
import { numbersIn, type NumberRules } from "./numbers.ts";
import { schemaProblems } from "./schema-fits.ts";
import { followsRules, textFor, type TextRules } from "./texts.ts";
import type { Extent } from "./valid.ts";

interface Supply {
  readonly random: Random;
  readonly now: number;
}

const tries = 40;

/** Returns a value that the schema allows; undefined if none is found. */
export function schemaValue(model: Model, schema: Json, supply: Supply, extent: Extent): Json | undefined {
  const root = rootOf(model, schema);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    // With fewer optional members a value is more likely to be valid.
    const further: Extent = attempt < tries / 2 ? extent : attempt % 2 === 0 ? "some" : "needed";
    const value = made({ ...supply, extent: further, depth: 0, budget: { left: 2_000 } }, root);
    if (value !== undefined && schemaProblems(model, schema, value, "input").length === 0) return value;
  }
  return undefined;
}

/** A schema inside a document, and what its references refer to. */
export interface Node {
  readonly schema: Json;
  readonly root: Json;
  readonly model: Model;
}

export function rootOf(model: Model, schema: Json): Node {
  return { schema, root: schema, model };
}

interface Make extends Supply {
  readonly extent: Extent;
  readonly depth: number;
  readonly budget: { left: number };
}

/** The depth from which a value has only what it needs, so that recursive schemas end. */
const deep = 5;

function made(make: Make, node: Node): Json | undefined {
  make.budget.left -= 1;
  if (make.budget.left < 0 || make.depth > 12) return undefined;
  const keywords = keywordsOf(node, (alternatives) => make.random.pick(alternatives));
  if (keywords === undefined) return undefined;
  if (Object.hasOwn(keywords.plain, "const")) return keywords.plain["const"];
  const values = keywords.plain["enum"];
  if (Array.isArray(values)) return values.length === 0 ? undefined : make.random.pick(values as readonly Json[]);
  switch (typeFor(keywords, make.random)) {
    case "object":
      return madeObject(make, keywords);
    case "array":
      return madeArray(make, keywords);
    case "string":
      return textFor(textRules(keywords), make.random, make.now);
    case "integer":
    case "number":
      return madeNumber(keywords, make.random);
    case "boolean":
      return make.random.chance(0.5);
    default:
      return null;
  }
}

function typeFor(keywords: Keywords, random: Random): string {
  const types = typesOf(keywords);
  const usual = types.filter((type) => type !== "null");
  return usual.length === 0 ? "null" : random.pick(usual);
}

/** Returns the types that a schema names, or else those that its keywords are about. */
export function typesOf({ plain, inner, members, patterns }: Keywords): readonly string[] {
  const { type } = plain;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type as readonly string[];
  const has = (...names: readonly string[]): boolean => names.some((name) => name in plain || name in inner);
  const hasMembers = Object.keys(members).length + Object.keys(patterns).length > 0;
  if (hasMembers || has("required", "additionalProperties", "minProperties", "propertyNames")) return ["object"];
  if (has("items", "prefixItems", "contains", "minItems", "uniqueItems")) return ["array"];
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return ["number"];
  return ["string"];
}

export function textRules({ plain }: Keywords): TextRules {
  const { minLength, maxLength, pattern, format } = plain;
  return {
    least: numberOr(minLength, 0),
    most: numberOr(maxLength, 10_000),
    pattern: typeof pattern === "string" ? pattern : undefined,
    format: typeof format === "string" ? format : undefined,
  };
}

export function numberRules({ plain }: Keywords): NumberRules {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = plain;
  const isInteger = plain["type"] === "integer";
  const step = typeof multipleOf === "number" ? multipleOf : isInteger ? 1 : undefined;
  // A value next to an exclusive limit is near enough; Ajv decides.
  const nextTo = (limit: Json | undefined, sign: number): number | undefined =>
    typeof limit === "number" ? limit + sign * (step ?? 0.01) : undefined;
  const lows = [minimum, nextTo(exclusiveMinimum, 1)].filter((one) => typeof one === "number");
  const highs = [maximum, nextTo(exclusiveMaximum, -1)].filter((one) => typeof one === "number");
  return {
    min: lows.length === 0 ? undefined : Math.max(...lows),
    max: highs.length === 0 ? undefined : Math.min(...highs),
    multipleOf: isInteger && step !== undefined && !Number.isInteger(step) ? 1 : step,
  };
}

function madeNumber(keywords: Keywords, random: Random): number {
  const numbers = [...numbersIn(numberRules(keywords), random)];
  return random.pick(numbers.length === 0 ? [0] : numbers.slice(0, 2));
}

function madeArray(make: Make, { plain, inner }: Keywords): Json | undefined {
  const prefix = inner["prefixItems"] ?? [];
  const [item] = inner["items"] ?? [];
  const [contained] = inner["contains"] ?? [];
  const least = Math.max(
    numberOr(plain["minItems"], 0),
    contained === undefined ? 0 : numberOr(plain["minContains"], 1),
  );
  const isShort = make.extent === "needed" || make.depth >= deep;
  const wanted = isShort ? least : Math.max(least, prefix.length, make.random.integer(1, 3));
  const count = Math.min(wanted, numberOr(plain["maxItems"], wanted));
  if (count > make.budget.left) return undefined;
  const items: Json[] = [];
  for (let index = 0; index < count; index += 1) {
    const node = prefix[index] ?? (contained !== undefined && index === prefix.length ? contained : item);
    const value = madeItem(make, node, plain["uniqueItems"] === true ? items : []);
    if (value === undefined) return index < least ? undefined : items;
    items.push(value);
  }
  return items;
}

/** Makes an item that is none of the others. */
function madeItem(make: Make, node: Node | undefined, others: readonly Json[]): Json | undefined {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const value = node === undefined ? make.random.text(6) : made({ ...make, depth: make.depth + 1 }, node);
    if (value === undefined || !others.some((one) => JSON.stringify(one) === JSON.stringify(value))) return value;
  }
  return undefined;
}

function madeObject(make: Make, keywords: Keywords): Json | undefined {
  const { plain } = keywords;
  const isShort = make.extent === "needed" || make.depth >= deep;
  const required = new Set(requiredOf(keywords));
  const members = new Map<string, Json>();
  for (const [name, node] of Object.entries(keywords.members)) {
    const isWanted = !isShort && (make.extent === "all" || make.random.chance(0.6));
    if (!required.has(name) && !isWanted) continue;
    const value = made({ ...make, depth: make.depth + 1 }, node);
    if (value !== undefined) members.set(name, value);
    else if (required.has(name)) return undefined;
  }
  const least = numberOr(plain["minProperties"], 0);
  const dependent = isObject(plain["dependentRequired"]) ? plain["dependentRequired"] : {};
  for (const name of [...members.keys()]) for (const other of textsOf(lookup(dependent, name))) required.add(other);
  for (const name of required) if (!addMember(make, keywords, members, name)) return undefined;
  for (let attempt = 0; members.size < least && attempt < least * 3; attempt += 1) {
    const name = nameFor(make, keywords, members);
    if (name !== undefined) addMember(make, keywords, members, name);
  }
  return Object.fromEntries(members);
}

function addMember(make: Make, keywords: Keywords, members: Map<string, Json>, name: string): boolean {
  if (members.has(name)) return true;
  const node = memberNode(keywords, name);
  const value = node === undefined ? make.random.text(6) : made({ ...make, depth: make.depth + 1 }, node);
  if (value !== undefined) members.set(name, value);
  return value !== undefined;
}

/** Returns a name for a further member: of a property, of a pattern, or any. */
function nameFor(make: Make, keywords: Keywords, members: ReadonlyMap<string, Json>): string | undefined {
  const rest = Object.keys(keywords.members).filter((name) => !members.has(name));
  if (rest.length > 0) return make.random.pick(rest);
  const patterns = Object.keys(keywords.patterns);
  const [names] = keywords.inner["propertyNames"] ?? [];
  if (names !== undefined) {
    const name = made(make, { ...names, schema: withType(names.schema, "string") });
    return typeof name === "string" ? name : undefined;
  }
  if (patterns.length === 0) return make.random.text(6);
  return textFor({ least: 0, most: 255, pattern: make.random.pick(patterns) }, make.random, make.now);
}

function withType(schema: Json, type: string): Json {
  return isObject(schema) ? { type, ...schema } : schema;
}

// ── Keywords ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The keywords of a schema with those of what it refers to and consists of. */
export interface Keywords {
  /** Keywords whose values contain no schemas. */
  readonly plain: Readonly<Record<string, Json>>;
  /** Keywords whose values are schemas or lists of them. */
  readonly inner: Readonly<Record<string, readonly Node[]>>;
  /** The schemas of `properties` and `patternProperties`. */
  readonly members: Readonly<Record<string, Node>>;
  readonly patterns: Readonly<Record<string, Node>>;
}

const empty: Keywords = { plain: {}, inner: {}, members: {}, patterns: {} };

/** Returns the keywords of a node; undefined if it allows nothing. `choose` picks a branch of `anyOf` and `oneOf`. */
export function keywordsOf(
  node: Node,
  choose: (branches: readonly Node[]) => Node | undefined,
  depth = 0,
): Keywords | undefined {
  const { schema } = node;
  if (schema === false || depth > 20) return undefined;
  if (!isObject(schema)) return empty;
  const parts: (Keywords | undefined)[] = [plainKeywords(node)];
  const add = (part: Node | undefined): void => {
    if (part !== undefined) parts.push(keywordsOf(part, choose, depth + 1));
  };
  if (typeof schema["$ref"] === "string") add(targetOf(node, schema["$ref"]));
  for (const part of nodesIn(node, schema["allOf"])) add(part);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = nodesIn(node, schema[keyword]);
    if (branches.length > 0) add(choose(branches));
  }
  if (schema["if"] !== undefined) {
    const [condition, then, otherwise] = ["if", "then", "else"].map((name) => nodeIn(node, schema[name]));
    if (choose([condition, otherwise].filter((one) => one !== undefined)) === condition) {
      add(condition);
      add(then);
    } else add(otherwise);
  }
  return parts.reduce<Keywords | undefined>(
    (sum, part) => (sum === undefined || part === undefined ? undefined : joined(sum, part)),
    empty,
  );
}

const innerKeywords: readonly string[] = [
  "items", "prefixItems", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties",
]; // biome-ignore format: a table

const applied: ReadonlySet<string> = new Set([
  ...innerKeywords, "properties", "patternProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref",
  "$defs", "definitions", "dependentSchemas", "unevaluatedItems", "contentSchema",
]); // biome-ignore format: a table

function plainKeywords(node: Node): Keywords {
  const schema = node.schema as JsonObject;
  const plain = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !applied.has(keyword)));
  const inner = Object.fromEntries(
    innerKeywords.flatMap((keyword): [string, readonly Node[]][] => {
      const value = schema[keyword];
      if (value === undefined) return [];
      return [[keyword, keyword === "prefixItems" ? nodesIn(node, value) : [{ ...node, schema: value }]]];
    }),
  );
  return {
    plain,
    inner,
    members: namedIn(node, schema["properties"]),
    patterns: namedIn(node, schema["patternProperties"]),
  };
}

function nodeIn(node: Node, schema: Json | undefined): Node | undefined {
  return schema === undefined ? undefined : { ...node, schema };
}

function nodesIn(node: Node, schemas: Json | undefined): readonly Node[] {
  return Array.isArray(schemas) ? (schemas as readonly Json[]).map((schema) => ({ ...node, schema })) : [];
}

function namedIn(node: Node, schemas: Json | undefined): Readonly<Record<string, Node>> {
  if (!isObject(schemas)) return {};
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, { ...node, schema }]));
}

/** Joins the keywords of two schemas that both hold: the narrower limit, all required members. */
function joined(one: Keywords, other: Keywords): Keywords {
  const plain: Record<string, Json> = { ...one.plain };
  for (const [keyword, value] of Object.entries(other.plain)) {
    const before = lookup(plain, keyword);
    plain[keyword] = before === undefined ? value : joinedValue(keyword, before, value);
  }
  return {
    plain,
    inner: { ...one.inner, ...other.inner },
    members: joinedNodes(one.members, other.members),
    patterns: { ...one.patterns, ...other.patterns },
  };
}

/** A member that two schemas describe follows both. */
function joinedNodes(
  one: Readonly<Record<string, Node>>,
  other: Readonly<Record<string, Node>>,
): Readonly<Record<string, Node>> {
  const both = Object.entries(other).map(([name, node]): [string, Node] => {
    const before = lookup(one, name);
    // Two roots cannot be joined, as references would change; Ajv decides then.
    if (before === undefined || before.root !== node.root) return [name, node];
    return [name, { ...node, schema: { allOf: [before.schema, node.schema] } }];
  });
  return { ...one, ...Object.fromEntries(both) };
}

function joinedValue(keyword: string, one: Json, other: Json): Json {
  if (typeof one === "number" && typeof other === "number") {
    if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(one, other);
    if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(one, other);
  }
  if (keyword === "required") return [...new Set([...textsOf(one), ...textsOf(other)])];
  if (keyword === "type" || keyword === "enum") {
    const others = new Set([other].flat().map((value) => JSON.stringify(value)));
    const common = ([one].flat() as readonly Json[]).filter((value) => others.has(JSON.stringify(value)));
    return common.length === 0 ? other : common;
  }
  return other;
}

/** Returns the node of a member, whichever keyword describes it. */
export function memberNode({ members, patterns, inner }: Keywords, name: string): Node | undefined {
  const found = lookup(members, name);
  if (found !== undefined) return found;
  const pattern = Object.keys(patterns).find((one) => textFollows(name, one));
  return pattern === undefined ? inner["additionalProperties"]?.[0] : patterns[pattern];
}

function textFollows(name: string, pattern: string): boolean {
  return followsRules(name, { least: 0, most: Number.POSITIVE_INFINITY, pattern });
}

export function itemNode({ inner }: Keywords, index: number): Node | undefined {
  return inner["prefixItems"]?.[index] ?? inner["items"]?.[0];
}

export function requiredOf({ plain }: Keywords): readonly string[] {
  return textsOf(plain["required"]);
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((one) => typeof one === "string") : [];
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

// ── References ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the node to which `#/schemas/Name`, `#/$defs/name` or `#anchor` refers. */
function targetOf(node: Node, reference: string): Node | undefined {
  const name = schemaName(reference);
  if (name !== undefined) {
    const schema = lookup(node.model.resources.schemas ?? {}, name);
    return schema === undefined ? undefined : rootOf(node.model, schema);
  }
  const fragment = decodeURIComponent(reference.slice(1));
  const schema =
    fragment === "" || fragment.startsWith("/") ? atPointer(node.root, fragment) : anchored(node.root, fragment);
  return nodeIn(node, schema);
}

function atPointer(root: Json, pointer: string): Json | undefined {
  return pointer
    .split("/")
    .slice(1)
    .map(unescapeSegment)
    .reduce<Json | undefined>(
      (found, step) => (typeof found === "object" && found !== null ? lookup(found as JsonObject, step) : undefined),
      root,
    );
}

function anchored(value: Json, anchor: string): Json | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isObject(value) && value["$anchor"] === anchor) return value;
  for (const inner of Object.values(value)) {
    const found = anchored(inner as Json, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}
