/**
 * The part of the store that holds the bytes of files. A column with `file` holds the metadata of one file (`{ id, … }`). The
 * transaction that writes such a column retains the bytes; the one that deletes the record or replaces the file deletes them. The
 * store deletes files without a record after `orphanMilliseconds`.
 */
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "./error.ts";
import type { Awaitable, Row } from "./store.ts";

export interface FileStore {
  /** Appends bytes to a file that no record references yet; the first call creates the file. */
  append(id: string, bytes: Uint8Array): Awaitable<void>;
  /** Returns the piece that contains the byte at this offset; undefined beyond the end, or for an unknown file. */
  piece(id: string, at: number): Awaitable<Piece | undefined>;
  /** Deletes those of the given files that no record references. */
  discard(ids: readonly string[]): Awaitable<void>;
}

export interface Piece {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** How long a file may exist without a record, in milliseconds: longer than any request. */
export const orphanMilliseconds = 3_600_000;

export interface FileChanges {
  readonly retained: readonly string[];
  readonly removed: readonly string[];
}

/** Returns which files a creation, change or deletion of a record retains and removes. */
export function fileChanges({ columns }: Table, before: Row | undefined, after: Row | undefined): FileChanges {
  const retained: string[] = [];
  const removed: string[] = [];
  for (const { file, name } of columns) {
    if (file === undefined) continue;
    const [old, fresh] = [idOf(before?.[name]), idOf(after?.[name])];
    if (old === fresh) continue;
    if (old !== undefined) removed.push(old);
    if (fresh !== undefined) retained.push(fresh);
  }
  return { retained, removed };
}

/** Returns the error for a file that was deleted before a record could reference it. */
export function cleared(id: string): StoreError {
  return new StoreError("gone", `the file ${id} is not there to be given to a record`);
}

function idOf(value: Row[string] | undefined): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const id = (value as Row)["id"];
  return typeof id === "string" ? id : undefined;
}
