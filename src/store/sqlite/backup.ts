/**
 * Copies a file before a migration changes it: next to it, with its own name and the same permissions. Until the copy is complete
 * and checked it has another name, so that a partial copy is not mistaken for a backup.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { backup as copyDatabase, DatabaseSync } from "node:sqlite";
import { timeInName } from "../backup/file.ts";
import { StoreError } from "../port/error.ts";
import { createForOwner, explained } from "./connection.ts";
import { syncFolder } from "./durability.ts";

/** Copies the file; returns the copy's name. @throws StoreError if the copy fails; then nothing has changed. */
export async function backUp(file: string, now: number): Promise<string> {
  const copy = freeName(`${file}.backup-${timeInName(now)}`);
  const partial = `${copy}.partial`;
  try {
    dropPartial(file);
    await copyTo(file, partial);
    assertIntact(partial);
    chmodSync(partial, statSync(file).mode & 0o777);
    flush(partial);
    renameSync(partial, copy);
    syncFolder(dirname(copy));
    return copy;
  } catch (thrown) {
    rmSync(partial, { force: true });
    const reason = explained(thrown, partial);
    const message = reason instanceof Error ? reason.message : String(reason);
    throw new StoreError(
      "disk",
      `the data cannot be backed up to ${copy}, so nothing was changed: ${message}`,
      [],
      thrown,
    );
  }
}

/** Deletes the leftovers of a killed process. No other process copies while this one holds the lock. */
function dropPartial(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(file)}.backup-`) && /\.partial(?:-journal)?$/.test(name))
      rmSync(join(folder, name));
  }
}

export function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

async function copyTo(file: string, copy: string): Promise<void> {
  createForOwner(copy);
  const source = new DatabaseSync(file, { timeout: 5_000 });
  try {
    await copyDatabase(source, copy, { rate: 10_000 });
  } finally {
    source.close();
  }
}

function assertIntact(copy: string): void {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const found = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"];
    if (found !== "ok") throw new Error(`the copy is damaged: ${String(found)}`);
  } finally {
    database.close();
  }
}

/** Flushes the file's bytes to the disk. */
export function flush(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
