/**
 * Writes and reads a backup file: lines of JSON, compressed with gzip. The first line is the header, each table starts with its
 * name and columns, a row is an array, and the last line has the number of rows and the SHA-256 of all lines before it.
 *
 * `zcat FILE | jq` shows it; both stores can restore it. Bytes are base64.
 */
import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { VersionStep } from "../../plan/versioning/data-change-types.ts";
import {
  type PortableValue,
  type PortableRow,
  type PortableSource,
  type BackupTable,
  backupTablesOf,
} from "./portable.ts";
import type { StoredDocument } from "../migration/migration.ts";

/** Thrown if the file is no backup, or is incomplete. */
export class BackupError extends Error {}

export interface BackupHead extends StoredDocument {
  /** The moment whose data the backup contains, in epoch milliseconds. */
  readonly made: number;
  readonly store: PortableSource["store"];
}

/** The contents of a backup, as its last line lists them. */
export interface BackupSummary {
  /** The number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The newest position of the event log; 0 if it is empty. */
  readonly journal: number;
  /** The total size of files in bytes. */
  readonly fileBytes: number;
  /** The SHA-256 of all lines but the last, in lower-case hex. */
  readonly sha256: string;
}

/**
 * The most bytes of a line: reading one needs three times its memory. A row is at most as long as a request, or half a
 * megabyte of a file.
 */
const longestLine = 128 * 1024 * 1024;

/** The version of the format; a release that changes the format increments it. */
const form = 1;

/** Returns the fingerprint of a stored document: two stores migrated to the same document have the same one. */
export function fingerprintOf({ step, tables }: StoredDocument): string {
  return createHash("sha256")
    .update(JSON.stringify([tables, step ?? null]))
    .digest("hex")
    .slice(0, 16);
}

/** Yields the lines, many per piece; returns the summary. */
export async function* writeBackup(source: PortableSource, made: number): AsyncGenerator<string, BackupSummary> {
  const { store, step, tables } = source;
  const hash = createHash("sha256");
  const count = counting();
  const piece = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield piece(line({ nonet: "backup", form, store, made, tables, step: step ?? null }));
  for (const backupTable of backupTablesOf(tables)) {
    count.begin(backupTable);
    yield piece(line({ table: backupTable.name, columns: backupTable.columns, bytes: backupTable.bytes }));
    for await (const rows of source.rows(backupTable)) {
      for (const row of rows) count.row(row);
      yield piece(rows.map((row) => shortLine(backupTable, row)).join(""));
    }
  }
  const summary = { ...count.summary(), sha256: hash.digest("hex") };
  yield line({ end: summary });
  return summary;
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Returns the line of a row; rejects a row that `readBackup` could not read. */
function shortLine({ name }: BackupTable, row: PortableRow): string {
  const text = line(row.map(encoded));
  // A UTF-16 unit is one to three bytes in UTF-8, so only a long text has to be measured.
  if (text.length * 3 > longestLine && Buffer.byteLength(text) > longestLine)
    throw new BackupError(`a row of ${name} has more than ${longestLine} bytes as JSON`);
  return text;
}

function encoded(item: PortableValue): PortableValue {
  return item instanceof Uint8Array ? Buffer.from(item).toString("base64") : item;
}

export interface BackupReader {
  head(head: BackupHead): Promise<void> | void;
  rows(backupTable: BackupTable, rows: readonly PortableRow[]): Promise<void> | void;
}

/** The most rows per call of `rows`. */
const batch = 1_000;

/**
 * Passes the lines to the reader and returns the summary. The data is verified only when this resolves, after the comparison with
 * the last line.
 * @throws BackupError
 */
export async function readBackup(pieces: AsyncIterable<Uint8Array>, reader: BackupReader): Promise<BackupSummary> {
  const hash = createHash("sha256");
  const count = counting();
  let state: { readonly kind: "nothing" } | Among | { readonly kind: "end"; readonly summary: BackupSummary } = {
    kind: "nothing",
  };
  for await (const { bytes, text } of linesOf(pieces)) {
    const value = parsed(text);
    if (state.kind === "end") throw new BackupError("something follows its end");
    if (state.kind === "nothing") {
      const head = headOf(value);
      state = { kind: "among", backupTables: backupTablesOf(head.tables), backupTable: undefined, rows: [] };
      await reader.head(head);
    } else if (Array.isArray(value)) {
      const row = rowOf(value, state.backupTable);
      count.row(row);
      state.rows.push(row);
      if (state.rows.length >= batch) await emit(state, reader);
    } else {
      await emit(state, reader);
      if (isEnd(value)) {
        state = { kind: "end", summary: { ...count.summary(), sha256: hash.digest("hex") } };
        compare(state.summary, value.end);
        continue;
      }
      state.backupTable = tableNamed(value, state.backupTables);
      count.begin(state.backupTable);
    }
    hash.update(bytes);
  }
  if (state.kind !== "end") throw new BackupError("it is cut off: its last line is missing");
  return state.summary;
}

interface Among {
  readonly kind: "among";
  readonly backupTables: readonly BackupTable[];
  backupTable: BackupTable | undefined;
  rows: PortableRow[];
}

async function emit(state: Among, reader: BackupReader): Promise<void> {
  if (state.rows.length === 0 || state.backupTable === undefined) return;
  await reader.rows(state.backupTable, state.rows);
  state.rows = [];
}

/** Yields the lines, each including its line feed. */
async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly text: string }> {
  let rest: Uint8Array[] = [];
  let length = 0;
  const add = (bytes: number): void => {
    length += bytes;
    if (length > longestLine) throw new BackupError(`a line of it has more than ${longestLine} bytes`);
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      const tail = piece.subarray(start, end + 1);
      add(tail.length);
      length = 0;
      const bytes = rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
      rest = [];
      yield { bytes, text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8") };
      start = end + 1;
    }
    if (start === piece.length) continue;
    add(piece.length - start);
    rest.push(piece.subarray(start));
  }
  if (rest.length > 0) throw new BackupError("it is cut off in the middle of a line");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BackupError("a line of it is not JSON");
  }
}

