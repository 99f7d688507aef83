/** Compiles expressions and conditions to SQL. The current row has the alias `t`; nested records have other aliases. */
import { compileRecords, compileSql, type Dialect, type SqlContext } from "../../expression/sql.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ValueType } from "../../expression/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import type { Condition, RuleQuery } from "../port/store.ts";

/** The alias of the current record in every SQL statement. */
export const atHand = "t";

/** The tables with their quoted names, by resource. */
export type Named = ReadonlyMap<string, { readonly name: string; readonly table: Table }>;

export interface RecordsFragment {
  /** The SQL `FROM … WHERE …`. */
  readonly from: Fragment;
  readonly order: Fragment;
  /** The alias of the records. */
  readonly alias: string;
}

export interface ExpressionSql {
  /** Returns SQL with the same value as the JavaScript function of the expression. */
  value(expression: TypedExpression, tables: Named, alias?: string): Fragment;
  /** Returns SQL of a condition; it may be null instead of false. */
  condition(condition: Condition | undefined, tables: Named): Fragment;
  /** Returns SQL that is true if one of the expressions is true; else false or null. */
  anyTrue(expressions: readonly TypedExpression[], tables: Named, alias?: string): Fragment;
  /** Returns the list of records that an expression selects. `depth` keeps the aliases of nested queries distinct. */
  records(expression: TypedExpression, resource: string, tables: Named, alias: string, depth: number): RecordsFragment;
}

/**
 * Creates the compiler. `column` returns the SQL of a column with the type that expressions expect; `stop` is as in a
 * `SqlContext`.
 */
export function expressionSql(
  dialect: Dialect,
  column: (name: string, type: ValueType, tables: Named) => string,
  stop?: (column: string) => string,
): ExpressionSql {
  const contextOf = (tables: Named, alias: string): SqlContext => ({
    // The compiler reads only column names from this context; they do not depend on the resource.
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
    // `nonet check` rejects documents with such expressions; see `sqlProblems`.
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

/** Whether the ids of a table are integers from a counter. */
export function isCounted({ columns }: Table): boolean {
  return columns.some(({ name, type }) => name === "id" && type === "integer");
}

/** Returns the table of a resource. Throws for a resource that is not in the plan, which is a bug of Nonet. */
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
  // One record is chosen first, and then tested: a single WHERE would test every record until one fails.
  const found = sql`SELECT * FROM ${name} AS ${atHand}
    WHERE ${stop} AND ${expressions.condition({ all: among }, tables)} LIMIT 1`;
  return sql`SELECT 1 FROM (${found}) AS ${atHand} WHERE ${expressions.condition({ all: [broken] }, tables)}`;
}
