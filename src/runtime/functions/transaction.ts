/**
 * Runs one function. Its record operations run one after another in the transaction of its request.
 *
 * A service writes in one transaction at a time, so a function that waits for something else (another service, a timer) must not
 * block it. Its transaction is rolled back; when the function continues, a new transaction repeats its steps. If a repeated step
 * has another result, because another request changed the records, the request fails with 503 and can be retried. A function that
 * uses only records never needs this.
 */
import type { Transaction } from "../../store/port/store.ts";
import { isPassing } from "../../store/port/error.ts";
import { ApiError } from "../errors/api-error.ts";

export interface Run {
  /** Continues the function in this transaction; returns its result once it and all its steps are done. */
  runIn(tx: Transaction): Promise<unknown>;
  /** Aborts the function: there is no further transaction. Everything that waits for the function gets the reason. */
  end(reason: unknown): void;
}

export interface Step<Result> {
  /** Performs the step. Deterministic within a transaction; a rollback undoes its writes. */
  perform(tx: Transaction): Promise<Result>;
  readonly writes: boolean;
}

/** Requests a step of a function, and returns the step's result. */
export type RunStep = <Result>(step: Step<Result>) => Promise<Result>;

export interface RunOptions {
  /** Starts the function, which requests its steps from `runStep`. */
  readonly start: (runStep: RunStep, signal: AbortSignal) => unknown;
  /** Returns the remaining milliseconds; called when the function first waits for something other than the store. */
  readonly left: () => number;
}

/** Thrown to roll back the transaction of a function that waits for something other than the store. */
export class Waits extends Error {
  /** Resolves when the function continues or is aborted; never rejects. */
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
  /** The result as a text, to detect a different result after a retry. */
  readonly summary: string;
}

/** How many microtasks a function that waits only for promises in memory may take to continue. */
const microtasks = 8;

export function createRun({ start, left }: RunOptions): Run {
  const controller = new AbortController();
  const waiting: PendingStep[] = [];
  const done: Done[] = [];
  let wake: (() => void) | undefined;
  let outcome: Outcome | undefined;
  let started = false;
  let wrote = false;
  /** The error that the function must not swallow, because a step may be half done. */
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
    // The function may ignore this promise; its rejection must not end the process.
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
      // The store retries the transaction after a temporary error, which the function does not notice.
      if (isPassing(error)) throw error;
      const isUndone = !(error instanceof ApiError) || error.details.undo === true || tx.changes.length > before;
      if (isUndone) fatal ??= { error };
      return { kind: "error", error };
    }
  }

  /** Repeats all completed steps in a new transaction. */
  async function redo(tx: Transaction): Promise<void> {
    for (const { step, summary } of done) {
      const came = await attempt(tx, step);
      if (summaryOf(came) === summary) continue;
      // A repeated step that fails keeps its error; a step with another result is a conflict.
      const error = came.kind === "value" || came.error instanceof ApiError ? overtaken() : came.error;
      abandon(error);
      throw error;
    }
  }

  /** Whether the function continues without waiting for anything outside the process. */
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
        // The function's state may have changed during `goesOn`, so it is checked again.
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
