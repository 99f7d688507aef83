/**
 * From deliveries to attempts: what is due is claimed under a lease, sent, and settled by what came of it (R6.5 to R6.9).
 */
import { instantText } from "../base/clock.ts";
import type { Json } from "../base/json.ts";
import type { Value } from "../expression/evaluate.ts";
import type { WebhookPlan } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { DeliveryOptions, Sending } from "./engine.ts";
import type { FanOut } from "./fan-out.ts";
import { afterFailure, type Health, isTired } from "./health.ts";
import { PostError } from "./post.ts";
import { deliveries, endpoints, nothing, type Rows, viewOf } from "./rows.ts";
import { signatureFields } from "./signature.ts";
import { type Attempt, judge, type Verdict } from "./verdict.ts";

export interface Attempts {
  /** Begins the attempts that are due; `recover` makes anew what an endpoint asks for once more, where that is ours to do. */
  begin(recover: FanOut["recover"] | undefined): Promise<void>;
  /** There is something to send to the endpoint with this id. */
  wake(endpoint: string): void;
  /** Runs what looks for attempts and begins them: `settled` waits for it, since it may yet begin one. */
  awaited(work: () => Promise<void>): Promise<void>;
  settled(): Promise<void>;
  /** Ends what is under way, to be sent again later. */
  giveUp(): void;
}

/** Attempts under way at one endpoint. */
const perEndpoint = 8;
/** Of so many that are due each process takes some, so that several do not all reach for the same ones. */
const choice = 4 * perEndpoint;
/** Endpoints are looked at anew at least this often: others may have changed them. */
const sweepMilliseconds = 1000;
/** Beyond the time-out of an attempt: whoever has not told by then what came of it has ended. */
const leaseMilliseconds = 5_000;
const keptAttempts = 50;

interface Waiting {
  readonly id: string;
  readonly nextAttemptAt: string;
}

