/**
 * Serves the open event streams (R6.15, R6.16). All streams that have caught up share one read of the event log. A stream that
 * resumes at an earlier event reads separately, at the client's speed, until it has caught up.
 */
import { setImmediate as nextTick } from "node:timers/promises";
import { getOrMake } from "../../base/once.ts";
import type { Clock } from "../../base/clock.ts";
import { isPassing } from "../../store/port/error.ts";
import type { JournalRecord, Store } from "../../store/port/store.ts";
import type { Sink, Streaming } from "../../http/message.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Receiver, EventRenderer, RenderedEvent } from "./render.ts";

export interface StreamsOptions {
  readonly store: Store;
  readonly renderer: EventRenderer;
  readonly clock: Clock;
  /** Called with each error that is a bug of Nonet or of its store. */
  readonly report: (failure: unknown) => void;
}

export interface Streams {
  /** Opens a stream. @throws ApiError `rate-limited` if the holder has too many open streams. */
  open(following: Following): Streaming;
  /** Reads the event log at once instead of at the next interval, because there may be new entries. */
  nudge(): void;
  /** Ends all streams; clients reconnect and resume. */
  endAll(): void;
  /** Ends all streams like `endAll`, and also those that open later. */
  close(): void;
  /** Returns the number of open streams. */
  count(): number;
}

export interface Following {
  /** The caller or address to which the limit of open streams applies. */
  readonly holder: string;
  readonly receiver: Receiver;
  /** Returns the receiver with its current roles; undefined if it may no longer read the stream (R5.10). */
  readonly still: () => Promise<Receiver | undefined>;
  /** Whether the client subscribed to this event type. */
  readonly wants: (type: string) => boolean;
  /** The position in the event log after which the stream starts. */
  readonly after: number;
}

/** How many followers the server writes to before it yields to the event loop. */
const perTick = 500;

const perHolder = 10;
/** How often the server polls the log for events that the store did not announce, and checks streams, in milliseconds. */
const roundMilliseconds = 250;
const beatMilliseconds = 15_000;
/** The interval of permission checks in milliseconds. With the round interval added, it is at most five seconds (R5.10). */
const checkMilliseconds = 4_000;
/** How many unread bytes a stream that has caught up may have; with more, the server closes it. */
const maximumWaiting = 1_048_576;
/** How many entries are read and sent in one transaction. */
const batch = 50;

interface Follower {
  readonly following: Following;
  receiver: Receiver;
  readonly sink: Sink;
  /** The position up to which all entries are sent. */
  position: number;
  spoke: number;
  checked: number;
}

