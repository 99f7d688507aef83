/**
 * Creates deliveries from events: for each event after the offset, a delivery for each endpoint that may see it; and
 * deliveries of missed events at the request of an endpoint (R6.10, R6.13).
 */
import { instantText } from "../base/clock.ts";
import type { WebhookPlan } from "../plan/events/types.ts";
import type { JournalRecord, Key, Row, Transaction } from "../store/port/store.ts";
import type { DeliveryOptions, DeliveryRenderer } from "./engine.ts";
import { deliveries, type Endpoint, endpoints, nothing, type Rows, viewOf } from "./tables.ts";

export interface FanOut {
  /** Processes some events; returns true if there may be more. */
  proceed(): Promise<boolean>;
  /** Returns the number of unprocessed event log entries. */
  lag(): Promise<number>;
  recover(endpoint: Endpoint, since: number): Promise<void>;
}

/** The name of the offset in the event log. */
const offset = "webhooks";
/** The most events per transaction. */
const batch = 20;
/** The most (event, endpoint) pairs per transaction, because requests wait for it. */
const renderedPerBatch = 1000;

/** The most cached positions of endpoints. */
const maximumBeginnings = 10_000;

interface PlannerDependencies {
  /** Notes that the endpoint has due deliveries. */
  readonly wake: (endpoint: string) => void;
  readonly stopping: AbortSignal;
}

