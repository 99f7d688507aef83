/** Binds the values of PostgreSQL statements: placeholders are numbered after the whole statement is built. */
import type { Variables } from "../../expression/evaluate.ts";
import { openPlaceholder, parameterGetter } from "../../expression/sql.ts";
import type { Binding, Fragment } from "../sql/fragment.ts";
import type { Bindable } from "./connection.ts";

/** Returns a placeholder for an argument. `type`: a PostgreSQL type, since the server cannot always infer it. */
export function argument(index: number, type: string): Fragment {
  return { sql: `${openPlaceholder}::${type}`, bindings: [{ kind: "argument", index }] };
}

export interface Statement {
  readonly text: string;
  /** Computes the arguments from a call's values and the variables. */
  readonly bind: (values: readonly Bindable[], variables: Variables) => readonly Bindable[];
}

export function statementOf({ bindings, sql }: Fragment): Statement {
  let number = 0;
  const text = sql.replaceAll(openPlaceholder, () => `$${(number += 1)}`);
  const gets = bindings.map(getter);
  return { text, bind: (values, variables) => gets.map((get) => get(values, variables)) };
}

type Get = (values: readonly Bindable[], variables: Variables) => Bindable;

function getter(binding: Binding): Get {
  if (binding.kind === "argument") {
    const { index } = binding;
    return (values) => values[index] ?? null;
  }
  const value = parameterGetter(binding, "postgres");
  return (_, variables) => value(variables);
}
