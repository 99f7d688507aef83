/**
 * Caches in memory how many records have a value, for quotas (R8.7): counting again would cost each creation time proportional to
 * the count.
 *
 * A count is of the state that the writing connection sees inside its transaction. It follows each write of that connection, is
 * dropped when the write is undone, and all are dropped when another connection has written to the file.
 */
import { getOrMake } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Row, LiveCount } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { WriteSlot } from "./write-batches.ts";

export interface LiveCounts {
  /** Returns the cached count, else queries it; at most `query.most`. */
  count(slot: WriteSlot, liveCount: LiveCount, query: CountQuery): number;
  /** Whether counts of the resource are cached, so that `follow` must be called for its writes. */
  has(resource: string): boolean;
  /** Updates the counts after a write: `old` is undefined for a new record, `row` for a deleted one. */
  follow(slot: WriteSlot, resource: string, old: Row | undefined, row: Row | undefined): void;
}

export interface CountQuery {
  /** The number at which the count stops. */
  readonly most: number;
  count(): number;
}

/** The counts of records by the values of a column. */
interface CountedValues extends Omit<LiveCount, "value"> {
  readonly counts: Map<Value, number>;
}

/** The most cached values of one column; beyond it the cache is cleared. */
const mostValues = 100_000;

export function createLiveCounts(connection: Connection): LiveCounts {
  const byResource = new Map<string, CountedValues[]>();
  let version: unknown;

  const countedValuesOf = ({ resource, column, states }: LiveCount): CountedValues => {
    const among = getOrMake(byResource, resource, () => []);
    const found = among.find((one) => one.column === column && one.states?.join() === states?.join());
    if (found !== undefined) return found;
    const countedValues: CountedValues = { resource, column, states, counts: new Map() };
    among.push(countedValues);
    return countedValues;
  };
  /** Drops all counts if another process has written since; none can during this transaction. */
  const forgetOthers = (): void => {
    const [present] = connection.get("PRAGMA data_version") ?? [];
    if (present === version) return;
    version = present;
    for (const { counts } of [...byResource.values()].flat()) counts.clear();
  };
  const add = (slot: WriteSlot, { counts }: CountedValues, value: Value, change: 1 | -1): void => {
    const count = counts.get(value);
    if (count === undefined) return;
    counts.set(value, count + change);
    slot.whenUndone(() => counts.delete(value));
  };

  return {
    count(slot, liveCount, query) {
      forgetOthers();
      const { value } = liveCount;
      const { counts } = countedValuesOf(liveCount);
      const known = counts.get(value);
      if (known !== undefined) return Math.min(known, query.most);
      const count = query.count();
      // A count cut off at `most` is not exact, so it is not cached.
      if (count >= query.most) return count;
      if (counts.size >= mostValues) counts.clear();
      counts.set(value, count);
      slot.whenUndone(() => counts.delete(value));
      return count;
    },
    has: (resource) => byResource.has(resource),
    follow(slot, resource, old, row) {
      for (const countedValues of byResource.get(resource) ?? []) {
        const before = valueIn(countedValues, old);
        const after = valueIn(countedValues, row);
        if (before === after) continue;
        if (before !== undefined) add(slot, countedValues, before, -1);
        if (after !== undefined) add(slot, countedValues, after, 1);
      }
    },
  };
}

/** Returns the value for which a record counts; undefined for none. */
function valueIn({ column, states }: CountedValues, row: Row | undefined): Value | undefined {
  if (row === undefined || (states !== undefined && !states.includes(row["state"] as string))) return undefined;
  return row[column] ?? null;
}
