/** Finds the statements besides contracts that refer to named schemas: fields, types, views, and members of operations and events. */
import type { Model } from "../language/model.ts";
import { referredName } from "./flat-schema.ts";

export interface SchemaUse {
  /** What refers to the schema: `Parcel.size`, or the name of an operation. */
  readonly by: string;
  readonly name: string;
}

export function schemaUses({ resources, endpoints, events }: Model): readonly SchemaUse[] {
  const { schemas: _, ...declared } = resources;
  return [declared, endpoints.endpoints, events].flatMap((part) => [...usesIn(part, [])]);
}

/** The members of an endpoint with its contract: of the handler, or the one that callers of Nonet know. */
const contracts: ReadonlySet<string> = new Set(["wire", "knownContract"]);

/** Keys of the model that are no names of the author. */
const containers: ReadonlySet<string> = new Set(["resources", "types", "views", "fields", "members", "out", "in"]);

function* usesIn(value: unknown, path: readonly string[]): Iterable<SchemaUse> {
  if (typeof value !== "object" || value === null) return;
  const { kind, name, $ref: reference } = value as { kind?: unknown; name?: unknown; $ref?: unknown };
  const found = kind === "named" ? name : typeof reference === "string" ? referredName(reference) : undefined;
  const by = path.filter((key) => !containers.has(key)).slice(0, 2);
  if (typeof found === "string") yield { by: by.join("."), name: found };
  for (const [key, inner] of Object.entries(value)) if (!contracts.has(key)) yield* usesIn(inner, [...path, key]);
}
