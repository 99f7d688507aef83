/**
 * Who may, decided at run time: a caller and the grants of an operation or a field, and the answer. Nothing here looks
 * at a record; where the answer depends on one, the conditions are given back for whoever holds it.
 */
import { nameOf } from "./grants.ts";
import type { Authentication, Grant } from "./model.ts";

/** Who calls, as the credential says. Without a credential: `anonymous`. */
export interface Caller {
  /** What names the caller; null: nobody is signed in. */
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, unknown>>;
  /** The name of the credential in the document; empty without one. */
  readonly credential: string;
}

export const anonymous: Caller = { id: null, roles: [], claims: {}, credential: "" };

export type Decision =
  /** Whatever the record. `unauthenticated` (401): signing in could help; `forbidden` (403): it has been done. */
  | { readonly kind: "denied"; readonly because: "unauthenticated" | "forbidden" }
  /** Whatever the record. */
  | { readonly kind: "allowed" }
  /** Where at least one of these expressions holds; sorted, each once. `own` in one is the resource's ownership. */
  | { readonly kind: "conditional"; readonly conditions: readonly string[] };

/** Whether `caller` may run `operation`. What no line allows is refused (R5.1). */
export function permit(authentication: Authentication, operation: string, caller: Caller): Decision {
  return decide(grantsOf(authentication.allow, operation) ?? [], caller);
}

/** Whether `caller` sees the field `Resource.field` of a record that it sees. A field without a line hides from nobody. */
export function reveal(authentication: Authentication, field: string, caller: Caller): Decision {
  const grants = grantsOf(authentication.show, field);
  return grants === undefined ? { kind: "allowed" } : decide(grants, caller);
}

/** The union of all grants that name this caller; their order does not matter. */
export function decide(grants: readonly Grant[], caller: Caller): Decision {
  const named = grants.filter((grant) => names(grant, caller));
  if (named.some((grant) => grant.if === undefined)) return { kind: "allowed" };
  const conditions = [...new Set(named.flatMap((grant) => grant.if ?? []))].sort();
  if (conditions.length > 0) return { kind: "conditional", conditions };
  return { kind: "denied", because: caller.id === null ? "unauthenticated" : "forbidden" };
}

/** Whether a grant is for this caller. Somebody who is not signed in has no role, whatever is claimed. */
function names(grant: Grant, caller: Caller): boolean {
  if (grant.who.kind === "anyone") return true;
  if (caller.id === null) return false;
  return grant.who.kind === "signed-in" || caller.roles.includes(nameOf(grant));
}

function grantsOf(lines: Readonly<Record<string, readonly Grant[]>>, name: string): readonly Grant[] | undefined {
  return Object.hasOwn(lines, name) ? lines[name] : undefined;
}
