/**
 * Callers who follow the events as a stream (R6.15, R6.16): each receives all events that it may see, once, in the order of
 * commits, even when it is cut off and resumes after its last event.
 */
import type { HttpResponse, Sink, Streaming } from "../../src/http/message.ts";
import { type Hooks, wrongEvent } from "./hooks.ts";
import type { Actor, Oracle } from "./oracle.ts";
import type { Grant } from "./world.ts";

export interface Follower {
  readonly actor: Actor;
  readonly older: boolean;
  /** The process that it follows at; undefined: none. */
  life: number | undefined;
  stream: Streaming | undefined;
  /** The id that it was given last, and the position that this is of. */
  last: string | undefined;
  position: number;
  /** How much had been forgotten when its stream began. */
  forgotten: number;
}

export interface FollowersOptions {
  readonly oracle: Oracle;
  readonly hooks: Hooks;
  readonly positionOf: (id: string) => number | undefined;
  readonly found: (what: string) => void;
  /** Whether readers see what is durable, a moment after the transaction has run: as those of SQLite do. */
  readonly isSeenLater: boolean;
}

export class Followers {
  readonly all: Follower[] = [];
  readonly #options: FollowersOptions;

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  add(actor: Actor, older: boolean): Follower {
    const follower: Follower = {
      actor,
      older,
      life: undefined,
      stream: undefined,
      last: undefined,
      position: -1,
      forgotten: 0,
    };
    this.all.push(follower);
    return follower;
  }

  /** It is let in, or has to begin anew where what it has is too old. */
  answered(follower: Follower, life: number, { status, stream }: HttpResponse): void {
    if (status === 410) follower.last = undefined;
    if (status !== 200 || stream === undefined) return;
    follower.life = life;
    follower.stream = stream;
    follower.forgotten = this.#options.hooks.forgottenEntries;
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      if (follower.stream === stream) this.#gone(follower);
    };
    const sink: Sink = {
      waiting: 0,
      drained: () => Promise.resolve(),
      write: (text) => {
        if (isOpen) this.#hear(follower, typeof text === "string" ? text : Buffer.from(text).toString());
      },
      end: close,
      cut: close,
    };
    stream.start(sink);
  }

  /** The connection is lost, and nobody says so to whoever follows. */
  leave(follower: Follower): void {
    const { stream } = follower;
    this.#gone(follower);
    stream?.ended();
  }

  died(life: number): void {
    for (const follower of this.all) if (follower.life === life) this.#gone(follower);
  }

  #gone(follower: Follower): void {
    follower.life = undefined;
    follower.stream = undefined;
  }

  #hear(follower: Follower, text: string): void {
    const { found, positionOf } = this.#options;
    for (const frame of text.split("\n\n")) {
      const lines = new Map(frame.split("\n").map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
      const id = lines.get("id");
      if (id === undefined) continue;
      const position = positionOf(id);
      if (position === undefined) return found(`R6.16: ${id} is the id of no event`);
      const data = lines.get("data");
      const isFirst = follower.last === undefined && data === undefined;
      if (!isFirst) {
        const wrong = this.#wrongOf(follower, position, lines.get("event"), data);
        if (wrong !== undefined) return found(`${follower.actor.name}'s stream: ${wrong}`);
      }
      follower.last = id;
      follower.position = position;
    }
  }

  #wrongOf(
    follower: Follower,
    position: number,
    type: string | undefined,
    data: string | undefined,
  ): string | undefined {
    // biome-ignore format: short
    const { hooks, isSeenLater, oracle } = this.#options;
    if (position < follower.position || (data !== undefined && position === follower.position))
      return `R6.16: position ${position} comes after ${follower.position}`;
    const missed = this.#missed(follower, data === undefined ? position + 1 : position);
    if (missed !== undefined) return missed;
    // What becomes of webhooks is told to those who made them.
    if (data === undefined || type?.startsWith("webhook.") === true) return undefined;
    const entry = hooks.entryAt(position);
    if (entry?.data === undefined) return `there is no event at ${position}`;
    if (!isSeenLater && (hooks.forgotten(position) ?? Number.POSITIVE_INFINITY) <= follower.forgotten)
      return `it is told of ${entry.event}, which was erased before it began: ${data}`;
    if (!this.#mayKnow(follower, position)) return `R6.13: it may not know of ${entry.event}: ${data}`;
    return wrongEvent(oracle, follower, entry, data);
  }

  /** Something before a position that it should have been told of, and was not. */
  #missed(follower: Follower, before: number): string | undefined {
    for (let position = follower.position + 1; position < before; position += 1)
      if (this.#mayKnow(follower, position) && this.#options.hooks.forgotten(position) === undefined)
        return `R6.16: ${this.#options.hooks.entryAt(position)?.event} at ${position} is passed over`;
    return undefined;
  }

  #mayKnow({ actor }: Follower, position: number): boolean {
    const data = this.#options.hooks.entryAt(position)?.data;
    const grants: readonly Grant[] = this.#options.oracle.world.stream?.for ?? [];
    return (
      data !== undefined &&
      grants.some(
        ({ own, who }) => actor.roles.includes(who as "member") && (own !== true || data.values["owner"] === actor.id),
      )
    );
  }

  /** At the end: whoever still follows has been told all. */
  missing(): string | undefined {
    for (const follower of this.all) {
      if (follower.stream === undefined) continue;
      const missed = this.#missed(follower, this.#options.hooks.positions);
      if (missed !== undefined) return `${follower.actor.name}'s stream: ${missed}`;
    }
    return undefined;
  }
}
