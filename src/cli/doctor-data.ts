/** `nonet doctor` for data in a file: existence, permissions, match with the document, and pending work. */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type DataPlan } from "../server/open-store.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { StoreError, type StoreErrorKind } from "../store/port/error.ts";
import { explained } from "../store/sqlite/connection.ts";
import { type Finding, finding } from "./doctor-finding.ts";
import { type DataSource, followingFinding, waitingFindings } from "./doctor-waiting.ts";
import { clock } from "../server/compose.ts";

/** The free space in bytes that the log and copies before migrations need. */
const leastFreeBytes = 512 * 1024 * 1024;

export async function fileFindings(plan: DataPlan, file: string): Promise<readonly Finding[]> {
  const folder = dirname(file);
  const there = existsSync(file);
  // The default folder is created at start, so until then the current folder is checked.
  const directory = existsSync(folder) ? folder : ".";
  const writable = accessFinding(there ? file : directory, folder);
  const dataFindings = [
    writable,
    ...(there ? [privacyFinding(file)] : []),
    diskFinding(directory, there ? statSync(file).size : 0),
  ];
  if (!there || writable.status === "fail") return [...dataFindings, { check: "data", status: "pass", found: `nothing in ${file} yet` }]; // biome-ignore format: short
  const data = await journalFindings(plan, file);
  // Unreadable data is reported only once.
  return data.some(({ status }) => status === "fail")
    ? [...dataFindings, ...data]
    : [...dataFindings, ...data, await migrationFinding(plan, file)];
}

function accessFinding(path: string, folder: string): Finding {
  const check = "data is writable";
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    if (existsSync(folder)) accessSync(folder, constants.W_OK);
    return { check, status: "pass", found: path };
  } catch (thrown) {
    return { check, status: "fail", found: (thrown as Error).message, fix: "give this user write access to the file and its folder, which holds the log" }; // biome-ignore format: short
  }
}

/** Checks who may read the file: new files are private, but an older or copied file may not be. */
function privacyFinding(file: string): Finding {
  const mode = statSync(file).mode & 0o777;
  const fix = `other users of this machine may read it: chmod 600 ${file}`;
  return finding("data is private", "warn", (mode & 0o077) === 0, `mode ${mode.toString(8)}`, fix);
}

function diskFinding(folder: string, size: number): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const isEnough = free >= Math.max(leastFreeBytes, size);
  const found = `${Math.floor(free / 1024 / 1024)} MiB free beside ${Math.ceil(size / 1024 / 1024)} MiB of data`;
  return finding(
    "disk",
    "warn",
    isEnough,
    found,
    "free as much space as the data has, for the copy before a migration",
  );
}

async function journalFindings(plan: ResourcesPart, file: string): Promise<readonly Finding[]> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const [mode] = Object.values(database.prepare("PRAGMA journal_mode").get() ?? {});
    const findings: Finding[] = [
      finding("journal mode", "warn", mode === "wal", String(mode), "it changes to wal when the service starts, except on a network disk"), // biome-ignore format: a row
    ];
    findings.push(...(await waitingFindings(plan, dataSourceOf(database))));
    return findings;
  } catch (thrown) {
    const explanation = explained(thrown, file);
    if (!(explanation instanceof StoreError)) throw thrown;
    return [{ check: "data", status: "fail", found: explanation.message, fix: fixes[explanation.kind] ?? remedy }];
  } finally {
    database?.close();
  }
}

const remedy = "check the disk and the permissions of the file";

const fixes: Partial<Readonly<Record<StoreErrorKind, string>>> = {
  busy: "try again when it has ended",
  corrupt: "nonet restore, from the newest backup",
  "not-ours": "--data names another file",
};

function dataSourceOf(database: DatabaseSync): DataSource {
  return {
    has: (table, column) =>
      database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined,
    one: (sql) => Object.values(database.prepare(sql).get() ?? {}),
  };
}

async function migrationFinding(plan: DataPlan, file: string): Promise<Finding> {
  const { planMigration } = await import("../store/sqlite/migrate.ts");
  return followingFinding(plan, (following) => {
    return planMigration({ file, tables: plan.tables, following, clock: () => clock.now() }, 5_000);
  });
}
