/**
 * Stores records in memory: the committed state, and over it the changes of one transaction. Reads use the committed state, so
 * they never see changes that may be undone.
 */
import { relationFor } from "../sql/table-access.ts";
import { getOrMake } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row } from "../port/store.ts";
import { isAbsentEqual, uniquesOf } from "../sql/columns.ts";

/** A readable state of all tables. */
export interface Records {
  /** Returns all records in the order of creation. */
  all(resource: string): readonly Row[];
  /** Finds a record by a unique column. */
  find(resource: string, column: string, value: Value): Row | undefined;
}

interface Relation {
  readonly table: Table;
  readonly uniques: readonly Unique[];
  /** The records in the order of creation. */
  readonly rows: Row[];
}

interface Unique {
  readonly columns: readonly string[];
  readonly absentEqual: boolean;
  /** The records by their unique values as JSON. */
  readonly records: Map<string, Row>;
}

/** The changes of a transaction: records by `_seq`, undefined for deleted ones. */
type Changes = Map<string, Map<number, Row | undefined>>;

export class Committed implements Records {
  /** The last number of each counter, by resource and column. */
  readonly counters: Map<string, number> = new Map();
  readonly #relations: ReadonlyMap<string, Relation>;

  constructor(tables: readonly Table[]) {
    this.#relations = new Map(
      tables.map((table) => {
        const uniques = uniquesOf(table).map((columns) => ({
          columns,
          absentEqual: isAbsentEqual(table, columns),
          records: new Map<string, Row>(),
        }));
        return [table.resource, { table, uniques, rows: [] }];
      }),
    );
  }

  get tables(): readonly Table[] {
    return [...this.#relations.values()].map(({ table }) => table);
  }

  relation(resource: string): Relation {
    return relationFor(this.#relations, resource);
  }

  all(resource: string): readonly Row[] {
    return this.relation(resource).rows;
  }

  find(resource: string, column: string, value: Value): Row | undefined {
    const { rows, uniques } = this.relation(resource);
    const unique = uniques.find(({ columns }) => columns.length === 1 && columns[0] === column);
    if (value === null) return undefined;
    return unique ? unique.records.get(JSON.stringify([value])) : rows.find((row) => row[column] === value);
  }

  commit(changes: Changes): void {
    for (const [resource, changed] of changes) {
      const { rows, uniques } = this.relation(resource);
      const removed = [...changed.keys()]
        .map((seq) => rows[indexOf(rows, seq)])
        .filter((row) => row && changed.has(seqOf(row)));
      for (const unique of uniques) {
        for (const row of removed) if (row) unique.records.delete(uniqueKey(row, unique) ?? "");
        for (const row of changed.values()) if (row) unique.records.set(uniqueKey(row, unique) ?? "", row);
      }
      for (const [seq, row] of changed) {
        const index = indexOf(rows, seq);
        rows.splice(index, rows[index]?.["_seq"] === seq ? 1 : 0, ...(row ? [row] : []));
      }
    }
  }
}

/** Returns the index of a record, or where to insert it, among rows in the order of creation. */
function indexOf(rows: readonly Row[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seqOf(rows[middle] as Row) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The state that a transaction sees: committed records and its own changes. */
export class Pending implements Records {
  readonly changes: Changes = new Map();
  readonly counters: Map<string, number> = new Map();
  readonly #committed: Committed;

  constructor(committed: Committed) {
    this.#committed = committed;
  }

  all(resource: string): readonly Row[] {
    const rows = this.#committed.all(resource);
    const changed = this.changes.get(resource);
    if (!changed) return rows;
    const present = [
      ...rows.filter((row) => !changed.has(seqOf(row))),
      ...[...changed.values()].filter((row) => row !== undefined),
    ];
    return present.toSorted((a, b) => seqOf(a) - seqOf(b));
  }

  find(resource: string, column: string, value: Value): Row | undefined {
    if (value === null) return undefined;
    const changed = this.changes.get(resource);
    for (const row of changed?.values() ?? []) if (row?.[column] === value) return row;
    const found = this.#committed.find(resource, column, value);
    return found && !changed?.has(seqOf(found)) ? found : undefined;
  }

  /** Returns the columns of a violated unique constraint; undefined if none is violated. */
  duplicated(resource: string, row: Row): readonly string[] | undefined {
    const { uniques } = this.#committed.relation(resource);
    const changed = this.changes.get(resource);
    for (const unique of uniques) {
      const { columns, records } = unique;
      const key = uniqueKey(row, unique);
      if (key === undefined) continue;
      const other = records.get(key);
      const isConflict =
        (other && seqOf(other) !== seqOf(row) && !changed?.has(seqOf(other))) ||
        [...(changed?.values() ?? [])].some(
          (one) => one && seqOf(one) !== seqOf(row) && uniqueKey(one, unique) === key,
        );
      if (isConflict) return columns;
    }
    return undefined;
  }

  put(resource: string, row: Row): void {
    this.#changed(resource).set(seqOf(row), row);
  }

  remove(resource: string, row: Row): void {
    this.#changed(resource).set(seqOf(row), undefined);
  }

  /** Returns the next `_seq`: like SQLite, one more than that of the newest existing record. */
  nextSeq(resource: string): number {
    const changed = this.changes.get(resource);
    const newest = this.#committed
      .all(resource)
      .findLast((row) => changed?.get(seqOf(row)) || !changed?.has(seqOf(row)));
    const made = [...(changed ?? [])].map(([seq, row]) => (row ? seq : 0));
    return Math.max(newest ? seqOf(newest) : 0, ...made) + 1;
  }

  /** Returns the next number of a counter column. */
  count(resource: string, column: string): number {
    const name = `${resource}.${column}`;
    const next = (this.counters.get(name) ?? this.#committed.counters.get(name) ?? 0) + 1;
    this.counters.set(name, next);
    return next;
  }

  #changed(resource: string): Map<number, Row | undefined> {
    return getOrMake(this.changes, resource, () => new Map());
  }
}

export function seqOf(row: Row): number {
  return row["_seq"] as number;
}

function uniqueKey(row: Row, { absentEqual, columns }: Omit<Unique, "records">): string | undefined {
  const values = columns.map((column) => row[column] ?? null);
  return values.includes(null) && !absentEqual ? undefined : JSON.stringify(values);
}
