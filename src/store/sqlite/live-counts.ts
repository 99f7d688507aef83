/**
 * How many records have a value, for quotas of what there may be (R8.7), kept in memory from the first time that it is asked:
 * counting them anew costs each creation as much as there are.
 *
 * A number is of the state that the writing connection sees inside its transaction. It follows each write of that connection,
 * goes when the write is undone, and all go when another connection has written to the file.
 */
import type { Value } from "../../expression/evaluate.ts";
import type { Row, LiveCount } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { WriteSlot } from "./write-batches.ts";

export interface LiveCounts {
  /** Asks where it is not known; gives no more than `Ask.most`. */
  count(slot: WriteSlot, liveCount: LiveCount, query: CountQuery): number;
  /** Whether anything of the resource is counted, so that its writes have to be told. */
  has(resource: string): boolean;
  /** A record was written: as it was, undefined where it is new, and as it is, undefined where it is gone. */
  follow(slot: WriteSlot, resource: string, old: Row | undefined, row: Row | undefined): void;
}

export interface CountQuery {
  /** Counts no further than this. */
  readonly most: number;
  count(): number;
}

/** The counts of all values. */
interface CountedValues extends Omit<LiveCount, "value"> {
  readonly counts: Map<Value, number>;
}

/** Values of one column that are kept; beyond it all are counted anew. */
const mostValues = 100_000;

export function createLiveCounts(connection: Connection): LiveCounts {
  const byResource = new Map<string, CountedValues[]>();
  let version: unknown;

  const countedValuesOf = ({ resource, column, states }: LiveCount): CountedValues => {
    const among = byResource.get(resource) ?? [];
    byResource.set(resource, among);
    const found = among.find((one) => one.column === column && one.states?.join() === states?.join());
    if (found !== undefined) return found;
    const countedValues: CountedValues = { resource, column, states, counts: new Map() };
    among.push(countedValues);
    return countedValues;
  };
  /** Another process may have written before this transaction began, and none does while it lasts. */
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
      // Where it was not counted to its end, it is not known.
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

/** Whom a record counts for, undefined for nobody. */
function valueIn({ column, states }: CountedValues, row: Row | undefined): Value | undefined {
  if (row === undefined || (states !== undefined && !states.includes(row["state"] as string))) return undefined;
  return row[column] ?? null;
}
