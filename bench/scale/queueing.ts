/**
 * A simulation of queues, seeded: requests arrive at random and go through steps, most of which need a place at a station
 * that serves so many at a time, first come first served. `fleet.ts` says what a served document is made of.
 */

export interface Station {
  readonly name: string;
  /** How many it serves at a time. */
  readonly places: number;
}

/** Several that wait for it are served by one turn, and whoever comes during a turn by the next: the flush of a log. */
export interface Batcher {
  readonly name: string;
  readonly milliseconds: number;
}

/** Needs a place for so long: exactly, or exponentially distributed about this mean. */
interface UseStep {
  readonly kind: "use";
  readonly station: string;
  readonly milliseconds: number;
  readonly spread: "none" | "exponential";
}

export type Step =
  | UseStep
  /** Holds a place over the following steps, until it is given back. */
  | { readonly kind: "take"; readonly station: string }
  | { readonly kind: "give"; readonly station: string }
  | { readonly kind: "pause"; readonly milliseconds: number }
  | { readonly kind: "flush"; readonly batcher: string };

export interface RequestClass {
  /** Of all requests; shares add up to 1. */
  readonly share: number;
  /** One of several ways, each as likely as the others: one for each replica. */
  readonly ways: readonly (readonly Step[])[];
}

export interface Simulation {
  readonly stations: readonly Station[];
  readonly batchers: readonly Batcher[];
  readonly classes: readonly RequestClass[];
  /** Poisson arrivals a second. */
  readonly rate: number;
  /** Requests that are measured; a tenth as many before them warm up. */
  readonly requests: number;
  /** From 0 to 1, the same sequence for the same seed. */
  readonly random: () => number;
}

export interface Simulated {
  /** Time from arrival to end in milliseconds, ascending. */
  readonly times: Float64Array;
  /** For each station the part of its places that was busy. */
  readonly busy: Readonly<Record<string, number>>;
}

interface StationState {
  free: number;
  readonly waiting: Queue<() => void>;
  busyTime: number;
  readonly places: number;
}

interface BatcherState {
  turning: boolean;
  waiting: (() => void)[];
  readonly milliseconds: number;
}

export function simulate({ stations, batchers, classes, rate, requests, random }: Simulation): Simulated {
  const events = createEvents();
  const stationStates = new Map(stations.map(({ name, places }): [string, StationState] => [name, { free: places, waiting: createQueue(), busyTime: 0, places }])); // biome-ignore format: a table
  const batcherStates = new Map(batchers.map(({ name, milliseconds }): [string, BatcherState] => [name, { turning: false, waiting: [], milliseconds }])); // biome-ignore format: a table
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const warmUp = Math.ceil(requests / 10);
  const times = new Float64Array(requests);
  let now = 0;
  let ended = 0;

  function take(station: StationState, then: () => void): void {
    if (station.free === 0) return station.waiting.push(then);
    station.free -= 1;
    then();
  }

  function give(station: StationState): void {
    const next = station.waiting.shift();
    if (next === undefined) station.free += 1;
    else next();
  }

  function turn(batcher: BatcherState): void {
    const served = batcher.waiting;
    batcher.waiting = [];
    batcher.turning = served.length > 0;
    if (!batcher.turning) return;
    events.add(now + batcher.milliseconds, () => {
      for (const then of served) then();
      turn(batcher);
    });
  }

  function go(steps: readonly Step[], at: number, done: () => void): void {
    const step = steps[at];
    if (step === undefined) return done();
    const on = (): void => go(steps, at + 1, done);
    if (step.kind === "pause") return events.add(now + step.milliseconds, on);
    if (step.kind === "flush") {
      const batcher = known(batcherStates, step.batcher);
      batcher.waiting.push(on);
      if (!batcher.turning) turn(batcher);
      return;
    }
    const station = known(stationStates, step.station);
    if (step.kind === "take") return take(station, on);
    if (step.kind === "use") return use(station, step, on);
    give(station);
    on();
  }

  function use(station: StationState, step: UseStep, then: () => void): void {
    take(station, () => {
      const duration = step.spread === "none" ? step.milliseconds : exponential(step.milliseconds);
      station.busyTime += duration;
      events.add(now + duration, () => {
        give(station);
        then();
      });
    });
  }

  function arrive(): void {
    const came = now;
    const kind = classOf(classes, random());
    const steps = kind.ways[Math.floor(random() * kind.ways.length)] ?? [];
    go(steps, 0, () => {
      const index = ended - warmUp;
      if (index >= 0 && index < requests) times[index] = now - came;
      ended += 1;
    });
    events.add(now + exponential(1000 / rate), arrive);
  }

  events.add(0, arrive);
  while (ended < warmUp + requests) {
    const event = events.take();
    now = event.at;
    event.run();
  }
  const busy = [...stationStates].map(([name, { busyTime, places }]) => [name, busyTime / (now * places)]);
  return { times: times.sort(), busy: Object.fromEntries(busy) as Record<string, number> };
}

/** The value below which this part of ascending values is. */
export function quantile(ascending: Float64Array, part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(part * ascending.length))] ?? Number.NaN;
}

function classOf(classes: readonly RequestClass[], drawn: number): RequestClass {
  let sum = 0;
  for (const one of classes) {
    sum += one.share;
    if (drawn < sum) return one;
  }
  return classes.at(-1) ?? { share: 1, ways: [] };
}

function known<T>(states: ReadonlyMap<string, T>, name: string): T {
  const found = states.get(name);
  if (found === undefined) throw new Error(`no ${name} in this simulation`);
  return found;
}

interface Queue<T> {
  push(item: T): void;
  shift(): T | undefined;
}

/** An array whose start is given up now and then: `Array.shift` moves all that follows. */
function createQueue<T>(): Queue<T> {
  let items: T[] = [];
  let first = 0;
  return {
    push: (item) => void items.push(item),
    shift() {
      const item = items[first];
      if (item === undefined) return undefined;
      first += 1;
      if (first > 1000 && first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/** A binary heap; events of one moment come in any order. */
function createEvents(): { add(at: number, run: () => void): void; take(): Event } {
  const heap: Event[] = [];
  const at = (index: number): number => heap[index]?.at ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    const kept = heap[one] as Event;
    heap[one] = heap[other] as Event;
    heap[other] = kept;
  };
  return {
    add(moment, run) {
      heap.push({ at: moment, run });
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (at(parent) <= at(index)) break;
        swap(parent, index);
        index = parent;
      }
    },
    take() {
      const first = heap[0];
      const last = heap.pop();
      if (first === undefined || last === undefined) throw new Error("nothing happens any more");
      if (heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const least = at(left) <= at(left + 1) ? left : left + 1;
        if (at(least) >= at(index)) break;
        swap(least, index);
        index = least;
      }
      return first;
    },
  };
}
