/**
 * One function under way. What it asks of the store is done in the transaction of its request, one thing after the other.
 *
 * All writes of a service go through one transaction after another, so a function that waits for something else (another
 * service, a timer) must not hold its own open meanwhile: it is undone then, and when the function goes on, another one does
 * anew what was done before. Where that comes to something else, because others have changed what the function has read,
 * the request is refused, to be sent again. A function that asks for nothing but records never comes to that.
 */
import type { Transaction } from "../../store/port/store.ts";
import { isPassing } from "../../store/port/error.ts";
import { ApiError } from "../errors/api-error.ts";

export interface Run {
  /** What the function gives, when it and all that it asked for is done in this transaction. */
  runIn(tx: Transaction): Promise<unknown>;
  /** There is no other transaction for it: those who wait get the reason, and so does the function. */
  end(reason: unknown): void;
}

export interface Step<Result> {
  /** The same transaction gives the same; what it writes is undone with it. */
  perform(tx: Transaction): Promise<Result>;
  readonly writes: boolean;
}

/** What a function uses to have something done. */
export type RunStep = <Result>(step: Step<Result>) => Promise<Result>;

export interface RunOptions {
  /** Starts the function. */
  readonly start: (runStep: RunStep, signal: AbortSignal) => unknown;
  /** How long it may still take, in milliseconds, asked when it first waits for something else. */
  readonly left: () => number;
}

/** Thrown to undo the transaction of a function that waits for something else. */
export class Waits extends Error {
  /** Resolves when it goes on, or may not any more; never rejects. */
  readonly over: Promise<void>;

  constructor(over: Promise<void>) {
    super("a function waits for something else");
    this.over = over;
  }
}

interface PendingStep {
  readonly step: Step<unknown>;
  readonly complete: (outcome: Outcome) => void;
}

type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: unknown };

interface Done {
  readonly step: Step<unknown>;
  /** What came of it, to tell whether it still does. */
  readonly summary: string;
}

/** A function that goes on by itself does so within a few of these. */
const microtasks = 8;

export function createRun({ start, left }: RunOptions): Run {
  const controller = new AbortController();
  const waiting: PendingStep[] = [];
  const done: Done[] = [];
  let wake: (() => void) | undefined;
  let outcome: Outcome | undefined;
  let started = false;
  let wrote = false;
  /** What must not be caught by the function: half of something may be written. */
  let fatal: { readonly error: unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const complete = (result: Outcome): void => {
    outcome ??= result;
    clearTimeout(timer);
    wake?.();
  };

  const abandon = (error: unknown): void => {
    if (outcome !== undefined) return;
    complete({ kind: "error", error });
    controller.abort(error);
  };

  const runStep: RunStep = (step) => {
    if (outcome !== undefined) return Promise.reject(new Error("a function asked for records after its end"));
    const pending = new Promise<never>((resolve, reject) => {
      waiting.push({
        step,
        complete: (result) => (result.kind === "value" ? resolve(result.value as never) : reject(result.error)),
      });
    });
    // Nobody may wait for it, which must not end the process.
    pending.catch(() => {});
    wake?.();
    return pending;
  };

  function begin(): void {
    started = true;
    new Promise((resolve) => resolve(start(runStep, controller.signal))).then(
      (value) => complete({ kind: "value", value }),
      (error: unknown) => complete({ kind: "error", error }),
    );
  }

  async function attempt(tx: Transaction, step: Step<unknown>): Promise<Outcome> {
    if (step.writes) wrote = true;
    const before = tx.changes.length;
    try {
      return { kind: "value", value: await step.perform(tx) };
    } catch (error) {
      // The store runs the transaction again; the function does not notice.
      if (isPassing(error)) throw error;
      const isUndone = !(error instanceof ApiError) || error.details.undo === true || tx.changes.length > before;
      if (isUndone) fatal ??= { error };
      return { kind: "error", error };
    }
  }

  /** In another transaction than before: everything once more. */
  async function redo(tx: Transaction): Promise<void> {
    for (const { step, summary } of done) {
      const came = await attempt(tx, step);
      if (summaryOf(came) === summary) continue;
      // What failed is told as that: nobody has come between.
      const error = came.kind === "value" || came.error instanceof ApiError ? overtaken() : came.error;
      abandon(error);
      throw error;
    }
  }

  /** Whether the function has gone on without anything else's happening. */
  async function goesOn(): Promise<boolean> {
    for (let count = 0; count < microtasks; count += 1) {
      await Promise.resolve();
      if (waiting.length > 0 || outcome !== undefined) return true;
    }
    return new Promise((resolve) => {
      const tick = setImmediate(() => {
        wake = undefined;
        resolve(false);
      });
      wake = () => {
        wake = undefined;
        clearImmediate(tick);
        resolve(true);
      };
    });
  }

  function later(): Promise<void> {
    timer ??= setTimeout(() => abandon(timedOut()), Math.max(left(), 0));
    return new Promise((resolve) => {
      wake = () => {
        wake = undefined;
        resolve();
      };
    });
  }

  return {
    end: (reason) => {
      if (started) abandon(reason);
    },
    async runIn(tx) {
      await tx.lockEagerly();
      await redo(tx);
      if (!started) begin();
      for (;;) {
        const [next] = waiting;
        if (next !== undefined) {
          const came = await attempt(tx, next.step);
          waiting.shift();
          done.push({ step: next.step, summary: summaryOf(came) });
          next.complete(came);
        } else if (outcome !== undefined) break;
        // It may have gone on since that was looked at.
        else if (!(await goesOn()) && waiting.length === 0 && outcome === undefined) throw new Waits(later());
      }
      if (fatal !== undefined) throw fatal.error;
      if (outcome.kind === "value") return outcome.value;
      const { error } = outcome;
      throw error instanceof ApiError && wrote ? new ApiError(error.code, { ...error.details, undo: true }) : error;
    },
  };
}

function summaryOf(outcome: Outcome): string {
  if (outcome.kind === "value") return JSON.stringify(outcome.value) ?? "nothing";
  const { error } = outcome;
  return error instanceof ApiError ? `refused: ${error.code}` : "failed";
}

function overtaken(): ApiError {
  return new ApiError("overloaded", {
    detail: "Concurrent requests changed the same records; nothing was changed",
    headers: ["Retry-After", "1"],
    undo: true,
  });
}

function timedOut(): ApiError {
  return new ApiError("timed-out", {
    detail: "The request took too long; nothing was changed",
    headers: ["Retry-After", "1"],
    undo: true,
  });
}
