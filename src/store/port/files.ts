/**
 * The part of the store that keeps the bytes of files. A column with `file` holds what is said of one (`{ id, … }`), and the
 * bytes go with it: they are kept when a record is given the file, in the transaction that does so, and gone when the record
 * is deleted, or has another file or none. A file that no record was given goes by itself.
 */
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "./error.ts";
import type { Awaitable, Row } from "./store.ts";

export interface FileStore {
  /** Adds bytes to a file that no record has yet, in the order in which they are to be read; the first ones make it. */
  append(id: string, bytes: Uint8Array): Awaitable<void>;
  /** The piece that holds the byte at this place, and where it begins; undefined where there is none, or no such file. */
  piece(id: string, at: number): Awaitable<Piece | undefined>;
  /** Forgets those of these files that no record has. */
  discard(ids: readonly string[]): Awaitable<void>;
}

export interface Piece {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** For how long a file may be without a record, in milliseconds: longer than any request. */
export const orphanMilliseconds = 3_600_000;

export interface FileChanges {
  readonly retained: readonly string[];
  readonly removed: readonly string[];
}

/** What a change of a record, its creation or deletion does to files. */
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

/** A file that is to be given to a record is not there any more. */
export function cleared(id: string): StoreError {
  return new StoreError("gone", `the file ${id} is not there to be given to a record`);
}

function idOf(value: Row[string] | undefined): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const id = (value as Row)["id"];
  return typeof id === "string" ? id : undefined;
}
