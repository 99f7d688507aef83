/** Converts a schema to a one-line type if the two are exactly equivalent. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Model } from "../language/model.ts";
import { jsonSchemaOf } from "../language/resources/json-schema.ts";
import type { FieldType } from "../language/resources/model.ts";

/** Returns the one-line type; undefined if none is equivalent. */
export function shorthandOf(schema: Json): FieldType | undefined {
  if (!isObject(schema)) return schema === true ? { kind: "scalar", name: "json" } : undefined;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const name = /^#\/schemas\/([A-Za-z0-9]+)$/.exec(reference)?.[1];
    return name === undefined || Object.keys(schema).length > 1 ? undefined : { kind: "named", name };
  }
  return candidates(schema).find((type) => isAlike(jsonSchemaOf(empty, type, "output"), schema));
}

function candidates(schema: JsonObject): readonly FieldType[] {
  const { type, format, enum: values } = schema;
  const bounds = (low: string, high: string) => ({
    ...(typeof schema[low] === "number" ? { min: schema[low] } : {}),
    ...(typeof schema[high] === "number" ? { max: schema[high] } : {}),
  });
  if (Object.keys(schema).length === 0) return [{ kind: "scalar", name: "json" }];
  if (type === "boolean") return [{ kind: "scalar", name: "boolean" }];
  if (type === "number") return [{ kind: "scalar", name: "number", ...bounds("minimum", "maximum") }];
  if (type === "integer") return [{ kind: "scalar", name: "integer", ...bounds("minimum", "maximum") }];
  if (type !== "string") return [];
  if (format === "date") return [{ kind: "scalar", name: "date" }];
  if (format === "uuid") return [{ kind: "scalar", name: "uuid" }];
  if (Array.isArray(values) && values.every((one) => typeof one === "string" && one !== ""))
    return [{ kind: "one-of", values: values as readonly string[], open: false }];
  const { pattern } = schema;
  const text = { kind: "scalar", name: "string", ...bounds("minLength", "maxLength") } as const;
  return [typeof pattern === "string" ? { ...text, pattern } : text];
}

/** Whether two schemas are equal, regardless of the order of members. */
function isAlike(one: Json, other: Json): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  const [mine, theirs] = [Object.keys(one), Object.keys(other)];
  if (Array.isArray(one) !== Array.isArray(other) || mine.length !== theirs.length) return false;
  return mine.every(
    (key) => Object.hasOwn(other, key) && isAlike((one as JsonObject)[key] as Json, (other as JsonObject)[key] as Json),
  );
}

/** An empty model is enough, since the candidate types contain no names. */
const empty = { resources: { resources: {}, types: {}, rules: {} } } as unknown as Model;
