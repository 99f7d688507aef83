/** Decides which media types the server reads in the body of a wire: JSON, forms, and any other for text or bytes. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { lookup } from "../resources/fields.ts";

type Schemas = Readonly<Record<string, JsonObject>>;

/** Returns the schema that a reference refers to; any other schema unchanged. */
export function resolved(schema: JsonObject, schemas: Schemas): JsonObject {
  const names = new Set<string>();
  let found = schema;
  for (;;) {
    const { $ref: reference } = found;
    const next = typeof reference === "string" && !names.has(reference) ? lookup(schemas, reference) : undefined;
    if (next === undefined) return found;
    names.add(reference as string);
    found = next;
  }
}

/** Returns the JSON types that a value may have; empty if the schema does not declare them directly. */
export function typesOf(schema: Json | undefined, schemas: Schemas): readonly string[] {
  if (!isObject(schema)) return [];
  const { type, anyOf, oneOf, allOf } = resolved(schema, schemas);
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type as readonly string[];
  const branches = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? (each as readonly Json[]) : []));
  return [...new Set(branches.flatMap((branch) => typesOf(branch, schemas)))];
}

/** Whether the server can validate content of the media type: JSON and forms always, others if the schema allows a string or has no type. */
export function isRead(media: string, schema: JsonObject | undefined, schemas: Schemas): boolean {
  const types = typesOf(schema, schemas);
  const isText = types.length === 0 || types.includes("string");
  const essence = essenceOf(media);
  return isJson(essence) || essence === formMedia || (isText && !essence.startsWith("multipart/"));
}

/** Returns the media type without its parameters, in lower case. */
export function essenceOf(media: string): string {
  return (media.split(";")[0] ?? "").trim().toLowerCase();
}

/** The media types of XML (RFC 7303). */
export const xmlMedia: readonly string[] = ["application/xml", "text/xml"];
/** The media type of responses that are one text. */
export const plainMedia = "text/plain";

export const formMedia = "application/x-www-form-urlencoded";

export function isJson(media: string): boolean {
  return /^[^;]*[/+]json(?:$|;)/i.test(media.trim());
}
