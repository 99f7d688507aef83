/** A mark that its field's type has no use for. */
import type { Check } from "../../finding.ts";
import { bareType, type FieldSite, fieldSites, isNullable, own, referenceOf } from "../fields.ts";
import type { Field, Mark } from "../model.ts";
import type { Model } from "../../model.ts";

export const check: Check = {
  code: "resources/mark-misplaced",
  severity: "error",
  why: "Every mark is enforced, and this one cannot be.",
  *run({ model }) {
    for (const { at, within, name, field } of fieldSites(model)) {
      for (const mark of field.marks) {
        const fault =
          elsewhere[within] ?? (mark === "tree" ? treeFault(model, at, field) : faultOf(model, field, mark));
        if (fault !== undefined)
          yield { at: `${at}/marks/${mark}`, message: `\`${name}\` cannot be \`${mark}\`: ${fault}` };
      }
    }
  },
};

/** Marks say what becomes of a field of a record; what is no such field has none. */
const elsewhere: Readonly<Record<FieldSite["within"], string | undefined>> = {
  resource: undefined,
  type: "it is part of a value, which is taken, kept and given as a whole",
  view: "it is what an answer says; marks belong to the field of the resource",
  takes: "it is what a body says; marks belong to the field of the resource",
};

/** What `search` looks into. */
const texts: readonly string[] = ["string", "text", "email", "url", "phone"];

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
  if (mark === "secret" && bareType(field.type).kind === "file") return "of a secret only a hash is kept";
  if (field.computed !== undefined && ["read-only", "create-only", "write-only", "secret"].includes(mark)) {
    return "it is computed, so nobody sets it";
  }
  return ["filter", "sort", "unique", "search"].includes(mark) ? valueFault(model, field, mark) : undefined;
}

/** A tree is made of one reference from a resource to itself, which the root of the tree does without. */
function treeFault(model: Model, at: string, field: Field): string | undefined {
  const resource = at.split("/")[1];
  if (referenceOf(model, field.type) !== resource) return `it does not refer to another ${resource}, as a parent does`;
  return isNullable(field) ? undefined : "the root of a tree has no parent; write `?`";
}

function valueFault(model: Model, { type }: Field, mark: Mark): string | undefined {
  const bare = bareType(type);
  const structure = ["map", "file", "schema"].includes(bare.kind) || (bare.kind === "scalar" && bare.name === "json");
  const embedded = bare.kind === "named" && own(model.resources.types, bare.name) !== undefined;
  if (structure || embedded) return "its value is a structure, not one that is smaller, larger or equal";
  if (bare.kind === "list") return "a list is not one value that is smaller, larger or equal";
  if (bare.kind === "scalar" && bare.name === "money" && mark !== "unique") {
    return "amounts in several currencies are neither smaller nor larger; keep the amount in a field of its own";
  }
  const isText = bare.kind === "one-of" || (bare.kind === "scalar" && texts.includes(bare.name));
  return mark === "search" && !isText ? "only words in a text are searched" : undefined;
}
