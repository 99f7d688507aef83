/** SQL fragments with the bindings of their placeholders, so that fragments can be combined in any order. */
import type { Parameter } from "../../expression/sql.ts";

export type Binding =
  | Parameter
  /** An argument of the call: a key, a position, or a limit. */
  | { readonly kind: "argument"; readonly index: number };

export interface Fragment {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** A template tag for SQL; a hole is a fragment, or SQL as text. */
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

/** Joins the fragments with `separator`; returns `none` if there are none. */
export function joined(fragments: readonly Fragment[], separator: string, none: string): Fragment {
  if (fragments.length === 0) return { sql: none, bindings: [] };
  return {
    sql: fragments.map((one) => one.sql).join(separator),
    bindings: fragments.flatMap((one) => one.bindings),
  };
}
