/** Stores the bytes of files in memory. */
import type { Table } from "../../plan/resources/types.ts";
import { cleared, fileChanges, type FileStore, orphanMilliseconds } from "../port/files.ts";
import type { Row } from "../port/store.ts";
import type { Committed, Pending } from "./records.ts";
import { seqOf } from "./records.ts";

interface StoredFile {
  readonly pieces: Uint8Array[];
  /** The time of the last upload; undefined once a record has the file. */
  orphanedAt: number | undefined;
}

export class MemoryFiles implements FileStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  append(id: string, bytes: Uint8Array): void {
    const file: StoredFile = this.#files.get(id) ?? { pieces: [], orphanedAt: undefined };
    file.orphanedAt = this.#clock();
    file.pieces.push(bytes);
    this.#files.set(id, file);
  }

  piece(id: string, at: number): { start: number; bytes: Uint8Array } | undefined {
    let start = 0;
    for (const bytes of this.#files.get(id)?.pieces ?? []) {
      if (at < start + bytes.length) return { start, bytes };
      start += bytes.length;
    }
    return undefined;
  }

  discard(ids: readonly string[]): void {
    for (const id of ids) if (this.#files.get(id)?.orphanedAt !== undefined) this.#files.delete(id);
  }

  purge(now: number): void {
    for (const [id, { orphanedAt }] of this.#files)
      if (orphanedAt !== undefined && orphanedAt < now - orphanMilliseconds) this.#files.delete(id);
  }

  /** Checks the files of a record before it is written. @throws StoreError `gone` for a missing file */
  check(table: Table, before: Row | undefined, after: Row): void {
    for (const id of fileChanges(table, before, after).retained)
      if (this.#files.get(id)?.orphanedAt === undefined) throw cleared(id);
  }

  /** Retains and deletes files for a transaction's changes; called before they are committed. */
  follow(committed: Committed, { changes }: Pick<Pending, "changes">): void {
    const all = [...changes].flatMap(([resource, rows]) => {
      const { rows: present, table } = committed.relation(resource);
      if (table.columns.every(({ file }) => file === undefined)) return [];
      return [...rows].map(([seq, after]) => {
        return fileChanges(
          table,
          present.find((row) => seqOf(row) === seq),
          after,
        );
      });
    });
    for (const { removed, retained } of all) {
      for (const id of retained) (this.#files.get(id) as StoredFile).orphanedAt = undefined;
      for (const id of removed) this.#files.delete(id);
    }
  }
}
