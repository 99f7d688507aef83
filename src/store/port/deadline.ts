/**
 * Until when a request is waited for. A read takes it from its variables, under a symbol that no expression can name: each
 * read has them, and whatever is added to them keeps it. A transaction is given it.
 */
import type { Variables } from "../../expression/evaluate.ts";

const until: unique symbol = Symbol("deadline");

/** The variables with a deadline, in epoch milliseconds. */
export function withDeadline(variables: Variables, milliseconds: number): Variables {
  return { ...variables, [until]: milliseconds };
}

export function deadlineOf(variables: Variables): number | undefined {
  return (variables as { readonly [until]?: number })[until];
}
