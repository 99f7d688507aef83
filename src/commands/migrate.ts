/** `nonet migrate DOC`: brings the data to the document without serving it, or shows what that would come to. */
import { existsSync } from "node:fs";
import type { Plan } from "../plan/plan.ts";
import { type Migrated, type MigrationPlan, obstaclesOf } from "../store/migration.ts";
import { isPostgresAddress } from "../store/postgres/address.ts";
import { UsageError } from "./command-line.ts";
import { checkFile, planOf } from "./document.ts";
import { followingOf } from "./following.ts";
import { followedText, lossText, planJson, planText } from "./migration-report.ts";
import { clock } from "./served.ts";
import { openStore, placeOf, withoutSecret, withPlace } from "./store.ts";
import type { Terminal } from "./terminal.ts";

export interface MigrateOptions {
  readonly data: string | undefined;
  readonly plan: boolean;
  readonly "allow-loss": boolean;
  readonly format: "text" | "json";
}

export async function migrate(document: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  const { data, format } = options;
  if (data === "memory") throw new UsageError("data in memory is made with its document, and follows none");
  const plan = await planOf(await checkFile(document, terminal), terminal);
  const place = placeOf(data, plan);
  if (!isPostgresAddress(place) && !existsSync(place)) throw new UsageError(`there is no data in ${place} yet`);
  if (!options.plan) return bring(plan, place, options, terminal);
  const migration = await ask(plan, place);
  terminal.out(
    format === "json"
      ? planJson(migration, withoutSecret(place), { applied: false })
      : planText(migration, withoutSecret(place)),
  );
  return obstaclesOf(migration, options["allow-loss"]).length === 0 ? 0 : 1;
}

async function ask(plan: Plan, place: string): Promise<MigrationPlan> {
  const following = await followingOf(plan);
  if (isPostgresAddress(place)) {
    const { planMigration } = await import("../store/postgres/migrate.ts");
    const wanted = { tables: plan.tables, following, clock: () => clock.now() };
    return withPlace(plan, place, () => planMigration(place, wanted));
  }
  const { planMigration } = await import("../store/sqlite/migrate.ts");
  const wanted = { file: place, tables: plan.tables, following, clock: () => clock.now() };
  return withPlace(plan, place, () => planMigration(wanted, 5_000));
}

/** Data that does not fit whatever is lost is refused by who brings it along, with all that is in the way. */
async function lossOf(plan: Plan, place: string): Promise<string> {
  const migration = await ask(plan, place);
  return obstaclesOf(migration, true).length > 0 ? "" : lossText(migration, withoutSecret(place));
}

async function bring(plan: Plan, place: string, options: MigrateOptions, terminal: Terminal): Promise<number> {
  const { format } = options;
  if (options["allow-loss"] && format === "text") terminal.out(await lossOf(plan, place));
  let done: Migrated | undefined;
  const followed = (migrated: Migrated): void => {
    done = migrated;
  };
  const store = await openStore(plan, place, clock, { followed, allowLoss: options["allow-loss"] });
  await store.close();
  if (format === "json") {
    const backup = done?.backup === undefined ? {} : { backup: done.backup };
    terminal.out(planJson(done ?? { steps: [] }, withoutSecret(place), { applied: done !== undefined, ...backup }));
  } else
    terminal.out(
      done === undefined ? planText({ steps: [] }, withoutSecret(place)) : followedText(done, withoutSecret(place)),
    );
  return 0;
}
