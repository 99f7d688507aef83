/** Expressions and conditions as SQL over the row `t`. */
import type { SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import { compileSql } from "../../expression/sql.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Condition } from "../store.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { relationFor, type Relations } from "./relations.ts";
import { fromStored, quoteName } from "./value.ts";

/** A condition, which may be null where it is false. */
function conditionOf(expression: TypedExpression, relations: Relations): Fragment {
  return compile(expression, relations, "where");
}

/** A value, exactly as the expression's function would give it. */
export function valueSql(expression: TypedExpression, relations: Relations): Fragment {
  return compile(expression, relations, "select");
}

function compile(expression: TypedExpression, relations: Relations, use: "where" | "select"): Fragment {
  const compiled = compileSql(expression, "sqlite", {
    // Only names of columns are asked for, and those do not depend on the resource.
    resource: "",
    alias: "t",
    column: (_, field) => quoteName(field),
    table: (resource) => relationFor(relations, resource).name,
    use,
  });
  // The check refuses such documents; see `sqlProblems`.
  if ("problems" in compiled) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
  return { sql: `(${compiled.sql})`, bindings: compiled.parameters };
}

export function conditionSql(condition: Condition | undefined, relations: Relations): Fragment {
  const all = (condition?.all ?? []).map((one) => conditionOf(one, relations));
  const any = condition?.any ? [anyTrue(condition.any, relations)] : [];
  return joined([...all, ...any], " AND ", "TRUE");
}

/** True where one of the expressions is; false or null where none is. */
export function anyTrue(expressions: readonly TypedExpression[], relations: Relations): Fragment {
  const conditions = expressions.map((one) => conditionOf(one, relations));
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
