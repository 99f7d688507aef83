/**
 * Who may, decided from the roles of a caller before any record is looked at. Where the answer depends on the record, the
 * conditions are given back for whoever holds it. The plan asks with typed conditions, a reader with their texts.
 */
import type { Grant } from "./model.ts";

/** One alternative of a permission, with its condition in whatever form. */
export interface GrantOf<Condition> {
  readonly who: Grant["who"];
  readonly if?: Condition;
}

/** Whatever the record, or where any of these conditions holds. */
export type Decision<Condition> = "denied" | "allowed" | { readonly any: readonly Condition[] };

/**
 * The union of all grants that name this caller: what no line allows is refused (R5.1), and their order does not matter.
 * `roles` is undefined for a caller who is not signed in, and who then is only `anyone`.
 */
export function decide<Condition>(
  grants: readonly GrantOf<Condition>[],
  roles: readonly string[] | undefined,
): Decision<Condition> {
  const conditions: Condition[] = [];
  for (const grant of grants) {
    if (!names(grant.who, roles)) continue;
    if (grant.if === undefined) return "allowed";
    conditions.push(grant.if);
  }
  return conditions.length === 0 ? "denied" : { any: conditions };
}

function names(who: Grant["who"], roles: readonly string[] | undefined): boolean {
  if (who.kind === "anyone") return true;
  return roles !== undefined && (who.kind === "signed-in" || roles.includes(who.role));
}
