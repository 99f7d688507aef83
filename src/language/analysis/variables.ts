/** The names that expressions of a document can use, with their types: fields of a record, and variables. */
import type { FieldType as ExpressionField, NamedType, ValueType } from "../../expression/types.ts";
import type { Model } from "../model.ts";
import { namesOfRecord } from "../resources/value-type.ts";
import { perModel } from "./per-model.ts";

export const condition: ExpressionField = { type: { kind: "bool" }, nullable: true };
export const now: NamedType = { type: { kind: "timestamp" }, nullable: false, from: "variables" };

function callerType(anonymous: boolean): NamedType {
  const present = (type: ValueType): ExpressionField => ({ type, nullable: false });
  const members = {
    id: { type: { kind: "string" }, nullable: anonymous },
    roles: present({ kind: "list", of: { kind: "string" } }),
    claims: present({ kind: "map", of: { kind: "any" } }),
  } as const satisfies Record<string, ExpressionField>;
  return { type: { kind: "object", members }, nullable: false, from: "variables" };
}

const anyMoment: Readonly<Record<string, NamedType>> = { caller: callerType(true), now };
const signedInMoment: Readonly<Record<string, NamedType>> = { caller: callerType(false), now };

export function moment(anonymous = true): Readonly<Record<string, NamedType>> {
  return anonymous ? anyMoment : signedInMoment;
}

/**
 * `base`, the service's URL, for responses and computed fields that are evaluated at each read. A field named `base` hides it.
 */
export const address: Record<string, NamedType> = {
  base: { type: { kind: "string" }, nullable: false, from: "variables" },
};

export const recordNames: (model: Model, resource: string) => Readonly<Record<string, NamedType>> = perModel(
  (model, resource) => {
    const members = Object.entries(namesOfRecord(model, resource));
    return Object.fromEntries(members.map(([name, type]) => [name, { ...type, from: "record" } as const]));
  },
);

/** Returns the variable `old`: a record of the resource. */
export function recordVariable(model: Model, resource: string, nullable: boolean): NamedType {
  const members = Object.entries(namesOfRecord(model, resource)).map(([name, member]) => {
    return [name, nullable ? { ...member, nullable: true } : member] as const;
  });
  return { type: { kind: "object", members: Object.fromEntries(members) }, nullable, from: "variables" };
}

/**
 * Returns the variable `input`: the members of a body. An omitted optional member is null, even if its field has a default.
 */
export function inputVariable(members: Readonly<Record<string, ExpressionField>>): NamedType {
  return { type: { kind: "object", members }, nullable: false, from: "variables" };
}
