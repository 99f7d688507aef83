/** Data of documents that change: fills a file with one document, migrates it to another, and reads it. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { followingOf } from "../../src/server/open-store.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Table } from "../../src/plan/resources/types.ts";
import type { Following, Migrated } from "../../src/store/migration/migration.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Row, Store } from "../../src/store/port/store.ts";
import { planOf } from "../serve/running.ts";

export interface Parts {
  /** The blocks of the parts, without their fences. */
  readonly resources: string;
  readonly states?: string;
  readonly limits?: string;
  /** Entries of versions, newest first; without any the document has none. */
  readonly versions?: Readonly<Record<string, readonly string[]>>;
}

/** A document that says no more than its data needs. */
export function documentOf({ resources, states = "none", limits = "none", versions }: Parts): string {
  const block = (heading: string, body: string): string => `## ${heading}\n\`\`\`yaml\n${body.trim()}\n\`\`\`\n`;
  const entries = Object.entries(versions ?? {}).map(([name, changes]) =>
    changes.length === 0
      ? `  ${name}: none`
      : `  ${name}:\n${changes.map((change) => `    - ${change.includes(": ") ? JSON.stringify(change) : change}`).join("\n")}`,
  );
  return [
    "# Notes",
    block("What the service does", "service: notes\npurpose: Keep notes."),
    block("Resources and their fields", resources),
    block("States and transitions", states),
    block("Endpoints", 'base: "{base_url}"\nendpoints: {}'),
    block("Authentication", "allow: {}"),
    block("Events", "none"),
    block("Errors", "standard: all\nerrors: { wrong: 409 The note is wrong }"),
    block("Limits", limits),
    block(
      "Versioning",
      versions === undefined ? "none" : `scheme: dated\nversions:\n${entries.join("\n")}\n  2020-01-01: first`,
    ),
  ].join("\n");
}

export function planOfParts(parts: Parts): Plan {
  return planOf(documentOf(parts));
}

/** A file in a folder of its own, which is gone after the test. */
export function newFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "nonet-migrate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "data.db");
}

/** 2026-06-01T12:00:00Z. */
export const now: number = Date.UTC(2026, 5, 1, 12);

export type Records = Readonly<Record<string, readonly Row[]>>;

/** Opens the file by the plan, which brings it along where it can. */
export async function openBy(plan: Plan, file: string, more: Partial<Following> = {}): Promise<Store> {
  const following = { ...(await followingOf(plan)), ...more };
  return openSqliteStore({ file, tables: plan.tables, following, clock: () => now, waitMilliseconds: 200 });
}

export async function bring(plan: Plan, file: string, more: Partial<Following> = {}): Promise<Migrated | undefined> {
  let migrated: Migrated | undefined;
  const followed = (done: Migrated): void => {
    migrated = done;
  };
  const store = await openBy(plan, file, { followed, ...more });
  await store.close();
  return migrated;
}

/** Makes the file with these records, in their order. */
export async function fill(plan: Plan, file: string, records: Records): Promise<void> {
  const store = await openBy(plan, file);
  await store.transaction(async (tx) => {
    for (const [resource, rows] of Object.entries(records)) {
      for (const row of rows) await tx.insert(resource, row, 7, { resource, members: [] }, {});
    }
  });
  await store.close();
}

/** The records as they are stored, each with what is not null of the columns of its table. */
export function recordsIn({ tables }: Plan, file: string): Records {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(tables.map((table) => [table.resource, rowsOf(database, table)]));
  } finally {
    database.close();
  }
}

function rowsOf(database: DatabaseSync, { columns, name }: Table): readonly Row[] {
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  const rows = database.prepare(`SELECT ${names} FROM "${name}" ORDER BY _seq`).all();
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row);
}

/** Everything that is in a file: its definitions, and the rows of every table. */
export function contentOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const schema = database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
    const tables = schema.filter(({ type }) => type === "table").map(({ name }) => String(name));
    return [schema, tables.map((name) => database.prepare(`SELECT * FROM "${name}"`).all())];
  } finally {
    database.close();
  }
}

/** Copies that were made of a file. */
export function copiesOf(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.backup-`));
}
