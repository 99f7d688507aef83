/**
 * Brings a file to the tables of a document, in one transaction and with a copy of it beforehand where something that is
 * stored would change, or says which records stand in the way and changes nothing.
 *
 * The lock is had first, the copy is made while it is held, and only then is anything written: what the copy holds is what
 * the transaction began with, and a process that is killed anywhere before the commit leaves the file as it was.
 */
import type { Table } from "../../plan/resources/types.ts";
import { differencesBetween, type Differences } from "../migration/differences.ts";
import { StoreError } from "../port/error.ts";
import {
  changesData,
  type Following,
  type Migrated,
  MigrationRejected,
  obstaclesOf,
  type MigrationPlan,
  type Step,
} from "../migration/migration.ts";
import { addTable, apply, hasOtherIndexes, isRebuilt, rebuilds } from "./apply.ts";
import { backUp } from "./backup.ts";
import { Connection, explained, isBusy } from "./connection.ts";
import {
  createSystemTables,
  type FileState,
  recordTables,
  stateOf,
  stepText,
  upgradeSystemTables,
} from "./system-tables.ts";
import { stepsOf } from "./migration-checks.ts";

/** What a file is brought to. */
export interface Wanted {
  readonly file: string;
  readonly tables: readonly Table[];
  /** Absent: a file whose tables are other ones is refused. */
  readonly following: Following | undefined;
  readonly clock: () => number;
}

/** @throws StoreError `not-ours`, `too-new`, `corrupt`, `busy`, `disk` or `incompatible` (a MigrationRefused). */
export async function migrate(connection: Connection, wanted: Wanted): Promise<void> {
  const state = stateOf(connection, wanted.file);
  if (state !== undefined && isFollowed(state, wanted)) return;
  const isExclusive = state !== undefined && needsAll(connection, state, wanted);
  if (isExclusive) acquireExclusively(connection, wanted.file);
  // Foreign keys are off while tables are made anew; this cannot be said inside a transaction.
  connection.exec("PRAGMA foreign_keys = OFF");
  connection.exec("PRAGMA legacy_alter_table = ON");
  try {
    connection.exec("BEGIN IMMEDIATE");
    const migrated = await migrateTables(connection, wanted, isExclusive);
    connection.exec("COMMIT");
    if (migrated !== undefined) wanted.following?.followed?.(migrated);
  } catch (thrown) {
    if (connection.database.isTransaction) connection.exec("ROLLBACK");
    throw thrown;
  } finally {
    connection.exec("PRAGMA legacy_alter_table = OFF");
    connection.exec("PRAGMA foreign_keys = ON");
    if (isExclusive) connection.exec("PRAGMA journal_mode = WAL");
  }
}

/** What `migrate` would do, asked of a file that may be in use. */
export function planMigration({ file, tables, following, clock }: Wanted, waitMilliseconds: number): MigrationPlan {
  const connection = new Connection(file, waitMilliseconds);
  try {
    connection.exec("BEGIN");
    const state = stateOf(connection, file);
    const differences = differencesFrom(state, tables, following);
    const validate = following?.validate ?? (() => () => true);
    return { steps: allSteps(connection, differences, tables, { validate }, clock) };
  } catch (thrown) {
    throw explained(thrown, file);
  } finally {
    if (connection.database.isTransaction) connection.exec("ROLLBACK");
    connection.close();
  }
}

function isFollowed({ isCurrent, step, tables: present }: FileState, { following, tables }: Wanted): boolean {
  const sameStep = following === undefined || step === stepText(following.history[0]);
  return isCurrent && sameStep && present === JSON.stringify(tables);
}

function differencesFrom(
  state: FileState | undefined,
  tables: readonly Table[],
  following: Following | undefined,
): Differences {
  const present = state === undefined ? [] : (JSON.parse(state.tables) as readonly Table[]);
  const step = state?.step === null || state === undefined ? undefined : JSON.parse(state.step);
  return differencesBetween(present, tables, following?.history, step);
}

/** Whether nobody else may have the file open, because statements about tables that are made anew would fail there. */
function needsAll(connection: Connection, state: FileState, { file, following, tables }: Wanted): boolean {
  const needed = rebuilds(connection, differencesFrom(state, tables, following), tables);
  if (needed && following === undefined) {
    throw new StoreError("incompatible", `the tables in ${file} are not those of the document`);
  }
  return needed;
}

/** A file leaves the mode in which several processes can use it only when nobody else has it open. */
function acquireExclusively(connection: Connection, file: string): void {
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    const message = `another process is using ${file}, and the data can follow the document only when it has stopped`;
    throw new StoreError("busy", message, [], thrown);
  }
}

/** In the transaction. Another process may have done it while this one waited; then there is nothing to tell. */
async function migrateTables(
  connection: Connection,
  wanted: Wanted,
  isExclusive: boolean,
): Promise<Migrated | undefined> {
  const { clock, file, following, tables } = wanted;
  const state = stateOf(connection, file);
  if (state === undefined) {
    createSystemTables(connection);
    for (const table of tables) addTable(connection, table, tables);
    recordTables(connection, tables, following?.history[0]);
    return undefined;
  }
  if (isFollowed(state, wanted)) return undefined;
  const differences = differencesFrom(state, tables, following);
  if (rebuilds(connection, differences, tables) && !isExclusive) {
    throw new StoreError("busy", `another process has changed the tables in ${file} just now`);
  }
  const validate = following?.validate ?? (() => () => true);
  const plan: MigrationPlan = { steps: allSteps(connection, differences, tables, { validate }, clock) };
  const obstacles = obstaclesOf(plan, following?.allowLoss);
  if (obstacles.length > 0) throw new MigrationRejected(plan, obstacles);
  let copy: string | undefined;
  if (changesData(plan)) {
    following?.progress?.("backing up");
    copy = await backUp(file, clock());
  }
  upgradeSystemTables(connection, state);
  apply(connection, differences, tables, { ...following, history: [], validate }, clock);
  recordTables(connection, tables, following?.history[0]);
  following?.progress?.("committing");
  return { ...plan, ...(copy === undefined ? {} : { backup: copy }) };
}

/** With those that change nothing that a document says: how its tables are laid out and indexed. */
function allSteps(
  connection: Connection,
  differences: Differences,
  tables: readonly Table[],
  following: Pick<Following, "validate">,
  clock: () => number,
): readonly Step[] {
  const steps = stepsOf(connection, differences, tables, following, clock);
  const layout = differences.changed.flatMap((one): Step[] => {
    const { resource } = one.after;
    const base = { kind: "layout", resource, fields: [], records: 0 } as const;
    const isNamed = steps.some((step) => step.resource === resource && step.kind !== "unique" && step.kind !== "rule");
    if (isRebuilt(connection, one, tables)) {
      return isNamed ? [] : [{ ...base, description: `the table of ${resource} is laid out anew` }];
    }
    return hasOtherIndexes(connection, one.after) ? [{ ...base, description: `${resource} is indexed anew` }] : [];
  });
  return [...steps, ...layout];
}
