/** `nonet restore FILE`: the data of a backup in the place of what is there, once it is known to be whole and to fit. */
import { existsSync } from "node:fs";
import type { Plan } from "../plan/plan.ts";
import { obstaclesOf } from "../store/migration.ts";
import { type Backup, lookThrough } from "./backup-files.ts";
import { backupJson, backupText } from "./backup-report.ts";
import { DocumentError, UsageError } from "./command-line.ts";
import { checkFile, planOf } from "./document.ts";
import { followingOf } from "./following.ts";
import { planText } from "./migration-report.ts";
import { dataPlace, usable } from "./portable-place.ts";
import { clock } from "./served.ts";
import { placeOf } from "./store.ts";
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
  if (existsSync(place) && !overwrite)
    throw new UsageError(
      `there is data in ${place}; --overwrite puts the backup in its place, and keeps it under another name`,
    );
  const { backup, kept } = await restoreFile(file, place, plan, terminal);
  const before = kept === undefined ? [] : [`  before     ${kept}\n`];
  tell(backup, `restored ${place} from ${file}`, { data: place, ...(kept === undefined ? {} : { kept }) });
  if (format === "text") for (const each of before) terminal.out(each);
  return 0;
}

interface Restored {
  readonly backup: Backup;
  /** Where what was there before is now. */
  readonly kept: string | undefined;
}

async function restoreFile(file: string, place: string, plan: Plan | undefined, terminal: Terminal): Promise<Restored> {
  const { openSqliteTarget } = await import("../store/sqlite/portable.ts");
  const target = await usable(async () => openSqliteTarget(place));
  try {
    const backup = await lookThrough(file, {
      head: (head) => target.begin(head),
      rows: (shelf, rows) => target.add(shelf, rows),
    });
    await usable(async () => target.finish(backup.summary.rows));
    if (plan !== undefined) await assertFits(plan, target.file, file, terminal);
    return { backup, kept: await usable(async () => target.place(clock.now())) };
  } finally {
    target.drop();
  }
}

/** What stands in the way of the document is told before anything takes anything's place. */
async function assertFits(plan: Plan, restored: string, file: string, terminal: Terminal): Promise<void> {
  const { planMigration } = await import("../store/sqlite/migrate.ts");
  const following = await followingOf(plan);
  const wanted = { file: restored, tables: plan.tables, following, clock: () => clock.now() };
  const migration = await usable(async () => planMigration(wanted, 0));
  if (obstaclesOf(migration).length > 0)
    throw new DocumentError(`${planText(migration, file)}nothing was restored; without --document it is, as it was`);
  if (migration.steps.length > 0) terminal.err(planText(migration, file));
}
