/** `nonet restore FILE`: the data of a backup in the place of what is there, once it is known to be whole and to fit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plan } from "../plan/plan.ts";
import { StoreError } from "../store/error.ts";
import type { Awaitable } from "../store/store.ts";
import { obstaclesOf } from "../store/migration.ts";
import type { PortableTarget } from "../store/portable.ts";
import { type Backup, lookThrough } from "./backup-files.ts";
import { backupJson, backupText } from "./backup-report.ts";
import { DocumentError, UsageError } from "./command-line.ts";
import { checkFile, planOf } from "./document.ts";
import { followingOf } from "./following.ts";
import { planText } from "./migration-report.ts";
import { dataPlace, isPresent, openTarget, usable } from "./portable-place.ts";
import { clock } from "./served.ts";
import { placeOf, withoutSecret } from "./store.ts";
import type { Terminal } from "./terminal.ts";

export interface RestoreOptions {
  readonly data: string | undefined;
  readonly document: string | undefined;
  readonly overwrite: boolean;
  readonly check: boolean;
  readonly format: "text" | "json";
}

export async function restore(file: string, options: RestoreOptions, terminal: Terminal): Promise<number> {
  const { check, data, document, format, overwrite } = options;
  const tell = (backup: Backup, what: string, about: Readonly<Record<string, unknown>>): void => {
    terminal.out(format === "json" ? backupJson(backup, { file, ...about }) : backupText(backup, what));
  };
  if (check) {
    tell(await lookThrough(file), `${file} is whole`, {});
    return 0;
  }
  const plan = document === undefined ? undefined : await planOf(await checkFile(document, terminal), terminal);
  const place = plan === undefined || data !== undefined ? dataPlace(data) : placeOf(undefined, plan);
  const shown = withoutSecret(place);
  if ((await isPresent(place)) && !overwrite)
    throw new UsageError(
      `there is data in ${shown}; --overwrite puts the backup in its place, and keeps it under another name`,
    );
  if (plan !== undefined) await assertFits(plan, file, terminal);
  const { backup, kept } = await restoreFile(file, place);
  tell(backup, `restored ${shown} from ${file}`, { data: shown, ...(kept === undefined ? {} : { kept }) });
  if (format === "text" && kept !== undefined) terminal.out(`  before     ${kept}\n`);
  return 0;
}

interface Restored {
  readonly backup: Backup;
  /** Where what was there before is now. */
  readonly kept: string | undefined;
}

async function restoreFile(file: string, place: string): Promise<Restored> {
  const target = await openTarget(place, clock.now());
  try {
    const backup = await bring(file, target);
    return { backup, kept: await usable(async () => target.place()) };
  } finally {
    await target.drop();
  }
}

/** Everything, looked through, and not yet in its place. */
async function bring(file: string, target: PortableTarget): Promise<Backup> {
  return usable(async () => {
    const backup = await lookThrough(file, {
      head: (head) => taking(file, () => target.begin(head)),
      rows: (shelf, rows) => taking(file, () => target.add(shelf, rows)),
    });
    await taking(file, () => target.finish(backup.summary.rows));
    return backup;
  });
}

/**
 * The checksum of a backup is right also where another program wrote its tables and rows. The database is the first to notice that they do
 * not fit, so its message is passed on.
 */
async function taking<T>(file: string, work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof StoreError ? thrown : unfit(file, thrown);
  }
}

function unfit(file: string, thrown: unknown): UsageError {
  const [why = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
  return new UsageError(`${file} cannot be restored: its tables and rows are not as this release writes them: ${why}`);
}

/**
 * What stands in the way of the document is told before anything takes anything's place. It is asked of a file for the
 * moment, whichever store the backup is for.
 */
async function assertFits(plan: Plan, file: string, terminal: Terminal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "nonet-restore-"));
  try {
    const { openSqliteTarget } = await import("../store/sqlite/portable.ts");
    const target = openSqliteTarget(join(folder, "data.db"), clock.now());
    await bring(file, target);
    const { planMigration } = await import("../store/sqlite/migrate.ts");
    const following = await followingOf(plan);
    const wanted = { file: target.file, tables: plan.tables, following, clock: () => clock.now() };
    const migration = await usable(() => taking(file, () => planMigration(wanted, 0)));
    if (obstaclesOf(migration).length > 0)
      throw new DocumentError(`${planText(migration, file)}nothing was restored; without --document it is, as it was`);
    if (migration.steps.length > 0) terminal.err(planText(migration, file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
