/** Describes files in OpenAPI 3.1: form bodies, byte bodies and byte responses. */
import { fileKeyword } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { BodyPlan } from "../../plan/endpoints/types.ts";
import type { FilePlan } from "../../plan/resources/types.ts";

/**
 * Returns the schema of the JSON body, which contains no files; undefined if a file is required, since JSON cannot contain it.
 */
export function jsonInput({ files = {}, schema }: BodyPlan): JsonObject | undefined {
  const required = (schema["required"] ?? []) as readonly string[];
  if (required.some((name) => Object.hasOwn(files, name))) return undefined;
  const properties = Object.entries(schema["properties"] as JsonObject).flatMap(
    ([name, property]): [string, Json][] => {
      if (!Object.hasOwn(files, name)) return [[name, property as Json]];
      // A nullable file can be null in a JSON body, so the member stays.
      return isBare(property as Json) ? [] : [[name, { type: "null" }]];
    },
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

function isBare(property: Json): boolean {
  return isObject(property) && Object.hasOwn(property, fileKeyword);
}

/** Returns the form body: files are bytes, a list has a form part for each item, other structures are JSON. */
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

/** Returns a body of bytes: in OpenAPI 3.1 a media type without a schema. */
export function bytesContent({ media }: FilePlan): JsonObject {
  return Object.fromEntries((media.length === 0 ? ["*/*"] : media).map((type) => [type, {}]));
}
