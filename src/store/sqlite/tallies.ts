/**
 * How many records have a value, for quotas of what there may be (R8.7), kept in memory from the first time that it is asked:
 * counting them anew costs each creation as much as there are.
 *
 * A number is of the state that the writing connection sees inside its transaction. It follows each write of that connection,
 * goes when the write is undone, and all go when another connection has written to the file.
 */
import type { Value } from "../../expression/evaluate.ts";
import type { Row, Tally } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { Turn } from "./group.ts";

export interface Tallies {
  /** Asks where it is not known; gives no more than `Ask.most`. */
  count(turn: Turn, tally: Tally, ask: Ask): number;
  /** Whether anything of the resource is counted, so that its writes have to be told. */
  has(resource: string): boolean;
  /** A record was written: as it was, undefined where it is new, and as it is, undefined where it is gone. */
  follow(turn: Turn, resource: string, old: Row | undefined, row: Row | undefined): void;
}

export interface Ask {
  /** Counts no further than this. */
  readonly most: number;
  count(): number;
}

/** The counts of all values. */
interface Kept extends Omit<Tally, "value"> {
  readonly counts: Map<Value, number>;
}

/** Values of one column that are kept; beyond it all are counted anew. */
const mostValues = 100_000;

export function createTallies(connection: Connection): Tallies {
  const byResource = new Map<string, Kept[]>();
  let version: unknown;

  const keptOf = ({ resource, column, states }: Tally): Kept => {
    const among = byResource.get(resource) ?? [];
    byResource.set(resource, among);
    const found = among.find((one) => one.column === column && one.states?.join() === states?.join());
    if (found !== undefined) return found;
    const kept: Kept = { resource, column, states, counts: new Map() };
    among.push(kept);
    return kept;
  };
  /** Another process may have written before this transaction began, and none does while it lasts. */
  const forgetOthers = (): void => {
    const [present] = connection.get("PRAGMA data_version") ?? [];
    if (present === version) return;
    version = present;
    for (const { counts } of [...byResource.values()].flat()) counts.clear();
  };
  const add = (turn: Turn, { counts }: Kept, value: Value, change: 1 | -1): void => {
    const count = counts.get(value);
    if (count === undefined) return;
    counts.set(value, count + change);
    turn.whenUndone(() => counts.delete(value));
  };

  return {
    count(turn, tally, ask) {
      forgetOthers();
      const { value } = tally;
      const { counts } = keptOf(tally);
      const known = counts.get(value);
      if (known !== undefined) return Math.min(known, ask.most);
      const count = ask.count();
      // Where it was not counted to its end, it is not known.
      if (count >= ask.most) return count;
      if (counts.size >= mostValues) counts.clear();
      counts.set(value, count);
      turn.whenUndone(() => counts.delete(value));
      return count;
    },
    has: (resource) => byResource.has(resource),
    follow(turn, resource, old, row) {
      for (const kept of byResource.get(resource) ?? []) {
        const before = valueIn(kept, old);
        const after = valueIn(kept, row);
        if (before === after) continue;
        if (before !== undefined) add(turn, kept, before, -1);
        if (after !== undefined) add(turn, kept, after, 1);
      }
    },
  };
}

/** Whom a record counts for, undefined for nobody. */
function valueIn({ column, states }: Kept, row: Row | undefined): Value | undefined {
  if (row === undefined || (states !== undefined && !states.includes(row["state"] as string))) return undefined;
  return row[column] ?? null;
}
