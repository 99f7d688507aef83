/** How PostgreSQL's statements are bound: placeholders that are numbered once the whole statement is there. */
import type { Variables } from "../../expression/evaluate.ts";
import { openPlaceholder, parameterGetter } from "../../expression/sql.ts";
import type { Binding, Fragment } from "../sql/fragment.ts";
import type { Bindable } from "./connection.ts";

/** `type` is PostgreSQL's, which it could not always guess. */
export function argument(index: number, type: string): Fragment {
  return { sql: `${openPlaceholder}::${type}`, bindings: [{ kind: "argument", index }] };
}

export interface Statement {
  readonly text: string;
  /** What it is run with, from the values of a call and the variables of the moment. */
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
