/** `nonet find TEXT`: finds all remaining occurrences of a text in the data, to verify an erasure. */
import { createReadStream, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { backupTablesOf } from "../store/backup/portable.ts";
import { isPostgresAddress } from "../store/postgres/database-url.ts";
import { createSearch, isInBytes, type Match } from "../store/backup/search.ts";
import { lookThrough } from "./backup-files.ts";
import { UsageError } from "../server/errors.ts";
import { count } from "../base/layout.ts";
import { dataSource, openSource, usable } from "./data-location.ts";
import { withoutSecret } from "../server/open-store.ts";
import type { Terminal } from "../server/terminal.ts";

export interface FindOptions {
  readonly data: string | undefined;
  readonly backup: string | undefined;
  readonly format: "text" | "json";
}

/** Matches in rows, and files whose bytes contain the text, even outside of rows. */
interface Found {
  readonly where: string;
  readonly matches: readonly Match[];
  readonly files: readonly string[];
}

/** Finds a text; returns the exit code 1 if the text is found. */
export async function find(text: string | undefined, options: FindOptions, terminal: Terminal): Promise<number> {
  if (text === undefined || text === "") throw new UsageError("give the text to find");
  const { backup, data, format } = options;
  if (backup !== undefined && data !== undefined) throw new UsageError("--data or --backup: one at a time");
  const found = backup === undefined ? await inData(text, dataSource(data)) : await inBackup(text, backup);
  terminal.out(format === "json" ? `${JSON.stringify(found, undefined, 2)}\n` : textOf(found));
  return found.matches.length + found.files.length === 0 ? 0 : 1;
}

async function inData(text: string, database: string): Promise<Found> {
  const source = await openSource(database);
  const search = createSearch(text);
  try {
    for (const backupTable of backupTablesOf(source.tables)) {
      await usable(async () => {
        for await (const rows of source.rows(backupTable)) search.rows(backupTable, rows);
      });
    }
  } finally {
    await source.close();
  }
  const files: string[] = [];
  // The files of a database server are not searched, since only its administrator can read them.
  for (const file of isPostgresAddress(database) ? [] : filesOf(database))
    if (await isInBytes(createReadStream(file), text)) files.push(file);
  return { where: withoutSecret(database), matches: search.matches, files };
}

async function inBackup(text: string, file: string): Promise<Found> {
  const search = createSearch(text);
  await lookThrough(file, { rows: (backupTable, rows) => search.rows(backupTable, rows) });
  return { where: file, matches: search.matches, files: [] };
}

/** Returns the database, its log, and copies that migrations and restores have left. The -shm file has no data. */
function filesOf(database: string): readonly string[] {
  const name = basename(database);
  return readdirSync(dirname(database))
    .filter((each) => each === name || each === `${name}-wal` || each.startsWith(`${name}.`))
    .toSorted()
    .map((each) => join(dirname(database), each));
}

function textOf({ files, matches, where }: Found): string {
  if (matches.length + files.length === 0) return `nowhere in ${where}\n`;
  const cells = matches.map(({ column, first, rows, table }) => {
    const more = rows > first.length ? ", …" : "";
    return `  ${table}.${column}: ${count(rows, "row")} (${first.join(", ")}${more})`;
  });
  const bytes = files.map((file) => `  the bytes of ${file}`);
  return [`found in ${where}:`, ...cells, ...bytes, ""].join("\n");
}
