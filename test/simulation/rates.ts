/**
 * Which requests the rates of a world admit (R8.3): windows that begin with the first request, and token buckets that refill
 * continuously. If each process counts for itself, the result for each request is known; if they count together, only the minimum
 * and the maximum number of admitted requests.
 */
import type { Asked } from "./oracle.ts";
import type { Rate, World } from "./world.ts";

export interface Admission {
  /** Undefined: a clock that was set back leaves it open. */
  readonly admitted: boolean | undefined;
  /** As if it had not been let in. */
  readonly giveBack: () => void;
}

export interface Slot {
  readonly rate: Rate;
  /** Of a window: requests. Of a bucket: what is missing in it at `until`, of which each millisecond brings `count` back. */
  used: number;
  /** Of a window: its end. */
  until: number;
}

/** Windows from this length on survive a restart. */
const kept = 3_600_000;

/** What has reached the store, from whichever process. */
export type Durable = Map<string, Slot>;

type Rule = readonly [name: string, rate: Rate];

function rulesOf({ rate }: World, { operation }: Asked): readonly Rule[] {
  return [
    ...(rate === undefined ? [] : [["all", rate] as const]),
    ...(operation.rate === undefined ? [] : [[operation.name, operation.rate] as const]),
  ];
}

function keyOf([name, { milliseconds }]: Rule, { actor }: Asked): string {
  return `${milliseconds >= kept ? "kept " : ""}${name} ${actor.id ?? `address ${actor.address}`}`;
}

/** How long it takes until nothing is counted any more. */
function longest({ burst, count, milliseconds }: Rate): number {
  return burst === undefined ? milliseconds : Math.max(milliseconds, Math.ceil((burst * milliseconds) / count));
}

function missing({ rate, until, used }: Slot, now: number): number {
  return Math.max(0, used - Math.max(0, now - until) * rate.count);
}

function isOver(slot: Slot, now: number): boolean {
  return slot.rate.burst === undefined ? slot.until <= now : missing(slot, now) === 0;
}

