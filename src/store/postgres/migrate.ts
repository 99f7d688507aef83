/** Brings a schema to the tables of a document, in one transaction. */
import pg from "pg";
import type { Table } from "../../plan/plan.ts";
import { StoreError } from "../error.ts";
import type { Following } from "../migration.ts";
import type { Place } from "./address.ts";
import { openSingle, type Session } from "./connection.ts";
import { makeFunctions } from "./functions.ts";
import { createOwn, noteTables, type SchemaState, stateOf, stepText } from "./own-tables.ts";
import { referencesSql, tableSql } from "./schema.ts";

export interface Wanted {
  readonly tables: readonly Table[];
  /** Absent: a schema whose tables are other ones is refused. */
  readonly following: Following | undefined;
  readonly clock: () => number;
}

/**
 * Gives the number of the document among those that the data was brought to.
 *
 * @throws StoreError `not-ours`, `too-new`, `corrupt`, `busy` or `incompatible` (a MigrationRefused).
 */
export async function migrate(place: Place, wanted: Wanted): Promise<number> {
  const single = await openSingle(place);
  try {
    const state = await stateOf(single, place.name);
    if (state !== undefined && isFollowed(state, wanted)) return state.generation;
    await single.rows("BEGIN");
    // Of several processes that start at once one does it, and the others find it done.
    await single.rows("SELECT pg_advisory_xact_lock(hashtextextended('nonet ' || $1, 0))", [place.schema]);
    await single.rows(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(place.schema)}`);
    await bring(single, place, wanted);
    const brought = await stateOf(single, place.name);
    await single.rows("COMMIT");
    return brought?.generation ?? 0;
  } finally {
    await single.end();
  }
}

function isFollowed({ isCurrent, step, tables: present }: SchemaState, { following, tables }: Wanted): boolean {
  const sameStep = following === undefined || step === stepText(following.history[0]);
  return isCurrent && sameStep && present === JSON.stringify(tables);
}

async function bring(session: Session, place: Place, wanted: Wanted): Promise<void> {
  const { following, tables } = wanted;
  const state = await stateOf(session, place.name);
  if (state !== undefined) {
    if (isFollowed(state, wanted)) return;
    throw new StoreError("incompatible", `the tables in ${place.name} are not those of the document`);
  }
  await createOwn(session);
  await makeFunctions(session);
  for (const table of tables) for (const statement of tableSql(table)) await session.rows(statement);
  for (const table of tables) for (const statement of referencesSql(table, tables)) await session.rows(statement);
  await noteTables(session, tables, following?.history[0]);
}