function headOf(value: unknown): BackupHead {
  const { nonet, form: found, store, made, tables, step } = (value ?? {}) as Record<string, unknown>;
  if (nonet !== "backup" || typeof found !== "number") throw new BackupError("it is no backup of nonet");
  if (found > form) throw new BackupError("a newer release of nonet wrote it");
  if (!Array.isArray(tables) || typeof made !== "number" || (store !== "sqlite" && store !== "postgres"))
    throw new BackupError("it does not say which tables it holds");
  const strange = tables.findIndex((table) => !isTable(table));
  if (strange === -1 && textOf([tables, step]) === "") throw new BackupError("its tables are nested too deeply");
  if (strange !== -1) throw new BackupError(`its table ${strange + 1} is not one as this release writes it`);
  if (step !== undefined && step !== null && !isStep(step as Json))
    throw new BackupError("it does not say which version of its document it has followed");
  return { store, made, tables: tables as readonly Table[], step: (step ?? undefined) as VersionStep | undefined };
}

/** Checks only the members that the restore uses; the comparison with the document checks the rest. */
function isTable(value: unknown): value is Table {
  if (!isObject(value as Json)) return false;
  const { columns, id, indexes, name, resource, rules, uniques, virtual } = value as JsonObject;
  const lists = [columns, indexes, rules, uniques, virtual];
  if (!isName(name) || !isName(resource) || !isObject(id as Json) || !lists.every(Array.isArray)) return false;
  return [...(columns as unknown[]), ...(virtual as unknown[])].every(
    (column) =>
      isObject(column as Json) &&
      isName((column as JsonObject)["name"]) &&
      columnTypes.includes((column as JsonObject)["type"]),
  );
}

const columnTypes: readonly unknown[] = ["text", "integer", "number", "boolean", "timestamp", "json"];

function isStep(step: Json): boolean {
  if (!isObject(step) || !isName(step["version"])) return false;
  const { changes } = step;
  return Array.isArray(changes) && (changes as readonly Json[]).every((one) => isObject(one) && isName(one["kind"]));
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/**
 * Returns the table with the columns that the backup has. A backup of an earlier release lacks the tables and columns that
 * were added since.
 */
function tableNamed(value: unknown, backupTables: readonly BackupTable[]): BackupTable {
  const { table, columns, bytes } = (value ?? {}) as Record<string, unknown>;
  const known = backupTables.find(({ name }) => name === table);
  if (typeof table !== "string") throw new BackupError("a line of it is neither a row nor a table's name");
  if (known === undefined) throw new BackupError(`it has a table ${table}, which this release does not know`);
  if (!isTexts(columns) || (bytes !== undefined && !isTexts(bytes)))
    throw new BackupError(`it does not say what ${known.name} consists of`);
  const strange = columns.find((column) => !known.columns.includes(column as string));
  if (strange !== undefined)
    throw new BackupError(`${known.name} has a column ${String(strange)}, which this release does not know`);
  return { ...known, columns, bytes: bytes ?? [] };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function rowOf(value: readonly unknown[], backupTable: BackupTable | undefined): PortableRow {
  if (backupTable === undefined) throw new BackupError("it has rows before any table");
  if (value.length !== backupTable.columns.length)
    throw new BackupError(`a row of ${backupTable.name} has not its columns`);
  if (value.some((item) => typeof item === "object" && item !== null))
    throw new BackupError(`a row of ${backupTable.name} has a value that is none`);
  const { bytes = [] } = backupTable;
  if (bytes.length === 0) return value as PortableRow;
  return value.map((item, at) =>
    bytes.includes(backupTable.columns[at] ?? "") ? Buffer.from(String(item), "base64") : (item as PortableValue),
  );
}

/** Returns the JSON of a value; empty for a value nested too deeply, which no valid backup contains. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

function isEnd(value: unknown): value is { readonly end: unknown } {
  return typeof value === "object" && value !== null && "end" in value;
}

function compare(found: BackupSummary, recorded: unknown): void {
  if (JSON.stringify(found) !== textOf(recorded))
    throw new BackupError("what it holds is not what its last line says: it was changed or damaged");
}

interface Counting {
  begin(backupTable: BackupTable): void;
  row(row: PortableRow): void;
  summary(): Omit<BackupSummary, "sha256">;
}

function counting(): Counting {
  const rows: Record<string, number> = {};
  let journal = 0;
  let fileBytes = 0;
  let current = "";
  let watched = -1;
  return {
    begin: ({ columns, name }) => {
      current = name;
      rows[name] = 0;
      watched = name === "nonet_journal" ? columns.indexOf("position") : columns.indexOf("bytes");
    },
    row: (row) => {
      rows[current] = (rows[current] ?? 0) + 1;
      const item = row[watched];
      if (current === "nonet_journal") journal = Math.max(journal, Number(item));
      else if (current === "nonet_file_pieces" && item instanceof Uint8Array) fileBytes += item.length;
    },
    summary: () => ({ rows, journal, fileBytes }),
  };
}

/** Returns the time of a copy for its file name: `20261122T064500Z`. */
export function timeInName(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}
