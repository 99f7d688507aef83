/** Which fields are unique, alone or together, and what determines their values in a request. */
import type { Json, JsonObject } from "../../base/json.ts";
import { fieldsIn } from "../../expression/typed.ts";
import { boundFields } from "../../language/endpoints/input.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import type { Contract } from "../contract.ts";
import type { KnownRecord } from "../trial/known.ts";
import { sets, type Write } from "./writing.ts";

/** Fields whose values no two records have together. */
export interface Constraint {
  readonly resource: string;
  readonly fields: readonly string[];
  readonly path: string;
  readonly code: string;
  readonly isAbsentEqual: boolean;
}

export function constraintsOf({ model }: Contract, resource: string): readonly Constraint[] {
  const single = Object.entries(fieldsOf(model, resource)).flatMap(([name, { marks, type }]): readonly Constraint[] => {
    const isChosen = name === "id" && type.kind === "id" && type.made === "client";
    if (!marks.includes("unique") && !isChosen) return [];
    const path = `resources/${resource}/${name}`;
    return [{ resource, fields: [name], path, code: "already-exists", isAbsentEqual: false }];
  });
  const rules = (lookup(model.resources.rules, resource) ?? []).flatMap((rule, index): readonly Constraint[] => {
    if (rule.kind !== "unique") return [];
    const path = `resources/rules/${resource}/${index}`;
    const { absent, else: code = "already-exists", fields } = rule;
    return [{ resource, fields, path, code, isAbsentEqual: absent === "equal" }];
  });
  return [...single, ...rules];
}

/** What a write has to send so that a field has a certain value: members, or the record of the path. */
export interface Determined {
  readonly members: readonly string[];
  readonly byPath: boolean;
}

/** Returns what determines a field in a write; undefined if no request does. */
export function determined(contract: Contract, write: Write, field: string): Determined | undefined {
  if (sets(write, field)) return { members: [field], byPath: false };
  const { called, kind } = write;
  if (
    kind === "create" &&
    called.parents.at(-1)?.field === field &&
    boundFields(contract.model, called).includes(field)
  )
    return { members: [], byPath: true };
  const computed = contract.typed.get(`resources/${called.resource}/${field}/computed`);
  if (computed !== undefined) {
    const all = [...new Set(fieldsIn(computed))].map((name) => determined(contract, write, name));
    if (all.length === 0 || all.includes(undefined)) return undefined;
    return { members: all.flatMap((one) => one?.members ?? []), byPath: all.some((one) => one?.byPath) };
  }
  const isCaller = lookup(fieldsOf(contract.model, called.resource), field)?.default?.kind === "caller";
  return isCaller || isCallerRecord(contract, write, field) ? { members: [], byPath: false } : undefined;
}

/** Whether a creation sets the field to the record of the caller: it chooses the one of which `id == caller.id` is true. */
function isCallerRecord({ typed }: Contract, { called, kind }: Write, field: string): boolean {
  const condition = typed.get(`endpoints/endpoints/${called.operation}/choose/${field}/if`);
  if (kind !== "create" || condition?.kind !== "compare" || condition.operator !== "==") return false;
  const sides = [condition.left, condition.right];
  return (
    sides.some((side) => side.kind === "field" && side.name === "id") &&
    sides.some((side) => side.kind === "variable" && side.path.join(".") === "caller.id")
  );
}

/** A shorter value, or one of a single character, may be in use. */
const rareLength = 10;

function isLong(value: Json): boolean {
  const text = JSON.stringify(value);
  return text.length >= rareLength && new Set(text).size > 2;
}

/** Returns the errors that a write may get because other records have its values: unless one of them is a text like no other. */
export function possibleConflicts(
  contract: Contract,
  write: Write,
  body: JsonObject,
  record: KnownRecord | undefined,
): readonly string[] {
  const { resource } = write.called;
  return constraintsOf(contract, resource).flatMap(({ code, fields }) => {
    const members = fields.flatMap((field) => determined(contract, write, field)?.members ?? []);
    const isSent = members.some((name) => lookup(body, name) !== undefined);
    const isRare = (name: string): boolean => {
      const type = lookup(fieldsOf(contract.model, resource), name)?.type;
      const value: Json | undefined = lookup(body, name) ?? record?.values.get(name);
      const isReference = type !== undefined && referenceOf(contract.model, type) !== undefined;
      return !isReference && value !== undefined && isLong(value);
    };
    return isSent && !members.some(isRare) ? [code] : [];
  });
}
