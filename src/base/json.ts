/** The types of JSON values (RFC 8259). */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values have the same JSON text; the order of members counts. */
export function isWrittenAlike(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function mapMembers(object: JsonObject, edit: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, edit(value, name)]));
}

/** Returns the object without these members. */
export function omit(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Returns the object with these members alone. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
}

/** Edits every value inside the given lists and maps, outermost first; a value that is no such list or map stays unchanged. */
export function editInside(value: Json, containers: readonly ("list" | "map")[], edit: (value: Json) => Json): Json {
  const [outer, ...rest] = containers;
  if (outer === undefined) return edit(value);
  if (outer === "list") return Array.isArray(value) ? value.map((one: Json) => editInside(one, rest, edit)) : value;
  return isObject(value) ? mapMembers(value, (one) => editInside(one, rest, edit)) : value;
}
