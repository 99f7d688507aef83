/** Writes backup files: under a temporary name until they are complete, synced and verified; and prints their summary. */
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { flush } from "../store/sqlite/backup.ts";
import {
  BackupError,
  type BackupHead,
  type BackupReader,
  type BackupSummary,
  fingerprintOf,
  readBackup,
  writeBackup,
} from "../store/backup/file.ts";
import type { PortableSource } from "../store/backup/portable.ts";
import { syncFolder } from "../store/sqlite/durability.ts";
import { UsageError } from "../server/errors.ts";
import { count } from "../base/layout.ts";

/** A backup that was read to its end and verified. */
export interface Backup {
  readonly head: BackupHead;
  readonly summary: BackupSummary;
  /** The fingerprint of the document whose tables the backup contains. */
  readonly document: string;
  /** The size of the file in bytes. */
  readonly bytes: number;
}

/**
 * The mode of the file: only the owner may read a backup, which contains keys, secrets and all data that callers may not see.
 */
const mode = 0o600;

/** Writes a backup. @throws UsageError if the file cannot be written; then no new file exists. */
export async function backUpTo(file: string, source: PortableSource, made: number): Promise<Backup> {
  const partial = `${file}.partial`;
  try {
    rmSync(partial, { force: true });
    const lines = Readable.from(writeBackup(source, made), { objectMode: true, highWaterMark: 2 });
    // The fastest compression level: others save little space, and the service needs the CPU.
    await pipeline(lines, createGzip({ level: 1 }), createWriteStream(partial, { mode, flags: "wx" }));
    flush(partial);
    const backup = await lookThrough(partial);
    renameSync(partial, file);
    syncFolder(dirname(file));
    return backup;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw unusable(thrown, `${file} cannot be written`);
  }
}

/** Reads a backup to its end. @throws UsageError if the file cannot be read or is no backup. */
export async function lookThrough(file: string, reader: Partial<BackupReader> = {}): Promise<Backup> {
  let head: BackupHead | undefined;
  const summary = await readFrom(file, {
    head: async (found) => {
      head = found;
      await reader.head?.(found);
    },
    rows: (backupTable, rows) => reader.rows?.(backupTable, rows),
  });
  if (head === undefined) throw new Error("a backup was read to its end without its beginning");
  return { head, summary, document: fingerprintOf(head), bytes: statSync(file).size };
}

async function readFrom(file: string, reader: BackupReader): Promise<BackupSummary> {
  const unzip = createGunzip();
  const reading = pipeline(createReadStream(file), unzip).catch(
    (thrown: unknown) => void unzip.destroy(thrown as Error),
  );
  try {
    return await readBackup(unzip, reader);
  } catch (thrown) {
    if (thrown instanceof BackupError) throw new UsageError(`${file} cannot be restored: ${thrown.message}`);
    throw unusable(thrown, `${file} cannot be read`);
  } finally {
    unzip.destroy();
    await reading;
  }
}

/** The error codes of zlib for invalid or truncated input. */
const damaged: readonly string[] = ["Z_DATA_ERROR", "Z_BUF_ERROR"];

function unusable(thrown: unknown, what: string): unknown {
  const { code, message, syscall } = thrown as NodeJS.ErrnoException;
  if (code !== undefined && damaged.includes(code))
    return new UsageError(`${what}: it is not a backup of nonet, or it is damaged or incomplete`);
  return syscall === undefined ? thrown : new UsageError(`${what}: ${message}`);
}

export function backupText(backup: Backup, what: string): string {
  const { bytes, document, head, summary } = backup;
  const { fileBytes, journal, rows, sha256 } = summary;
  const records = head.tables.map(({ name }) => `${name} ${rows[name] ?? 0}`);
  const total = head.tables.reduce((sum, { name }) => sum + (rows[name] ?? 0), 0);
  return [
    what,
    `  moment     ${new Date(head.made).toISOString()}`,
    `  records    ${total}${records.length === 0 ? "" : ` (${records.join(", ")})`}`,
    `  journal    ${count(rows["nonet_journal"] ?? 0, "entry").replace("entrys", "entries")}, the newest at position ${journal}`,
    `  keys       ${rows["nonet_keys"] ?? 0}, sessions' tokens ${rows["nonet_sessions"] ?? 0}`,
    `  files      ${rows["nonet_files"] ?? 0}, ${count(fileBytes, "byte")}`,
    `  document   ${document}`,
    `  sha256     ${sha256}, ${count(bytes, "byte")} compressed`,
    "",
  ].join("\n");
}

/** Returns the summary as JSON. */
export function backupJson(backup: Backup, about: Readonly<Record<string, unknown>>): string {
  const { bytes, document, head, summary } = backup;
  const { fileBytes, journal, rows, sha256 } = summary;
  const made = new Date(head.made).toISOString();
  return `${JSON.stringify({ ...about, made, document, rows, journal, fileBytes, sha256, bytes }, undefined, 2)}\n`;
}
