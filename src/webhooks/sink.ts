/**
 * Publishes to a message broker every event that its roles may see, at least once and in order per record. It reads the event log
 * after an offset and advances the offset when the broker has stored the messages. If the process ends in between, it publishes
 * the same messages again, with the same ids.
 */
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import { eventContentType } from "../plan/events/events.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { JournalRecord, Store } from "../store/port/store.ts";
import type { Broker, Message } from "./brokers/broker.ts";
import type { DeliveryRenderer } from "./engine.ts";

export interface SinkOptions {
  readonly plan: AuthenticationPart & EventsPart;
  readonly store: Store;
  readonly renderer: DeliveryRenderer;
  /** The sink's URL without secrets, which names the offset. */
  readonly name: string;
  readonly roles: readonly string[];
  readonly broker: Broker;
}

export interface Sink {
  /** Publishes new events until `isEnough` returns true; returns their number. */
  run(isEnough: () => boolean): Promise<number>;
  close(): Promise<void>;
}

/** The most events per transaction and publication. */
const batch = 200;

export function createSink({ plan, store, renderer, name, roles, broker }: SinkOptions): Sink {
  const offset = `sink ${name}`;
  const through = channelOf(plan);
  const envelope = typeof plan.events.envelope === "string" ? "cloudevents" : plan.events.envelope;
  const media = eventContentType(envelope);
  // No caller has this id, so a sink does not see what only owners may see.
  const receiver = { id: plan.roles.length === 0 ? null : offset, roles, scoped: false };

  let position = -1;

  async function run(isEnough: () => boolean): Promise<number> {
    // Without a lease, two processes would publish the same events, and the slower one old events after newer ones.
    if (!(await store.acquireLease(offset))) {
      position = -1;
      return 0;
    }
    if (position < 0) position = await store.transaction(async (tx) => (await tx.offset(offset)) ?? 0);
    for (let published = 0; ; ) {
      // Read before the entries: an entry written in between belongs to the next run.
      const last = await store.journal.last();
      if (isEnough() || last <= position) return published;
      const entries = await store.journal.events(position, batch);
      const end = entries.length < batch ? last : (entries.at(-1) as JournalRecord).position;
      const messages = await render(entries.filter((entry) => entry.position <= end));
      if (messages.length > 0) await broker.publish(messages);
      published += messages.length;
      position = await store.transaction(async (tx) => {
        // Another process may have advanced the offset.
        const known = (await tx.offset(offset)) ?? 0;
        if (known < end) await tx.setOffset(offset, end);
        return Math.max(known, end);
      });
    }
  }

  async function render(entries: readonly JournalRecord[]): Promise<readonly Message[]> {
    if (entries.length === 0) return [];
    return store.transaction(async (tx) => {
      const messages: Message[] = [];
      for (const entry of entries) {
        const rendered = await renderer.renderFor(tx, entry, through, envelope)(receiver);
        if (rendered !== undefined) messages.push({ ...rendered, media, record: `${entry.resource} ${entry.record}` });
      }
      return messages;
    });
  }

  return { run, close: () => broker.close() };
}

/** Returns the channel whose permissions in the document apply to sinks. */
function channelOf({ events }: EventsPart): "webhook" | "stream" {
  return events.webhook === undefined ? "stream" : "webhook";
}