export function createStreams({ store, renderer, clock, report }: StreamsOptions): Streams {
  const held = new Map<string, number>();
  const followers = new Set<Follower>();
  /** The streams that have received all entries up to `head`. */
  const live = new Set<Follower>();
  let head = 0;
  let reading = false;
  let again = false;
  let soon: NodeJS.Immediate | undefined;
  let rounds: NodeJS.Timeout | undefined;
  let deaf: (() => void) | undefined;
  let closed = false;

  // ── Reading ──

  async function readForAll(): Promise<void> {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again && live.size > 0) {
        again = false;
        const last = await store.journal.last();
        while (head < last && live.size > 0) head = await readSome(head, last, [...live]);
        for (const follower of live) if (follower.position < head) startReading(follower);
      }
    } catch (thrown) {
      fail(thrown, [...live]);
    } finally {
      reading = false;
    }
  }

  /** Reads for one stream until it has caught up; then one read serves all streams. */
  async function readFor(follower: Follower): Promise<void> {
    for (let last = await store.journal.last(); followers.has(follower); last = await store.journal.last()) {
      if (follower.position >= last) {
        if (live.size === 0 && !reading) head = follower.position;
        if (follower.position >= head) break;
      }
      await readSome(follower.position, last, [follower]);
      await follower.sink.drained();
    }
    if (!followers.has(follower)) return;
    live.add(follower);
    nudge();
  }

  function startReading(follower: Follower): void {
    live.delete(follower);
    readFor(follower).catch((thrown: unknown) => fail(thrown, [follower]));
  }

  /** Sends the entries between `after` and `last`; returns the position up to which it has read. */
  async function readSome(after: number, last: number, to: readonly Follower[]): Promise<number> {
    const entries = await store.journal.events(after, batch);
    const end = entries.at(-1)?.position ?? after;
    const reached = entries.length < batch ? Math.max(last, end) : end;
    const texts = entries.length === 0 ? new Map<Follower, string>() : await textsFor(entries, to);
    for (const [number, follower] of to.entries()) {
      // The server yields to other requests now and then: writing to thousands of streams takes long.
      if (number % perTick === perTick - 1) await nextTick();
      if (follower.position >= reached || !followers.has(follower)) continue;
      follower.position = reached;
      const text = texts.get(follower);
      if (text !== undefined) speak(follower, text);
    }
    return reached;
  }

  /** Returns the texts of entries; the server sends them only after the transaction has ended. */
  function textsFor(
    entries: readonly JournalRecord[],
    to: readonly Follower[],
  ): Promise<ReadonlyMap<Follower, string>> {
    return store.transaction(async (tx) => {
      const texts = new Map<Follower, string>();
      for (const entry of entries) {
        const renderFor = renderer.renderFor(tx, entry, "stream");
        const written = new Map<RenderedEvent, string>();
        for (const follower of to) {
          if (entry.position <= follower.position) continue;
          const rendered = await renderFor(follower.receiver);
          if (rendered === undefined || !follower.following.wants(rendered.type)) continue;
          const text = getOrMake(written, rendered, eventText);
          texts.set(follower, (texts.get(follower) ?? "") + text);
        }
      }
      return texts;
    });
  }

  function speak(follower: Follower, text: string): void {
    if (follower.sink.waiting > maximumWaiting) {
      leave(follower);
      follower.sink.cut();
      return;
    }
    follower.sink.write(text);
    follower.spoke = clock.now();
  }

  function fail(thrown: unknown, whom: readonly Follower[]): void {
    if (!isPassing(thrown)) report(thrown);
    // Ended clients reconnect and resume after their last event.
    for (const follower of whom) end(follower);
  }

  // ── Maintenance ──

  function round(): void {
    const now = clock.now();
    for (const follower of followers) {
      // `Math.abs` is used so that a clock that was set back does not delay a heartbeat or check.
      if (Math.abs(now - follower.spoke) >= beatMilliseconds) speak(follower, beat(follower));
      if (Math.abs(now - follower.checked) >= checkMilliseconds) void check(follower, now);
    }
    void readForAll();
  }

  /**
   * Returns a heartbeat. It also moves the client's `Last-Event-ID`, which would expire if the client may see few events. The
   * id changes each time, so it does not reveal whether hidden events happened.
   */
  function beat(follower: Follower): string {
    return `:\nid: ${renderer.ids.cursorOf(follower.position)}\n\n`;
  }

  async function check(follower: Follower, now: number): Promise<void> {
    follower.checked = now;
    try {
      const receiver = await follower.following.still();
      if (receiver === undefined) end(follower);
      else follower.receiver = receiver;
    } catch (thrown) {
      fail(thrown, [follower]);
    }
  }

  function leave(follower: Follower): void {
    followers.delete(follower);
    live.delete(follower);
    if (followers.size > 0) return;
    clearInterval(rounds);
    rounds = undefined;
    deaf?.();
    deaf = undefined;
  }

  function end(follower: Follower): void {
    if (!followers.has(follower)) return;
    leave(follower);
    follower.sink.end();
  }

  function endAll(): void {
    for (const follower of followers) end(follower);
  }

  function start(following: Following, sink: Sink): Follower {
    const now = clock.now();
    const { receiver, after } = following;
    const follower: Follower = { following, receiver, sink, position: after, spoke: now, checked: now };
    followers.add(follower);
    // If the connection breaks before the first event, the client resumes from this id.
    sink.write(`retry: 3000\nid: ${renderer.ids.cursorOf(after)}\n\n`);
    rounds ??= setInterval(round, roundMilliseconds).unref();
    deaf ??= store.changes(nudge);
    if (closed) end(follower);
    else startReading(follower);
    return follower;
  }

  function nudge(): void {
    if (live.size === 0) return;
    soon ??= setImmediate(() => {
      soon = undefined;
      void readForAll();
    });
  }

  return {
    open(following) {
      const { holder } = following;
      const count = (held.get(holder) ?? 0) + 1;
      if (count > perHolder) {
        throw new ApiError("rate-limited", {
          detail: `At most ${perHolder} streams may be open at a time`,
          headers: ["Retry-After", "5"],
        });
      }
      held.set(holder, count);
      let follower: Follower | undefined;
      return {
        start: (sink) => {
          follower = start(following, sink);
        },
        ended: () => {
          const left = (held.get(holder) ?? 1) - 1;
          if (left > 0) held.set(holder, left);
          else held.delete(holder);
          if (follower !== undefined) leave(follower);
        },
      };
    },
    nudge,
    endAll,
    close() {
      closed = true;
      endAll();
    },
    count: () => followers.size,
  };
}

function eventText({ id, type, body }: RenderedEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}
