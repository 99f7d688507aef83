/**
 * Runs the delivery attempts: locks due deliveries with a lease, sends them, and stores the outcomes (R6.5 to R6.9).
 *
 * It works in rounds per endpoint. A round stores the outcomes of all ended attempts and locks as many due deliveries as the
 * concurrency limit allows, in one transaction: one disk sync or database round trip for all.
 */
import { getOrMake } from "../base/once.ts";
import { instantText } from "../base/clock.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Transaction } from "../store/port/store.ts";
import type { DeliveryOptions } from "./engine.ts";
import type { FanOut } from "./fan-out.ts";
import { deliveries, nothing, type Rows, viewOf } from "./tables.ts";
import { type LockedDelivery, createSend, type Ended } from "./attempt.ts";
import { createDeliveryCompletion, type CompletedDelivery } from "./complete.ts";

export interface Attempts {
  /**
   * Starts due attempts. `recover` creates deliveries again at the request of an endpoint; present if this process is the
   * leader.
   */
  begin(recover: FanOut["recover"] | undefined): Promise<void>;
  /** Notes that the endpoint has due deliveries. */
  wake(endpoint: string): void;
  /** Runs a task that may start attempts; `completed` waits for it. */
  awaited(task: () => Promise<void>): Promise<void>;
  completed(): Promise<void>;
  /** Aborts active attempts, to be repeated later. */
  abandon(): void;
}

/**
 * The limits of concurrent attempts per endpoint: the limit grows by one after each success, and falls to `least` after a
 * failure.
 */
const room = { least: 8, most: 64 };
/** The most attempts per transaction, since other writes wait for it if there is a single writer. */
const atOnce = 16;
/**
 * How many more due deliveries than needed a process chooses from at random, so that processes do not compete for the same
 * ones.
 */
const choice = 24;
/** The interval in milliseconds at which all endpoints are read again, because other processes may have changed them. */
const sweepMilliseconds = 1000;
/**
 * How much longer than the timeout of an attempt its lease is, in milliseconds: a process that has not stored the outcome by
 * then has ended.
 */
const leaseMilliseconds = 5_000;

interface Waiting {
  readonly id: string;
  readonly nextAttemptAt: string;
}

/** The state of one endpoint. */
interface Lane {
  readonly endpoint: string;
  /** The active attempts, and their limit. */
  busy: number;
  room: number;
  /** Ended attempts whose outcome is not stored yet. */
  ended: Ended[];
  turning: boolean;
  /** Whether another round has to follow. */
  again: boolean;
}

