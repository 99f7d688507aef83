/** `nonet doctor` for data in any store: pending work, and pending migrations. */
import { deliveryResource } from "../language/events/decide.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { StoreError } from "../store/port/error.ts";
import { type Following, type MigrationPlan, obstaclesOf } from "../store/migration/migration.ts";
import type { Awaitable } from "../store/port/store.ts";
import { type Finding, finding } from "./doctor-finding.ts";
import { followingOf, type DataPlan } from "../server/open-store.ts";
import { count } from "../base/layout.ts";
import { clock } from "../server/compose.ts";

const lateDeliveryMilliseconds = 900_000;
const lateTimerMilliseconds = 60_000;

/** Runs read-only statements in the SQL of both databases. */
export interface DataSource {
  /** Whether the data has a table with the column; data before a migration may lack it. */
  has(table: string, column: string): Awaitable<boolean>;
  /** Returns the first row of a statement. */
  one(sql: string): Awaitable<readonly unknown[]>;
}

export async function waitingFindings({ tables }: ResourcesPart, source: DataSource): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const deliveries = tables.find(({ resource }) => resource === deliveryResource);
  if (deliveries !== undefined) {
    const sql = `SELECT count(*), min("createdAt") FROM ${quoted(deliveries.name)} WHERE "state" = 'pending'`;
    const isThere = (await source.has(deliveries.name, "state")) && (await source.has(deliveries.name, "createdAt"));
    findings.push(deliveryFinding(isThere ? await source.one(sql) : []));
  }
  const due: number[] = [];
  for (const { name, timed = [] } of tables) {
    if (timed.length === 0 || !(await source.has(name, "_due"))) continue;
    const [first] = await source.one(`SELECT min(_due) FROM ${quoted(name)}`);
    if (first !== null) due.push(Number(first));
  }
  findings.push(timerFinding(clock.now() - Math.min(...due)));
  return findings;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function deliveryFinding([waiting = 0, oldest]: readonly unknown[]): Finding {
  const check = "deliveries";
  if (Number(waiting) === 0) return { check, status: "pass", found: "none wait" };
  const since = new Date(String(oldest));
  const found = `${String(waiting)} wait, the oldest since ${since.toISOString()}`;
  const isRecent = clock.now() - since.getTime() <= lateDeliveryMilliseconds;
  return finding(check, "warn", isRecent, found, "GET /webhooks shows which webhook fails; tell its owner");
}

function timerFinding(late: number): Finding {
  const isRecent = late <= lateTimerMilliseconds;
  const found = isRecent ? "none is late" : `the first has been due for ${Math.round(late / 1000)} s`;
  return finding("timers", "warn", isRecent, found, "it runs as soon as the service starts");
}

export async function followingFinding(
  plan: DataPlan,
  query: (following: Following) => Awaitable<MigrationPlan>,
): Promise<Finding> {
  const check = "migration";
  const fix = "nonet migrate --plan shows them";
  try {
    const migration = await query(await followingOf(plan));
    const obstacles = obstaclesOf(migration);
    if (obstacles.length > 0) return { check, status: "fail", found: `${count(obstacles.length, "step")} would lose data or is impossible`, fix }; // biome-ignore format: a row
    if (migration.steps.length === 0) return { check, status: "pass", found: "the data fits the document" };
    return { check, status: "warn", found: `${count(migration.steps.length, "step")} at the next start, without loss`, fix }; // biome-ignore format: a row
  } catch (thrown) {
    if (!(thrown instanceof StoreError)) throw thrown;
    return { check, status: "fail", found: thrown.message, fix: "nonet migrate --plan says more" };
  }
}
