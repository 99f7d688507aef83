/**
 * Runs timed transitions and retention that are due, each record in a separate transaction, by the principal `system` (R3.5). A
 * job that fails is postponed until the record changes, and the operator is notified.
 */
import { instantText } from "../../base/clock.ts";
import { dueTimeOf } from "../../plan/states/schedule.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { TimedJob } from "../../plan/states/types.ts";
import { StoreError } from "../../store/port/error.ts";
import type { Due, Row, Transaction } from "../../store/port/store.ts";
import { anonymous } from "../context/caller.ts";
import { type Context, tableOf, type ChangeContext } from "../context/context.ts";
import { applyTransition, changedBy, firstTransition } from "../records/effects.ts";
import { ApiError } from "../errors/api-error.ts";
import { discard, erase } from "./retention.ts";
import { holdToRules } from "../records/rules.ts";
import { wakeTimers } from "../records/wake.ts";

export interface Time {
  /**
   * Runs the jobs that are due, oldest first; returns the number of changed records. Stops between two batches once
   * `isStopped` returns true. Each record runs once: a job of it that is due again waits for the next run.
   */
  run(isStopped: () => boolean): Promise<number>;
}

export interface TimeReports {
  /** Called with each error that is a bug of Nonet or of its store. */
  readonly report: (failure: unknown) => void;
  /** Called with a message about each timed job that a rule of the document prevents. */
  readonly notice: (message: string) => void;
  /** Called after each timed job, with its delay. */
  readonly completed?: TimerObserver | undefined;
}

/** Called after a timed job. `refused`: a rule of the document rejected it. */
export type TimerObserver = (outcome: "done" | "refused" | "failed", lateMilliseconds: number) => void;

/** How many records' transactions share one disk sync; between batches other requests run. */
const batch = 32;

