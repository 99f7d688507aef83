/** Collects the members of a description that the document keeps as they are, for the exported description (`openapi`). */
import { isObject, type JsonObject, mapMembers } from "../base/json.ts";
import { below } from "./report.ts";
import type { Schemas } from "./schemas.ts";

/** Returns `{ openapi }` with all members except those of `handled`; `{}` if there are none. */
export function openapiOf(
  value: JsonObject,
  handled: ReadonlySet<string>,
  further: JsonObject = {},
): { readonly openapi?: JsonObject } {
  const members = Object.fromEntries(Object.entries(value).filter(([key]) => !handled.has(key)));
  const openapi = { ...members, ...further };
  return Object.keys(openapi).length === 0 ? {} : { openapi };
}

/** Returns the values of a map, such as `examples` or `links`, in place of references to them; `{}` if it is no map. */
export function resolvedMap(value: JsonObject, key: string, pointer: string, schemas: Schemas): JsonObject {
  const { [key]: map } = value;
  if (!isObject(map)) return {};
  const at = below(pointer, key);
  return { [key]: mapMembers(map, (one, name) => schemas.resolve(one, below(at, name))?.value ?? one) };
}
