/** Pieces of SQL that carry what is to be bound to their question marks, so that they can be put together in any order. */
import type { SQLInputValue } from "node:sqlite";
import type { Variables } from "../../expression/evaluate.ts";
import { type Parameter, parameterGetter } from "../../expression/sql.ts";

export type Binding =
  | Parameter
  /** One of the values that come with a call: a key, a position, a limit. */
  | { readonly kind: "argument"; readonly index: number };

export interface Fragment {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** A template whose holes are fragments, or SQL as text. */
export function sql(texts: TemplateStringsArray, ...holes: readonly (Fragment | string)[]): Fragment {
  let text = texts[0] ?? "";
  const bindings: Binding[] = [];
  holes.forEach((hole, index) => {
    text += typeof hole === "string" ? hole : hole.sql;
    if (typeof hole !== "string") bindings.push(...hole.bindings);
    text += texts[index + 1] ?? "";
  });
  return { sql: text, bindings };
}

export function argument(index: number): Fragment {
  return { sql: "?", bindings: [{ kind: "argument", index }] };
}

/** The fragments with `separator` between them; `none` when there are none. */
export function joined(fragments: readonly Fragment[], separator: string, none: string): Fragment {
  if (fragments.length === 0) return { sql: none, bindings: [] };
  return {
    sql: fragments.map((one) => one.sql).join(separator),
    bindings: fragments.flatMap((one) => one.bindings),
  };
}

export type Bind = (values: readonly SQLInputValue[], variables: Variables) => SQLInputValue[];

/** What a statement is run with, from the values of a call and the variables of the moment. */
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
  // For SQLite truth values are 0 and 1 already.
  return (_, variables) => value(variables) as SQLInputValue;
}
