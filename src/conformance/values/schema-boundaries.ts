/** Values at the edges of what a JSON Schema of the document allows, and values one step outside, as proposals. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Model } from "../../language/model.ts";
import type { Random } from "../random.ts";
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
import { counted } from "./problem.ts";
import { codeOf } from "./schema-fits.ts";
import {
  itemNode,
  type Keywords,
  keywordsOf,
  memberNode,
  type Node,
  numberRules,
  requiredOf,
  rootOf,
  schemaValue,
  textRules,
  typesOf,
} from "./schema-values.ts";

interface Supply {
  readonly random: Random;
  readonly now: number;
}

/** `fit`: a valid value, of which one part after the other is changed. */
export function* schemaEdges(model: Model, schema: Json, fit: Json | undefined, supply: Supply): Iterable<Edge> {
  const needed = schemaValue(model, schema, supply, "needed");
  if (needed !== undefined) yield { what: "a value with only what it needs", value: needed, stated: true };
  if (fit === undefined) return;
  yield { what: "a value with all members", value: fit, stated: true };
  for (const part of partsOf(rootOf(model, schema), fit)) {
    for (const edge of edgesAt(part, supply))
      if (edge.stated) yield { ...edge, value: part.put(edge.value), where: part.path };
  }
}

export function* schemaMistakes(model: Model, schema: Json, fit: Json | undefined, supply: Supply): Iterable<Mistake> {
  if (fit === undefined) return;
  for (const part of partsOf(rootOf(model, schema), fit)) {
    for (const mistake of mistakesAt(part, supply)) {
      const completeOnly = !part.inList && (mistake.completeOnly === true || isObject(mistake.value));
      yield { ...mistake, value: part.put(mistake.value), where: part.path, completeOnly };
    }
  }
}

/** A part of a value, with the keywords about it. */
interface Part {
  readonly keywords: Keywords;
  readonly value: Json;
  readonly path: readonly string[];
  readonly inList: boolean;
  /** The schemas of the part and of what is around it: a recursive one is tried once. */
  readonly schemas: readonly Json[];
  /** Returns the whole value with another value of the part. */
  readonly put: (value: Json) => Json;
}

function partsOf(node: Node, value: Json): readonly Part[] {
  return [...partsIn(node, { value, path: [], inList: false, schemas: [], put: (other) => other })];
}

function* partsIn(node: Node, outer: Omit<Part, "keywords">): Iterable<Part> {
  const { value, put } = outer;
  const keywords = keywordsOf(node, (branches) => branchFor(branches, value));
  if (keywords === undefined || outer.schemas.includes(node.schema)) return;
  const at = { ...outer, schemas: [...outer.schemas, node.schema] };
  yield { ...at, keywords };
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const inner = itemNode(keywords, 0);
    const [first] = items;
    if (inner === undefined || first === undefined) return;
    const path = [...at.path, "0"];
    yield* partsIn(inner, { ...at, value: first, path, inList: true, put: (other) => put(items.with(0, other)) });
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const inner = memberNode(keywords, name);
    if (inner === undefined) continue;
    const path = [...at.path, name];
    yield* partsIn(inner, { ...at, value: member, path, put: (other) => put({ ...value, [name]: other }) });
  }
}

/** Returns the first branch that is about values of this type of JSON. */
function branchFor(branches: readonly Node[], value: Json): Node | undefined {
  return branches.find((branch) => {
    const keywords = keywordsOf(branch, () => undefined);
    return keywords !== undefined && typesOf(keywords).some((type) => namesOf(value).includes(type));
  });
}

/** Returns the names of the types of a value in JSON Schema. */
function namesOf(value: Json): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["number", "integer"] : ["number"];
  return [typeof value];
}

