/** Counts the fields of a new record with the default `counter per`: 1, 2, 3 without gaps for each parent. */
import { defined } from "../../base/defined.ts";
import { getOrMake, onceFor } from "../../base/once.ts";
import { fieldEquals } from "../../expression/typed.ts";
import { valueTypeOfColumn } from "../../plan/resources/columns.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Awaitable, SelectionQuery, Transaction } from "../../store/port/store.ts";
import type { ChangeContext, Values } from "../context/context.ts";

/** The columns that are counted for each value of another column. */
const countedPer = onceFor(({ columns }: Table) =>
  columns.flatMap(({ default: made, name }) => (made?.kind === "counter-per" ? [{ name, per: made.per }] : [])),
);

/**
 * Counts the columns of a new record that are counted for each parent. Concurrent transactions count one after the other, and
 * an undone transaction counts nothing, so there are no gaps.
 */
export function fillCounters(
  changeContext: ChangeContext,
  tx: Transaction,
  table: Table,
  values: Values,
): Awaitable<void> {
  const columns = countedPer(table);
  if (columns.length > 0) return countAll(changeContext, tx, table, values, columns);
}

const newestOf = onceFor((_: Table) => new Map<string, SelectionQuery>());

async function countAll(
  { now }: ChangeContext,
  tx: Transaction,
  table: Table,
  values: Values,
  columns: readonly { readonly name: string; readonly per: string }[],
): Promise<void> {
  for (const { name, per } of columns) {
    const parent = values[per] ?? null;
    const { used } = await tx.count(`counter ${table.resource}.${name}`, JSON.stringify(parent), now, neverExpires);
    // Records that are older than their counter, such as imported ones, keep their numbers.
    const query = getOrMake(newestOf(table), name, () => newestQuery(table, name, per));
    const [newest] = await tx.select(query, 1, { parent });
    values[name] = Math.max(used, ((newest?.[name] ?? 0) as number) + 1);
  }
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
