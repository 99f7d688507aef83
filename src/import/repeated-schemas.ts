/**
 * Finds the object schemas that a description writes out at several places. A dereferenced description has every schema at each
 * use, so that its document would be several times as long as that of the same description with references.
 */
import { singular } from "../base/case.ts";
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { below, textOf } from "./report.ts";

export interface RepeatedSchema {
  /** The first place of the schema, that of a component if there is one. */
  readonly pointer: string;
  readonly value: JsonObject;
  /** The wanted name, from the title, the member or the path. */
  readonly name: string;
}

/** Each repeated schema at each of its places, which are different objects. */
export type RepeatedSchemas = ReadonlyMap<Json, RepeatedSchema>;

/** The fewest members of a schema that becomes a named one. */
const fewestMembers = 2;

/** Returns none for a description with as many references as object schemas or more: it has names for what it repeats. */
export function repeatedSchemas(root: JsonObject): RepeatedSchemas {
  if (!writesOut(root)) return new Map();
  /** The number of each different value. Equal values have the same number, whose text is then short in the values around them. */
  const numbers = new Map<string, number>();
  const places = new Map<number, { readonly first: RepeatedSchema; readonly all: JsonObject[] }>();

  const numberOf = (value: Json, keys: readonly (string | number)[]): string => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const text = Array.isArray(value)
      ? (value as readonly Json[]).map((item, index) => numberOf(item, [...keys, index])).join()
      : Object.entries(value as JsonObject)
          .map(([key, member]) => `${JSON.stringify(key)}:${numberOf(member, [...keys, key])}`)
          .join();
    const written = Array.isArray(value) ? `[${text}` : `{${text}`;
    const number = numbers.get(written) ?? numbers.size;
    numbers.set(written, number);
    if (isObject(value)) add(value, number, keys);
    return `#${number}`;
  };
  const add = (value: JsonObject, number: number, keys: readonly (string | number)[]): void => {
    if (!hasMembers(value)) return;
    const found = places.get(number);
    if (found !== undefined) found.all.push(value);
    else {
      const first = { pointer: below("", ...keys), value, name: nameOf(value, keys) };
      places.set(number, { first, all: [value] });
    }
  };

  // Of equal schemas, a component is the first.
  const { components, definitions, ...others } = root;
  for (const [key, value] of Object.entries({ components, definitions, ...others }))
    if (value !== undefined) numberOf(value, [key]);
  const repeated = [...places.values()].filter(({ all }) => all.length > 1);
  return new Map(repeated.flatMap(({ all, first }) => all.map((one) => [one, first] as const)));
}

/** Whether a description has more schemas of objects than references. */
function writesOut(root: JsonObject): boolean {
  let balance = 0;
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    if (isObject(value) && typeof value["$ref"] === "string") balance--;
    if (isObject(value) && hasMembers(value)) balance++;
    for (const part of Object.values(value)) visit(part as Json);
  };
  visit(root);
  return balance > 0;
}

function hasMembers({ properties }: JsonObject): boolean {
  return isObject(properties) && Object.keys(properties).length >= fewestMembers;
}

/** Returns the title of a schema, or the member with it, or what the path of its operation is about: `Pet` of `/pets/{id}`. */
function nameOf({ title }: JsonObject, keys: readonly (string | number)[]): string {
  if (textOf(title).trim() !== "") return textOf(title);
  const member = keys.findLast((_, index) => keys[index - 1] === "properties");
  if (member !== undefined) return String(member);
  const segments = String(keys[1] ?? "").split("/");
  return singular(segments.findLast((one) => one !== "" && !one.includes("{")) ?? "body");
}
