/**
 * A copy of a file before its data is changed: whole and looked through before anything is, under a name of its own beside
 * it, with the same permissions. Until it is known to be good it has another name, so that no half of one is taken for it.
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

/** Gives the copy's name. @throws StoreError when there can be none; nothing has happened then. */
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

/** What a process that was killed has left. Nobody else makes a copy while the file's lock is held. */
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

/** Its bytes are on the disk. */
export function flush(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
