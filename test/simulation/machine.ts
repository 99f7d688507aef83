/**
 * The simulated machine: its clock, its timers, and the order in which waiting code continues. Nothing happens spontaneously.
 * Code that waits stops at a gate, and the simulation opens one gate after another; in between, all code that does not wait runs
 * to its end.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../src/base/clock.ts";
import type { Chance } from "./random.ts";

/** On whose behalf something is done: a request, or what the service does by itself. */
export interface Task {
  readonly name: string;
  /** The process that does it. */
  readonly life: number;
  /** What the clock said when the task last asked it. */
  looked: number;
  /** What it had been told when it first asked for data: its own present, by which all that it does is done. */
  since?: number;
  /** Whether it has to wait until somebody knows whose key it sent. */
  waits?: boolean;
  /** What was made to fail for it. */
  fault?: "busy" | "broken" | "both";
  /** Of what time does: what was refused in this turn, by record. */
  readonly skipped?: Map<string, Set<string>>;
  /** Shared by what it stands for. */
  readonly request?: unknown;
}

/** The life of what outlives every process: the store's own. */
export const ofTheStore = 0;

/** Thrown to all that is under way in a process that has died: it can neither go on nor tell anybody. */
export class Died extends Error {}

interface SwappableService {
  readonly label: string;
  readonly life: number;
  open(): void;
  shut(): void;
}

interface Timer {
  readonly life: number;
  readonly run: () => void;
  readonly every: number | undefined;
  /** On the machine's own clock, that is never set. */
  at: number;
}

const nativeImmediate = globalThis.setImmediate;

export class Machine {
  /** Epoch milliseconds, as the service is told. */
  time: number = Date.parse("2026-10-01T00:00:00.000Z");
  /** Milliseconds since the start, of a clock that is never set back. */
  uptime = 0;
  readonly #alive: Set<number> = new Set([ofTheStore]);
  readonly #deaths: Map<number, PromiseWithResolvers<never>> = new Map();
  #lives = 0;
  /** The process that is being started. */
  #starting = 0;
  /** How often of a hundred times what could wait does. */
  waits = 30;
  readonly trace: string[] = [];
  readonly tasks: AsyncLocalStorage<Task> = new AsyncLocalStorage();
  readonly clock: Clock;
  readonly #chance: Chance;
  readonly #noted: (line: string) => void;
  readonly #gates: SwappableService[] = [];
  readonly #timers: Set<Timer> = new Set();

  constructor(chance: Chance, noted: (line: string) => void) {
    this.#chance = chance;
    this.#noted = noted;
    this.clock = {
      now: () => {
        const task = this.tasks.getStore();
        if (task !== undefined) task.looked = this.time;
        return this.time;
      },
    };
  }

  note(line: string): void {
    this.trace.push(line);
    this.#noted(line);
  }

