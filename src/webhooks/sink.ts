/**
 * Gives a message broker every event that its roles are told of, at least once and a record's in order: what the journal
 * says since the bookmark is published, and the bookmark is moved once the broker keeps it. A process that ends between
 * the two publishes the same again, under the same ids.
 */
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { JournalRecord, Store } from "../store/port/store.ts";
import type { Broker, Message } from "./brokers/broker.ts";
import type { DeliveryRenderer } from "./engine.ts";

export interface SinkOptions {
  readonly plan: AuthenticationPart & EventsPart;
  readonly store: Store;
  readonly renderer: DeliveryRenderer;
  /** Without secrets; the bookmark goes by it. */
  readonly name: string;
  readonly roles: readonly string[];
  readonly broker: Broker;
}

export interface Sink {
  /** Publishes what there is, until it is enough; the number of events that the broker took. */
  run(isEnough: () => boolean): Promise<number>;
  close(): Promise<void>;
}

/** Events that are told in one transaction and published together. */
const batch = 200;

export function createSink({ plan, store, renderer, name, roles, broker }: SinkOptions): Sink {
  const offset = `sink ${name}`;
  const through = channelOf(plan);
  // Nobody has this id: what a record's owner alone may know is not a sink's.
  const receiver = { id: plan.roles.length === 0 ? null : offset, roles, scoped: false };

  let position = -1;

  async function run(isEnough: () => boolean): Promise<number> {
    // Of two processes that publish the same, the slower one would send old events after newer ones.
    if (!(await store.acquireLease(offset))) {
      position = -1;
      return 0;
    }
    if (position < 0) position = await store.transaction(async (tx) => (await tx.offset(offset)) ?? 0);
    for (let published = 0; ; ) {
      // Asked before the entries are read: what is written between the two is then read in the next turn.
      const last = await store.journal.last();
      if (isEnough() || last <= position) return published;
      const entries = await store.journal.events(position, batch);
      const end = entries.length < batch ? last : (entries.at(-1) as JournalRecord).position;
      const messages = await render(entries.filter((entry) => entry.position <= end));
      if (messages.length > 0) await broker.publish(messages);
      published += messages.length;
      position = await store.transaction(async (tx) => {
        // Another process may have come further meanwhile.
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
        const rendered = await renderer.renderFor(tx, entry, through, "cloudevents")(receiver);
        if (rendered !== undefined) messages.push({ ...rendered, record: `${entry.resource} ${entry.record}` });
      }
      return messages;
    });
  }

  return { run, close: () => broker.close() };
}

/** How the document tells of its events: a sink is told what its roles are told there. */
function channelOf({ events }: EventsPart): "webhook" | "stream" {
  return events.webhook === undefined ? "stream" : "webhook";
}
