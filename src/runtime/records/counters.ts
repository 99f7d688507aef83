/** Counts the fields of a new record with the default `counter per`: 1, 2, 3 without gaps for each parent. */
import { defined } from "../../base/defined.ts";
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import { fieldEquals } from "../../expression/typed.ts";
import { valueTypeOfColumn } from "../../plan/resources/columns.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { SelectionQuery, Transaction, Written } from "../../store/port/store.ts";
import type { ChangeContext, Values } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";

/** The columns that are counted for each value of another column. */
const countedPer = onceFor(({ columns }: Table) =>
  columns.flatMap(({ default: made, name }) => (made?.kind === "counter-per" ? [{ name, per: made.per }] : [])),
);

/**
 * Counts the columns of a new record that are counted for each parent, then inserts it. Concurrent transactions count one after
 * the other, and an undone transaction counts nothing. A transaction that is not undone, such as one that stores the response
 * of an error, gives back the numbers of a record that it did not insert: so there are no gaps.
 */
export function withCounters<Result extends { readonly written: Written }>(
  changeContext: ChangeContext,
  tx: Transaction,
  table: Table,
  values: Values,
  insert: () => Promise<Result>,
): Promise<Result> {
  const columns = countedPer(table);
  return columns.length === 0 ? insert() : countedInsert(changeContext, tx, { columns, table, values }, insert);
}

interface Counted {
  readonly table: Table;
  readonly values: Values;
  readonly columns: readonly { readonly name: string; readonly per: string }[];
}

async function countedInsert<Result extends { readonly written: Written }>(
  { now }: ChangeContext,
  tx: Transaction,
  counted: Counted,
  insert: () => Promise<Result>,
): Promise<Result> {
  await countAll(tx, counted, now, 1);
  let result: Result;
  try {
    result = await insert();
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.details.undo !== true) await countAll(tx, counted, now, -1);
    throw thrown;
  }
  if (result.written.kind === "duplicate") await countAll(tx, counted, now, -1);
  return result;
}

/** Sets the next number of each column, if `more` is 1; gives it back if `more` is -1. */
async function countAll(
  tx: Transaction,
  { columns, table, values }: Counted,
  now: number,
  more: 1 | -1,
): Promise<void> {
  for (const { name, per } of columns) {
    const parent = values[per] ?? null;
    const key = JSON.stringify(parent);
    const { used } = await tx.count(`counter ${table.resource}.${name}`, key, now, neverExpires, more);
    if (more === 1) values[name] = Math.max(used, (await newest(tx, table, { name, per, parent })) + 1);
  }
}

const newestOf = onceFor((_: Table) => new Map<string, SelectionQuery>());

/** Returns the highest number of the parent's records: those that are older than their counter, such as imported ones, keep theirs. */
async function newest(
  tx: Transaction,
  table: Table,
  { name, parent, per }: { readonly name: string; readonly per: string; readonly parent: Value },
): Promise<number> {
  const query = getOrMake(newestOf(table), name, () => newestQuery(table, name, per));
  const [record] = await tx.select(query, 1, { parent });
  return (record?.[name] ?? 0) as number;
}

/** The last moment that a date can be, in epoch milliseconds. */
const neverExpires = 8_640_000_000_000_000;

function newestQuery({ columns, resource }: Table, name: string, per: string): SelectionQuery {
  const column = defined(
    columns.find((one) => one.name === per),
    `the column ${per}`,
  );
  const ofParent = fieldEquals(per, ["parent"], valueTypeOfColumn(column.type));
  return { resource, where: { all: [ofParent] }, sort: { column: name, descending: true }, isPartial: false };
}