export function createFanOut(
  options: DeliveryOptions,
  webhook: WebhookPlan,
  rows: Rows,
  { wake, stopping }: PlannerDependencies,
): FanOut {
  const { clock, plan, store, renderer } = options;
  const listAll = store.list({
    resource: deliveries,
    system: true,
    view: viewOf(plan, deliveries, ["id", "event", "state"]),
    where: { all: [webhook.of] },
    sort: [],
    filters: [],
    from: "start",
  });
  let position = -1;
  const beginnings = new Map<string, number>();

  /**
   * Returns the event log position of the endpoint's creation; the endpoint gets later events only. Times would be unreliable:
   * the clock may be set back, and a transaction may commit late.
   */
  async function beginningOf({ id }: Endpoint): Promise<number> {
    const known = beginnings.get(id);
    if (known !== undefined) return known;
    const [made] = await store.journal.moves(endpoints, id, 0, 1);
    const beginning = made?.position ?? 0;
    if (beginnings.size >= maximumBeginnings) beginnings.clear();
    beginnings.set(id, beginning);
    return beginning;
  }

  async function proceed(): Promise<boolean> {
    if (position < 0) position = await store.transaction(async (tx) => (await tx.offset(offset)) ?? 0);
    // Read before the entries: an entry written in between belongs to the next round.
    const last = await store.journal.last();
    if (last <= position || stopping.aborted) return false;
    const entries = await store.journal.events(position, batch);
    const present = await rows.enabledEndpoints();
    const some = entries.slice(0, Math.max(1, Math.floor(renderedPerBatch / Math.max(1, present.length))));
    const isAll = some.length === entries.length && entries.length < batch;
    const end = isAll ? last : (some.at(-1) as JournalRecord).position;
    const read = some.filter((entry) => entry.position <= end);
    // The positions are read before the transaction, which must not wait for other queries.
    for (const endpoint of present) await beginningOf(endpoint);
    position = await store.transaction((tx) => fanOutSome(tx, read, present, end));
    return true;
  }

  async function fanOutSome(
    tx: Transaction,
    entries: readonly JournalRecord[],
    present: readonly Endpoint[],
    end: number,
  ): Promise<number> {
    const known = (await tx.offset(offset)) ?? 0;
    // Another process has already advanced the offset.
    if (known > position) return known;
    const receivers: Endpoint[] = [];
    for (const endpoint of present) if (await isEnabled(tx, endpoint)) receivers.push(endpoint);
    const keys = receivers.length === 0 ? [] : await store.keys.list();
    for (const entry of receivers.length === 0 ? [] : await intactOf(tx, entries)) {
      const renderFor = renderer.renderFor(tx, entry, "webhook");
      for (const endpoint of receivers) await deliver(tx, entry, endpoint, keys, renderFor);
    }
    await tx.setOffset(offset, end);
    return end;
  }

  /** Returns the entries without those that were erased after they were read. */
  async function intactOf(tx: Transaction, entries: readonly JournalRecord[]): Promise<readonly JournalRecord[]> {
    const intact = await tx.intact(entries.map((entry) => entry.position));
    return entries.filter((entry) => intact.has(entry.position));
  }

  /** Whether an endpoint is enabled, checked in the transaction: it may have been deleted since it was listed. */
  async function isEnabled(tx: Transaction, { id }: Endpoint): Promise<boolean> {
    const row = await tx.lockShared(endpoints, "id", id);
    return row?.["state"] === "enabled";
  }

  /**
   * Delivers again what an endpoint has missed since a time (R6.10): failed and pending deliveries, and events while it was
   * disabled.
   */
  async function recover(endpoint: Endpoint, since: number): Promise<void> {
    const { text } = await listAll({ limit: 1_000_000, filters: [] }, { input: { webhook: endpoint.id } });
    const made = JSON.parse(`[${text}]`) as readonly { id: string; event: string; state: string }[];
    const byEvent = new Map(made.map((one) => [one.event, one]));
    await beginningOf(endpoint);
    for (let after = 0, more = true; more && !stopping.aborted; ) {
      const entries = await store.journal.events(after, batch);
      const old = entries.filter(({ at, position: entryPosition }) => at >= since && entryPosition <= position);
      if (old.length > 0) await store.transaction((tx) => recoverSome(tx, endpoint, old, byEvent));
      after = entries.at(-1)?.position ?? after;
      more = entries.length === batch;
    }
    // The next leader starts the recovery again.
    if (stopping.aborted) return;
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
    for (const entry of await intactOf(tx, entries)) {
      const event = renderer.ids.idOf(entry.position);
      const known = byEvent.get(event);
      if (known?.state === "failed" || known?.state === "pending") await again(tx, known.id);
      // Another process may have created the delivery since the list was read.
      if (known !== undefined || (await isMade(tx, endpoint, entry, event))) continue;
      await deliver(tx, entry, endpoint, keys, renderer.renderFor(tx, entry, "webhook"));
    }
  }

  async function isMade(
    tx: Transaction,
    { id }: Endpoint,
    { resource, record }: JournalRecord,
    event: string,
  ): Promise<boolean> {
    const input = { webhook: id, record: `${resource} ${record}`, event };
    return (await tx.first(deliveries, webhook.made, { input })) !== undefined;
  }

  async function again(tx: Transaction, id: string): Promise<void> {
    const row = await tx.get(deliveries, "id", id);
    if (row?.["state"] === "pending") await advance(tx, row);
    if (row?.["state"] !== "failed") return;
    const before = webhook.inOrder
      ? await rows.firstOf(tx, row["webhook"] as string, row["record"] as string)
      : undefined;
    const nextAttemptAt = before === undefined ? instantText(clock.now()) : null;
    await options.transition(tx, {
      resource: deliveries,
      row,
      to: "pending",
      changes: { nextAttemptAt, tries: 0 },
      cause: "recovered",
    });
  }

  /**
   * Makes a delivery due now. An active attempt continues; a delivery that waits for an earlier one of its record still waits.
   */
  async function advance(tx: Transaction, row: Row): Promise<void> {
    if (row["nextAttemptAt"] === null || row["leased"] === true) return;
    await tx.update(deliveries, row, { nextAttemptAt: instantText(clock.now()), tries: 0 }, nothing, {});
    wake(row["webhook"] as string);
  }

  async function deliver(
    tx: Transaction,
    entry: JournalRecord,
    endpoint: Endpoint,
    keys: readonly Key[],
    renderFor: ReturnType<DeliveryRenderer["renderFor"]>,
  ): Promise<void> {
    const { event, resource, record } = entry;
    // Events about deliveries and endpoints are not delivered: a failing endpoint would cause endless deliveries.
    if (event === undefined || resource === endpoints || resource === deliveries) return;
    if (entry.position <= (await beginningOf(endpoint))) return;
    const held = await options.rolesHeld(keys, endpoint);
    if (held === undefined) return;
    const receiver = { id: endpoint.owner, ...held, ...(endpoint.version === undefined ? {} : { version: endpoint.version }) }; // biome-ignore format: short
    const rendered = await renderFor(receiver);
    // The endpoint's filter uses the event names of its version.
    if (rendered === undefined || endpoint.events?.includes(rendered.type) === false) return;
    const about = `${resource} ${record}`;
    const waits = webhook.inOrder && (await rows.firstOf(tx, endpoint.id, about)) !== undefined;
    // The earlier delivery may have been deleted before it was sent, if retention is shorter than the retries.
    if (waits) await rows.letNextGo(tx, endpoint.id, about, clock.now());
    const now = instantText(clock.now());
    await tx.insert(
      deliveries,
      {
        id: options.newId("dlv"),
        state: "pending",
        webhook: endpoint.id,
        event: rendered.id,
        type: rendered.type,
        record: about,
        body: rendered.body,
        media: renderer.media,
        tries: 0,
        attempts: [],
        leased: false,
        nextAttemptAt: waits ? null : now,
        createdAt: now,
      },
      clock.now(),
      nothing,
      {},
    );
    wake(endpoint.id);
  }

  return {
    proceed,
    recover,
    lag: async () => (position < 0 ? 0 : Math.max(0, (await store.journal.last()) - position)),
  };
}
