/**
 * Finds out how clients use the fields of a model: which fields requests set, and which ones responses and events contain. It
 * counts only operations of both documents, so that a new or removed operation is not reported again for each field.
 */
import { listingActions } from "../language/endpoints/model.ts";
import { inputOf } from "../language/endpoints/input.ts";
import { resourceEndpoints } from "../language/endpoints/resolve.ts";
import type { Model } from "../language/model.ts";
import { fieldsOf, lookup } from "../language/resources/fields.ts";
import type { Field, FieldType } from "../language/resources/model.ts";

export type Need = "required" | "optional";

export interface Use {
  /** Whether requests that create a record may or must contain the field. */
  readonly creates: Need | undefined;
  readonly changes: Need | undefined;
  /** Whether responses or events contain the field. */
  readonly returned: boolean;
  /** Whether a list returns records with the field. */
  readonly listed: boolean;
}

export interface Uses {
  ofField(resource: string, name: string, field: Field): Use;
  /** Returns how clients use a field of an embedded type. */
  ofMember(type: string, field: Field): Use;
  /** Whether any operation or event uses the resource. */
  has(resource: string): boolean;
}

interface ResourceUse {
  readonly creates: Map<string, Need>;
  readonly changes: Map<string, Need>;
  returned: boolean;
  listed: boolean;
}

interface TypeUse {
  accepted: boolean;
  returned: boolean;
}

export function usesOf(model: Model, operations: ReadonlySet<string>): Uses {
  const resources = new Map<string, ResourceUse>();
  const types = new Map<string, TypeUse>();
  const resource = (name: string): ResourceUse => {
    const known = resources.get(name) ?? { creates: new Map(), changes: new Map(), returned: false, listed: false };
    resources.set(name, known);
    return known;
  };
  const embed = (type: FieldType, usage: keyof TypeUse): void => {
    for (const name of embedded(model, type)) {
      const use = types.get(name) ?? { accepted: false, returned: false };
      types.set(name, use);
      if (use[usage]) continue;
      use[usage] = true;
      for (const field of Object.values(lookup(model.resources.types, name) ?? {})) embed(field.type, usage);
    }
  };
  for (const resolved of resourceEndpoints(model)) {
    if (!operations.has(resolved.operation)) continue;
    const use = resource(resolved.resource);
    if (listingActions.has(resolved.action)) use.listed = true;
    if (resolved.action !== "delete" && resolved.endpoint.gives === undefined) use.returned = true;
    const input = inputOf(model, resolved);
    for (const { field } of input) embed(field.type, "accepted");
    // Differences of a `takes` list are differences of the operation, not of the resource.
    if (resolved.endpoint.takes !== undefined || resolved.endpoint.takesView !== undefined) continue;
    const needs = resolved.action === "create" ? use.creates : use.changes;
    for (const { name, required } of input) {
      if (needs.get(name) !== "required") needs.set(name, required ? "required" : "optional");
    }
  }
  for (const { when } of Object.values(model.events.out ?? {})) {
    if (when.kind === "enters") resource(when.resource).returned = true;
  }
  for (const [name, { returned }] of resources) {
    if (!returned) continue;
    for (const field of Object.values(fieldsOf(model, name))) if (isReturned(field)) embed(field.type, "returned");
  }
  return {
    ofField(name, fieldName, field) {
      const use = resources.get(name);
      return {
        creates: use?.creates.get(fieldName),
        changes: use?.changes.get(fieldName),
        returned: use?.returned === true && isReturned(field),
        listed: use?.listed === true,
      };
    },
    ofMember(type, field) {
      const use = types.get(type) ?? { accepted: false, returned: false };
      const need: Need | undefined = use.accepted
        ? field.optional || field.default !== undefined
          ? "optional"
          : "required"
        : undefined;
      return { creates: need, changes: undefined, returned: use.returned && isReturned(field), listed: false };
    },
    has: (name) => resources.has(name),
  };
}

function isReturned({ marks }: Field): boolean {
  return !marks.includes("write-only") && !marks.includes("secret");
}

/** Returns the entries of `types:` that a value of this type contains. */
function embedded(model: Model, type: FieldType): readonly string[] {
  if (type.kind === "named") return lookup(model.resources.types, type.name) === undefined ? [] : [type.name];
  return type.kind === "list" || type.kind === "map" || type.kind === "nullable" ? embedded(model, type.of) : [];
}
