/**
 * Questions to the database that change nothing. Those that come in one turn of the event loop, or while all connections are
 * busy, are gathered, and go out several in one round trip: most of what a small question costs, on both sides, is sending it
 * and hearing of its answer.
 */
import { StoreError } from "../port/error.ts";
import type { Bindable, SqlRow } from "./connection.ts";
import { remedyFor } from "./failure.ts";

/** A statement with its values. */
export interface BoundStatement {
  readonly text: string;
  readonly values: readonly Bindable[];
}

export interface PendingQuery extends BoundStatement {
  /**
   * What is said right before it, in the same transaction, and what it gives is of no interest: settings that hold until the
   * transaction ends. Questions that have the same text before them, or all of them none, are gathered.
   */
  readonly before: BoundStatement | undefined;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  /** A question that got lost with its connection is asked once more. */
  readonly reject: (thrown: unknown) => void;
  /** It was passed over, since one before it has failed. */
  readonly again: () => void;
}

export interface Gathered {
  execute<Row extends SqlRow>(statement: BoundStatement, before?: BoundStatement): Promise<readonly Row[]>;
  waiting(): number;
}

export interface GatherOptions {
  /** How many round trips may be under way. */
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMilliseconds: number;
}

/** Questions of one round trip are answered one after another, so the last waits for all of them. */
const largestBatch = 16;
/** So few are not spread over several connections. */
const fewest = 4;

/** @param run asks them, each told what becomes of it; rejects where none could be asked. */
export function gather(
  run: (batch: readonly PendingQuery[]) => Promise<void>,
  { atOnce, mostWaiting, waitMilliseconds }: GatherOptions,
): Gathered {
  let waiting: (PendingQuery & { readonly since: number })[] = [];
  let active = 0;
  let isSoon = false;

  const soon = (): void => {
    if (isSoon || active >= atOnce) return;
    isSoon = true;
    setImmediate(start);
  };

  function start(): void {
    isSoon = false;
    while (waiting.length > 0 && active < atOnce) {
      const count = Math.max(fewest, Math.ceil(waiting.length / (atOnce - active)));
      const alike = waiting.filter(({ before }) => before?.text === waiting[0]?.before?.text);
      const batch = alike.slice(0, Math.min(count, largestBatch));
      waiting = waiting.filter((query) => !batch.includes(query));
      active += 1;
      void execute(batch);
    }
  }

  async function execute(batch: readonly (PendingQuery & { readonly since: number })[]): Promise<void> {
    try {
      const latest = performance.now() - waitMilliseconds;
      const late = batch.filter(({ since }) => since < latest);
      for (const query of late) query.reject(new StoreError("busy", "no connection was free in time"));
      await run(late.length === 0 ? batch : batch.filter(({ since }) => since >= latest));
    } catch (thrown) {
      for (const query of batch) query.reject(thrown);
    } finally {
      active -= 1;
      if (waiting.length > 0) soon();
    }
  }

  return {
    execute: <Row extends SqlRow>({ text, values }: BoundStatement, before?: BoundStatement) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        if (waiting.length >= mostWaiting) return reject(new StoreError("busy", "too many wait for the database"));
        let tries = 1;
        const query = {
          ...{ text, values, before, since: performance.now() },
          resolve: (rows: readonly SqlRow[]) => resolve(rows as readonly Row[]),
          reject: (thrown: unknown) => {
            if (tries > 1 || remedyFor(thrown) !== "reconnect") return reject(thrown);
            tries += 1;
            query.again();
          },
          again: () => {
            waiting.push(query);
            soon();
          },
        };
        query.again();
      }),
    waiting: () => waiting.length,
  };
}