  /** What could wait here: it does by chance, until its gate is opened. */
  pass(label: string, life: number): Promise<void> {
    if (!this.#alive.has(life)) return Promise.reject(new Died());
    if (!this.#chance.percent(this.waits)) return Promise.resolve();
    const task = this.tasks.getStore()?.name ?? "-";
    return new Promise((resolve, reject) => {
      this.#gates.push({ label: `${task} ${label}`, life, open: resolve, shut: () => reject(new Died()) });
    });
  }

  get waiting(): number {
    return this.#gates.length;
  }

  /** Opens one of the gates. */
  open(): void {
    const [gate] = this.#gates.splice(this.#chance.int(this.#gates.length), 1);
    if (gate === undefined) return;
    this.note(`  ${gate.label}`);
    gate.open();
  }

  /** Lets all go on that can. Promises are settled before the next turn of the event loop begins. */
  settle(): Promise<void> {
    return new Promise((resolve) => nativeImmediate(resolve));
  }

  turn(milliseconds: number): void {
    this.time += milliseconds;
    this.uptime += Math.max(0, milliseconds);
  }

  /** Runs the timer whose time has come first, if any has. */
  ring(): boolean {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.at <= this.uptime && (first === undefined || timer.at < first.at)) first = timer;
    if (first === undefined) return false;
    if (first.every === undefined) this.#timers.delete(first);
    else first.at = this.uptime + first.every;
    this.note("  timer");
    this.tasks.run({ name: "timer", life: first.life, looked: this.time }, first.run);
    return true;
  }

  /** A process begins: what it does while it starts is its own. */
  begin(): number {
    this.#lives += 1;
    this.#alive.add(this.#lives);
    this.#starting = this.#lives;
    return this.#lives;
  }

  isAlive(life: number): boolean {
    return this.#alive.has(life);
  }

  /** Rejects when the process dies, whatever its work waits for by then: a timer of a dead process never comes. */
  death(life: number): Promise<never> {
    const known = this.#deaths.get(life);
    if (known !== undefined) return known.promise;
    const death = Promise.withResolvers<never>();
    death.promise.catch(() => {});
    this.#deaths.set(life, death);
    return death.promise;
  }

  /** A process dies: all that it was doing ends where it stands, and its timers are gone. */
  die(life: number): void {
    this.#alive.delete(life);
    this.#deaths.get(life)?.reject(new Died());
    for (const timer of this.#timers) if (timer.life === life) this.#timers.delete(timer);
    const dead = this.#gates.filter((gate) => gate.life === life);
    const others = this.#gates.filter((gate) => gate.life !== life);
    this.#gates.splice(0, this.#gates.length, ...others);
    for (const gate of dead) gate.shut();
  }

  /** Nothing waits any more, wherever it stands. */
  end(): void {
    for (const gate of this.#gates.splice(0)) gate.shut();
  }

  #present(): number {
    return this.tasks.getStore()?.life ?? this.#starting;
  }

  /** Until it is disposed of, timers of this thread are the machine's. */
  takeTimers(): Disposable {
    const { clearImmediate, clearTimeout, performance, setImmediate, setInterval, setTimeout } = globalThis;
    const add = (run: () => void, wait: number, every?: number): object => {
      const timer: Timer = { life: this.#present(), run, every, at: this.uptime + wait };
      this.#timers.add(timer);
      const handle = { timer, ref: () => handle, unref: () => handle, hasRef: () => false };
      return handle;
    };
    const remove = (handle?: { timer?: Timer }): void => {
      if (handle?.timer !== undefined) this.#timers.delete(handle.timer);
    };
    const soon = (run: () => void): object => {
      const life = this.#present();
      const handle = { isCleared: false, unref: () => {} };
      // Whoever asked for it may have been answered when it comes: it is nobody's request.
      const task: Task = { name: "turn", life, looked: this.time };
      this.tasks
        .run(task, () => this.pass("turn", life))
        .then(
          () => handle.isCleared || this.tasks.run(task, run),
          () => {},
        );
      return handle;
    };
    const simulated = {
      setTimeout: (run: () => void, wait = 0) => add(run, wait),
      setInterval: (run: () => void, wait = 0) => add(run, wait, wait),
      setImmediate: soon,
      clearImmediate: (handle?: { isCleared?: boolean }) => {
        if (handle !== undefined) handle.isCleared = true;
      },
      clearTimeout: remove,
      clearInterval: remove,
    };
    Object.assign(globalThis, simulated);
    const own = Object.getOwnPropertyDescriptor(performance, "now");
    Object.defineProperty(performance, "now", { configurable: true, value: () => this.uptime });
    return {
      [Symbol.dispose]: () => {
        Object.assign(globalThis, { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval: clearTimeout, clearImmediate }); // biome-ignore format: a list
        if (own === undefined) Reflect.deleteProperty(performance, "now");
        else Object.defineProperty(performance, "now", own);
      },
    };
  }
}
