/** The statements about the parts of a value: those of embedded types and of named schemas. */
import { isObject, type Json } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import type { Contract } from "../contract.ts";

/** Returns the paths of all statements about parts of a type. */
export function innerPaths(contract: Contract, type: FieldType): readonly string[] {
  const found = new Set<string>();
  collect(contract, type, found);
  return [...found];
}

function collect(contract: Contract, type: FieldType, found: Set<string>): void {
  const { types, schemas = {} } = contract.model.resources;
  switch (type.kind) {
    case "nullable":
    case "list":
    case "map":
      return collect(contract, type.of, found);
    case "schema":
      for (const name of referredSchemas(type.schema)) found.add(`resources/schemas/${name}`);
      return;
    case "named": {
      if (lookup(schemas, type.name) !== undefined) found.add(`resources/schemas/${type.name}`);
      for (const [name, field] of Object.entries(lookup(types, type.name) ?? {})) {
        const path = `resources/types/${type.name}/${name}`;
        if (found.has(path)) continue;
        found.add(path);
        collect(contract, field.type, found);
      }
      return;
    }
    case "scalar":
    case "id":
    case "one-of":
    case "file":
      return;
  }
}

/** Returns the path of the statement about the part of a value at the steps. `path`: that about the whole value. */
export function innerPath(contract: Contract, path: string, type: FieldType, steps: readonly string[]): string {
  const [step, ...rest] = steps;
  switch (type.kind) {
    case "nullable":
      return innerPath(contract, path, type.of, steps);
    case "list":
    case "map":
      return step === undefined ? path : innerPath(contract, path, type.of, rest);
    case "named": {
      const field =
        step === undefined ? undefined : lookup(lookup(contract.model.resources.types, type.name) ?? {}, step);
      if (field !== undefined) return innerPath(contract, `resources/types/${type.name}/${step}`, field.type, rest);
      return lookup(contract.model.resources.schemas ?? {}, type.name) === undefined
        ? path
        : `resources/schemas/${type.name}`;
    }
    case "schema": {
      const [name, ...more] = Object.keys(type.schema ?? {});
      const [referred] = name === "$ref" && more.length === 0 ? referredSchemas(type.schema) : [];
      return referred === undefined ? path : `resources/schemas/${referred}`;
    }
    default:
      return path;
  }
}

function referredSchemas(schema: Json): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((item: Json) => referredSchemas(item));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    const [, referred] = name === "$ref" && typeof value === "string" ? (/^#\/schemas\/(\w+)/.exec(value) ?? []) : [];
    return referred === undefined ? referredSchemas(value) : [referred];
  });
}
