/**
 * Passes the deadline of a request. A read gets it from its variables, under a symbol that no expression can name, so that
 * copies of the variables carry the deadline too. A transaction gets it as a parameter.
 */
import type { Variables } from "../../expression/evaluate.ts";

const until: unique symbol = Symbol("deadline");

/** Returns the variables with a deadline in epoch milliseconds. */
export function withDeadline(variables: Variables, milliseconds: number): Variables {
  return { ...variables, [until]: milliseconds };
}

export function deadlineOf(variables: Variables): number | undefined {
  return (variables as { readonly [until]?: number })[until];
}
