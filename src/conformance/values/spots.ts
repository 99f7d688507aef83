/**
 * The parts of a valid value, one of which is exchanged after the other: members, items, and what a JSON Schema describes inside.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Model } from "../../language/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";
import { namedSchema } from "./schema-fits.ts";
import { itemNode, type Keywords, keywordsOf, memberNode, type Node, rootOf, typesOf } from "./schema-values.ts";
import { type Supply, validValue } from "./valid.ts";

export interface Scope {
  readonly contract: Contract;
  readonly supply: Supply;
}

export interface Spot {
  readonly type: FieldType;
  /** The keywords about the part, if a JSON Schema describes it. */
  readonly keywords?: Keywords;
  readonly path: readonly string[];
  /** The valid value of the part; undefined if the type has none. */
  readonly value: Json | undefined;
  /** Whether the part is in a list, which a merge patch replaces as a whole. */
  readonly inList: boolean;
  readonly isNullable: boolean;
  /** Returns the whole value with another value of the part. */
  readonly put: (value: Json) => Json | undefined;
}

export function spotsOf({ contract, supply }: Scope, type: FieldType): readonly Spot[] {
  const value = validValue(contract, type, supply, "all");
  return [...spotsIn(contract, { type, path: [], value, inList: false, isNullable: false, put: (other) => other })];
}

function* spotsIn({ model }: Pick<Contract, "model">, spot: Spot): Iterable<Spot> {
  const { type, value } = spot;
  if (type.kind === "nullable") return yield* spotsIn({ model }, { ...spot, type: type.of, isNullable: true });
  yield spot;
  const schema = schemaOf(model, type);
  if (schema !== undefined && value !== undefined)
    return yield* partsIn(rootOf(model, schema), { ...spot, isNullable: false }, []);
  if (Array.isArray(value) && type.kind === "list") {
    // The last item shows best whether a pointer has the right index.
    const last = innerSpot(spot, String(value.length - 1), type.of);
    if (value.length > 0) yield* spotsIn({ model }, last);
  }
  if (!isObject(value)) return;
  const fields = type.kind === "named" ? lookup(model.resources.types, type.name) : undefined;
  for (const name of Object.keys(value)) {
    const of = type.kind === "map" ? type.of : fields && lookup(fields, name)?.type;
    if (of !== undefined) yield* spotsIn({ model }, innerSpot(spot, name, of));
  }
}

/** Returns the schema of a type that is one, or that names one. */
export function schemaOf(model: Model, type: FieldType): Json | undefined {
  if (type.kind === "schema") return type.schema;
  const isNamed = type.kind === "named" && lookup(model.resources.schemas ?? {}, type.name) !== undefined;
  return isNamed ? namedSchema(model, type.name) : undefined;
}

/** Yields the parts of a value. `around`: the schemas of the node's ancestors; a recursive schema is visited once. */
function* partsIn(node: Node, spot: Spot, around: readonly Json[]): Iterable<Spot> {
  const value = spot.value as Json;
  const keywords = keywordsOf(node, (branches) => branchFor(branches, value));
  if (keywords === undefined || around.includes(node.schema)) return;
  yield { ...spot, keywords };
  const steps = Array.isArray(value) ? Object.keys(value).slice(0, 1) : isObject(value) ? Object.keys(value) : [];
  for (const step of steps) {
    const inner = Array.isArray(value) ? itemNode(keywords, 0) : memberNode(keywords, step);
    if (inner !== undefined) yield* partsIn(inner, innerSpot(spot, step, spot.type), [...around, node.schema]);
  }
}

function innerSpot(spot: Spot, step: string, type: FieldType): Spot {
  const outer = spot.value as readonly Json[] | JsonObject;
  const inner = { type, path: [...spot.path, step], value: lookup(outer as JsonObject, step), isNullable: false };
  if (isObject(outer)) return { ...inner, inList: spot.inList, put: (other) => spot.put({ ...outer, [step]: other }) };
  return { ...inner, inList: true, put: (other) => spot.put(outer.with(Number(step), other)) };
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