function* edgesAt({ keywords, value }: Part, { random, now }: Supply): Iterable<Edge> {
  const { plain } = keywords;
  const values = plain["enum"];
  if (Array.isArray(values)) {
    for (const one of (values as readonly Json[]).slice(0, 20))
      yield { what: `the value ${JSON.stringify(one)}`, value: one, stated: true };
    return;
  }
  const states = (...names: readonly string[]): boolean => names.some((name) => plain[name] !== undefined);
  if (typeof value === "string") {
    const stated = { min: states("minLength"), max: states("maxLength") };
    yield* textEdges(textRules(keywords), stated, random, now);
  }
  if (typeof value === "number") {
    const stated = { min: states("minimum"), max: states("maximum") };
    yield* numberEdges({ ...numberRules(keywords), ...pickNumbers(plain) }, stated);
  }
  if (typeof value === "boolean")
    for (const other of [true, false]) yield { what: String(other), value: other, stated: true };
  if (Array.isArray(value)) {
    for (const keyword of ["minItems", "maxItems"]) {
      const list = listOf(value as readonly Json[], plain[keyword]);
      if (list !== undefined) yield { what: listText(list.length), value: list, stated: true };
    }
  }
}

function pickNumbers({ minimum, maximum }: Readonly<Record<string, Json>>): { min?: number; max?: number } {
  return {
    ...(typeof minimum === "number" ? { min: minimum } : {}),
    ...(typeof maximum === "number" ? { max: maximum } : {}),
  };
}

/** Returns a list of so many items, with those of a valid list; undefined if it has to have other items. */
function listOf(items: readonly Json[], count: Json | undefined): readonly Json[] | undefined {
  if (typeof count !== "number" || count < 0 || count > 1000) return undefined;
  const last = items.at(-1);
  if (count > items.length && last === undefined) return undefined;
  return Array.from({ length: count }, (_, index) => items[index] ?? (last as Json));
}

function* mistakesAt({ keywords, value }: Part, { random, now }: Supply): Iterable<Mistake> {
  const { plain } = keywords;
  if (plain["enum"] !== undefined || plain["const"] !== undefined) {
    const other = typeof value === "number" ? value + 0.5 : "not-listed";
    yield { what: "a value that is not listed", value: other, code: "not-one-of" };
    return;
  }
  if (plain["type"] !== undefined) yield* typeMistakes(kindFor(value));
  if (typeof value === "string") yield* textMistakes(textRules(keywords), random, now);
  if (typeof value === "number") yield* schemaNumberMistakes(keywords, value);
  if (Array.isArray(value)) yield* arrayMistakes(keywords, value as readonly Json[]);
  if (isObject(value)) yield* objectMistakes(keywords, value);
}

function kindFor(value: Json): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return typeof value === "number" ? "a number" : typeof value === "boolean" ? "true or false" : "a text";
}

function* schemaNumberMistakes(keywords: Keywords, value: number): Iterable<Mistake> {
  const { multipleOf, exclusiveMinimum, exclusiveMaximum } = keywords.plain;
  yield* numberMistakes({ ...numberRules(keywords), ...pickNumbers(keywords.plain) });
  if (typeof exclusiveMinimum === "number")
    yield { what: `the number ${exclusiveMinimum}`, value: exclusiveMinimum, code: "too-small" };
  if (typeof exclusiveMaximum === "number")
    yield { what: `the number ${exclusiveMaximum}`, value: exclusiveMaximum, code: "too-large" };
  if (typeof multipleOf === "number")
    yield { what: `no multiple of ${multipleOf}`, value: value + multipleOf / 2, code: codeOf("multipleOf") };
  if (keywords.plain["type"] === "integer") yield { what: "a fraction", value: value + 0.5, code: "wrong-type" };
}

function* arrayMistakes({ plain }: Keywords, items: readonly Json[]): Iterable<Mistake> {
  const { minItems, maxItems, uniqueItems } = plain;
  const few = typeof minItems === "number" ? listOf(items, minItems - 1) : undefined;
  if (few !== undefined) yield { what: listText(few.length), value: few, code: "too-few" };
  const many = typeof maxItems === "number" ? listOf(items, maxItems + 1) : undefined;
  if (many !== undefined) yield { what: listText(many.length), value: many, code: "too-many" };
  const [first] = items;
  if (uniqueItems === true && first !== undefined) {
    const twice = items.length > 1 ? items.with(1, first) : [first, first];
    yield { what: "the same item twice", value: twice, code: "repeated" };
  }
}

function* objectMistakes(keywords: Keywords, value: JsonObject): Iterable<Mistake> {
  for (const missing of requiredOf(keywords)) {
    const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== missing));
    yield { what: `no ${missing}`, value: rest, code: "required", member: missing };
  }
  const unknown = { ...value, "unknown member": 1 };
  yield { what: "an unknown member", value: unknown, code: "unknown-field", member: "unknown member" };
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
