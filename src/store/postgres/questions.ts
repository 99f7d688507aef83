/**
 * Questions to the database that change nothing. Those that come in one turn of the event loop, or while all connections are
 * busy, are gathered, and go out several in one round trip: most of what a small question costs, on both sides, is sending it
 * and hearing of its answer.
 */
import { StoreError } from "../error.ts";
import type { Bindable, Cells } from "./connection.ts";
import { remedyFor } from "./failure.ts";

/** A statement with its values. */
export interface Asking {
  readonly text: string;
  readonly values: readonly Bindable[];
}

export interface Question extends Asking {
  /**
   * What is said right before it, in the same transaction, and what it gives is of no interest: settings that hold until the
   * transaction ends. Questions that have the same text before them, or all of them none, are gathered.
   */
  readonly before: Asking | undefined;
  readonly resolve: (rows: readonly Cells[]) => void;
  /** A question that got lost with its connection is asked once more. */
  readonly reject: (thrown: unknown) => void;
  /** It was passed over, since one before it has failed. */
  readonly again: () => void;
}

export interface Gathered {
  ask<Row extends Cells>(asking: Asking, before?: Asking): Promise<readonly Row[]>;
  waiting(): number;
}

export interface GatherOptions {
  /** How many round trips may be under way. */
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly waitMilliseconds: number;
}

/** Questions of one round trip are answered one after another, so the last waits for all of them. */
const mostTogether = 16;
/** So few are not spread over several connections. */
const fewest = 4;

/** @param run asks them, each told what becomes of it; rejects where none could be asked. */
export function gather(
  run: (questions: readonly Question[]) => Promise<void>,
  { atOnce, mostWaiting, waitMilliseconds }: GatherOptions,
): Gathered {
  let waiting: (Question & { readonly since: number })[] = [];
  let underWay = 0;
  let isSoon = false;

  const soon = (): void => {
    if (isSoon || underWay >= atOnce) return;
    isSoon = true;
    setImmediate(start);
  };

  function start(): void {
    isSoon = false;
    while (waiting.length > 0 && underWay < atOnce) {
      const count = Math.max(fewest, Math.ceil(waiting.length / (atOnce - underWay)));
      const alike = waiting.filter(({ before }) => before?.text === waiting[0]?.before?.text);
      const questions = alike.slice(0, Math.min(count, mostTogether));
      waiting = waiting.filter((question) => !questions.includes(question));
      underWay += 1;
      void ask(questions);
    }
  }

  async function ask(questions: readonly (Question & { readonly since: number })[]): Promise<void> {
    try {
      const latest = performance.now() - waitMilliseconds;
      const late = questions.filter(({ since }) => since < latest);
      for (const question of late) question.reject(new StoreError("busy", "no connection was free in time"));
      await run(late.length === 0 ? questions : questions.filter(({ since }) => since >= latest));
    } catch (thrown) {
      for (const question of questions) question.reject(thrown);
    } finally {
      underWay -= 1;
      if (waiting.length > 0) soon();
    }
  }

  return {
    ask: <Row extends Cells>({ text, values }: Asking, before?: Asking) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        if (waiting.length >= mostWaiting) return reject(new StoreError("busy", "too many wait for the database"));
        let tries = 1;
        const question = {
          ...{ text, values, before, since: performance.now() },
          resolve: (rows: readonly Cells[]) => resolve(rows as readonly Row[]),
          reject: (thrown: unknown) => {
            if (tries > 1 || remedyFor(thrown) !== "reconnect") return reject(thrown);
            tries += 1;
            question.again();
          },
          again: () => {
            waiting.push(question);
            soon();
          },
        };
        question.again();
      }),
    waiting: () => waiting.length,
  };
}
