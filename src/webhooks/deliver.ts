/**
 * From deliveries to attempts: what is due is claimed under a lease, sent, and settled by what came of it (R6.5 to R6.9).
 *
 * At one endpoint this goes on in turns. A turn settles all attempts that have ended since the one before and claims as many
 * deliveries as there is room for, in one transaction: a wait for the disk, or for the database, serves them all.
 */
import { instantText } from "../base/clock.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { Row, Transaction } from "../store/port/store.ts";
import type { DeliveryOptions } from "./engine.ts";
import type { FanOut } from "./plan-deliveries.ts";
import { deliveries, nothing, type Rows, viewOf } from "./tables.ts";
import { type LockedDelivery, createSend, type Ended } from "./attempt.ts";
import { createDeliveryCompletion, type CompletedDelivery } from "./complete.ts";

export interface Attempts {
  /** Begins the attempts that are due; `recover` makes anew what an endpoint asks for once more, where that is ours to do. */
  begin(recover: FanOut["recover"] | undefined): Promise<void>;
  /** There is something to send to the endpoint with this id. */
  wake(endpoint: string): void;
  /** Runs what looks for attempts and begins them: `settled` waits for it, since it may yet begin one. */
  awaited(task: () => Promise<void>): Promise<void>;
  completed(): Promise<void>;
  /** Ends what is under way, to be sent again later. */
  abandon(): void;
}

/** Attempts under way at one endpoint: one more after each that was taken, until one is not. */
const room = { least: 8, most: 64 };
/** Settled, and claimed, in one transaction: where there is one writer, others wait for all of it. */
const atOnce = 16;
/** Of more than it has room for a process takes some, so that several do not all reach for the same ones. */
const choice = 24;
/** Endpoints are looked at anew at least this often: others may have changed them. */
const sweepMilliseconds = 1000;
/** Beyond the time-out of an attempt: whoever has not told by then what came of it has ended. */
const leaseMilliseconds = 5_000;

interface Waiting {
  readonly id: string;
  readonly nextAttemptAt: string;
}

/** What goes on at one endpoint. */
interface Lane {
  readonly endpoint: string;
  /** Attempts under way, and how many there may be. */
  busy: number;
  room: number;
  /** Not settled yet. */
  ended: Ended[];
  turning: boolean;
  /** Another turn is to follow. */
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
  /** When an endpoint is to be looked at next. */
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

  /** An endpoint that is gone, or disabled. */
  function forget(endpoint: string): void {
    wakes.delete(endpoint);
    if (lanes.get(endpoint)?.busy === 0) lanes.delete(endpoint);
  }

  function laneOf(endpoint: string): Lane {
    let lane = lanes.get(endpoint);
    if (lane === undefined) {
      lane = { endpoint, busy: 0, room: room.least, ended: [], turning: false, again: false };
      lanes.set(endpoint, lane);
    }
    return lane;
  }

  /** One at a time; who asks for one while another goes on gets it after that, and does not wait for it. */
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

  /** Settles what has ended, claims what is due as far as there is room, and lets the attempts run. */
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
        // There is room now, and something to settle; the next round would be late.
        goOn(lane);
      });
    active.set(id, attempt);
  }

  /** What is due at an endpoint and has room there. */
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
   * Of two processes that find the same delivery due, the first gets it: the other finds it leased. The endpoint is not held, or
   * all attempts at it would wait for one another; one that is disabled at this moment may be sent something still.
   */
  async function lock(tx: Transaction, endpointRow: Row, due: readonly Waiting[]): Promise<readonly LockedDelivery[]> {
    const endpoint = endpointRow["id"] as string;
    const until = instantText(clock.now() + webhook.timeoutMilliseconds + leaseMilliseconds);
    const locked: LockedDelivery[] = [];
    for (const { id, nextAttemptAt } of due) {
      const row = await tx.lock(deliveries, id);
      const free = row?.["state"] === "pending" && row["nextAttemptAt"] === nextAttemptAt && !active.has(id);
      if (row === undefined || !free) continue;
      // Sent once more by hand, after what it tells of was erased: there is nothing left to tell.
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

/** Where there are more than are taken, a run of them that begins anywhere; `chance` is from 0 to 1. */
function someOf<T>(all: readonly T[], count: number, chance: number): readonly T[] {
  const last = Math.max(0, all.length - count);
  const start = Math.min(Math.floor(chance * (last + 1)), last);
  return all.slice(start, start + count);
}
