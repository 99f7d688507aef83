/**
 * Batches read-only queries: those of one event-loop tick, or that arrive while all connections are busy, are sent together in
 * one round trip, because most of the cost of a small query is sending it and receiving the response.
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
   * A statement to run before the query in the same transaction, whose result is ignored: settings that last until the end of
   * the transaction. Only queries with the same `before.text`, or all without one, share a batch.
   */
  readonly before: BoundStatement | undefined;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  /** Called with the error; the query is retried once if the connection was lost. */
  readonly reject: (thrown: unknown) => void;
  /** Queues the query again, if the server skipped it because a query before it failed. */
  readonly again: () => void;
}

export interface Gathered {
  execute<Row extends SqlRow>(statement: BoundStatement, before?: BoundStatement): Promise<readonly Row[]>;
  waiting(): number;
}

export interface GatherOptions {
  /** The most round trips in progress. */
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMilliseconds: number;
}

/** The most queries per round trip: they run one after another, so the last one waits for all. */
const largestBatch = 16;
/** How many queries are not split over several connections. */
const fewest = 4;

/** Creates the batches. @param run runs a batch and settles each of its queries; rejects if none could run. */
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
