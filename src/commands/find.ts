/** `nonet find TEXT`: every place where a text still stands in the data, so that what was erased can be shown to be gone. */
import { createReadStream, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { shelvesOf } from "../store/portable.ts";
import { isPostgresAddress } from "../store/postgres/address.ts";
import { createSearch, isInBytes, type Place } from "../store/search.ts";
import { lookThrough } from "./backup-files.ts";
import { UsageError } from "./command-line.ts";
import { count } from "./layout.ts";
import { dataPlace, openSource, usable } from "./portable-place.ts";
import { withoutSecret } from "./store.ts";
import type { Terminal } from "./terminal.ts";

export interface FindOptions {
  readonly data: string | undefined;
  readonly backup: string | undefined;
  readonly format: "text" | "json";
}

/** What is found in rows, and the files whose bytes have it, in rows or not. */
interface Found {
  readonly where: string;
  readonly places: readonly Place[];
  readonly files: readonly string[];
}

/** Gives 1 where it is found. */
export async function find(text: string | undefined, options: FindOptions, terminal: Terminal): Promise<number> {
  if (text === undefined || text === "") throw new UsageError("say what to look for");
  const { backup, data, format } = options;
  if (backup !== undefined && data !== undefined) throw new UsageError("--data or --backup: one at a time");
  const found = backup === undefined ? await inData(text, dataPlace(data)) : await inBackup(text, backup);
  terminal.out(format === "json" ? `${JSON.stringify(found, undefined, 2)}\n` : textOf(found));
  return found.places.length + found.files.length === 0 ? 0 : 1;
}

async function inData(text: string, place: string): Promise<Found> {
  const source = await openSource(place);
  const search = createSearch(text);
  try {
    for (const shelf of shelvesOf(source.tables)) {
      await usable(async () => {
        for await (const rows of source.rows(shelf)) search.rows(shelf, rows);
      });
    }
  } finally {
    await source.close();
  }
  const files: string[] = [];
  // Of a database on a server only its own administrator sees the bytes.
  for (const file of isPostgresAddress(place) ? [] : filesOf(place))
    if (await isInBytes(createReadStream(file), text)) files.push(file);
  return { where: withoutSecret(place), places: search.places, files };
}

async function inBackup(text: string, file: string): Promise<Found> {
  const search = createSearch(text);
  await lookThrough(file, { rows: (shelf, rows) => search.rows(shelf, rows) });
  return { where: file, places: search.places, files: [] };
}

/** The database, its log, and copies beside it that migrating and restoring have left. Its index in memory has no data. */
function filesOf(place: string): readonly string[] {
  const name = basename(place);
  return readdirSync(dirname(place))
    .filter((each) => each === name || each === `${name}-wal` || each.startsWith(`${name}.`))
    .toSorted()
    .map((each) => join(dirname(place), each));
}

function textOf({ files, places, where }: Found): string {
  if (places.length + files.length === 0) return `nowhere in ${where}\n`;
  const cells = places.map(({ column, first, rows, table }) => {
    const more = rows > first.length ? ", …" : "";
    return `  ${table}.${column}: ${count(rows, "row")} (${first.join(", ")}${more})`;
  });
  const bytes = files.map((file) => `  the bytes of ${file}`);
  return [`found in ${where}:`, ...cells, ...bytes, ""].join("\n");
}
