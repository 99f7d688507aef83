/** Adapts a parsed body to its schema before validation, where the document allows more than the schema (`requests`). */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { parseJson } from "../../http/json.ts";

export interface Adaptation {
  /** Drops members that a closed object of the schema does not have. */
  readonly ignoresUnknown?: true | undefined;
  /** Converts texts to the numbers and booleans that the schema requires. */
  readonly convertsTexts?: true | undefined;
  /** Makes lists of single texts and of objects with indexes, as forms send them. */
  readonly isForm?: true | undefined;
  /**
   * Reads an empty text as no value: it becomes null where null is a value, leaves out an optional member, removes a member of a
   * map, and clears a map. `patch`: inside a merge patch, where null removes the member; `fields`: of the patch itself, whose
   * schema allows null for optional fields.
   */
  readonly emptyRemoves?: "body" | "patch" | "fields" | undefined;
}

/** The value of a map that a merge patch clears: unlike other objects, the patch replaces the map by it. */
export const clearedMap: JsonObject = Object.freeze({});

/** Returns the value as the schema requires it, as far as the adaptation allows; the validator reports the rest. */
export function adapt(value: Json, schema: JsonObject, adaptation: Adaptation): Json {
  const { type, properties, additionalProperties, items, anyOf, required } = schema;
  const types = typesOf(schema);
  if (adaptation.isForm === true && types.includes("array") && !Array.isArray(value)) {
    const list = listOf(value, types);
    if (list !== undefined) return adapt(list, schema, adaptation);
  }
  if (value === "" && adaptation.emptyRemoves !== undefined && !types.includes("null") && isMap(schema))
    return clearedMap;
  if (typeof value === "string") return converted(value, types, adaptation);
  if (Array.isArray(value)) {
    if (!isObject(items)) return value;
    // A patch replaces a list as a whole.
    const ofItem =
      adaptation.emptyRemoves === undefined ? adaptation : { ...adaptation, emptyRemoves: "body" as const };
    return value.map((item) => adapt(item as Json, items, ofItem));
  }
  if (!isObject(value)) return value;
  // A nullable object is the first of two alternatives.
  const [alternative] = Array.isArray(anyOf) ? (anyOf as readonly Json[]) : [];
  if (type === undefined && isObject(alternative)) return adapt(value, alternative, adaptation);
  const known = isObject(properties) ? properties : {};
  const removes = adaptation.emptyRemoves;
  const ofMember = removes === "fields" ? { ...adaptation, emptyRemoves: "patch" as const } : adaptation;
  const isOptional = (name: string, inner: JsonObject): boolean =>
    isMap(schema) ||
    (removes !== "fields" &&
      !(Array.isArray(required) && required.includes(name)) &&
      inner["default"] === undefined &&
      !typesOf(inner).includes("null"));
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const inner = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    if (member === "" && removes !== undefined && isObject(inner) && isOptional(name, inner))
      return removes === "body" ? [] : [[name, null]];
    if (isObject(inner)) return [[name, adapt(member as Json, inner, ofMember)]];
    return inner === false && adaptation.ignoresUnknown === true ? [] : [[name, member as Json]];
  });
  return Object.fromEntries(members);
}

/** Returns the list that a form sends as one text, or as an object of items by index; undefined for other values. */
function listOf(value: Json, types: readonly Json[]): readonly Json[] | undefined {
  if (typeof value === "string") return value === "" && types.includes("null") ? undefined : [value];
  if (!isObject(value) || !Object.keys(value).every((name) => /^[0-9]{1,4}$/.test(name))) return undefined;
  // The members of an object that are whole numbers are in ascending order.
  return Object.values(value) as readonly Json[];
}

/** Whether the schema is that of a map, whose members have any names. */
function isMap({ type, properties, additionalProperties }: JsonObject): boolean {
  const isObjectType = type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObjectType && properties === undefined && isObject(additionalProperties);
}

function converted(text: string, types: readonly Json[], { convertsTexts, emptyRemoves }: Adaptation): Json {
  if (emptyRemoves !== undefined && text === "" && types.includes("null")) return null;
  if (convertsTexts !== true || types.length === 0 || types.includes("string") || !scalar.test(text)) return text;
  const parsed = parseJson(Buffer.from(text));
  return parsed.kind === "value" ? parsed.value : text;
}

const scalar = /^(?:true|false|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

/** Returns the JSON types that a value of the schema may have; empty if the schema does not restrict them. */
function typesOf({ type, anyOf }: JsonObject): readonly Json[] {
  if (Array.isArray(type)) return type as readonly Json[];
  if (type !== undefined) return [type as Json];
  return Array.isArray(anyOf) ? (anyOf as readonly Json[]).flatMap((one) => (isObject(one) ? typesOf(one) : [])) : [];
}

/** Returns the adaptation of a body in JSON or a form; undefined if the body stays as it is. */
export function adaptationOf({ action, body, ignoresUnknown }: Operation, isForm: boolean): Adaptation | undefined {
  const convertsTexts = body?.convertsTexts;
  const removes = action === "update" ? "fields" : "body";
  if (isForm) return { ignoresUnknown, convertsTexts: true, isForm: true, emptyRemoves: removes };
  const emptyRemoves = body?.emptyRemoves === true ? removes : undefined;
  return ignoresUnknown === undefined && convertsTexts === undefined && emptyRemoves === undefined
    ? undefined
    : { ignoresUnknown, convertsTexts, emptyRemoves };
}
