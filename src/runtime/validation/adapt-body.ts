/** Adapts a parsed body to its schema before validation, where the document allows more than the schema (`requests`). */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { parseJson } from "../../http/json.ts";

export interface Adaptation {
  /** Drops members that a closed object of the schema does not have. */
  readonly ignoresUnknown?: true | undefined;
  /** Converts texts to the numbers and booleans that the schema requires. */
  readonly convertsTexts?: true | undefined;
  /** Drops an empty text that is no value of its optional member, as forms send it; where null is a value, it becomes null. */
  readonly isForm?: true | undefined;
}

/** Returns the value as the schema requires it, as far as the adaptation allows; the validator reports the rest. */
export function adapt(value: Json, schema: JsonObject, adaptation: Adaptation): Json {
  const { type, properties, additionalProperties, items, anyOf } = schema;
  const types = typesOf(schema);
  if (adaptation.isForm === true && types.includes("array") && !Array.isArray(value)) {
    const list = listOf(value, types);
    if (list !== undefined) return adapt(list, schema, adaptation);
  }
  if (typeof value === "string") return adaptation.convertsTexts === true ? converted(value, types, adaptation) : value;
  if (Array.isArray(value))
    return isObject(items) ? value.map((item) => adapt(item as Json, items, adaptation)) : value;
  if (!isObject(value)) return value;
  // A nullable object is the first of two alternatives.
  const [alternative] = Array.isArray(anyOf) ? (anyOf as readonly Json[]) : [];
  if (type === undefined && isObject(alternative)) return adapt(value, alternative, adaptation);
  const known = isObject(properties) ? properties : {};
  const members = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const inner = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    if (isObject(inner)) return [[name, adapt(member as Json, inner, adaptation)]];
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

function converted(text: string, types: readonly Json[], { isForm }: Adaptation): Json {
  if (isForm === true && text === "" && types.includes("null")) return null;
  if (types.length === 0 || types.includes("string") || !scalar.test(text)) return text;
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
export function adaptationOf({ body, ignoresUnknown }: Operation, isForm: boolean): Adaptation | undefined {
  const convertsTexts = body?.convertsTexts;
  if (isForm) return { ignoresUnknown, convertsTexts: true, isForm: true };
  return ignoresUnknown === undefined && convertsTexts === undefined ? undefined : { ignoresUnknown, convertsTexts };
}
