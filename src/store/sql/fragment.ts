/** Pieces of SQL that carry what is to be bound to their placeholders, so that they can be put together in any order. */
import type { Parameter } from "../../expression/sql.ts";

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

/** The fragments with `separator` between them; `none` when there are none. */
export function joined(fragments: readonly Fragment[], separator: string, none: string): Fragment {
  if (fragments.length === 0) return { sql: none, bindings: [] };
  return {
    sql: fragments.map((one) => one.sql).join(separator),
    bindings: fragments.flatMap((one) => one.bindings),
  };
}
