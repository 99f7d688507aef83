/** What `nonet doctor` finds of the data: whether it is there, can be written, fits the document, and what waits in it. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deliveryResource } from "../parts/events/decide.ts";
import type { Plan } from "../plan/plan.ts";
import { obstaclesOf } from "../store/migration.ts";
import { placeFrom } from "../store/postgres/address.ts";
import type { Finding } from "./doctor.ts";
import { followingOf } from "./following.ts";
import { count } from "./layout.ts";
import { clock } from "./served.ts";

/** Room for the log and the copies that are made before the data is changed. */
const leastFreeBytes = 512 * 1024 * 1024;
const lateDeliveryMilliseconds = 900_000;
const lateTimerMilliseconds = 60_000;
const fewestPostgres = 140_000;
const mostSkewMilliseconds = 1000;

export async function fileFindings(plan: Plan, file: string): Promise<readonly Finding[]> {
  const folder = dirname(file);
  const there = existsSync(file);
  // The default's folder is made at the start.
  const judged = existsSync(folder) ? folder : ".";
  const writable = accessFinding(there ? file : judged, folder);
  const own = [writable, diskFinding(judged, there ? statSync(file).size : 0)];
  if (!there || writable.status === "fail") return [...own, { check: "data", status: "pass", found: `nothing in ${file} yet` }]; // biome-ignore format: short
  return [...own, ...journalFindings(plan, file), await followingFinding(plan, file)];
}

function accessFinding(path: string, folder: string): Finding {
  const check = "data is writable";
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    if (existsSync(folder)) accessSync(folder, constants.W_OK);
    return { check, status: "pass", found: path };
  } catch (thrown) {
    return { check, status: "fail", found: (thrown as Error).message, fix: "give this user the file and its folder, where the log is written" }; // biome-ignore format: short
  }
}

function diskFinding(folder: string, size: number): Finding {
  const check = "disk";
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = Math.max(leastFreeBytes, size);
  const found = `${Math.floor(free / 1024 / 1024)} MiB free beside ${Math.ceil(size / 1024 / 1024)} MiB of data`;
  if (free >= needed) return { check, status: "pass", found };
  return { check, status: "warn", found, fix: "have as much free as the data has, for the copy before a migration" };
}

function journalFindings(plan: Plan, file: string): readonly Finding[] {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const [mode] = Object.values(database.prepare("PRAGMA journal_mode").get() ?? {});
    const findings: Finding[] = [
      { check: "journal mode", status: mode === "wal" ? "pass" : "warn", found: String(mode), ...(mode === "wal" ? {} : { fix: "it becomes wal when it is served; a file on a network's disk cannot" }) }, // biome-ignore format: a row
    ];
    findings.push(...waitingFindings(plan, database));
    return findings;
  } catch (thrown) {
    return [
      { check: "data", status: "fail", found: (thrown as Error).message, fix: "nonet restore, from the newest backup" },
    ];
  } finally {
    database?.close();
  }
}

/** Tables that are not there yet hold nothing. */
function waitingFindings({ tables }: Plan, database: DatabaseSync): readonly Finding[] {
  const one = (sql: string): readonly unknown[] => {
    try {
      return Object.values(database.prepare(sql).get() ?? {});
    } catch {
      return [];
    }
  };
  const findings: Finding[] = [];
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const deliveries = tables.find(({ resource }) => resource === deliveryResource);
  if (deliveries !== undefined) {
    const sql = `SELECT count(*), min("createdAt") FROM ${quoted(deliveries.name)} WHERE "state" = 'pending'`;
    const [waiting = 0, oldest] = one(sql) as [number?, (string | number | null)?];
    const since = typeof oldest === "number" ? oldest : Date.parse(oldest ?? "");
    const late = waiting > 0 && clock.now() - since > lateDeliveryMilliseconds;
    const found = waiting === 0 ? "none wait" : `${waiting} wait, the oldest since ${new Date(since).toISOString()}`;
    findings.push({ check: "deliveries", status: late ? "warn" : "pass", found, ...(late ? { fix: "GET /webhooks shows which endpoint takes none; tell its owner" } : {}) }); // biome-ignore format: a row
  }
  const due = tables
    .filter(({ timed = [] }) => timed.length > 0)
    .map(({ name }) => one(`SELECT min("_due") FROM ${quoted(name)}`)[0])
    .filter((moment) => typeof moment === "number");
  const late = clock.now() - Math.min(...due);
  if (due.length > 0 && late > lateTimerMilliseconds)
    findings.push({ check: "timers", status: "warn", found: `the first has been due for ${Math.round(late / 1000)} s`, fix: "it is done as soon as the service runs" }); // biome-ignore format: a row
  else findings.push({ check: "timers", status: "pass", found: "none is late" });
  return findings;
}

