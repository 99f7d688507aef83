/** What a kind of caller may do, decided before any data is read; what is left to the record is a condition. */
import type { TypedExpression } from "../expression/typed.ts";
import type { GrantPlan } from "../plan/plan.ts";

/** `denied` whatever the record, `allowed` whatever the record, or allowed where any of these is true. */
export type Decision = "denied" | "allowed" | { readonly any: readonly TypedExpression[] };

/** `roles` is undefined for an anonymous caller. The order of grants never matters (language, section 8). */
export function decide(grants: readonly GrantPlan[], roles: readonly string[] | undefined): Decision {
  const conditions: TypedExpression[] = [];
  for (const { who, if: condition } of grants) {
    const meant =
      who.kind === "anyone" || (roles !== undefined && (who.kind === "signed-in" || roles.includes(who.role)));
    if (!meant) continue;
    if (condition === undefined) return "allowed";
    conditions.push(condition);
  }
  return conditions.length === 0 ? "denied" : { any: conditions };
}

/** As the condition of a query: absent where every record passes. `denied` has no query. */
export function conditionOf(decision: Exclude<Decision, "denied">): { any: readonly TypedExpression[] } | undefined {
  return decision === "allowed" ? undefined : decision;
}
