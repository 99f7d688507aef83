/** Files in OpenAPI 3.1: bodies that are forms or bytes, and answers that are bytes. */
import { fileKeyword } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { BodyPlan } from "../../plan/endpoints/types.ts";
import type { FilePlan } from "../../plan/resources/types.ts";

/** The body as JSON, which holds no files; undefined where it cannot do without one. */
export function jsonInput({ files = {}, schema }: BodyPlan): JsonObject | undefined {
  const required = (schema["required"] ?? []) as readonly string[];
  if (required.some((name) => Object.hasOwn(files, name))) return undefined;
  const properties = Object.entries(schema["properties"] as JsonObject).flatMap(
    ([name, property]): [string, Json][] => {
      if (!Object.hasOwn(files, name)) return [[name, property as Json]];
      // Nothing can take its place: that can be said.
      return isBare(property as Json) ? [] : [[name, { type: "null" }]];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

function isBare(property: Json): boolean {
  return isObject(property) && Object.hasOwn(property, fileKeyword);
}

/** The body as a form: files are bytes, lists a part for each item, other structures JSON. */
export function formContent({ files = {}, schema }: BodyPlan): JsonObject {
  const properties = Object.entries(schema["properties"] as JsonObject).map(([name, property]): [string, Json] => {
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    return [name, file === undefined ? (property as Json) : bytesSchema(file)];
  });
  const encoding = Object.entries(files).flatMap(([name, { media }]) =>
    media.length === 0 ? [] : [[name, { contentType: media.join(", ") }] as const],
  );
  return {
    schema: { ...schema, properties: Object.fromEntries(properties) },
    ...(encoding.length === 0 ? {} : { encoding: Object.fromEntries(encoding) }),
  };
}

function bytesSchema({ maxBytes, media }: FilePlan): JsonObject {
  const [only, ...more] = media;
  const type = only !== undefined && more.length === 0 && !only.endsWith("*") ? only : "application/octet-stream";
  return { type: "string", contentMediaType: type, description: `At most ${maxBytes} bytes.` };
}

/** Bytes by themselves: in OpenAPI 3.1 a media type without a schema. */
export function bytesContent({ media }: FilePlan): JsonObject {
  return Object.fromEntries((media.length === 0 ? ["*/*"] : media).map((type) => [type, {}]));
}