export function createAttempts(
  options: DeliveryOptions,
  webhook: WebhookPlan,
  rows: Rows,
  stopping: AbortSignal,
): Attempts {
  const { clock, plan, post, random, store } = options;
  const listWaiting = store.list({
    resource: deliveries,
    system: true,
    view: viewOf(plan, deliveries, ["id", "nextAttemptAt"]),
    where: { all: [webhook.waiting] },
    sort: [{ column: "nextAttemptAt", descending: false }],
    filters: [],
    from: "start",
  });
  const giveUp = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const beginning = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  /** When an endpoint is to be looked at next. */
  const wakes = new Map<string, number>();
  let swept = Number.NEGATIVE_INFINITY;

  async function awaited(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    beginning.add(promise);
    try {
      await work();
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
      for (const id of wakes.keys()) if (!present.some((one) => one.id === id)) wakes.delete(id);
      for (const { id } of present) wakes.set(id, 0);
      for (const endpoint of present) {
        if (endpoint.recoverSince !== undefined) await recover?.(endpoint, Date.parse(endpoint.recoverSince));
      }
    }
    for (const [id, wake] of wakes) if (wake <= now && !stopping.aborted) await beginAt(id);
  }

  /** Claims what is due at an endpoint, as far as it has room, and lets the attempts run. */
  async function beginAt(endpoint: string): Promise<void> {
    const room = perEndpoint - (busy.get(endpoint) ?? 0);
    if (room <= 0) {
      wakes.set(endpoint, Number.POSITIVE_INFINITY);
      return;
    }
    const now = clock.now();
    const { text } = await listWaiting({ limit: choice, filters: [] }, { input: { webhook: endpoint } });
    const waiting = JSON.parse(`[${text}]`) as readonly Waiting[];
    const due = someOf(
      waiting.filter(({ nextAttemptAt }) => Date.parse(nextAttemptAt) <= now),
      room,
      random(),
    );
    const later = waiting.find(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > now);
    wakes.set(endpoint, due.length === room ? 0 : later === undefined ? Number.POSITIVE_INFINITY : Date.parse(later.nextAttemptAt)); // biome-ignore format: short
    if (due.length === 0 || stopping.aborted) return;
    for (const { endpointRow, row } of await claim(endpoint, due)) {
      const id = row["id"] as string;
      busy.set(endpoint, (busy.get(endpoint) ?? 0) + 1);
      const attempt = attemptOne(endpointRow, row)
        .catch(options.report)
        .finally(() => {
          underWay.delete(id);
          const others = (busy.get(endpoint) ?? 1) - 1;
          if (others > 0) busy.set(endpoint, others);
          else busy.delete(endpoint);
          wakes.set(endpoint, 0);
          // There is room now; the next round would be late.
          if (!stopping.aborted) void awaited(() => beginAt(endpoint)).catch(options.report);
        });
      underWay.set(id, attempt);
    }
  }

  /**
   * Of two processes that find the same delivery due, the first gets it: the other finds it leased. The endpoint is not held, or
   * all attempts at it would wait for one another; one that is disabled at this moment may be sent something still.
   */
  async function claim(endpoint: string, due: readonly Waiting[]): Promise<readonly { endpointRow: Row; row: Row }[]> {
    const until = instantText(clock.now() + webhook.timeoutMilliseconds + leaseMilliseconds);
    const endpointRow = await rows.enabledEndpoint(endpoint);
    if (endpointRow === undefined) return [];
    return store.transaction(async (tx) => {
      const claimed: { endpointRow: Row; row: Row }[] = [];
      for (const { id, nextAttemptAt } of due) {
        const row = await tx.claim(deliveries, id);
        const free = row?.["state"] === "pending" && row["nextAttemptAt"] === nextAttemptAt && !underWay.has(id);
        if (row === undefined || !free) continue;
        // Sent once more by hand, after what it tells of was erased: there is nothing left to tell.
        if (row["body"] === "") {
          await options.move(tx, deliveries, row, "failed", { nextAttemptAt: null }, "erased");
          if (webhook.inOrder) {
            await rows.letNextGo(tx, endpoint, row["record"] as string, clock.now());
            wakes.set(endpoint, 0);
          }
          continue;
        }
        const written = await tx.update(deliveries, row, { nextAttemptAt: until }, nothing, {});
        if (written.kind === "written") claimed.push({ endpointRow, row: written.row });
      }
      return claimed;
    });
  }

  async function attemptOne(endpoint: Row, row: Row): Promise<void> {
    const began = clock.now();
    // The store took so long over the claim that somebody else may have it by now.
    if (began >= Date.parse(row["nextAttemptAt"] as string)) return;
    const body = row["body"] as string;
    const sending = await sendingOf(endpoint, row);
    const headers = {
      ...sending?.headers,
      "content-type": row["media"] as string,
      "user-agent": "nonet",
      ...signatureFields(
        webhook.signed ? secretsOf(endpoint, began) : [],
        row["event"] as string,
        Math.floor(began / 1000),
        body,
      ),
    };
    let attempt: Attempt;
    let noted: Readonly<Record<string, Json>>;
    try {
      const posted = await post.send(endpoint["url"] as string, headers, body, webhook.timeoutMilliseconds, giveUp.signal); // biome-ignore format: short
      sending?.ended(posted.status);
      attempt = { kind: "answered", ...posted };
      noted = { status: posted.status, reply: posted.reply };
    } catch (thrown) {
      if (!(thrown instanceof PostError)) throw thrown;
      sending?.ended(undefined, thrown.timedOut ? "timeout" : "unanswered");
      // Given up because this process ends: it was no attempt, and another is made when it can be.
      if (giveUp.signal.aborted) return release(row);
      attempt = { kind: "unanswered", timedOut: thrown.timedOut };
      noted = { error: thrown.message };
    }
    const now = clock.now();
    const made = (row["tries"] as number) + 1;
    const verdict = judge(attempt, { made, retry: webhook.retryMilliseconds, random: random(), now });
    const at = { at: instantText(began), milliseconds: now - began, ...noted };
    const why = await store.transaction((tx) => settle(tx, { endpoint, row }, made, at, verdict, now));
    const to = endpoint["id"] as string;
    options.told?.({
      kind: "attempt",
      outcome: verdict.kind,
      seconds: (now - began) / 1000,
      webhook: to,
      delivery: row["id"] as string,
      ...(attempt.kind === "answered" ? { status: attempt.status } : {}),
      attempt: made,
    });
    if (why !== undefined) options.told?.({ kind: "disabled", webhook: to, why });
  }

  /** Asked of the journal only where somebody traces, since deliveries need not keep it for nobody. */
  async function sendingOf(endpoint: Row, row: Row): Promise<Sending | undefined> {
    const { startSending, teller } = options;
    const url = endpoint["url"] as string;
    if (startSending === undefined || !URL.canParse(url)) return undefined;
    const position = teller.ids.positionOf(row["event"] as string);
    const entry = position === undefined ? undefined : await store.journal.at(position);
    return startSending("POST", new URL(url), entry?.trace);
  }

  /** All secrets that are good at a moment sign (R6.6). */
  function secretsOf(endpoint: Row, now: number): readonly string[] {
    const old = (endpoint["oldSecrets"] ?? []) as unknown as readonly { number: number; until: number }[];
    const good = old.filter(({ until }) => until > now).map(({ number }) => number);
    return [endpoint["secretNumber"] as number, ...good].map((number) =>
      options.secret(endpoint["id"] as string, number),
    );
  }

  async function release(row: Row): Promise<void> {
    await store.transaction(async (tx) => {
      const present = await tx.get(deliveries, "id", row["id"] ?? null);
      if (present === undefined || present["nextAttemptAt"] !== row["nextAttemptAt"]) return;
      await tx.update(deliveries, present, { nextAttemptAt: instantText(clock.now()) }, nothing, {});
    });
  }

  async function settle(
    tx: Transaction,
    { endpoint: known, row: leased }: { readonly endpoint: Row; readonly row: Row },
    made: number,
    attempt: Json,
    verdict: Verdict,
    now: number,
  ): Promise<string | undefined> {
    const row = await tx.get(deliveries, "id", leased["id"] ?? null);
    // Deleted with its endpoint.
    if (row === undefined) return undefined;
    // The lease was over, and what becomes of it is for whoever has it now.
    if (row["state"] !== "pending" || row["nextAttemptAt"] !== leased["nextAttemptAt"]) return undefined;
    const attempts = [...(row["attempts"] as readonly Value[]), attempt as Value].slice(-keptAttempts);
    const changes: Row = { attempts, tries: made };
    if (verdict.kind === "again") {
      const nextAttemptAt = instantText(now + verdict.waitMilliseconds);
      await tx.update(deliveries, row, { ...changes, nextAttemptAt }, nothing, {});
    } else if (verdict.kind === "delivered") {
      await tx.update(deliveries, row, { ...changes, state: "delivered", nextAttemptAt: null }, nothing, {});
    } else {
      await options.move(tx, deliveries, row, "failed", { ...changes, nextAttemptAt: null }, verdict.why);
    }
    if (verdict.kind !== "again" && webhook.inOrder) {
      await rows.letNextGo(tx, row["webhook"] as string, row["record"] as string, now);
    }
    // Where there is nothing to note nobody is made to wait for the endpoint.
    if (verdict.kind === "delivered" && (known["failing"] ?? null) === null) return undefined;
    const endpoint = await tx.get(endpoints, "id", leased["webhook"] ?? null);
    return endpoint && noteHealth(tx, endpoint, verdict, now);
  }

  /**
   * Since when nothing has succeeded is kept with the endpoint; after too long, or when it says so, it is disabled. Gives why,
   * where that is so.
   */
  async function noteHealth(
    tx: Transaction,
    endpoint: Row,
    verdict: Verdict,
    now: number,
  ): Promise<string | undefined> {
    const failing = (endpoint["failing"] ?? undefined) as Health | undefined;
    if (verdict.kind === "delivered") {
      if (failing !== undefined) await tx.update(endpoints, endpoint, { failing: null }, nothing, {});
      return undefined;
    }
    const health = afterFailure(failing, now);
    const gone = verdict.kind === "failed" && verdict.why === "gone";
    const exhausted = verdict.kind === "failed" && verdict.why === "exhausted" && webhook.disable;
    if (endpoint["state"] === "enabled" && (gone || exhausted || isTired(health, now))) {
      const why = gone ? "the receiver is gone" : exhausted ? "a delivery was given up" : "nothing arrived for 5 days";
      await options.move(tx, endpoints, endpoint, "disabled", { failing: null }, why);
      return why;
    }
    if (health !== failing) {
      await tx.update(endpoints, endpoint, { failing: { ...health } }, nothing, {});
    }
    return undefined;
  }

  return {
    begin,
    awaited,
    wake: (endpoint) => void wakes.set(endpoint, 0),
    async settled() {
      while (underWay.size + beginning.size > 0) await Promise.all([...underWay.values(), ...beginning]);
    },
    giveUp: () => giveUp.abort(),
  };
}

/** Where there are more than are taken, a run of them that begins anywhere; `chance` is from 0 to 1. */
function someOf<T>(all: readonly T[], count: number, chance: number): readonly T[] {
  const last = Math.max(0, all.length - count);
  const start = Math.min(Math.floor(chance * (last + 1)), last);
  return all.slice(start, start + count);
}
