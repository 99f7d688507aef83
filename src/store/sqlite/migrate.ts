/**
 * Migrates a file to the tables of a document, in one transaction, after a copy of the file if stored data would change. If
 * records block the migration, reports them and changes nothing.
 *
 * It acquires the lock first, then copies, then writes, so the copy has exactly the state in which the transaction began. A
 * process killed before the commit leaves the file unchanged.
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
  stepText,
  storedDocument,
} from "../migration/migration.ts";
import {
  adoptionSteps,
  assertAdoptable,
  formerTables,
  isOwn,
  type WithAdoption,
  withAdoption,
} from "../migration/adoption.ts";
import { adoptionOf, writeAdoption } from "./adoption.ts";
import { addTable, apply, hasOtherIndexes, isRebuilt, rebuilds } from "./apply.ts";
import { backUp } from "./backup.ts";
import { Connection, explained, isBusy } from "./connection.ts";
import { createSystemTables, type FileState, recordTables, stateOf, upgradeSystemTables } from "./system-tables.ts";
import { stepsOf } from "./migration-checks.ts";

/** The target of a migration. */
export interface Wanted {
  readonly file: string;
  readonly tables: readonly Table[];
  /** How to migrate the data. Absent: a file with other tables is rejected. */
  readonly following: Following | undefined;
  readonly clock: () => number;
}

/**
 * Migrates the file, and returns the tables as the store uses them: existing ones with `adopted`. @throws StoreError `not-ours`,
 * `too-new`, `corrupt`, `busy`, `disk` or `incompatible` (a MigrationRejected).
 */
export async function migrate(connection: Connection, declared: Wanted): Promise<readonly Table[]> {
  const { state, wanted } = declaresExisting(declared)
    ? await found(connection, declared)
    : foundOwn(connection, declared);
  const isPossible = wanted.adoption.obstacles.length === 0;
  if (state !== undefined && isPossible && isFollowed(state, wanted)) return wanted.tables;
  await migrateFile(connection, wanted, state);
  return wanted.tables;
}

type Found = WithAdoption<Wanted>;

function declaresExisting({ tables }: Wanted): boolean {
  return tables.some(({ existing }) => existing !== undefined);
}

interface FoundState {
  readonly state: FileState | undefined;
  readonly wanted: Found;
}

/** Without existing tables nothing is awaited, so that the first of several processes has the lock before the others begin. */
function foundOwn(connection: Connection, wanted: Wanted): FoundState {
  const { file, tables } = wanted;
  return { state: stateOf(connection, file), wanted: { ...wanted, adoption: { tables, obstacles: [] } } };
}

function found(connection: Connection, wanted: Wanted): Promise<FoundState> {
  const { file, following, tables } = wanted;
  return withAdoption(
    wanted,
    (usesExisting) => stateOf(connection, file, usesExisting),
    (former) => adoptionOf(connection, tables, former, following?.validate ?? (() => () => true)),
  );
}

async function migrateFile(connection: Connection, wanted: Found, state: FileState | undefined): Promise<void> {
  const isExclusive = state !== undefined && needsAll(connection, state, wanted);
  if (isExclusive) acquireExclusively(connection, wanted.file);
  // Rebuilding tables needs foreign keys off, and a transaction cannot change this pragma.
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

/** Returns what `migrate` would do; the file may be in use. */
export async function planMigration(declared: Wanted, waitMilliseconds: number): Promise<MigrationPlan> {
  const { file } = declared;
  const connection = new Connection(file, waitMilliseconds);
  try {
    connection.exec("BEGIN");
    const { state, wanted } = await found(connection, declared);
    return planOf(connection, wanted, state);
  } catch (thrown) {
    throw explained(thrown, file);
  } finally {
    if (connection.database.isTransaction) connection.exec("ROLLBACK");
    connection.close();
  }
}

function planOf(
  connection: Connection,
  { adoption, clock, following, tables }: Found,
  state: FileState | undefined,
): MigrationPlan {
  const differences = differencesFrom(state, tables, following);
  const validate = following?.validate ?? (() => () => true);
  const steps = allSteps(connection, differences, tables, { validate }, clock);
  return { steps: [...adoptionSteps(adoption, formerTables(state)), ...steps] };
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
  const { tables: present, step } = storedDocument(state ?? { tables: "[]", step: null });
  // Existing tables are not migrated: their bookkeeping is written anew.
  return differencesBetween(present.filter(isOwn), tables.filter(isOwn), following?.history, step);
}

/** Whether the migration needs exclusive access, because it rebuilds tables that other processes' statements use. */
function needsAll(connection: Connection, state: FileState, { file, following, tables }: Wanted): boolean {
  const needed = rebuilds(connection, differencesFrom(state, tables, following), tables);
  if (needed && following === undefined) {
    throw new StoreError("incompatible", `the tables in ${file} are not those of the document`);
  }
  return needed;
}

/** Acquires exclusive access: SQLite leaves WAL mode only if no other process has the file open. */
function acquireExclusively(connection: Connection, file: string): void {
  try {
    connection.exec("PRAGMA journal_mode = DELETE");
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    const message = `another process is using ${file}, and the data can follow the document only when it has stopped`;
    throw new StoreError("busy", message, [], thrown);
  }
}

/** Migrates inside the transaction. Returns undefined if another process migrated while this one waited. */
async function migrateTables(
  connection: Connection,
  wanted: Found,
  isExclusive: boolean,
): Promise<Migrated | undefined> {
  const { clock, file, following, tables } = wanted;
  const adopts = tables.some((table) => !isOwn(table));
  const state = stateOf(connection, file, adopts);
  if (state === undefined) {
    assertAdoptable(wanted.adoption);
    const copy = adopts ? await backUp(file, clock()) : undefined;
    createSystemTables(connection, adopts);
    writeAdoption(connection, tables);
    for (const table of tables.filter(isOwn)) addTable(connection, table, tables);
    recordTables(connection, tables, following?.history[0]);
    return copy === undefined ? undefined : { steps: adoptionSteps(wanted.adoption, []), backup: copy };
  }
  if (wanted.adoption.obstacles.length === 0 && isFollowed(state, wanted)) return undefined;
  const differences = differencesFrom(state, tables, following);
  if (rebuilds(connection, differences, tables) && !isExclusive) {
    throw new StoreError("busy", `another process has changed the tables in ${file} just now`);
  }
  const validate = following?.validate ?? (() => () => true);
  const plan = planOf(connection, wanted, state);
  const obstacles = obstaclesOf(plan, following?.allowLoss);
  if (obstacles.length > 0) throw new MigrationRejected(plan, obstacles);
  let copy: string | undefined;
  if (changesData(plan)) {
    following?.progress?.("backing up");
    copy = await backUp(file, clock());
  }
  upgradeSystemTables(connection, state);
  // Before the store's own tables, which may refer to ids that existing tables get.
  writeAdoption(connection, tables);
  apply(connection, differences, tables, { ...following, history: [], validate }, clock);
  recordTables(connection, tables, following?.history[0]);
  following?.progress?.("committing");
  return { ...plan, ...(copy === undefined ? {} : { backup: copy }) };
}

/** Returns all steps, including those that change only the table layout or indexes, not the document. */
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
