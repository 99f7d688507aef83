/**
 * Sends events to webhook endpoints: at least once each, in the order of each record's, an endpoint that does not answer
 * delaying no other (R6.4, R6.8). All that is to be done is in the store: what this process was doing when it ended is
 * done again when its lease is over, by it or by another one.
 */
import type { Clock } from "../base/clock.ts";
import { instantText } from "../base/clock.ts";
import type { Json } from "../base/json.ts";
import type { Value } from "../expression/evaluate.ts";
import { deliveryResource, webhookResource } from "../parts/events/decide.ts";
import type { Plan, Table, WebhookPlan } from "../plan/plan.ts";
import type { JournalRecord, Key, Row, Store, Transaction, View } from "../store/store.ts";
import { afterFailure, type Health, isTired } from "./health.ts";
import { type Post, PostError } from "./post.ts";
import { signatureFields } from "./signature.ts";
import { type Attempt, judge, type Verdict } from "./verdict.ts";

/** The resources that hold endpoints and deliveries. */
const endpoints = webhookResource;
const deliveries = deliveryResource;

export interface DeliveryOptions {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  /** What an endpoint is sent of an entry of the journal; undefined: nothing. */
  readonly tell: (
    tx: Transaction,
    entry: JournalRecord,
    receiver: { readonly id: string; readonly roles: readonly string[]; readonly version?: string },
  ) => Promise<{ readonly id: string; readonly type: string; readonly body: string } | undefined>;
  /** The id of the event at a position of the journal. */
  readonly idOf: (position: number) => string;
  /** The Content-Type of what is sent. */
  readonly media: string;
  /** Moves a record as the system does: with its entry in the journal. */
  readonly move: (
    tx: Transaction,
    resource: string,
    row: Row,
    to: string,
    changes: Row,
    cause: string,
  ) => Promise<void>;
  /** The secret of an endpoint by its number. */
  readonly secret: (endpoint: string, number: number) => string;
  readonly post: Post;
  /** The position of an event in the journal, by its id. */
  readonly positionOf: (id: string) => number | undefined;
  /** Tells whoever traces of an attempt, as a child of the request that caused the event (R1.4); absent: nobody does. */
  readonly startSending?: ((method: string, url: URL, traceparent: string | undefined) => Sending) | undefined;
  readonly report: (failure: unknown) => void;
}

/** An attempt that is traced. */
export interface Sending {
  /** Header fields that it carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's status, or in one word why there is none. */
  ended(status: number | undefined, failure?: string): void;
}

export interface Deliveries {
  /** Makes deliveries of the events that there are, and begins the attempts that are due. */
  round(): Promise<void>;
  /** When no attempt is under way any more. */
  settled(): Promise<void>;
  /** Begins no more; gives up what is under way after the grace, to be sent again later. */
  stop(graceMilliseconds: number): Promise<void>;
}

/** Where the journal has been read to. */
const bookmark = "webhooks";
/** Events that become deliveries in one transaction. */
const batch = 100;
/** Events that are told in one transaction, each endpoint counted: requests wait for it. */
const tellings = 1000;
/** Attempts under way at one endpoint. */
const perEndpoint = 8;
/** Endpoints are looked at anew at least this often: others may have changed them. */
const sweepMilliseconds = 1000;
/** Beyond the time-out of an attempt: whoever has not told by then what came of it has ended. */
const leaseMilliseconds = 5_000;
const keptAttempts = 50;

interface Endpoint {
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  readonly events?: readonly string[];
  readonly version?: string;
  readonly credential?: string;
  readonly roles: readonly string[];
  readonly state: string;
  readonly createdAt: string;
  /** What did not arrive since then is to be sent again. */
  readonly recoverSince?: string;
}

interface Waiting {
  readonly id: string;
  readonly nextAttemptAt: string;
}