export function createTime(context: Context, reports: TimeReports): Time {
  return {
    async run(isStopped) {
      const names = new Set<string>();
      let count = 0;
      while (!isStopped()) {
        const due = await context.store.due(context.clock.now(), batch);
        const fresh = due.filter((one) => !names.has(keyOf(one)));
        if (fresh.length === 0) break;
        for (const one of fresh) names.add(keyOf(one));
        const outcomes = await Promise.allSettled(fresh.map((one) => fire(context, reports, one)));
        for (const outcome of outcomes) {
          if (outcome.status === "rejected") throw outcome.reason;
          if (outcome.value) count += 1;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      return count;
    },
  };
}

function keyOf({ resource, id }: Due): string {
  return JSON.stringify([resource, id]);
}

/**
 * Runs the due jobs of a record; returns whether the record changed. A failed job is skipped so that the record's later jobs
 * still run.
 */
async function fire(context: Context, { notice, report, completed }: TimeReports, due: Due): Promise<boolean> {
  const failed = new Map<TimedJob, unknown>();
  const late = context.clock.now() - due.due;
  for (;;) {
    try {
      const done = await context.store.transaction((tx) => runDueJobs(context, tx, due, failed));
      if (done) completed?.("done", late);
      return done;
    } catch (thrown) {
      if (!(thrown instanceof JobFailed)) throw thrown;
      const { cause } = thrown;
      failed.set(thrown.job, cause);
      completed?.(cause instanceof ApiError ? "refused" : "failed", late);
      if (cause instanceof ApiError)
        notice(`${due.resource} ${String(due.id as string)}, ${thrown.job.cause}: not done, ${cause.code}`);
      else report(cause);
    }
  }
}

class JobFailed extends Error {
  readonly job: TimedJob;

  constructor(job: TimedJob, cause: unknown) {
    super(job.cause, { cause });
    this.job = job;
  }
}

async function runDueJobs(
  context: Context,
  tx: Transaction,
  { resource, id }: Due,
  failed: ReadonlyMap<TimedJob, unknown>,
): Promise<boolean> {
  const table = tableOf(context, resource);
  const now = context.clock.now();
  let row = await tx.lock(resource, id);
  // The record may have changed since the query, or another process may have run its jobs.
  if (row === undefined || !isDue(row, now)) return false;
  let done = false;
  let again = Number.POSITIVE_INFINITY;
  for (const timed of dueJobs(table, row, now)) {
    if (failed.has(timed)) {
      // Other records block the job, and no event reports when they no longer do: the job is tried again later.
      if (isLate(failed.get(timed))) again = now + retryMilliseconds;
      continue;
    }
    const present: Row = row;
    const before = dueTimeOf(timed, present);
    const outcome = await perform(context, tx, { table, row: present, job: timed, now }).catch((thrown: unknown) => {
      throw thrown instanceof StoreError ? thrown : new JobFailed(timed, thrown);
    });
    if (outcome === "deleted") return true;
    if (outcome === "blocked") again = now + retryMilliseconds;
    if (outcome !== "done") continue;
    done = true;
    row = (await tx.get(resource, "id", id)) ?? row;
    // Other jobs apply in the new state, and the write that entered the state has already scheduled them.
    if (row["state"] !== present["state"]) return true;
    const after = dueTimeOf(timed, row);
    if (after !== undefined && after !== before) again = Math.min(again, after);
  }
  const next = Math.min(again, ...momentsOf(table, row).filter((moment) => moment > now));
  await tx.defer(resource, row, Number.isFinite(next) ? next : null);
  return done;
}

function isLate(cause: unknown): boolean {
  return cause instanceof ApiError && cause.details.isLate === true;
}

/** After how many milliseconds a job that other records block is retried, such as a deletion of a referenced record. */
const retryMilliseconds = 3_600_000;

function isDue(row: Row, now: number): boolean {
  const due = row["_due"];
  return typeof due === "number" && due <= now;
}

function momentsOf({ timed = [] }: Table, row: Row): readonly number[] {
  return timed.flatMap((one) => dueTimeOf(one, row) ?? []);
}

/** Returns the jobs that are due, oldest first, then in the document's order. */
function dueJobs({ timed = [] }: Table, row: Row, now: number): readonly TimedJob[] {
  return timed
    .flatMap((one) => ({ one, moment: dueTimeOf(one, row) ?? Number.POSITIVE_INFINITY }))
    .filter(({ moment }) => moment <= now)
    .toSorted((a, b) => a.moment - b.moment)
    .map(({ one }) => one);
}

interface JobRun {
  readonly table: Table;
  readonly row: Row;
  readonly job: TimedJob;
  readonly now: number;
}

/** The outcome of a job. `blocked`: other records prevent the job, so a change of this record would not help. */
type Outcome = "done" | "deleted" | "nothing" | "blocked";

async function perform(context: Context, tx: Transaction, jobRun: JobRun): Promise<Outcome> {
  const { job: timed, now, row } = jobRun;
  const due = dueTimeOf(timed, row) ?? now;
  const changeContext = changeContextOf(context, timed.cause, due, now);
  const from = tx.changes.length;
  const outcome = await performBy(changeContext, tx, jobRun, due);
  await holdToRules(changeContext, tx, { from, stateOnly: timed.action.kind === "erase" });
  await wakeTimers(changeContext, tx, from);
  return outcome;
}

async function performBy(
  changeContext: ChangeContext,
  tx: Transaction,
  { table, row, job: { action, cause } }: JobRun,
  due: number,
): Promise<Outcome> {
  if (action.kind === "delete") return (await discard(changeContext, tx, table, row)) ? "deleted" : "blocked";
  if (action.kind === "erase") return (await erase(changeContext, tx, table, row, action.columns)) ? "done" : "nothing";
  await tx.declareWrites(
    changedBy(
      action.effects,
      action.moves.flatMap(({ also = [] }) => also),
    ),
  );
  const transition = await firstTransition(changeContext, tx, action.moves, row);
  if (transition === undefined) return "nothing";
  // The record stays in its state, so its times do not change: only the event log shows that this job has already run.
  if (!transition.changesState && (await tx.hasFired(table.resource, String(row["id"] as string), cause, due)))
    return "nothing";
  await applyTransition(changeContext, tx, { table, row, transition, effects: action.effects });
  return "done";
}

function changeContextOf(context: Context, cause: string, due: number, now: number): ChangeContext {
  const base = context.baseUrl();
  const variables = {
    caller: anonymous,
    input: {},
    now: instantText(now),
    base,
  } as unknown as ChangeContext["variables"];
  return { context, now, variables, by: "system", cause, due };
}
