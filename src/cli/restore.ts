/** `nonet restore FILE`: replaces the data by a backup after verifying that it is complete and matches the document. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreError } from "../store/port/error.ts";
import type { Awaitable } from "../store/port/store.ts";
import { obstaclesOf } from "../store/migration/migration.ts";
import type { PortableTarget } from "../store/backup/portable.ts";
import { type Backup, lookThrough, backupJson, backupText } from "./backup-files.ts";
import { DocumentError, UsageError } from "../server/errors.ts";
import { checkFile, planOf } from "../server/document.ts";
import { followingOf, databaseOf, withoutSecret, type DataPlan } from "../server/open-store.ts";
import { planText } from "../server/migration-report.ts";
import { dataSource, isPresent, openTarget, usable } from "./data-location.ts";
import { clock } from "../server/compose.ts";
import type { Terminal } from "../server/terminal.ts";

export interface RestoreOptions {
  readonly data: string | undefined;
  readonly document: string | undefined;
  readonly overwrite: boolean;
  readonly check: boolean;
  readonly format: "text" | "json";
}

export async function restore(file: string, options: RestoreOptions, terminal: Terminal): Promise<number> {
  const { check, data, document, format, overwrite } = options;
  const print = (backup: Backup, what: string, about: Readonly<Record<string, unknown>>): void => {
    terminal.out(format === "json" ? backupJson(backup, { file, ...about }) : backupText(backup, what));
  };
  if (check) {
    print(await lookThrough(file), `${file} is complete`, {});
    return 0;
  }
  const plan = document === undefined ? undefined : await planOf(await checkFile(document, terminal), terminal);
  const place = plan === undefined || data !== undefined ? dataSource(data) : databaseOf(undefined, plan);
  const address = withoutSecret(place);
  if ((await isPresent(place)) && !overwrite)
    throw new UsageError(`there is data in ${address}; --overwrite replaces it, and keeps it under another name`);
  if (plan !== undefined) await assertFits(plan, file, terminal);
  const { backup, previous } = await restoreFile(file, place);
  print(backup, `restored ${address} from ${file}`, { data: address, ...(previous === undefined ? {} : { previous }) });
  if (format === "text" && previous !== undefined) terminal.out(`  before     ${previous}\n`);
  return 0;
}

interface Restored {
  readonly backup: Backup;
  /** The new location of the replaced data. */
  readonly previous: string | undefined;
}

async function restoreFile(file: string, place: string): Promise<Restored> {
  const target = await openTarget(place, clock.now());
  try {
    const backup = await restoreInto(file, target);
    return { backup, previous: await usable(async () => target.install()) };
  } finally {
    await target.drop();
  }
}

/** Loads and verifies everything without installing it. */
async function restoreInto(file: string, target: PortableTarget): Promise<Backup> {
  return usable(async () => {
    const backup = await lookThrough(file, {
      head: (head) => reading(file, () => target.begin(head)),
      rows: (backupTable, rows) => reading(file, () => target.add(backupTable, rows)),
    });
    await reading(file, () => target.finish(backup.summary.rows));
    return backup;
  });
}

/**
 * Runs a task. A checksum is also valid for rows of another program; the database detects mismatches, so its message is passed
 * on.
 */
async function reading<T>(file: string, task: () => Awaitable<T>): Promise<T> {
  try {
    return await task();
  } catch (thrown) {
    throw thrown instanceof StoreError ? thrown : unfit(file, thrown);
  }
}

function unfit(file: string, thrown: unknown): UsageError {
  const [why = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
  return new UsageError(
    `${file} cannot be restored: its tables and rows do not have the format of this release: ${why}`,
  );
}

/**
 * Throws if a migration to the document has obstacles, before anything is replaced. Uses a temporary SQLite file for backups
 * of any store.
 */
async function assertFits(plan: DataPlan, file: string, terminal: Terminal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nonet-restore-"));
  try {
    const { openSqliteTarget } = await import("../store/sqlite/portable.ts");
    const target = openSqliteTarget(join(folder, "data.db"), clock.now());
    await restoreInto(file, target);
    const { planMigration } = await import("../store/sqlite/migrate.ts");
    const following = await followingOf(plan);
    const wanted = { file: target.file, tables: plan.tables, following, clock: () => clock.now() };
    const migration = await usable(() => reading(file, () => planMigration(wanted, 0)));
    if (obstaclesOf(migration).length > 0)
      throw new DocumentError(
        `${planText(migration, file)}nothing was restored; without --document the data is restored unchanged`,
      );
    if (migration.steps.length > 0) terminal.err(planText(migration, file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
