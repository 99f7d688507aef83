/**
 * A schema's data for a backup, and a schema made of one. Reading is one transaction that sees what was committed when it
 * began (REPEATABLE READ), while services go on writing. Writing is one transaction too, so that nobody sees half of it.
 */
import pg from "pg";
import { defined } from "../../base/defined.ts";
import type { Table, VersionStep } from "../../plan/plan.ts";
import { timeInName } from "../backup-name.ts";
import { StoreError } from "../error.ts";
import type { PortableCell, PortableRow, PortableSource, PortableState, PortableTarget, Shelf } from "../portable.ts";
import { shelvesOf } from "../portable.ts";
import { placeFrom, type Place } from "./address.ts";
import { placeOf as placeOfAnswer } from "./answers.ts";
import { type Bindable, openSingle, type Session, type Single } from "./connection.ts";
import { explained } from "./failure.ts";
import { makeFunctions } from "./functions.ts";
import { createOwn, noteTables, stateOf } from "./own-tables.ts";
import { isRate, longRatesSql, putLongRates } from "./rates.ts";
import { counterNames, referencesSql, tableSql } from "./schema.ts";
import { quoteName } from "./value.ts";

/** Undefined for a schema that holds nothing yet. @throws StoreError */
export async function openPostgresSource(address: string): Promise<PortableSource | undefined> {
  const place = placeFrom(address);
  return telling(place, async () => {
    const single = await openSingle(place);
    try {
      await single.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const state = await stateOf(single, place.name);
      if (state !== undefined) {
        const tables = JSON.parse(state.tables) as readonly Table[];
        const step = state.step === null ? undefined : (JSON.parse(state.step) as VersionStep);
        return sourceOf(single, place, { tables, step });
      }
    } catch (thrown) {
      await single.end();
      throw thrown;
    }
    await single.end();
    return undefined;
  });
}

function sourceOf(single: Single, place: Place, state: PortableState): PortableSource {
  return {
    ...state,
    store: "postgres",
    async *rows(shelf) {
      try {
        yield* shelf.name === "nonet_counters" ? counters(single, state.tables) : rowsOf(single, shelf);
      } catch (thrown) {
        throw explained(thrown, place.name);
      }
    },
    close: () => single.end(),
  };
}

const batch = 500;

/** Where bytes are in the rows: fewer at once. */
const bytesBatch = 16;

async function* rowsOf(session: Session, shelf: Shelf): AsyncGenerator<readonly PortableRow[]> {
  const { from, order } = ordered(shelf);
  const columns = shelf.columns.map(quoteName).join(", ");
  await session.rows(`DECLARE rows NO SCROLL CURSOR FOR SELECT ${columns} FROM ${from} ORDER BY ${order}`);
  const most = shelf.bytes === undefined ? batch : bytesBatch;
  const finish = finisher(shelf);
  for (;;) {
    const rows = await session.rows(`FETCH ${most} FROM rows`);
    if (rows.length > 0) yield rows.map((row) => finish(row as PortableRow));
    if (rows.length < most) break;
  }
  await session.rows("CLOSE rows");
}

/** In the order in which they came, where there is one. */
function ordered({ columns, name }: Pick<Shelf, "columns" | "name">): {
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
      // Rates of long windows have a table of their own here; in a backup they are counts like others.
      return {
        from: `(SELECT name, key, used, until FROM nonet_counts UNION ALL ${longRatesSql}) AS counts`,
        order: "1, 2",
      };
    case "nonet_answers":
      // Claims of transactions that remembered nothing have no answer.
      return { from: `${from} WHERE expires IS NOT NULL`, order: "hash" };
    default:
      return { from, order: columns.includes("_seq") ? "_seq" : "1, 2" };
  }
}

/** What another store has otherwise. */
function finisher({ columns, name }: Shelf): (row: PortableRow) => PortableRow {
  if (name === "nonet_journal") {
    // What is committed and has no position yet gets the next ones, as it would have a moment later.
    const at = columns.indexOf("position");
    let last = 0;
    return (row) => {
      last = row[at] === null ? last + 1 : Number(row[at]);
      return row.with(at, last);
    };
  }
  if (name !== "nonet_answers") return (row) => row;
  const texts = ["scope", "key"].map((column) => columns.indexOf(column));
  return (row) => row.map((cell, at) => (texts.includes(at) ? (JSON.parse(String(cell)) as string) : cell));
}

/** The last number that each sequence gave. */
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

/** @throws StoreError where the server cannot be used, or holds something else, or `busy`: services use it. */
export async function openPostgresTarget(address: string, now: number): Promise<PortableTarget> {
  const place = placeFrom(address);
  return telling(place, async () => targetOf(await openSingle(place), place, now));
}