export function createDeliveries(options: DeliveryOptions, webhook: WebhookPlan): Deliveries {
  const { clock, plan, post, random, store } = options;
  const listEndpoints = store.list({ resource: endpoints, view: viewOf(plan, endpoints), sort: [], filters: [], from: "start" }); // biome-ignore format: one query
  const listWaiting = store.list({
    resource: deliveries,
    view: viewOf(plan, deliveries, ["id", "nextAttemptAt"]),
    where: { all: [webhook.waiting] },
    sort: [{ column: "nextAttemptAt", descending: false }],
    filters: [],
    from: "start",
  });
  const listAll = store.list({
    resource: deliveries,
    view: viewOf(plan, deliveries, ["id", "event", "state"]),
    where: { all: [webhook.of] },
    sort: [],
    filters: [],
    from: "start",
  });
  const nothing: View = { resource: deliveries, members: [] };
  const abort = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  /** What looks for attempts and begins them: a stop waits for it, since it may yet begin one. */
  const beginning = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  /** When an endpoint is to be looked at next. */
  const wakes = new Map<string, number>();
  let position = -1;
  let swept = Number.NEGATIVE_INFINITY;
  let stopping = false;

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

  // ── From events to deliveries ──

  async function fanOut(): Promise<void> {
    if (position < 0) position = await store.transaction(async (tx) => (await tx.bookmark(bookmark)) ?? 0);
    while (!stopping) {
      // Asked before the entries are read: what is written between the two is then read in the next turn, and not passed over.
      const last = await store.journal.last();
      if (last <= position) return;
      const entries = await store.journal.events(position, batch);
      const present = await enabledEndpoints();
      const some = entries.slice(0, Math.max(1, Math.floor(tellings / Math.max(1, present.length))));
      const isAll = some.length === entries.length && entries.length < batch;
      const end = isAll ? last : (some.at(-1) as JournalRecord).position;
      const read = some.filter((entry) => entry.position <= end);
      position = await store.transaction((tx) => fanOutSome(tx, read, present, end));
    }
  }

  async function fanOutSome(
    tx: Transaction,
    entries: readonly JournalRecord[],
    present: readonly Endpoint[],
    end: number,
  ): Promise<number> {
    const known = (await tx.bookmark(bookmark)) ?? 0;
    // Another process was here.
    if (known > position) return known;
    const receivers: Endpoint[] = [];
    for (const endpoint of present) if (await isEnabled(tx, endpoint)) receivers.push(endpoint);
    const keys = receivers.length === 0 ? [] : await store.keys.list();
    for (const entry of entries) {
      for (const endpoint of receivers) await deliver(tx, entry, endpoint, keys);
    }
    await tx.setBookmark(bookmark, end);
    return end;
  }

  /** Asked again in the transaction: it may have been deleted since it was listed. */
  async function isEnabled(tx: Transaction, { id }: Endpoint): Promise<boolean> {
    const row = await tx.get(endpoints, "id", id);
    return row?.["state"] === "enabled";
  }

  /** Sends again what an endpoint did not get since a moment: what failed, and what came while it was disabled (R6.10). */
  async function recover(endpoint: Endpoint, since: number): Promise<void> {
    const { text } = await listAll({ limit: 1_000_000, filters: [] }, { input: { webhook: endpoint.id } });
    const made = JSON.parse(`[${text}]`) as readonly { id: string; event: string; state: string }[];
    const byEvent = new Map(made.map((one) => [one.event, one]));
    for (let after = 0, more = true; more && !stopping; ) {
      const entries = await store.journal.events(after, batch);
      const old = entries.filter(({ at, position: place }) => at >= since && place <= position);
      if (old.length > 0) await store.transaction((tx) => recoverSome(tx, endpoint, old, byEvent));
      after = entries.at(-1)?.position ?? after;
      more = entries.length === batch;
    }
    // Whoever comes next begins it anew.
    if (stopping) return;
    await store.transaction(async (tx) => {
      const row = await tx.get(endpoints, "id", endpoint.id);
      if (row === undefined || row["recoverSince"] !== endpoint.recoverSince) return;
      await tx.update(endpoints, row, { recoverSince: null }, nothing, {});
    });
  }

  async function recoverSome(
    tx: Transaction,
    endpoint: Endpoint,
    entries: readonly JournalRecord[],
    byEvent: ReadonlyMap<string, { readonly id: string; readonly state: string }>,
  ): Promise<void> {
    if (!(await isEnabled(tx, endpoint))) return;
    const keys = await store.keys.list();
    for (const entry of entries) {
      const known = byEvent.get(options.idOf(entry.position));
      if (known === undefined) await deliver(tx, entry, endpoint, keys);
      else if (known.state === "failed") await again(tx, known.id);
    }
  }

  async function again(tx: Transaction, id: string): Promise<void> {
    const row = await tx.get(deliveries, "id", id);
    if (row?.["state"] !== "failed") return;
    const before = webhook.inOrder ? await firstOf(tx, row["webhook"] as string, row["record"] as string) : undefined;
    const nextAttemptAt = before === undefined ? instantText(clock.now()) : null;
    await options.move(tx, deliveries, row, "pending", { nextAttemptAt, tries: 0 }, "recovered");
  }

  async function deliver(
    tx: Transaction,
    entry: JournalRecord,
    endpoint: Endpoint,
    keys: readonly Key[],
  ): Promise<void> {
    const { event, resource, record } = entry;
    // Of what becomes of deliveries no deliveries are made: at a dead endpoint there would be no end to them.
    if (event === undefined || resource === endpoints || resource === deliveries) return;
    if (entry.at < Date.parse(endpoint.createdAt)) return;
    const roles = rolesNow(endpoint, keys);
    if (roles === undefined) return;
    const receiver = { id: endpoint.owner, roles, ...(endpoint.version === undefined ? {} : { version: endpoint.version }) }; // biome-ignore format: short
    const told = await options.tell(tx, entry, receiver);
    // An endpoint asks for events by their names in its own version.
    if (told === undefined || endpoint.events?.includes(told.type) === false) return;
    const about = `${resource} ${record}`;
    const waits = webhook.inOrder && (await firstOf(tx, endpoint.id, about)) !== undefined;
    // The one that it waits for may be gone unsent, where deliveries are kept for less time than they are tried.
    if (waits) await letNextGo(tx, endpoint.id, about, clock.now());
    const now = instantText(clock.now());
    await tx.insert(
      deliveries,
      {
        id: options.newId("dlv"),
        state: "pending",
        webhook: endpoint.id,
        event: told.id,
        type: told.type,
        record: about,
        body: told.body,
        media: options.media,
        tries: 0,
        attempts: [],
        nextAttemptAt: waits ? null : now,
        createdAt: now,
      },
      clock.now(),
      nothing,
      {},
    );
    wakes.set(endpoint.id, 0);
  }

  /** The roles that whoever made the endpoint still has (R6.13); undefined where no key of theirs is good any more. */
  function rolesNow({ credential, owner, roles }: Endpoint, keys: readonly Key[]): readonly string[] | undefined {
    const kind = plan.credentials.find(({ name }) => name === credential)?.kind;
    if (kind !== "api-key" && kind !== "basic") return roles;
    const now = clock.now();
    const live = keys.filter(
      (key) =>
        key.user === owner &&
        key.credential === credential &&
        key.revoked === undefined &&
        !((key.expires ?? Number.POSITIVE_INFINITY) <= now),
    );
    return live.length === 0 ? undefined : roles.filter((role) => live.some((key) => key.roles.includes(role)));
  }

  async function firstOf(tx: Transaction, endpoint: string, record: string): Promise<Row | undefined> {
    return tx.first(deliveries, webhook.ahead, { input: { webhook: endpoint, record } });
  }

  async function enabledEndpoints(): Promise<readonly Endpoint[]> {
    const { text } = await listEndpoints({ limit: 1_000_000, filters: [] }, {});
    const all = JSON.parse(`[${text}]`) as readonly Endpoint[];
    return all.filter(({ state }) => state === "enabled");
  }

  // ── From deliveries to attempts ──

  async function begin(): Promise<void> {
    const now = clock.now();
    if (now >= swept + sweepMilliseconds || now < swept) {
      swept = now;
      const present = await enabledEndpoints();
      for (const id of wakes.keys()) if (!present.some((one) => one.id === id)) wakes.delete(id);
      for (const { id } of present) wakes.set(id, 0);
      for (const endpoint of present) {
        if (endpoint.recoverSince !== undefined) await recover(endpoint, Date.parse(endpoint.recoverSince));
      }
    }
    for (const [id, wake] of wakes) if (wake <= now && !stopping) await beginAt(id);
  }

  /** Claims what is due at an endpoint, as far as it has room, and lets the attempts run. */
  async function beginAt(endpoint: string): Promise<void> {
    const room = perEndpoint - (busy.get(endpoint) ?? 0);
    if (room <= 0) {
      wakes.set(endpoint, Number.POSITIVE_INFINITY);
      return;
    }
    const now = clock.now();
    const { text } = await listWaiting({ limit: room, filters: [] }, { input: { webhook: endpoint } });
    const waiting = JSON.parse(`[${text}]`) as readonly Waiting[];
    const due = waiting.filter(({ nextAttemptAt }) => Date.parse(nextAttemptAt) <= now);
    const later = waiting.find(({ nextAttemptAt }) => Date.parse(nextAttemptAt) > now);
    wakes.set(endpoint, due.length === room ? 0 : later === undefined ? Number.POSITIVE_INFINITY : Date.parse(later.nextAttemptAt)); // biome-ignore format: short
    if (due.length === 0 || stopping) return;
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
          if (!stopping) void awaited(() => beginAt(endpoint)).catch(options.report);
        });
      underWay.set(id, attempt);
    }
  }

  /** Of two processes that find the same delivery due, the first gets it: the other finds it leased. */
  function claim(endpoint: string, due: readonly Waiting[]): Promise<readonly { endpointRow: Row; row: Row }[]> {
    const until = instantText(clock.now() + webhook.timeoutMilliseconds + leaseMilliseconds);
    return store.transaction(async (tx) => {
      const endpointRow = await tx.get(endpoints, "id", endpoint);
      if (endpointRow?.["state"] !== "enabled") return [];
      const claimed: { endpointRow: Row; row: Row }[] = [];
      for (const { id, nextAttemptAt } of due) {
        const row = await tx.get(deliveries, "id", id);
        const free = row?.["state"] === "pending" && row["nextAttemptAt"] === nextAttemptAt && !underWay.has(id);
        if (row === undefined || !free) continue;
        // Sent once more by hand, after what it tells of was erased: there is nothing left to tell.
        if (row["body"] === "") {
          await options.move(tx, deliveries, row, "failed", { nextAttemptAt: null }, "erased");
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
      const posted = await post.send(endpoint["url"] as string, headers, body, webhook.timeoutMilliseconds, abort.signal); // biome-ignore format: short
      sending?.ended(posted.status);
      attempt = { kind: "answered", ...posted };
      noted = { status: posted.status, reply: posted.reply };
    } catch (thrown) {
      if (!(thrown instanceof PostError)) throw thrown;
      sending?.ended(undefined, thrown.timedOut ? "timeout" : "unanswered");
      // Given up because this process ends: it was no attempt, and another is made when it can be.
      if (abort.signal.aborted) return release(row);
      attempt = { kind: "unanswered", timedOut: thrown.timedOut };
      noted = { error: thrown.message };
    }
    const now = clock.now();
    const made = (row["tries"] as number) + 1;
    const verdict = judge(attempt, { made, retry: webhook.retryMilliseconds, random: random(), now });
    const at = { at: instantText(began), milliseconds: now - began, ...noted };
    await store.transaction((tx) => settle(tx, row, made, at, verdict, now));
  }

  /** Asked of the journal only where somebody traces, since deliveries need not keep it for nobody. */
  async function sendingOf(endpoint: Row, row: Row): Promise<Sending | undefined> {
    const { positionOf, startSending } = options;
    const url = endpoint["url"] as string;
    if (startSending === undefined || !URL.canParse(url)) return undefined;
    const position = positionOf(row["event"] as string);
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
    leased: Row,
    made: number,
    attempt: Json,
    verdict: Verdict,
    now: number,
  ): Promise<void> {
    const row = await tx.get(deliveries, "id", leased["id"] ?? null);
    const endpoint = await tx.get(endpoints, "id", leased["webhook"] ?? null);
    // Deleted with its endpoint.
    if (row === undefined || endpoint === undefined) return;
    // The lease was over, and what becomes of it is for whoever has it now.
    if (row["state"] !== "pending" || row["nextAttemptAt"] !== leased["nextAttemptAt"]) return;
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
      await letNextGo(tx, row["webhook"] as string, row["record"] as string, now);
    }
    await noteHealth(tx, endpoint, verdict, now);
  }

  /** Whoever is first now waits for nobody. */
  async function letNextGo(tx: Transaction, endpoint: string, record: string, now: number): Promise<void> {
    const next = await firstOf(tx, endpoint, record);
    if (next === undefined || next["nextAttemptAt"] !== null) return;
    await tx.update(deliveries, next, { nextAttemptAt: instantText(now) }, nothing, {});
  }

  /** Since when nothing has succeeded is kept with the endpoint; after too long, or when it says so, it is disabled. */
  async function noteHealth(tx: Transaction, endpoint: Row, verdict: Verdict, now: number): Promise<void> {
    const failing = (endpoint["failing"] ?? undefined) as Health | undefined;
    if (verdict.kind === "delivered") {
      if (failing !== undefined) await tx.update(endpoints, endpoint, { failing: null }, nothing, {});
      return;
    }
    const health = afterFailure(failing, now);
    const gone = verdict.kind === "failed" && verdict.why === "gone";
    const exhausted = verdict.kind === "failed" && verdict.why === "exhausted" && webhook.disable;
    if (endpoint["state"] === "enabled" && (gone || exhausted || isTired(health, now))) {
      const why = gone ? "the receiver is gone" : exhausted ? "a delivery was given up" : "nothing arrived for 5 days";
      await options.move(tx, endpoints, endpoint, "disabled", { failing: null }, why);
    } else if (health !== failing) {
      await tx.update(endpoints, endpoint, { failing: { ...health } }, nothing, {});
    }
  }

  return {
    async round() {
      if (stopping) return;
      await awaited(async () => {
        await fanOut();
        await begin();
      });
    },
    async settled() {
      while (underWay.size + beginning.size > 0) await Promise.all([...underWay.values(), ...beginning]);
    },
    async stop(graceMilliseconds) {
      stopping = true;
      const timer = setTimeout(() => abort.abort(), graceMilliseconds);
      await this.settled();
      clearTimeout(timer);
      post.close();
    },
  };
}

/** Columns, those too that no caller sees; all unless named. Deliveries hold bodies, which lists of many do not need. */
function viewOf(plan: Plan, resource: string, names?: readonly string[]): View {
  const { columns } = plan.tables.find((table) => table.resource === resource) as Table;
  const members = columns.filter(({ name }) => names?.includes(name) ?? true).map(({ name, type }) => ({ name, source: { kind: "column" as const, column: name }, type, absent: "left out" as const })); // biome-ignore format: short
  return { resource, members };
}