async function followingFinding(plan: Plan, file: string): Promise<Finding> {
  const check = "migration";
  try {
    const { planMigration } = await import("../store/sqlite/migrate.ts");
    const following = await followingOf(plan);
    const migration = planMigration({ file, tables: plan.tables, following, clock: () => clock.now() }, 5_000);
    const obstacles = obstaclesOf(migration);
    if (obstacles.length > 0) return { check, status: "fail", found: `${count(obstacles.length, "step")} would lose data or cannot be done`, fix: "nonet migrate --plan shows them" }; // biome-ignore format: a row
    if (migration.steps.length === 0) return { check, status: "pass", found: "the data is that of the document" };
    return { check, status: "warn", found: `${count(migration.steps.length, "step")} at the next start, and nothing is lost`, fix: "nonet migrate --plan shows them" }; // biome-ignore format: a row
  } catch (thrown) {
    return { check, status: "fail", found: (thrown as Error).message, fix: "nonet migrate --plan says more" };
  }
}

export async function postgresFindings(data: string): Promise<readonly Finding[]> {
  const check = "data";
  try {
    const { address, name, schema } = placeFrom(data);
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 3000, query_timeout: 3000 });
    await client.connect();
    try {
      const before = clock.now();
      const { rows } = await client.query<PostgresRow>(
        `SELECT current_setting('server_version_num')::int AS version, current_setting('max_connections')::int AS most,
          (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, current_setting('synchronous_commit') AS durable,
          has_database_privilege(current_database(), 'CREATE') AS creates,
          to_regnamespace($1) IS NOT NULL AS there, pg_is_in_recovery() AS standby,
          (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super`,
        [schema],
      );
      const after = clock.now();
      return [{ check, status: "pass", found: name }, ...(rows[0] === undefined ? [] : serverFindings(rows[0], (before + after) / 2))]; // biome-ignore format: short
    } finally {
      await client.end();
    }
  } catch (thrown) {
    const { message } = thrown as Error;
    return [{ check, status: "fail", found: message === "" ? "the database does not answer" : message, fix: "is the server up, is the address right, may this machine connect?" }]; // biome-ignore format: a row
  }
}

interface PostgresRow {
  readonly version: number;
  readonly most: number;
  readonly now: number;
  readonly durable: string;
  readonly creates: boolean;
  readonly there: boolean;
  readonly standby: boolean;
  readonly super: boolean;
}

function serverFindings(row: PostgresRow, now: number): readonly Finding[] {
  const skew = Math.round(Math.abs(row.now - now));
  const judged = (check: string, bad: "warn" | "fail", isGood: boolean, found: string, fix: string): Finding =>
    isGood ? { check, status: "pass", found } : { check, status: bad, found, fix };
  return [
    judged("PostgreSQL", "fail", row.version >= fewestPostgres, `version ${Math.floor(row.version / 10_000)}`, "version 14 or later"),
    judged("clocks", "warn", skew <= mostSkewMilliseconds, `${skew} ms apart`, "let both machines keep time by NTP"),
    judged("durability", "warn", row.durable !== "off", `synchronous_commit ${row.durable}`, "with off, a crash loses answered writes"),
    judged("server", "fail", !row.standby, row.standby ? "a standby, which takes no writes" : "takes writes", "name the primary"),
    judged("schema", "fail", row.there || row.creates, row.there ? "there" : "made at the first start", "GRANT CREATE ON DATABASE, or make the schema"),
    judged("role", "warn", !row.super, row.super ? "a superuser, whom row-level security does not hold" : "no superuser", "CREATE ROLE without SUPERUSER for the service"),
    judged("connections", "warn", row.most >= 50, `at most ${row.most}`, "each process takes up to 12 (?connections=)"),
  ]; // biome-ignore format: a table
}
