/** Expressions and conditions as SQL over a row, which is `t` unless it is nested in another. */
import { compileRecords, compileSql, type Dialect, type SqlContext } from "../../expression/sql.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ValueType } from "../../expression/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import type { Condition, RuleQuery } from "../port/store.ts";

/** The name that the record at hand has in every statement; records that are nested in it have others. */
export const atHand = "t";

/** The tables by the resource that they hold, with their quoted names. */
export type Named = ReadonlyMap<string, { readonly name: string; readonly table: Table }>;

export interface RecordsFragment {
  /** `FROM … WHERE …` */
  readonly from: Fragment;
  readonly order: Fragment;
  /** What each record is called in it. */
  readonly alias: string;
}

export interface ExpressionSql {
  /** A value, exactly as the expression's function would give it. */
  value(expression: TypedExpression, tables: Named, alias?: string): Fragment;
  /** Which may be null where it is false. */
  condition(condition: Condition | undefined, tables: Named): Fragment;
  /** True where one of the expressions is; false or null where none is. */
  anyTrue(expressions: readonly TypedExpression[], tables: Named, alias?: string): Fragment;
  /** The records that an expression stands for. `depth` tells the names from those of what they are nested in. */
  records(expression: TypedExpression, resource: string, tables: Named, alias: string, depth: number): RecordsFragment;
}

/** `column` is the SQL of a column by its name, as the type that expressions see it with; `stop` as in a `SqlContext`. */
export function expressionSql(
  dialect: Dialect,
  column: (name: string, type: ValueType, tables: Named) => string,
  stop?: (column: string) => string,
): ExpressionSql {
  const contextOf = (tables: Named, alias: string): SqlContext => ({
    // Only names of columns are asked for, and those do not depend on the resource.
    resource: "",
    alias,
    column: (_, field, type) => column(field, type, tables),
    table: (resource) => tableFor(tables, resource).name,
    isCounted: (resource) => isCounted(tableFor(tables, resource).table),
    firstPlaceholder: "open",
    ...(stop && { stop }),
  });
  const compile = (expression: TypedExpression, tables: Named, use: "where" | "select", alias: string): Fragment => {
    const compiled = compileSql(expression, dialect, { ...contextOf(tables, alias), use });
    // The check refuses such documents; see `sqlProblems`.
    if ("problems" in compiled) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
    return { sql: `(${compiled.sql})`, bindings: compiled.parameters };
  };
  const anyTrue: ExpressionSql["anyTrue"] = (expressions, tables, alias = atHand) => {
    const conditions = expressions.map((one) => compile(one, tables, "where", alias));
    return sql`(${joined(conditions, " OR ", "FALSE")})`;
  };
  return {
    value: (expression, tables, alias = atHand) => compile(expression, tables, "select", alias),
    anyTrue,
    condition: (condition, tables) => {
      const all = (condition?.all ?? []).map((one) => compile(one, tables, "where", atHand));
      const any = condition?.any ? [anyTrue(condition.any, tables)] : [];
      return joined([...all, ...any], " AND ", "TRUE");
    },
    records: (expression, resource, tables, alias, depth) => {
      const context = { ...contextOf(tables, alias), names: `_n${depth}_` };
      const compiled = compileRecords(expression, resource, dialect, context);
      if ("problems" in compiled) throw new Error(compiled.problems.map(({ message }) => message).join("; "));
      const { from, order } = compiled;
      return {
        from: { sql: from.sql, bindings: from.parameters },
        order: { sql: order.sql, bindings: order.parameters },
        alias: compiled.alias,
      };
    },
  };
}

/** Whether a table's ids are numbers that are counted. */
export function isCounted({ columns }: Table): boolean {
  return columns.some(({ name, type }) => name === "id" && type === "integer");
}

/** Of a resource of the plan; another name is a mistake of ours. */
export function tableFor(tables: Named, resource: string): { readonly name: string; readonly table: Table } {
  const found = tables.get(resource);
  if (!found) throw new Error(`the store has no resource ${resource}`);
  return found;
}

export function breakingSql(
  { broken, one, resource, where }: RuleQuery,
  expressions: ExpressionSql,
  tables: Named,
  stop = "TRUE",
): Fragment {
  const { name } = tableFor(tables, resource);
  const among = where === undefined ? [] : [where];
  if (!one)
    return sql`SELECT 1 FROM ${name} AS ${atHand}
      WHERE ${stop} AND ${expressions.condition({ all: [...among, broken] }, tables)} LIMIT 1`;
  // What is asked of one of them is not asked of the others before.
  const found = sql`SELECT * FROM ${name} AS ${atHand}
    WHERE ${stop} AND ${expressions.condition({ all: among }, tables)} LIMIT 1`;
  return sql`SELECT 1 FROM (${found}) AS ${atHand} WHERE ${expressions.condition({ all: [broken] }, tables)}`;
}
