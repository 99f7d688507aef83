/** Expressions and conditions as SQL over a row, which is `t` unless it is nested in another. */
import type { SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import { compileRecords, compileSql, type SqlContext } from "../../expression/sql.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Condition } from "../store.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { relationFor, type Relations } from "./relations.ts";
import { fromStored, quoteName } from "./value.ts";

/** The name that the record at hand has in every statement; records that are nested in it have others. */
export const atHand = "t";

/** A condition, which may be null where it is false. */
function conditionOf(expression: TypedExpression, relations: Relations, alias: string): Fragment {
  return compile(expression, relations, "where", alias);
}

/** A value, exactly as the expression's function would give it. */
export function valueSql(expression: TypedExpression, relations: Relations, alias: string = atHand): Fragment {
  return compile(expression, relations, "select", alias);
}

function compile(expression: TypedExpression, relations: Relations, use: "where" | "select", alias: string): Fragment {
  const compiled = compileSql(expression, "sqlite", { ...contextOf(relations, alias), use });
  // The check refuses such documents; see `sqlProblems`.
  if ("problems" in compiled) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
  return { sql: `(${compiled.sql})`, bindings: compiled.parameters };
}

function contextOf(relations: Relations, alias: string): SqlContext {
  return {
    // Only names of columns are asked for, and those do not depend on the resource.
    resource: "",
    alias,
    column: (_, field) => quoteName(field),
    table: (resource) => relationFor(relations, resource).name,
  };
}

export interface RecordsFragment {
  /** `FROM … WHERE …` */
  readonly from: Fragment;
  readonly order: Fragment;
  /** What each record is called in it. */
  readonly alias: string;
}

/** The records that an expression stands for. `depth` tells the names from those of what they are nested in. */
export function recordsSql(
  expression: TypedExpression,
  resource: string,
  relations: Relations,
  alias: string,
  depth: number,
): RecordsFragment {
  const context = { ...contextOf(relations, alias), names: `_n${depth}_` };
  const compiled = compileRecords(expression, resource, "sqlite", context);
  if ("problems" in compiled) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
  const { from, order } = compiled;
  return {
    from: { sql: from.sql, bindings: from.parameters },
    order: { sql: order.sql, bindings: order.parameters },
    alias: compiled.alias,
  };
}

export function conditionSql(condition: Condition | undefined, relations: Relations): Fragment {
  const all = (condition?.all ?? []).map((one) => conditionOf(one, relations, atHand));
  const any = condition?.any ? [anyTrue(condition.any, relations)] : [];
  return joined([...all, ...any], " AND ", "TRUE");
}

/** True where one of the expressions is; false or null where none is. */
export function anyTrue(
  expressions: readonly TypedExpression[],
  relations: Relations,
  alias: string = atHand,
): Fragment {
  const conditions = expressions.map((one) => conditionOf(one, relations, alias));
  return sql`(${joined(conditions, " OR ", "FALSE")})`;
}

/** From what SQL gives for an expression to its value. */
export function resultOf({ type }: TypedExpression): (stored: SQLOutputValue | undefined) => Value {
  switch (type.kind) {
    case "bool":
      return (stored) => fromStored(stored, "boolean");
    case "list":
    case "map":
    case "object":
    case "any":
      return (stored) => fromStored(stored, "json");
    default:
      return (stored) => fromStored(stored, "text");
  }
}
