/** What a kind of caller may do, decided before any data is read; what is left to the record is a condition of queries. */
import type { TypedExpression } from "../../expression/typed.ts";
import { type Decision as DecisionOf, decide } from "../../language/authentication/decide.ts";

export type Decision = DecisionOf<TypedExpression>;

export { decide };

/** As the condition of a query: absent where every record passes. `denied` has no query. */
export function conditionOf(decision: Exclude<Decision, "denied">): { any: readonly TypedExpression[] } | undefined {
  return decision === "allowed" ? undefined : decision;
}