export function createAttempts(
  options: DeliveryOptions,
  webhook: WebhookPlan,
  rows: Rows,
  stopping: AbortSignal,
): Attempts {
  const { clock, plan, random, store } = options;
  const listWaiting = store.list({
    resource: deliveries,
    system: true,
    view: viewOf(plan, deliveries, ["id", "nextAttemptAt"]),
    where: { all: [webhook.waiting] },
    sort: [{ column: "nextAttemptAt", descending: false }],
    filters: [],
    from: "start",
  });
  const abandon = new AbortController();
  const send = createSend(options, webhook, abandon.signal);
  const completion = createDeliveryCompletion(options, webhook, rows);
  const active = new Map<string, Promise<void>>();
  const beginning = new Set<Promise<void>>();
  const lanes = new Map<string, Lane>();
  /** When each endpoint's next round is due, in epoch milliseconds. */
  const wakes = new Map<string, number>();
  let swept = Number.NEGATIVE_INFINITY;

  async function awaited(task: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    beginning.add(promise);
    try {
      await task();
    } finally {
      beginning.delete(promise);
      resolve();
    }
  }

  async function begin(recover: FanOut["recover"] | undefined): Promise<void> {
    const now = clock.now();
    if (now >= swept + sweepMilliseconds || now < swept) {
      swept = now;
      const present = await rows.enabledEndpoints();
      for (const id of [...wakes.keys(), ...lanes.keys()]) if (!present.some((one) => one.id === id)) forget(id);
      for (const { id } of present) wakes.set(id, 0);
      for (const endpoint of present) {
        if (endpoint.recoverSince !== undefined) await recover?.(endpoint, Date.parse(endpoint.recoverSince));
      }
    }
    for (const [id, wake] of wakes) if (wake <= now && !stopping.aborted) await runLane(laneOf(id));
  }

  /** Forgets a deleted or disabled endpoint. */
  function forget(endpoint: string): void {
    wakes.delete(endpoint);
    if (lanes.get(endpoint)?.busy === 0) lanes.delete(endpoint);
  }

  function laneOf(endpoint: string): Lane {
    return getOrMake(lanes, endpoint, () => {
      return { endpoint, busy: 0, room: room.least, ended: [], turning: false, again: false };
    });
  }

  /** Runs one round at a time; a call during a round schedules another one and returns. */
  async function runLane(lane: Lane): Promise<void> {
    lane.again = lane.turning;
    if (lane.turning) return;
    lane.turning = true;
    try {
      await runOnce(lane);
    } finally {
      lane.turning = false;
      if (lane.again) goOn(lane);
    }
  }

  function goOn(lane: Lane): void {
    void awaited(() => runLane(lane)).catch(options.report);
  }

  /** Stores ended attempts, locks due deliveries within the limit, and starts their attempts. */
  async function runOnce(lane: Lane): Promise<void> {
    const { endpoint } = lane;
    const ended = lane.ended.splice(0, atOnce);
    const due = stopping.aborted ? [] : await dueAt(lane);
    const endpointRow = due.length === 0 ? undefined : await rows.enabledEndpoint(endpoint);
    if (ended.length === 0 && endpointRow === undefined) return;
    const { locked, completed } = await store.transaction(async (tx) => {
      const completed: CompletedDelivery[] = [];
      for (const one of ended) completed.push(await completion.complete(tx, one));
      const locked = endpointRow === undefined || stopping.aborted ? [] : await lock(tx, endpointRow, due);
      return { locked, completed };
    });
    for (const [index, one] of ended.entries()) reportAttempt(one, completed[index]?.why);
    for (const one of locked) run(lane, one);
    const isMoreDue = locked.length === atOnce && lane.busy < lane.room;
    if (isMoreDue || lane.ended.length > 0 || completed.some(({ letGo }) => letGo)) lane.again = true;
  }

  function run(lane: Lane, locked: LockedDelivery): void {
    const id = locked.row["id"] as string;
    lane.busy += 1;
    const attempt = send(locked)
      .then((ended) => {
        if (ended !== undefined) lane.ended.push(ended);
        lane.room = ended?.outcome.kind === "delivered" ? Math.min(room.most, lane.room + 1) : room.least;
      })
      .catch(options.report)
      .finally(() => {
        active.delete(id);
        lane.busy -= 1;
        wakes.set(lane.endpoint, 0);
        // The next round starts at once, since there is a free slot and an outcome to store.
        goOn(lane);
      });
    active.set(id, attempt);
  }

  /** Returns the due deliveries of an endpoint within its limit. */
  async function dueAt({ busy, endpoint, room }: Lane): Promise<readonly Waiting[]> {
    const free = Math.min(room - busy, atOnce);
    if (free <= 0) {
      wakes.set(endpoint, Number.POSITIVE_INFINITY);
      return [];
    }
    const now = clock.now();
    const { text } = await listWaiting({ limit: free + choice, filters: [] }, { input: { webhook: endpoint } });
    const waiting = JSON.parse(`[${text}]`) as readonly Waiting[];
    const due = someOf(
      waiting.filter(({ nextAttemptAt }) => Date.parse(nextAttemptAt) <= now),
      free,
      random(),
    );
    const later = waiting.find(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > now);
    wakes.set(endpoint, due.length === free ? 0 : later === undefined ? Number.POSITIVE_INFINITY : Date.parse(later.nextAttemptAt)); // biome-ignore format: short
    return due;
  }

  /**
   * Locks deliveries. If two processes find the same delivery, the second one sees that it is leased. The endpoint is not
   * locked, so attempts do not wait for each other; an endpoint that was just disabled may get one more.
   */
  async function lock(tx: Transaction, endpointRow: Row, due: readonly Waiting[]): Promise<readonly LockedDelivery[]> {
    const endpoint = endpointRow["id"] as string;
    const until = instantText(clock.now() + webhook.timeoutMilliseconds + leaseMilliseconds);
    const locked: LockedDelivery[] = [];
    for (const { id, nextAttemptAt } of due) {
      const row = await tx.lock(deliveries, id);
      const free = row?.["state"] === "pending" && row["nextAttemptAt"] === nextAttemptAt && !active.has(id);
      if (row === undefined || !free) continue;
      // The data was erased before a manual retry, so there is nothing to send.
      if (row["body"] === "") {
        await completion.fail(tx, row, {}, "erased");
        if (webhook.inOrder) {
          await rows.letNextGo(tx, endpoint, row["record"] as string, clock.now());
          wakes.set(endpoint, 0);
        }
        continue;
      }
      const written = await tx.update(deliveries, row, { nextAttemptAt: until, leased: true }, nothing, {});
      if (written.kind === "written") locked.push({ endpointRow, row: written.row });
    }
    return locked;
  }

  function reportAttempt(
    { endpointRow, row, made, outcome, began, now, status }: Ended,
    why: string | undefined,
  ): void {
    const to = endpointRow["id"] as string;
    options.observed?.({
      kind: "attempt",
      outcome: outcome.kind,
      seconds: (now - began) / 1000,
      webhook: to,
      delivery: row["id"] as string,
      ...(status === undefined ? {} : { status }),
      attempt: made,
    });
    if (why !== undefined) options.observed?.({ kind: "disabled", webhook: to, why });
  }

  return {
    begin,
    awaited,
    wake: (endpoint) => void wakes.set(endpoint, 0),
    async completed() {
      while (active.size + beginning.size > 0) await Promise.all([...active.values(), ...beginning]);
    },
    abandon: () => abandon.abort(),
  };
}

/** Returns at most `count` consecutive items from a random start; `chance` is from 0 to 1. */
function someOf<T>(all: readonly T[], count: number, chance: number): readonly T[] {
  const last = Math.max(0, all.length - count);
  const start = Math.min(Math.floor(chance * (last + 1)), last);
  return all.slice(start, start + count);
}
