/**
 * Where the fields of a model meet its clients: which of them requests set, and which answers and events tell. Only the
 * operations that both documents have count, so that an operation that is new or gone is not told again for each field.
 */
import { inputOf } from "../parts/endpoints/input.ts";
import { resourceEndpoints } from "../parts/endpoints/meaning.ts";
import type { Model } from "../parts/model.ts";
import { fieldsOf, own } from "../parts/resources/fields.ts";
import type { Field, FieldType } from "../parts/resources/model.ts";

export type Need = "required" | "optional";

/** What clients have to do with one field. */
export interface Use {
  /** Whether a request that creates a record may or must have it. */
  readonly creates: Need | undefined;
  readonly changes: Need | undefined;
  /** Whether answers or events tell it. */
  readonly given: boolean;
  /** Whether records are listed by it. */
  readonly listed: boolean;
}

export interface Uses {
  ofField(resource: string, name: string, field: Field): Use;
  /** Of a field of an embedded value. */
  ofMember(type: string, field: Field): Use;
  /** Whether clients meet the resource at all. */
  has(resource: string): boolean;
}

interface ResourceUse {
  readonly creates: Map<string, Need>;
  readonly changes: Map<string, Need>;
  given: boolean;
  listed: boolean;
}

interface TypeUse {
  taken: boolean;
  given: boolean;
}

export function usesOf(model: Model, operations: ReadonlySet<string>): Uses {
  const resources = new Map<string, ResourceUse>();
  const types = new Map<string, TypeUse>();
  const resource = (name: string): ResourceUse => {
    const known = resources.get(name) ?? { creates: new Map(), changes: new Map(), given: false, listed: false };
    resources.set(name, known);
    return known;
  };
  const embed = (type: FieldType, way: keyof TypeUse): void => {
    for (const name of embedded(model, type)) {
      const use = types.get(name) ?? { taken: false, given: false };
      types.set(name, use);
      if (use[way]) continue;
      use[way] = true;
      for (const field of Object.values(own(model.resources.types, name) ?? {})) embed(field.type, way);
    }
  };
  for (const meaning of resourceEndpoints(model)) {
    if (!operations.has(meaning.operation)) continue;
    const use = resource(meaning.resource);
    if (meaning.deed === "list") use.listed = true;
    if (meaning.deed !== "delete" && meaning.endpoint.gives === undefined) use.given = true;
    const input = inputOf(model, meaning);
    for (const { field } of input) embed(field.type, "taken");
    // What `takes` says is told of the operation, and not of the resource.
    if (meaning.endpoint.takes !== undefined || meaning.endpoint.takesView !== undefined) continue;
    const needs = meaning.deed === "create" ? use.creates : use.changes;
    for (const { name, required } of input) {
      if (needs.get(name) !== "required") needs.set(name, required ? "required" : "optional");
    }
  }
  for (const { when } of Object.values(model.events.out ?? {})) {
    if (when.kind === "enters") resource(when.resource).given = true;
  }
  for (const [name, { given }] of resources) {
    if (!given) continue;
    for (const field of Object.values(fieldsOf(model, name))) if (isTold(field)) embed(field.type, "given");
  }
  return {
    ofField(name, fieldName, field) {
      const use = resources.get(name);
      return {
        creates: use?.creates.get(fieldName),
        changes: use?.changes.get(fieldName),
        given: use?.given === true && isTold(field),
        listed: use?.listed === true,
      };
    },
    ofMember(type, field) {
      const use = types.get(type) ?? { taken: false, given: false };
      const need: Need | undefined = use.taken
        ? field.optional || field.default !== undefined
          ? "optional"
          : "required"
        : undefined;
      return { creates: need, changes: undefined, given: use.given && isTold(field), listed: false };
    },
    has: (name) => resources.has(name),
  };
}

function isTold({ marks }: Field): boolean {
  return !marks.includes("write-only") && !marks.includes("secret");
}

/** The entries of `types:` that a value of this type has in it. */
function embedded(model: Model, type: FieldType): readonly string[] {
  if (type.kind === "named") return own(model.resources.types, type.name) === undefined ? [] : [type.name];
  return type.kind === "list" || type.kind === "map" || type.kind === "nullable" ? embedded(model, type.of) : [];
}