function targetOf(single: Single, place: Place, now: number): PortableTarget {
  const told = <T>(work: () => Promise<T>): Promise<T> => telling(place, work);
  let tables: readonly Table[] = [];
  let kept: string | undefined;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await single.end();
    isOpen = false;
  };
  return {
    begin: (state) =>
      told(async () => {
        tables = state.tables;
        await single.rows("BEGIN");
        await single.rows("SELECT pg_advisory_xact_lock(hashtextextended('nonet ' || $1, 0))", [place.schema]);
        kept = await makeRoom(single, place, now);
        await createOwn(single);
        await makeFunctions(single);
        for (const table of tables) for (const statement of tableSql(table)) await single.rows(statement);
        await noteTables(single, tables, { history: state.step === undefined ? [] : [state.step] });
      }),
    add: (shelf, rows) =>
      told(() => {
        if (shelf.name === "nonet_counters") return setCounters(single, tables, rows);
        return shelf.name === "nonet_counts" ? putCounts(single, shelf, rows) : insertAll(single, shelf, rows);
      }),
    finish: (rows) =>
      told(async () => {
        // References are looked through when they are made.
        for (const table of tables) for (const statement of referencesSql(table, tables)) await single.rows(statement);
        for (const { name } of tables) await goOn(single, name, "_seq");
        await single.rows("SELECT setval('nonet_journal_seq', greatest(max(seq), 1)) FROM nonet_journal");
        const problems = await miscounted(single, tables, rows);
        if (problems.length > 0) throw new StoreError("corrupt", "what was restored is not sound:", problems);
      }),
    place: () =>
      told(async () => {
        if (kept !== undefined) await assertUnused(single, place, kept);
        await single.rows("COMMIT");
        await close();
        return kept === undefined ? undefined : `the schema ${kept}`;
      }),
    // What was not committed never was.
    drop: close,
  };
}

/** A schema that holds data gets another name, and a new one takes its place; both are seen by others when all is there. */
async function makeRoom(single: Single, place: Place, now: number): Promise<string | undefined> {
  const name = pg.escapeIdentifier(place.schema);
  let kept: string | undefined;
  if ((await stateOf(single, place.name)) !== undefined) {
    await assertUnused(single, place, place.schema);
    kept = `${place.schema.slice(0, 20)}_before_restore_${timeInName(now).toLowerCase()}`;
    await single.rows(`ALTER SCHEMA ${name} RENAME TO ${pg.escapeIdentifier(kept)}`);
  }
  await single.rows(`CREATE SCHEMA IF NOT EXISTS ${name}`);
  return kept;
}

/** Processes say every other second that they are there, and would go on writing to what is no longer in its place. */
async function assertUnused(session: Session, place: Place, schema: string): Promise<void> {
  const processes = `${pg.escapeIdentifier(schema)}.nonet_processes`;
  const found = await session.rows(`SELECT 1 FROM ${processes} WHERE until > clock_timestamp() LIMIT 1`);
  if (found.length > 0)
    throw new StoreError(
      "busy",
      `another process is using ${place.name}; stop the service before its data is replaced`,
    );
}

async function insertAll(session: Session, shelf: Shelf, rows: readonly PortableRow[]): Promise<void> {
  const { name } = shelf;
  const more = name === "nonet_journal" ? ["seq"] : name === "nonet_answers" ? ["hash"] : [];
  const columns = [...shelf.columns, ...more];
  const complete = completer(shelf);
  // So many values may a statement have.
  const most = Math.floor(60_000 / columns.length);
  for (let start = 0; start < rows.length; start += most) {
    const some = rows.slice(start, start + most);
    const places = some.map((_, row) => `(${columns.map((__, at) => `$${row * columns.length + at + 1}`).join(", ")})`);
    await session.rows(
      `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(", ")}) VALUES ${places.join(", ")}`,
      some.flatMap((row) => complete(row)),
    );
  }
}

/** With what only this store has. */
function completer({ columns, name }: Shelf): (row: PortableRow) => readonly Bindable[] {
  if (name === "nonet_journal") return (row) => [...row, Number(row[columns.indexOf("position")])];
  if (name !== "nonet_answers") return (row) => row;
  const [scope, key] = ["scope", "key"].map((column) => columns.indexOf(column)) as [number, number];
  return (row) => {
    const texts = row.map((cell, at): PortableCell => (at === scope || at === key ? JSON.stringify(cell) : cell));
    return [...texts, placeOfAnswer(String(row[scope]), String(row[key]))];
  };
}

async function setCounters(session: Session, tables: readonly Table[], rows: readonly PortableRow[]): Promise<void> {
  for (const [resource, field, value] of rows) {
    const table = tables.find((one) => one.resource === resource);
    const name = table && counterNames(table).get(String(field));
    // A field that counted once and no longer does has no sequence.
    if (name !== undefined) await session.rows("SELECT setval($1::regclass, $2)", [name, Number(value)]);
  }
}

async function putCounts(session: Session, shelf: Shelf, rows: readonly PortableRow[]): Promise<void> {
  const at = shelf.columns.indexOf("name");
  const [long, others] = [true, false].map((wanted) => rows.filter((row) => isRate(String(row[at])) === wanted));
  await putLongRates(session, shelf, long ?? []);
  await insertAll(session, shelf, others ?? []);
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
  for (const { name } of shelvesOf(tables)) {
    if (name === "nonet_counters") continue;
    const from = name === "nonet_counts" ? ordered({ name, columns: [] }).from : quoteName(name);
    const [found] = await session.rows<[number]>(`SELECT count(*) FROM ${from}`);
    const [present] = defined(found, `the count of ${name}`);
    const wanted = rows[name] ?? 0;
    if (present !== wanted) problems.push(`${name} has ${present} rows, not ${wanted}`);
  }
  return problems;
}

async function telling<T>({ name }: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw explained(thrown, name);
  }
}
