/** What the document permits the callers of the test. An answer is undefined if it depends on what the test does not know. */
import type { Grant } from "../language/authentication/model.ts";
import { revealingOperations } from "../language/authentication/visible.ts";
import { isNeverReturned, lookup } from "../language/resources/fields.ts";
import type { Caller } from "./caller.ts";
import type { Contract } from "./contract.ts";
import { type Scope, truth } from "./expressions.ts";

/** What the test knows about the subject of a permission: everything of a scope but the contract's own data and the caller. */
export type Around = Omit<Scope, "model" | "caller">;

/**
 * Returns whether the document lets a caller run an operation on the record of `around`; undefined if that depends on what the
 * test does not know.
 */
export function mayRun(contract: Contract, operation: string, caller: Caller, around: Around): boolean | undefined {
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  return permits(contract, grants, `authentication/allow/${operation}`, caller, around);
}

/** Returns whether some grant may admit the caller, whatever the record is. */
export function mayEverRun(contract: Contract, operation: string, caller: Caller): boolean {
  const grants = lookup(contract.model.authentication.allow, operation) ?? [];
  return grants.some((grant) => admits(grant, caller));
}

/** Returns whether the caller sees the record: some operation returns it to this caller. */
export function recordVisibility(
  contract: Contract,
  resource: string,
  caller: Caller,
  around: Around,
): boolean | undefined {
  const results = revealingOperations(contract.model, resource).map((revealing) => {
    if (revealing.endpoint.the !== undefined) return undefined;
    return mayRun(contract, revealing.operation, caller, { ...around, resource });
  });
  return anyOf(results);
}

/** Returns whether the caller sees a field of a record that it sees. */
export function fieldVisibility(
  contract: Contract,
  resource: string,
  field: string,
  caller: Caller,
  around: Around,
): boolean | undefined {
  const found = lookup(contract.model.resources.resources, resource)?.fields[field];
  if (found !== undefined && isNeverReturned(found)) return false;
  return meetsLine(contract, "show", `${resource}.${field}`, caller, around);
}

/** Returns whether the caller may set a field by the body of a request. */
export function maySet(
  contract: Contract,
  resource: string,
  field: string,
  caller: Caller,
  around: Around,
): boolean | undefined {
  return meetsLine(contract, "set", `${resource}.${field}`, caller, around);
}

/** Returns whether the caller is one of those whom a line of `show` or `set` names; without a line everybody is. */
function meetsLine(
  contract: Contract,
  member: "show" | "set",
  subject: string,
  caller: Caller,
  around: Around,
): boolean | undefined {
  const grants = lookup(contract.model.authentication[member] ?? {}, subject);
  return grants === undefined || permits(contract, grants, `authentication/${member}/${subject}`, caller, around);
}

/** Whether the caller may set every field of every record of the resource. */
export function setsAll({ model }: Contract, resource: string | undefined, caller: Caller): boolean {
  return Object.entries(model.authentication.set ?? {}).every(
    ([field, grants]) =>
      !field.startsWith(`${resource}.`) || grants.some((grant) => grant.if === undefined && admits(grant, caller)),
  );
}

/** Returns whether one of the grants at a path admits the caller. */
export function permits(
  { model, typed }: Contract,
  grants: readonly Grant[],
  path: string,
  caller: Caller,
  around: Around,
): boolean | undefined {
  return anyOf(
    grants.map((grant, index) => {
      if (!admits(grant, caller)) return false;
      if (grant.if === undefined) return true;
      const condition = typed.get(`${path}/${index}/if`);
      return condition === undefined ? undefined : truth(condition, { ...around, model, caller });
    }),
  );
}

/** Whether a grant is for callers like this one, whatever its condition is. */
export function admits({ who }: Grant, { roles, signedIn, scoped }: Caller): boolean {
  if (who.kind === "role") return roles.includes(who.role);
  if (who.kind === "anyone") return true;
  return signedIn && (!scoped || who.anyScope === true);
}

/** Three-valued `or`. */
export function anyOf(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(true)) return true;
  return values.includes(undefined) ? undefined : false;
}
