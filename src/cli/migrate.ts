/** `nonet migrate DOC`: migrates the data to the document without serving it, or shows the plan. */
import { existsSync } from "node:fs";
import type { Plan } from "../plan/plan.ts";
import { type Migrated, type MigrationPlan, obstaclesOf } from "../store/migration/migration.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { UsageError } from "../server/errors.ts";
import { checkFile, planOf } from "../server/document.ts";
import { followingOf, openStore, databaseOf, withoutSecret, withDatabase } from "../server/open-store.ts";
import { followedText, lossText, planJson, planText } from "../server/migration-report.ts";
import { clock } from "../server/compose.ts";
import type { Terminal } from "../server/terminal.ts";

export interface MigrateOptions {
  readonly data: string | undefined;
  readonly plan: boolean;
  readonly "allow-loss": boolean;
  readonly format: "text" | "json";
}

export async function migrate(document: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  const { data, format } = options;
  if (data === "memory") throw new UsageError("data in memory is created with its document and needs no migration");
  const plan = await planOf(await checkFile(document, terminal), terminal);
  const database = databaseOf(data, plan);
  if (!isPostgresAddress(database) && !existsSync(database))
    throw new UsageError(`there is no data in ${database} yet`);
  if (!options.plan) return migrateStore(plan, database, options, terminal);
  const migration = await migrationPlanOf(plan, database);
  terminal.out(
    format === "json"
      ? planJson(migration, withoutSecret(database), { applied: false })
      : planText(migration, withoutSecret(database)),
  );
  return obstaclesOf(migration, options["allow-loss"]).length === 0 ? 0 : 1;
}

async function migrationPlanOf(plan: Plan, database: string): Promise<MigrationPlan> {
  const following = await followingOf(plan);
  if (isPostgresAddress(database)) {
    const { planMigration } = await import("../store/postgres/migrate.ts");
    const wanted = { tables: plan.tables, following, clock: () => clock.now() };
    return withDatabase(plan, database, () => planMigration(database, wanted));
  }
  const { planMigration } = await import("../store/sqlite/migrate.ts");
  const wanted = { file: database, tables: plan.tables, following, clock: () => clock.now() };
  return withDatabase(plan, database, () => planMigration(wanted, 5_000));
}

/**
 * Describes what a migration would lose; empty if the migration is impossible: `openStore` then rejects it and reports all
 * obstacles.
 */
async function lossOf(plan: Plan, database: string): Promise<string> {
  const migration = await migrationPlanOf(plan, database);
  return obstaclesOf(migration, true).length > 0 ? "" : lossText(migration, withoutSecret(database));
}

async function migrateStore(
  plan: Plan,
  database: string,
  options: MigrateOptions,
  terminal: Terminal,
): Promise<number> {
  const { format } = options;
  if (options["allow-loss"] && format === "text") terminal.out(await lossOf(plan, database));
  let done: Migrated | undefined;
  const followed = (migrated: Migrated): void => {
    done = migrated;
  };
  const store = await openStore(plan, database, clock, { followed, allowLoss: options["allow-loss"] });
  await store.close();
  if (format === "json") {
    const backup = done?.backup === undefined ? {} : { backup: done.backup };
    terminal.out(planJson(done ?? { steps: [] }, withoutSecret(database), { applied: done !== undefined, ...backup }));
  } else
    terminal.out(
      done === undefined
        ? planText({ steps: [] }, withoutSecret(database))
        : followedText(done, withoutSecret(database)),
    );
  return 0;
}
