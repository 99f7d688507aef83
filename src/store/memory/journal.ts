/** Stores the event log in memory: entries by position, in order. */
import type { Journal, JournalEntry, JournalRecord } from "../port/store.ts";

export class MemoryJournal implements Journal {
  #entries: JournalRecord[] = [];
  #last = 0;

  /** Adds the entries of a committed transaction, and deletes the data of forgotten records in the same order. */
  commit(entries: readonly (JournalEntry | Forgotten)[]): void {
    for (const entry of entries) {
      if ("forgotten" in entry) this.#forget(entry.forgotten);
      else this.#entries.push({ ...structuredClone(entry), position: (this.#last += 1) });
    }
  }

  some(is: (entry: JournalEntry) => boolean): boolean {
    return this.#entries.some(is);
  }

  #forget([resource, id]: readonly [resource: string, record: string]): void {
    this.#entries = this.#entries.map((entry) =>
      entry.record === id && entry.resource === resource ? withoutData(entry) : entry,
    );
  }

  events(after: number, limit: number): readonly JournalRecord[] {
    return this.#entries.filter(({ event, position }) => position > after && event !== undefined).slice(0, limit);
  }

  at(position: number): JournalRecord | undefined {
    return this.#entries.find((entry) => entry.position === position);
  }

  intact(positions: readonly number[]): ReadonlySet<number> {
    const requested = new Set(positions);
    const some = this.#entries.filter(({ data, position }) => data !== undefined && requested.has(position));
    return new Set(some.map(({ position }) => position));
  }

  moves(resource: string, id: string, after: number, limit: number): readonly JournalRecord[] {
    return this.#entries
      .filter((entry) => entry.record === id && entry.resource === resource && entry.to !== undefined)
      .filter(({ position }) => position > after)
      .slice(0, limit);
  }

  last(): number {
    return this.#last;
  }

  first(): number | undefined {
    return this.#entries.find(({ event }) => event !== undefined)?.position;
  }

  trim(before: number): void {
    this.#entries = this.#entries.flatMap((entry) => {
      if (entry.at >= before || (entry.event ?? entry.received) === undefined) return [entry];
      if (entry.to === undefined) return [];
      const { event: _, received: __, ...transition } = withoutData(entry);
      return [transition];
    });
  }
}

/** A marker among the entries of a transaction for the point at which the data of a record is deleted. */
export interface Forgotten {
  readonly forgotten: readonly [resource: string, record: string];
}

function withoutData({ data: _, ...entry }: JournalRecord): JournalRecord {
  return entry;
}
