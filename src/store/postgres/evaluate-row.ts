/**
 * Evaluates expressions and views over a row, stored or not: in JavaScript if the row suffices, else in SQL over the row's
 * values. If an expression needs only single records by reference, JavaScript runs again after each fetch, because SQL cannot
 * express everything that JavaScript can.
 */
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import { postgresType } from "../../expression/sql.ts";
import { mentions, nodesOf, readsOtherRecords, type TypedExpression } from "../../expression/typed.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import { relationFor } from "../sql/table-access.ts";
import type { Row, View, ViewMember } from "../port/store.ts";
import { viewWriter } from "../sql/view-text.ts";
import { expressions, resultOf } from "./condition.ts";
import type { Bindable, PgSession } from "./connection.ts";
import { argument, statementOf } from "./fragment.ts";
import type { Relations } from "./relations.ts";
import { columnTypes, quoteName, toStored } from "./value.ts";
import { views } from "./view.ts";

/** Fetches a record by its id. */
export type Fetch = (resource: string, id: string | number) => Promise<Row | undefined>;

export type Evaluator<Result> = (
  session: PgSession,
  fetch: Fetch,
  row: Row,
  variables: Variables,
) => Result | Promise<Result>;

export function valueEvaluator(expression: TypedExpression, relations: Relations): Evaluator<Value> {
  if (mentions(expression, "records")) return databaseEvaluator(expression, relations);
  const run = compileFunction(expression);
  if (!mentions(expression, "walk")) return (_session, _fetch, record, variables) => run({ record, variables });
  return async (_session, fetch, record, variables) => {
    const known = new Map<string, Row | undefined>();
    for (;;) {
      let missing: readonly [resource: string, id: string | number] | undefined;
      const reference = (resource: string, id: string | number): Row | undefined => {
        if (!known.has(keyOf(resource, id))) missing ??= [resource, id];
        return known.get(keyOf(resource, id));
      };
      const value = run({ record, variables, reference });
      if (missing === undefined) return value;
      known.set(keyOf(...missing), await fetch(...missing));
    }
  };
}

/** Returns the resources of which any record may change the value, because the expression iterates over all of them. */
export function resourcesReadInFull(expression: TypedExpression): readonly string[] {
  if (!mentions(expression, "records")) return [];
  const read = nodesOf(expression).filter((node) => node.kind === "records" || node.kind === "walk");
  return [...new Set(read.map(({ resource }) => resource))];
}

function keyOf(resource: string, id: string | number): string {
  return `${resource} ${id}`;
}

/**
 * Returns two evaluators that render a row as a view. `stored`: for a row of the table, including this transaction's writes.
 */
export function viewEvaluator(
  view: View,
  relations: Relations,
): {
  readonly stored: Evaluator<string>;
  readonly fromRow: Evaluator<string>;
  /** Evaluates without the database; present if the row suffices. */
  readonly local?: (row: Row, variables: Variables) => string;
} {
  if (view.members.every(isOfRow)) {
    const write = viewWriter(view, {
      expression: (expression) => {
        const run = compileFunction(expression);
        return (record, variables) => run({ record, variables });
      },
      nested: () => {
        throw new Error("a view of other records is written by the database");
      },
    });
    const local: Evaluator<string> = (_session, _fetch, row, variables) => write(row, variables);
    return { stored: local, fromRow: local, local: write };
  }
  const { name, table } = relationFor(relations, view.resource);
  const text = views.view(view, table, relations);
  const stored = statementOf(sql`SELECT ${text} FROM ${name} AS t WHERE t._seq = ${argument(0, "bigint")}`);
  const columns = table.columns.map(({ name: column, type }, index): Fragment => {
    const collation = type === "text" ? ' COLLATE "C"' : "";
    return sql`${argument(index, columnTypes[type])}${collation} AS ${quoteName(column)}`;
  });
  const fromRow = statementOf(sql`SELECT ${text} FROM (SELECT ${joined(columns, ", ", "1")}) AS t`);
  const select = async (
    session: PgSession,
    statement: typeof fromRow,
    values: readonly Bindable[],
    variables: Variables,
  ) => {
    const [found] = await session.rows<[string]>(statement.text, statement.bind(values, variables));
    if (found === undefined) throw new Error(`a ${view.resource} that was written is not there`);
    return found[0];
  };
  return {
    stored: (session, _fetch, row, variables) => select(session, stored, [row["_seq"] as number], variables),
    fromRow: (session, _fetch, row, variables) => {
      const values = table.columns.map(({ name: column, type }) => toStored(row[column], type));
      return select(session, fromRow, values, variables);
    },
  };
}

function databaseEvaluator(expression: TypedExpression, relations: Relations): Evaluator<Value> {
  const read = nodesOf(expression).filter((node) => node.kind === "field");
  const fields = new Map(read.map(({ name, type }) => [name, postgresType(type)]));
  const names = [...fields.keys()];
  const columns = [...fields].map(([name, type], index): Fragment => {
    return sql`${argument(index, type)} AS ${quoteName(name)}`;
  });
  const { bind, text } = statementOf(
    sql`SELECT ${expressions.value(expression, relations)} FROM (SELECT ${joined(columns, ", ", "1")}) AS t`,
  );
  const decode = resultOf(expression, relations);
  return async (session, _fetch, row, variables) => {
    const values = names.map((name) => toStored(row[name], typeof row[name] === "object" ? "json" : "text"));
    return decode((await session.rows(text, bind(values, variables)))[0]?.[0]);
  };
}

function isOfRow({ source, when = [] }: ViewMember): boolean {
  if (when.some(readsOtherRecords)) return false;
  switch (source.kind) {
    case "column":
      return true;
    case "expression":
      return !readsOtherRecords(source.expression);
    case "object":
      return source.members.every(isOfRow);
    default:
      return false;
  }
}
