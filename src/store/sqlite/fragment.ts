/** Binds the values of SQLite statements: question marks, in order. */
import type { SQLInputValue } from "node:sqlite";
import type { Variables } from "../../expression/evaluate.ts";
import { parameterGetter } from "../../expression/sql.ts";
import type { Binding, Fragment } from "../sql/fragment.ts";

export function argument(index: number): Fragment {
  return { sql: "?", bindings: [{ kind: "argument", index }] };
}

export type Bind = (values: readonly SQLInputValue[], variables: Variables) => SQLInputValue[];

/** Computes the arguments of a statement from a call's values and the variables. */
export function binder(bindings: readonly Binding[]): Bind {
  const gets = bindings.map(getter);
  return (values, variables) => {
    const bound: SQLInputValue[] = [];
    for (const get of gets) bound.push(get(values, variables));
    return bound;
  };
}

type Get = (values: readonly SQLInputValue[], variables: Variables) => SQLInputValue;

function getter(binding: Binding): Get {
  if (binding.kind === "argument") {
    const { index } = binding;
    return (values) => values[index] ?? null;
  }
  const value = parameterGetter(binding, "sqlite");
  // `parameterGetter` already returns 0 and 1 for booleans.
  return (_, variables) => value(variables) as SQLInputValue;
}
