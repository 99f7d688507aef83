/** Who is let in by the rates of a world, one request after another (R8.3): windows that begin with the first request. */
import type { Asked } from "./oracle.ts";
import type { Rate, World } from "./world.ts";

export interface Admission {
  /** Undefined: a clock that was set back leaves it open. */
  readonly admitted: boolean | undefined;
  /** As if it had not been let in. */
  readonly giveBack: () => void;
}

export interface Slot {
  readonly length: number;
  used: number;
  until: number;
}

/** Windows from this length on survive a restart. */
const kept = 3_600_000;

/** What has reached the store, from whichever process. */
export type Durable = Map<string, Slot>;

/** Those of one process. */
export class Rates {
  readonly #world: World;
  readonly #durable: Durable;
  readonly #slots: Map<string, Slot>;
  /** What has changed and is not on its way to the store. */
  readonly #pending: Set<string> = new Set();
  /**
   * Windows that were over, and then were to come once more: whether they were forgotten in between depends on who looked.
   * Until when, by a clock that is never set back; for ever where nobody has looked since.
   */
  readonly #unsure: Map<string, number> = new Map();

  /** On its way to the store. */
  readonly underWay: Set<string> = new Set();

  /** `doubtful`: what was on its way when its process died, of which nobody knows whether it has arrived. */
  constructor(world: World, durable: Durable, now: number, doubtful: ReadonlySet<string>) {
    this.#world = world;
    this.#durable = durable;
    for (const key of doubtful) this.#unsure.set(key, Number.POSITIVE_INFINITY);
    const live = [...durable].filter(([, { until }]) => until > now);
    this.#slots = new Map(
      live.map(([key, slot]) => [key, { ...slot, until: Math.min(slot.until, now + slot.length) }]),
    );
  }

  enter({ actor, operation }: Asked, now: number, uptime: number): Admission {
    const whose = actor.id ?? `address ${actor.address}`;
    const rules: readonly (readonly [string, Rate])[] = [
      ...(this.#world.rate === undefined ? [] : [["all", this.#world.rate] as const]),
      ...(operation.rate === undefined ? [] : [[operation.name, operation.rate] as const]),
    ];
    const standing = rules.map(([name, rate]) => {
      const key = `${rate.milliseconds >= kept ? "kept " : ""}${name} ${whose}`;
      return { key, rate, slot: this.#slot(key, rate.milliseconds, now) };
    });
    const unsure = standing.filter(({ key }) => (this.#unsure.get(key) ?? Number.NEGATIVE_INFINITY) > uptime);
    const isFull = standing.some(({ rate, slot, key }) => slot.used >= rate.count && !unsure.some((one) => one.key === key)); // biome-ignore format: short
    if (isFull) return { admitted: false, giveBack: () => {} };
    // Who is refused by one of them has taken nothing from the others.
    if (unsure.length > 0) for (const { key, rate } of standing) this.#unsure.set(key, uptime + 2 * rate.milliseconds);
    for (const { key, slot } of standing) this.#slots.set(key, slot);
    const count = (more: number): void => {
      for (const { key, slot } of standing) {
        // What is given back to a window that is over is none of the next one's.
        slot.used += more;
        if (key.startsWith("kept ")) this.#pending.add(key);
      }
    };
    count(1);
    return {
      admitted: unsure.length > 0 ? undefined : true,
      giveBack: () => {
        if (actor.id !== null) count(-1);
      },
    };
  }

  #slot(key: string, length: number, now: number): Slot {
    const present = this.#slots.get(key);
    if (present !== undefined) {
      // A clock that was set back takes away the future that a window was to end in.
      present.until = Math.min(present.until, now + length);
      if (present.until > now) return present;
    }
    // It begins with the first request that is let in, and not with one that another rate refuses.
    return { length, used: 0, until: now + length };
  }

  /** The clock is set back from here. */
  setBack(from: number): void {
    for (const slots of [this.#slots, this.#durable])
      for (const [key, { until }] of slots) if (until <= from) this.#unsure.set(key, Number.POSITIVE_INFINITY);
  }

  /** What is counted now is on its way to the store; the result is told whether it has arrived. */
  keeping(now: number): (arrived: boolean) => void {
    const some = [...this.#pending].flatMap((key): [string, Slot][] => {
      const slot = this.#slots.get(key);
      return slot === undefined || slot.until <= now ? [] : [[key, { ...slot }]];
    });
    this.#pending.clear();
    for (const [key] of some) this.underWay.add(key);
    return (arrived) => {
      for (const [key, slot] of some) {
        this.underWay.delete(key);
        if (arrived) this.#durable.set(key, slot);
        else this.#pending.add(key);
      }
    };
  }
}