function isFull(slot: Slot, now: number): boolean {
  const { burst, count, milliseconds } = slot.rate;
  if (burst === undefined) return slot.used >= count;
  return burst * milliseconds - missing(slot, now) < milliseconds;
}

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
    this.#slots = new Map(live.map(([key, slot]) => [key, restored(slot, now)]));
  }

  enter(asked: Asked, now: number, uptime: number): Admission {
    const standing = rulesOf(this.#world, asked).map((rule) => {
      const key = keyOf(rule, asked);
      return { key, slot: this.#slot(key, rule[1], now) };
    });
    const unsure = standing.filter(({ key }) => (this.#unsure.get(key) ?? Number.NEGATIVE_INFINITY) > uptime);
    const isRefused = standing.some(({ slot, key }) => isFull(slot, now) && !unsure.some((one) => one.key === key));
    if (isRefused) return { admitted: false, giveBack: () => {} };
    // Who is refused by one of them has taken nothing from the others.
    if (unsure.length > 0) for (const { key, slot } of standing) this.#unsure.set(key, uptime + 2 * longest(slot.rate));
    for (const { key, slot } of standing) this.#slots.set(key, slot);
    const count = (more: (slot: Slot) => void): void => {
      for (const { key, slot } of standing) {
        // What is given back to a window that is over is none of the next one's.
        more(slot);
        if (key.startsWith("kept ")) this.#pending.add(key);
      }
    };
    count((slot) => take(slot, now));
    return {
      admitted: unsure.length > 0 ? undefined : true,
      giveBack: () => {
        if (asked.actor.id !== null) count(giveBack);
      },
    };
  }

  #slot(key: string, rate: Rate, now: number): Slot {
    const isWindow = rate.burst === undefined;
    const present = this.#slots.get(key);
    if (present !== undefined) {
      // A clock that was set back takes away the future that a window was to end in.
      present.until = Math.min(present.until, isWindow ? now + rate.milliseconds : now);
      if (!isOver(present, now)) return present;
    }
    // It begins with the first request that is let in, and not with one that another rate refuses.
    return { rate, used: 0, until: isWindow ? now + rate.milliseconds : now };
  }

  /** The clock is set back from here. */
  setBack(from: number): void {
    for (const [key, slot] of this.#slots) if (isOver(slot, from)) this.#unsure.set(key, Number.POSITIVE_INFINITY);
    for (const [key, { until }] of this.#durable) if (until <= from) this.#unsure.set(key, Number.POSITIVE_INFINITY);
  }

  /** What is counted now is on its way to the store; the result is told whether it has arrived. */
  snapshots(now: number): (arrived: boolean) => void {
    const some = [...this.#pending].flatMap((key): [string, Slot][] => {
      const slot = this.#slots.get(key);
      return slot === undefined || isOver(slot, now) ? [] : [[key, saved(slot)]];
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

function take(slot: Slot, now: number): void {
  if (slot.rate.burst === undefined) slot.used += 1;
  else Object.assign(slot, { used: missing(slot, now) + slot.rate.milliseconds, until: Math.max(slot.until, now) });
}

function giveBack(slot: Slot): void {
  slot.used = slot.rate.burst === undefined ? slot.used - 1 : Math.max(0, slot.used - slot.rate.milliseconds);
}

/** Of a bucket only when it is full again is kept. */
function saved({ rate, until, used }: Slot): Slot {
  return rate.burst === undefined
    ? { rate, used, until }
    : { rate, used: 0, until: until + Math.ceil(used / rate.count) };
}

function restored({ rate, until, used }: Slot, now: number): Slot {
  const { burst, count, milliseconds } = rate;
  if (burst === undefined) return { rate, used, until: Math.min(until, now + milliseconds) };
  return { rate, used: Math.min(burst * milliseconds, (until - now) * count), until: now };
}

// ── Together ──

/** A request by one of its rates, from when it came until it was answered, by the clock that is never set back. */
interface Ask {
  readonly from: number;
  to: number;
  /** Whether it was let in; undefined: nobody knows. */
  admitted: boolean | undefined;
}

/** How far the clocks of processes are apart, in milliseconds. */
export const apart: readonly number[] = [0, 2000, -2000];
const mostApart = 4000;
/** For so long a process waits for what others count; then it counts for itself. */
const patience = 2000;
/** So far ahead a bucket may be of a clock that was set back. */
const ahead = 10_000;

/** Those of processes that count together: never more than a rate allows in any time, at however many of them. */
export class SharedRates {
  readonly #world: World;
  readonly #asks: Map<string, { readonly rate: Rate; readonly all: Ask[] }> = new Map();
  readonly #of: Map<object, readonly (readonly [key: string, ask: Ask])[]> = new Map();
  /** Who counts for itself at present, by lives, and since when. */
  readonly #alone: Map<number, number> = new Map();
  /** From and to, when not all counted together in time. */
  readonly #apart: (readonly [from: number, to: number])[] = [];
  #setBack = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  enter(whose: object, asked: Asked, from: number): void {
    const mine = rulesOf(this.#world, asked).map((rule) => {
      const key = keyOf(rule, asked);
      const known = this.#asks.get(key) ?? { rate: rule[1], all: [] };
      this.#asks.set(key, known);
      const ask: Ask = { from, to: Number.POSITIVE_INFINITY, admitted: undefined };
      known.all.push(ask);
      return [key, ask] as const;
    });
    this.#of.set(whose, mine);
  }

  /** What is wrong with that it was answered so; without a status it never was. */
  left(whose: object, uptime: number, status = 500): string | undefined {
    const mine = this.#of.get(whose) ?? [];
    this.#of.delete(whose);
    for (const [, ask] of mine) {
      ask.to = uptime;
      ask.admitted = status === 429 ? false : status === 401 || status === 304 || status >= 500 ? undefined : true;
    }
    if (mine.length === 0) return undefined;
    if (status === 429) return mine.every(([key, ask]) => !this.#mayBeFull(key, ask)) ? `R8.3: there was room in ${mine.map(([key]) => key).join(" and ")}` : undefined; // biome-ignore format: short
    for (const [key] of mine) if (this.#isTooMuch(key, uptime)) return `R8.3: too many are let in by ${key}`;
    return undefined;
  }

  /** A process says that it counts for itself, or that it does not any more. */
  alone(life: number, isAlone: boolean, uptime: number): void {
    const since = this.#alone.get(life);
    this.#alone.delete(life);
    if (since !== undefined) this.#apart.push([since, uptime]);
    if (isAlone) this.#alone.set(life, since ?? uptime - patience);
  }

  /** What was asked then is counted now. */
  counted(asked: number, uptime: number): void {
    if (uptime - asked > patience) this.#apart.push([asked, uptime]);
  }

  /** Until the clock has caught up, somebody may have a window in memory that was to end then. */
  setBack(uptime: number, by: number): void {
    this.#setBack = Math.max(this.#setBack, uptime) + by;
    // What is being counted by the clock before fills a bucket for the time that is to come once more.
    this.#apart.push([uptime, uptime + patience]);
  }

  #isApart(from: number, to: number): boolean {
    return (
      [...this.#alone.values()].some((since) => since <= to) ||
      this.#apart.some(([begun, ended]) => begun <= to && ended >= from)
    );
  }

  /** Whether more were let in, between any moment and now, than may be. */
  #isTooMuch(key: string, to: number): boolean {
    const { all = [], rate } = this.#asks.get(key) ?? {};
    if (rate === undefined) return false;
    const { burst, count, milliseconds } = rate;
    return all.some(({ from }) => {
      const admitted = all.filter((one) => one.admitted === true && one.from >= from && one.to <= to).length;
      const time = to - from + mostApart;
      const most = burst === undefined ? count * (Math.floor(time / (milliseconds - mostApart)) + 2) : burst + (time * count) / milliseconds; // biome-ignore format: short
      return admitted > most && !this.#isApart(from, to);
    });
  }

  /** Whether so many may have come before that there was no room for one more. */
  #mayBeFull(key: string, ask: Ask): boolean {
    const { all = [], rate } = this.#asks.get(key) ?? {};
    if (rate === undefined) return false;
    const since = ask.from - longest(rate) - ahead - mostApart;
    if (this.#isApart(since, ask.to) || this.#setBack >= since) return true;
    const before = all.filter((one) => one !== ask && one.to >= since && one.from <= ask.to);
    return before.length >= (rate.burst ?? rate.count);
  }
}
