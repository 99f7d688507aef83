/**
 * Reads a schema's data for a backup, and writes a schema from one. The read is one REPEATABLE READ transaction: a snapshot,
 * while services continue to write. The write is one transaction too, so that no reader sees a partial restore.
 */
import pg from "pg";
import { type StoredDocument, storedDocument } from "../migration/migration.ts";
import { defined } from "../../base/defined.ts";
import type { Table } from "../../plan/resources/types.ts";
import { timeInName } from "../backup/file.ts";
import { StoreError } from "../port/error.ts";
import {
  type PortableValue,
  type PortableRow,
  type PortableSource,
  type PortableTarget,
  type BackupTable,
  backupTablesOf,
} from "../backup/portable.ts";
import { parseDatabaseUrl, type DatabaseUrl } from "./database-url.ts";
import { keyOf as responseHash } from "./stored-responses.ts";
import { type Bindable, openSingle, type Session, type Single } from "./connection.ts";
import { explained } from "./failure.ts";
import { makeFunctions } from "./functions.ts";
import { assertNoExisting } from "../migration/adoption.ts";
import { createSystemTables, recordTables, stateOf } from "./system-tables.ts";
import { isRate, longRatesSql, putLongRates } from "./rates.ts";
import { counterNames, referencesSql, tableSql } from "./schema.ts";
import { quoteName } from "./value.ts";

/** Opens a schema for a backup; undefined for an empty schema. @throws StoreError */
export async function openPostgresSource(address: string): Promise<PortableSource | undefined> {
  const databaseUrl = parseDatabaseUrl(address);
  return withStoreErrors(databaseUrl, async () => {
    const single = await openSingle(databaseUrl);
    try {
      await single.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const state = await stateOf(single, databaseUrl.name);
      if (state !== undefined) {
        const stored = storedDocument(state);
        assertNoExisting(stored.tables, databaseUrl.name);
        return sourceOf(single, databaseUrl, stored);
      }
    } catch (thrown) {
      await single.end();
      throw thrown;
    }
    await single.end();
    return undefined;
  });
}

function sourceOf(single: Single, databaseUrl: DatabaseUrl, state: StoredDocument): PortableSource {
  return {
    ...state,
    store: "postgres",
    async *rows(backupTable) {
      try {
        yield* backupTable.name === "nonet_counters" ? counters(single, state.tables) : rowsOf(single, backupTable);
      } catch (thrown) {
        throw explained(thrown, databaseUrl.name);
      }
    },
    close: () => single.end(),
  };
}

const batch = 500;

/** The number of rows per batch for tables with bytes. */
const bytesBatch = 16;

async function* rowsOf(session: Session, backupTable: BackupTable): AsyncGenerator<readonly PortableRow[]> {
  const { from, order } = ordered(backupTable);
  const columns = backupTable.columns.map(quoteName).join(", ");
  await session.rows(`DECLARE rows NO SCROLL CURSOR FOR SELECT ${columns} FROM ${from} ORDER BY ${order}`);
  const most = backupTable.bytes === undefined ? batch : bytesBatch;
  const finish = finisher(backupTable);
  for (;;) {
    const rows = await session.rows(`FETCH ${most} FROM rows`);
    if (rows.length > 0) yield rows.map((row) => finish(row as PortableRow));
    if (rows.length < most) break;
  }
  await session.rows("CLOSE rows");
}

/** Returns the SQL that reads a table in the order of insertion, if the table has one. */
function ordered({ columns, name }: Pick<BackupTable, "columns" | "name">): {
  readonly from: string;
  readonly order: string;
} {
  const from = quoteName(name);
  switch (name) {
    case "nonet_keys":
    case "nonet_sessions":
      return { from, order: "seq" };
    case "nonet_journal":
      return { from, order: "position NULLS LAST, seq" };
    case "nonet_counts":
      // This store has long rate windows in a separate table; in a backup they are counts like others.
      return {
        from: `(SELECT name, key, used, until FROM nonet_counts UNION ALL ${longRatesSql}) AS counts`,
        order: "1, 2",
      };
    case "nonet_answers":
      // Leaves out reserved idempotency keys whose transactions saved no response.
      return { from: `${from} WHERE expires IS NOT NULL`, order: "hash" };
    default:
      return { from, order: columns.includes("_seq") ? "_seq" : "1, 2" };
  }
}

