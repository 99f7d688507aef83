/**
 * Stores the event log in the table `nonet_journal`. Many processes write to it concurrently, so row numbers (`seq`) are not
 * in the order of commits. A row gets its position after the commit, from `sequencer.ts`.
 */
import { defined } from "../../base/defined.ts";
import { entryColumns, entryOf, entryValues } from "../sql/row-values.ts";
import type { Journal, JournalEntry, JournalRecord } from "../port/store.ts";
import type { Bindable, SqlRow, Session, PgSession } from "./connection.ts";
import type { Sequencer } from "./sequencer.ts";

/**
 * The table of the event log. A row is written twice, the second time with its position, which leaves a dead version: VACUUM
 * runs more often than by default, after a fixed number of rows.
 */
export const journalSql: readonly string[] = [
  "CREATE SEQUENCE nonet_journal_seq",
  // The condition in the default assigns the transaction its xid before the entry gets its `seq`; the sequencer's floor
  // depends on this order.
  `CREATE TABLE nonet_journal (
    seq bigint PRIMARY KEY DEFAULT CASE WHEN pg_current_xact_id() > '0' THEN nextval('nonet_journal_seq') END,
    position bigint,
    at bigint NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    origin text COLLATE "C",
    target text COLLATE "C",
    by text COLLATE "C" NOT NULL,
    cause text COLLATE "C" NOT NULL,
    request text COLLATE "C",
    due bigint,
    event text COLLATE "C",
    received text COLLATE "C",
    data text COLLATE "C",
    trace text COLLATE "C"
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`,
  "CREATE UNIQUE INDEX nonet_journal_by_position ON nonet_journal (position) WHERE position IS NOT NULL",
  "CREATE INDEX nonet_journal_by_record ON nonet_journal (record, position)",
  "CREATE INDEX nonet_journal_events ON nonet_journal (position) WHERE event IS NOT NULL AND position IS NOT NULL",
  "CREATE INDEX nonet_journal_received ON nonet_journal (position) WHERE received IS NOT NULL AND position IS NOT NULL",
  "CREATE INDEX nonet_journal_unplaced ON nonet_journal (seq) WHERE position IS NULL",
];

export const offsetsSql: readonly string[] = [
  `CREATE TABLE nonet_bookmarks (reader text COLLATE "C" PRIMARY KEY, position bigint NOT NULL)`,
];

/** A row with its position. A row without one is committed, but not sequenced yet. */
type Positioned = readonly [position: number | null, ...SqlRow];

