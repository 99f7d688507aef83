/** A change of a member, and what its cases have in common. */
import { fieldsOf, innermost, lookup } from "../../language/resources/fields.ts";
import type { Fields } from "../../language/resources/model.ts";
import { fieldAt } from "../../language/versioning/conversions.ts";
import { modelAt } from "../../language/versioning/model-at-version.ts";
import type { Change, ChangeTarget } from "../../language/versioning/model.ts";
import type { Contract } from "../contract.ts";
import { olderField, type Step } from "./steps.ts";
import type { Subject } from "./writings.ts";

export type Of<Kind extends Change["kind"]> = Extract<Change, { readonly kind: Kind }>;

/** A change of a member: of a field of a resource, a type or a view. */
export type MemberChange = Of<"rename" | "add" | "remove" | "require" | "relax" | "retype" | "add-value">;

/** A change, and where its entry is. */
export interface Entry {
  readonly contract: Contract;
  readonly step: Step;
  readonly change: MemberChange;
  readonly path: string;
}

/** Returns the member by its name in the newer version; a removed one by the name that it had. */
export function targetOf(change: MemberChange): Required<ChangeTarget> {
  if (change.kind === "rename") return { of: change.from.of, field: change.to };
  return { of: change.target.of, field: change.target.field ?? "" };
}

export function subjectOf({ change, path, step }: Entry): Subject {
  const target = targetOf(change);
  const older = change.kind === "remove" ? target.field : olderField(step, target);
  return { path, names: [...new Set([target.field, ...(older === undefined ? [] : [older])])] };
}

export function hasField(contract: Contract, of: string, field: string): boolean {
  return fieldAt(contract.model, { of, field }) !== undefined;
}

export function fieldsAt({ model }: Contract, of: string): Fields {
  const { types, views = {} } = model.resources;
  const view = lookup(views, of);
  return lookup(types, of) ?? (view === undefined ? fieldsOf(model, of) : fieldsOf(model, view.of));
}

/** Whether nothing but a rename is between the values of both versions. */
export function isExclusive({ change, contract, step }: Entry): boolean {
  const { of, field } = targetOf(change);
  const declared = fieldAt(modelAt(contract.model, step.newer), { of, field });
  if (declared === undefined || innermost(declared.type).of.kind === "named") return false;
  return !step.changes.some((one) => "target" in one && one.target.of === of && one.target.field === field);
}