/** Returns a function that converts rows to the form that all stores share. */
function finisher({ columns, name }: BackupTable): (row: PortableRow) => PortableRow {
  if (name === "nonet_journal") {
    // Committed entries without a position get the next positions, as the sequencer would assign them.
    const at = columns.indexOf("position");
    let last = 0;
    return (row) => {
      last = row[at] === null ? last + 1 : Number(row[at]);
      return row.with(at, last);
    };
  }
  if (name !== "nonet_answers") return (row) => row;
  const texts = ["scope", "key"].map((column) => columns.indexOf(column));
  return (row) => row.map((value, at) => (texts.includes(at) ? (JSON.parse(String(value)) as string) : value));
}

/** Yields the last number of each sequence. */
async function* counters(session: Session, tables: readonly Table[]): AsyncGenerator<readonly PortableRow[]> {
  const rows: PortableRow[] = [];
  for (const table of tables) {
    for (const [field, name] of counterNames(table)) {
      const [found] = await session.rows<[number, boolean]>(`SELECT last_value, is_called FROM ${name}`);
      const [value, isCalled] = defined(found, `the sequence ${name}`);
      if (isCalled) rows.push([table.resource, field, value]);
    }
  }
  yield rows;
}

/**
 * Opens a schema to restore a backup. @throws StoreError if the server cannot be used, the schema is not Nonet's, or `busy` if
 * services use it.
 */
export async function openPostgresTarget(address: string, now: number): Promise<PortableTarget> {
  const databaseUrl = parseDatabaseUrl(address);
  return withStoreErrors(databaseUrl, async () => targetOf(await openSingle(databaseUrl), databaseUrl, now));
}

function targetOf(single: Single, databaseUrl: DatabaseUrl, now: number): PortableTarget {
  const withErrors = <T>(task: () => Promise<T>): Promise<T> => withStoreErrors(databaseUrl, task);
  let tables: readonly Table[] = [];
  let previous: string | undefined;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await single.end();
    isOpen = false;
  };
  return {
    begin: (state) =>
      withErrors(async () => {
        tables = state.tables;
        await single.rows("BEGIN");
        await single.rows("SELECT pg_advisory_xact_lock(hashtextextended('nonet ' || $1, 0))", [databaseUrl.schema]);
        previous = await makeRoom(single, databaseUrl, now);
        await createSystemTables(single);
        await makeFunctions(single);
        for (const table of tables) for (const statement of tableSql(table)) await single.rows(statement);
        await recordTables(single, tables, { history: state.step === undefined ? [] : [state.step] });
      }),
    add: (backupTable, rows) =>
      withErrors(() => {
        if (backupTable.name === "nonet_counters") return setCounters(single, tables, rows);
        return backupTable.name === "nonet_counts"
          ? putCounts(single, backupTable, rows)
          : insertAll(single, backupTable, rows);
      }),
    finish: (rows) =>
      withErrors(async () => {
        // PostgreSQL checks the foreign keys when they are created.
        for (const table of tables) for (const statement of referencesSql(table, tables)) await single.rows(statement);
        for (const { name } of tables) await goOn(single, name, "_seq");
        await single.rows("SELECT setval('nonet_journal_seq', greatest(max(seq), 1)) FROM nonet_journal");
        const problems = await miscounted(single, tables, rows);
        if (problems.length > 0) throw new StoreError("corrupt", "what was restored is not sound:", problems);
      }),
    install: () =>
      withErrors(async () => {
        if (previous !== undefined) await assertUnused(single, databaseUrl, previous);
        await single.rows("COMMIT");
        await close();
        return previous === undefined ? undefined : `the schema ${previous}`;
      }),
    // Closing the connection rolls back the open transaction.
    drop: close,
  };
}

/** Renames a schema with data and creates a new one; other processes see both only after the commit. */
async function makeRoom(single: Single, databaseUrl: DatabaseUrl, now: number): Promise<string | undefined> {
  const name = pg.escapeIdentifier(databaseUrl.schema);
  let previous: string | undefined;
  if ((await stateOf(single, databaseUrl.name)) !== undefined) {
    await assertUnused(single, databaseUrl, databaseUrl.schema);
    previous = `${databaseUrl.schema.slice(0, 20)}_before_restore_${timeInName(now).toLowerCase()}`;
    await single.rows(`ALTER SCHEMA ${name} RENAME TO ${pg.escapeIdentifier(previous)}`);
  }
  await single.rows(`CREATE SCHEMA IF NOT EXISTS ${name}`);
  return previous;
}