const insertEntry = `INSERT INTO nonet_journal (${entryColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

/** Writes an entry; the caller notifies the sequencer after the commit. */
export function record(session: PgSession, entry: JournalEntry): void {
  session.send(insertEntry, entryValues(entry));
}

export function forget(session: PgSession, resource: string, id: string): void {
  const sql = "UPDATE nonet_journal SET data = NULL WHERE record = $1 AND resource = $2 AND data IS NOT NULL";
  session.send(sql, [id, resource]);
}

/**
 * Returns the entries whose data still exists. FOR SHARE waits for a transaction that deletes the data, and blocks later ones.
 */
export async function intact(session: PgSession, positions: readonly number[]): Promise<ReadonlySet<number>> {
  const found = await session.rows<[number]>(
    "SELECT position FROM nonet_journal WHERE position = ANY($1::bigint[]) AND data IS NOT NULL ORDER BY position FOR SHARE",
    [positions],
  );
  return new Set(found.map(([position]) => position));
}

export async function hasFired(
  session: Session,
  resource: string,
  id: string,
  cause: string,
  due: number,
): Promise<boolean> {
  const found = await session.rows(
    "SELECT 1 FROM nonet_journal WHERE record = $1 AND resource = $2 AND cause = $3 AND due = $4 LIMIT 1",
    [id, resource, cause, due],
  );
  return found.length > 0;
}

/** Returns a consumer's offset and locks it: a second process waits, and then finds the offset that the first one has set. */
export async function offset(session: PgSession, reader: string): Promise<number | undefined> {
  session.send("SELECT pg_advisory_xact_lock('nonet_bookmarks'::regclass::oid::integer, hashtext($1))", [reader]);
  const sql = "SELECT position FROM nonet_bookmarks WHERE reader = $1";
  return (await session.rows<[number]>(sql, [reader]))[0]?.[0];
}

export function setOffset(session: PgSession, reader: string, position: number): void {
  session.send(
    `INSERT INTO nonet_bookmarks (reader, position) VALUES ($1, $2)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position`,
    [reader, position],
  );
}

export function journalOf(session: Session, sequencer: Sequencer): Journal {
  /**
   * Runs a query that must see all earlier commits: if it returns a row without a position, assigns positions and runs again.
   * Rows committed meanwhile are left to the next query.
   */
  const positioned = async (sql: string, ...values: readonly Bindable[]): Promise<readonly Positioned[]> => {
    const hasPosition = ([position]: Positioned): boolean => position !== null;
    const found = await session.rows<Positioned>(sql, values);
    if (found.every(hasPosition)) return found;
    await sequencer.flush();
    return (await session.rows<Positioned>(sql, values)).filter(hasPosition);
  };
  const entries = async (sql: string, ...values: readonly Bindable[]): Promise<readonly JournalRecord[]> =>
    (await positioned(sql, ...values)).map(entryOf);
  return {
    events: (after, limit) => entries(eventsSql, after, limit),
    at: async (position) => (await entries(atSql, position))[0],
    moves: (resource, id, after, limit) => entries(transitionsSql, id, resource, after, limit),
    last: async () => (await positioned(lastSql))[0]?.[0] ?? 0,
    first: async () => (await positioned(firstSql))[0]?.[0] ?? undefined,
    trim: async (before) => {
      for (const column of ["event", "received"] as const) {
        for (let more = true; more; ) more = await trimSome(session, column, before);
      }
    },
  };
}

const columns = `position, ${entryColumns}`;
const unplaced = "FROM nonet_journal WHERE position IS NULL";
/**
 * Finds a row without a position. The ORDER BY forces the use of the index of such rows: with statistics from a busier time
 * the planner might scan the table, which mostly has none.
 */
const anyUnplaced = `${unplaced} AND seq > (SELECT floor FROM nonet_journal_floor) ORDER BY seq LIMIT 1`;

const eventsSql = `
  (SELECT ${columns} FROM nonet_journal WHERE position > $1 AND event IS NOT NULL ORDER BY position LIMIT $2)
  UNION ALL (SELECT ${columns} ${anyUnplaced})`;
/** Finds an entry. Needs no check for missing positions, since clients know only assigned ones. */
const atSql = `SELECT ${columns} FROM nonet_journal WHERE position = $1`;
const transitionsSql = `
  (SELECT ${columns} FROM nonet_journal WHERE record = $1 AND resource = $2 AND target IS NOT NULL AND position > $3
   ORDER BY position LIMIT $4)
  UNION ALL (SELECT ${columns} ${unplaced} AND record = $1 AND resource = $2 LIMIT 1)`;
const newest = "SELECT position FROM nonet_journal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1";
const lastSql = `(${newest}) UNION ALL (SELECT position ${anyUnplaced})`;
const firstSql = `
  (SELECT position FROM nonet_journal WHERE position IS NOT NULL AND event IS NOT NULL ORDER BY position LIMIT 1)
  UNION ALL (SELECT position ${anyUnplaced})`;

/** The maximum number of entries of one statement, which locks their rows until it ends. */
const batch = 1000;

/**
 * Deletes the oldest events made before `before`; returns whether more may remain. Ends at a batch without any, because entries
 * are nearly in time order; one with a wrong clock goes along with its neighbours. The newest entry always stays: its position
 * must not be reused.
 */
async function trimSome(session: Session, column: "event" | "received", before: number): Promise<boolean> {
  const [found] = await session.rows<[old: number, looked: number]>(
    `WITH looked AS (
       SELECT seq, at < $1 AS old, target IS NOT NULL OR position = (${newest}) AS stays FROM nonet_journal
       WHERE position IS NOT NULL AND ${column} IS NOT NULL ORDER BY position LIMIT ${batch}
     ), gone AS (
       DELETE FROM nonet_journal WHERE seq IN (SELECT seq FROM looked WHERE old AND NOT stays)
     ), bared AS (
       UPDATE nonet_journal SET event = NULL, received = NULL, data = NULL
       WHERE seq IN (SELECT seq FROM looked WHERE old AND stays)
     )
     SELECT count(*) FILTER (WHERE old), count(*) FROM looked`,
    [before],
  );
  const [old, looked] = defined(found, "the count of entries");
  return old > 0 && looked === batch;
}
