/** Creates and upgrades Nonet's own tables in a schema, and reads which document's tables and version the schema has. */
import { createHash } from "node:crypto";
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import { type Following, stepText } from "../migration/migration.ts";
import { responsesSql } from "./stored-responses.ts";
import type { Session } from "./connection.ts";
import { countsSql } from "./counts.ts";
import { filesSql } from "./files.ts";
import { grantsSql } from "./grants.ts";
import { offsetsSql, journalSql } from "./journal.ts";
import { keysSql } from "./keys.ts";
import { leasesSql } from "./leader-lease.ts";
import { pinsSql } from "./pinned-versions.ts";
import { ratesSql } from "./rates.ts";
import { secretsSql } from "./secrets.ts";
import { sequencerSql } from "./sequencer.ts";
import { sessionsSql } from "./sessions.ts";

/** The version of the layout of Nonet's own tables. A newer release wrote a schema with a higher version. */
const edition = 1;

/**
 * `tables` and `step` (the newest of `Plan.history` at the last migration) are JSON, stored verbatim. `generation` grows with
 * each document that the data migrates to; `events` are the names of its events.
 */
const schemaSql: readonly string[] = [
  `CREATE TABLE nonet_schema (
    edition integer NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    tables json NOT NULL,
    step json,
    events json NOT NULL DEFAULT '[]'
  )`,
];

/**
 * The table of compatible documents: processes that serve one of them may run alongside processes with the newest document. A
 * change that breaks this compatibility deletes its rows. `digest`: a SHA-256 hash, in hexadecimal, of the tables, the newest
 * migration step and the event names.
 */
const documentsSql: readonly string[] = [
  `CREATE TABLE nonet_documents (
    digest text COLLATE "C" PRIMARY KEY,
    generation bigint NOT NULL
  )`,
];

/** The statements that create each table; a later release creates missing ones. */
const systemTables: Readonly<Record<string, readonly string[]>> = {
  nonet_keys: keysSql,
  nonet_answers: responsesSql,
  nonet_secrets: secretsSql,
  nonet_journal: journalSql,
  nonet_journal_floor: sequencerSql,
  nonet_bookmarks: offsetsSql,
  nonet_counts: countsSql,
  nonet_pins: pinsSql,
  nonet_grants: grantsSql,
  nonet_sessions: sessionsSql,
  nonet_files: filesSql,
  nonet_rates: ratesSql,
  nonet_leads: leasesSql,
  nonet_documents: documentsSql,
};

export interface SchemaState {
  readonly edition: number;
  readonly generation: number;
  /** The tables of the stored document, as JSON. */
  readonly tables: string;
  readonly step: string | null;
  /** The names of the document's events, as JSON. */
  readonly events: string;
  /** Whether Nonet's own tables are those of this release. */
  readonly isCurrent: boolean;
}

/**
 * Reads the state of a schema; undefined if it is empty, or has only tables of other programs and `adopts` is set.
 * @throws StoreError `not-ours`, `too-new` or `corrupt`.
 */
export async function stateOf(session: Session, schema: string, adopts = false): Promise<SchemaState | undefined> {
  const names = await tableNames(session);
  if (names.length === 0) return undefined;
  if (!names.includes("nonet_schema")) {
    if (adopts) return undefined;
    const some = names.slice(0, 3).join(", ");
    throw new StoreError(
      "not-ours",
      `${schema} holds what something else made: ${some}. ?schema=name says which schema is to be used, and it is made where it is missing`,
    );
  }
  const [row] = await session.rows<[number, number, string, string | null, string]>(
    "SELECT edition, generation, tables, step, events FROM nonet_schema",
  );
  if (row === undefined) throw new StoreError("corrupt", `${schema} does not say which tables it holds`);
  const [found, generation, tables, step, events] = row;
  if (found > edition) throw new StoreError("too-new", `${schema} was written by a newer release of nonet`);
  const isComplete = Object.keys(systemTables).every((name) => names.includes(name));
  return { edition: found, generation, tables, step, events, isCurrent: found === edition && isComplete };
}

export async function createSystemTables(session: Session): Promise<void> {
  for (const sql of schemaSql) await session.rows(sql);
  await addMissing(session);
  await session.rows("INSERT INTO nonet_schema (edition, tables) VALUES ($1, '[]')", [edition]);
}

/** Upgrades a schema that lacks a table of this release. */
export async function upgradeSystemTables(session: Session, { tables, step, events }: SchemaState): Promise<void> {
  await addMissing(session);
  await session.rows("UPDATE nonet_schema SET edition = $1", [edition]);
  await recordDocument(session, [tables, step, events]);
}

async function addMissing(session: Session): Promise<void> {
  const present = await tableNames(session);
  for (const [name, statements] of Object.entries(systemTables)) {
    if (present.includes(name)) continue;
    for (const sql of statements) await session.rows(sql);
  }
}

/** Returns the names of the tables without those of extensions. */
async function tableNames(session: Session): Promise<readonly string[]> {
  const found = await session.rows<[string]>(
    `SELECT relname FROM pg_catalog.pg_class AS class
     WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = pg_catalog.current_schema())
       AND relkind IN ('r', 'p')
       AND NOT EXISTS (
         SELECT 1 FROM pg_catalog.pg_depend
         WHERE classid = 'pg_catalog.pg_class'::regclass AND objid = class.oid AND deptype = 'e'
       )
     ORDER BY relname`,
  );
  return found.map(([name]) => name);
}

type Followed = Pick<Following, "history" | "events"> | undefined;

export async function recordTables(session: Session, tables: readonly Table[], following: Followed): Promise<void> {
  await session.rows("UPDATE nonet_schema SET tables = $1, step = $2, events = $3, generation = generation + 1", [
    JSON.stringify(tables),
    stepText(following?.history[0]),
    eventsText(following?.events),
  ]);
  await recordDocument(session, written(tables, following));
}

type Written = readonly [tables: string, step: string | null, events: string];

function written(tables: readonly Table[], following: Followed): Written {
  return [JSON.stringify(tables), stepText(following?.history[0]), eventsText(following?.events)];
}

async function recordDocument(session: Session, document: Written): Promise<void> {
  await session.rows(
    `INSERT INTO nonet_documents (digest, generation) SELECT $1, generation FROM nonet_schema
     ON CONFLICT (digest) DO UPDATE SET generation = excluded.generation`,
    [digestOf(document)],
  );
}

/** Returns the generation of this document; undefined if the data never followed it, or is no longer compatible with it. */
export async function generationOf(
  session: Session,
  tables: readonly Table[],
  following: Followed,
): Promise<number | undefined> {
  const digest = digestOf(written(tables, following));
  const [row] = await session.rows<[number]>("SELECT generation FROM nonet_documents WHERE digest = $1", [digest]);
  return row?.[0];
}

/** Deletes the compatible documents, after a change that makes older documents incompatible. */
export async function forgetDocuments(session: Session): Promise<void> {
  await session.rows("DELETE FROM nonet_documents");
}

function digestOf(document: Written): string {
  return createHash("sha256").update(JSON.stringify(document)).digest("hex");
}

export function eventsText(events: readonly string[] = []): string {
  return JSON.stringify(events);
}