/**
 * Throws if services use the schema. Serving processes renew their lease (`leader-lease.ts`), and would continue to write to
 * the renamed schema.
 */
async function assertUnused(session: Session, databaseUrl: DatabaseUrl, schema: string): Promise<void> {
  const processes = `${pg.escapeIdentifier(schema)}.nonet_processes`;
  const found = await session.rows(`SELECT 1 FROM ${processes} WHERE until > clock_timestamp() LIMIT 1`);
  if (found.length > 0)
    throw new StoreError(
      "busy",
      `another process is using ${databaseUrl.name}; stop the service before its data is replaced`,
    );
}

async function insertAll(session: Session, backupTable: BackupTable, rows: readonly PortableRow[]): Promise<void> {
  const { name } = backupTable;
  const more = name === "nonet_journal" ? ["seq"] : name === "nonet_answers" ? ["hash"] : [];
  const columns = [...backupTable.columns, ...more];
  const complete = completer(backupTable);
  // A statement may have at most 65,535 values.
  const most = Math.floor(60_000 / columns.length);
  for (let start = 0; start < rows.length; start += most) {
    const some = rows.slice(start, start + most);
    const placeholders = some.map(
      (_, row) => `(${columns.map((__, at) => `$${row * columns.length + at + 1}`).join(", ")})`,
    );
    await session.rows(
      `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(", ")}) VALUES ${placeholders.join(", ")}`,
      some.flatMap((row) => complete(row)),
    );
  }
}

/** Returns a function that adds the values that only this store has. */
function completer({ columns, name }: BackupTable): (row: PortableRow) => readonly Bindable[] {
  if (name === "nonet_journal") return (row) => [...row, Number(row[columns.indexOf("position")])];
  if (name !== "nonet_answers") return (row) => row;
  const [scope, key] = ["scope", "key"].map((column) => columns.indexOf(column)) as [number, number];
  return (row) => {
    const texts = row.map((value, at): PortableValue => (at === scope || at === key ? JSON.stringify(value) : value));
    return [...texts, responseHash(String(row[scope]), String(row[key]))];
  };
}

async function setCounters(session: Session, tables: readonly Table[], rows: readonly PortableRow[]): Promise<void> {
  for (const [resource, field, value] of rows) {
    const table = tables.find((one) => one.resource === resource);
    const name = table && counterNames(table).get(String(field));
    // A field that is no longer a counter has no sequence.
    if (name !== undefined) await session.rows("SELECT setval($1::regclass, $2)", [name, Number(value)]);
  }
}

async function putCounts(session: Session, backupTable: BackupTable, rows: readonly PortableRow[]): Promise<void> {
  const at = backupTable.columns.indexOf("name");
  const [long, others] = [true, false].map((wanted) => rows.filter((row) => isRate(String(row[at])) === wanted));
  await putLongRates(session, backupTable, long ?? []);
  await insertAll(session, backupTable, others ?? []);
}

async function goOn(session: Session, table: string, column: string): Promise<void> {
  const name = quoteName(table);
  await session.rows(
    `SELECT setval(pg_get_serial_sequence($1, $2), greatest(max(${quoteName(column)}), 1)) FROM ${name}`,
    [name, column],
  );
}

async function miscounted(
  session: Session,
  tables: readonly Table[],
  rows: Readonly<Record<string, number>>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name } of backupTablesOf(tables)) {
    if (name === "nonet_counters") continue;
    const from = name === "nonet_counts" ? ordered({ name, columns: [] }).from : quoteName(name);
    const [found] = await session.rows<[number]>(`SELECT count(*) FROM ${from}`);
    const [present] = defined(found, `the count of ${name}`);
    const wanted = rows[name] ?? 0;
    if (present !== wanted) problems.push(`${name} has ${present} rows, not ${wanted}`);
  }
  return problems;
}

async function withStoreErrors<T>({ name }: DatabaseUrl, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (thrown) {
    throw explained(thrown, name);
  }
}
