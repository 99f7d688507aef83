/** A mark that its field's type has no use for. */
import type { Check } from "../../finding.ts";
import { bareType, isNullable, own, referenceOf } from "../fields.ts";
import type { Field, Mark } from "../model.ts";
import type { Model } from "../../model.ts";

export const check: Check = {
  code: "resources/mark-misplaced",
  severity: "error",
  why: "Every mark is enforced, and this one cannot be.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, field] of Object.entries(fields)) {
        for (const mark of field.marks) {
          const fault = faultOf(model, field, mark);
          if (fault === undefined) continue;
          yield {
            at: `resources/${resource}/${name}/marks/${mark}`,
            message: `\`${name}\` cannot be \`${mark}\`: ${fault}`,
          };
        }
      }
    }
  },
};

function faultOf(model: Model, field: Field, mark: Mark): string | undefined {
  if (mark === "delete with" || mark === "clear") {
    const reference = referenceOf(model, field.type);
    // An unknown type has its own complaint.
    const bare = bareType(field.type);
    const unknown = bare.kind === "named" && own(model.resources.types, bare.name) === undefined;
    if (reference === undefined) return unknown ? undefined : "it refers to no record that could be deleted";
    return mark === "clear" && !isNullable(field)
      ? "it may not be absent, so it cannot be cleared; write `?`"
      : undefined;
  }
  if (field.computed !== undefined && ["read-only", "create-only", "write-only", "secret"].includes(mark)) {
    return "it is computed, so nobody sets it";
  }
  const bare = bareType(field.type);
  const structure = bare.kind === "map" || bare.kind === "schema" || (bare.kind === "scalar" && bare.name === "json");
  const embedded = bare.kind === "named" && own(model.resources.types, bare.name) !== undefined;
  if (["filter", "sort", "unique", "search"].includes(mark) && (structure || embedded)) {
    return "its value is a structure, not one that is smaller, larger or equal";
  }
  return (mark === "sort" || mark === "unique") && bare.kind === "list" ? "a list has no place in an order" : undefined;
}
