/** Schemas as AsyncAPI has them: its `discriminator` is a name, and OpenAPI's an object, so it is left out. */
import type { Json, JsonObject } from "../../base/json.ts";

export function asyncSchema(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => asyncSchema(one));
  const members = Object.entries(value as JsonObject).filter(([keyword, member]) => {
    return (
      keyword !== "discriminator" || typeof member === "string" || !Object.hasOwn(member as JsonObject, "propertyName")
    );
  });
  return Object.fromEntries(members.map(([keyword, member]) => [keyword, asyncSchema(member as Json)]));
}
