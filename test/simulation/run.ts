/**
 * Runs one seed: a world, a service built from its document, and random steps until everything has ended. Other modules check the
 * results: `requests.ts` the responses, `transactions.ts` the transactions.
 */
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { StoreError } from "../../src/store/port/error.ts";
import type { Store } from "../../src/store/port/store.ts";
import {
  actors,
  anyRequest,
  deviceRequest,
  followRequest,
  hookRequest,
  personRequest,
  repeated,
  request,
} from "./clients.ts";
import { overdue, wrongAtTheEnd } from "./ending.ts";
import { Followers } from "./followers.ts";
import { takeHashing } from "./hashing.ts";
import { Functions } from "./functions.ts";
import { Hooks } from "./hooks.ts";
import { Keys } from "./keys.ts";
import { Died, Machine, ofTheStore, type Task } from "./machine.ts";
import { Oracle } from "./oracle.ts";
import { prepared } from "./prepared.ts";
import { type Mutation, type Process, startProcess } from "./process.ts";
import { chanceOf } from "./random.ts";
import { type Durable, Rates } from "./rates.ts";
import { Requests } from "./requests.ts";
import type { Scene } from "./scene.ts";
import { hashOf } from "./sessions.ts";
import { calm, simulatedStore, stormOf, type Weather } from "./store.ts";
import { openTogether } from "./together.ts";
import type { Operation } from "./world.ts";
import { watcherOf } from "./transactions.ts";

export interface Outcome {
  readonly seed: number;
  /** What is not as it must be, the first thing alone: what follows from it says no more. */
  readonly violation?: string;
  readonly trace: readonly string[];
  readonly steps: number;
  readonly answers: number;
}

/** Seeds that share a document: making one takes longer than a run. */
const seedsPerWorld = 32;
/** Where transactions run together a step may be several requests. */
const steps = { memory: 110, sqlite: 110, together: 90 };
/** Opening a database takes as long as a run, so one seed in so many has one. */
const sqliteEvery = 16;
/** Of the others, one in so many has transactions that run together. */
const togetherEvery = 4;

export function worldNumberOf(seed: number): number {
  return Math.floor(seed / seedsPerWorld);
}

function storeOf(seed: number): Scene["store"] {
  if (seed % sqliteEvery === sqliteEvery - 1) return "sqlite";
  return seed % togetherEvery === 1 ? "together" : "memory";
}

class Violation extends Error {}

/** `noted` receives each line of the trace as it is written, which the outcome of a seed that never ends cannot tell. */
export async function simulate(
  seed: number,
  mutation: Mutation = {},
  noted: (line: string) => void = () => {},
): Promise<Outcome> {
  const simulation = new Simulation(seed, mutation, noted);
  return simulation.run();
}

class Simulation {
  readonly #scene: Scene;
  readonly #mutation: Mutation;
  readonly #keys: Keys;
  readonly #followers: Followers;
  readonly #requests: Requests;
  readonly #durableRates: Durable = new Map();
  readonly #doubtfulRates: Set<string> = new Set();
  #weather: Weather = calm;
  #storm: Weather = calm;
  #inner!: Store;
  #steps = 0;
  #violation: string | undefined;

  constructor(seed: number, mutation: Mutation, noted: (line: string) => void) {
    this.#mutation = mutation;
    const chance = chanceOf(seed, "events");
    const processes = new Map<number, Process>();
    const machine = new Machine(chanceOf(seed, "order"), noted);
    const known = prepared(worldNumberOf(seed));
    const oracle = new Oracle(known.world);
    const found = (what: string): void => this.#found(what);
    const positionOf = (id: string): number | undefined =>
      ([...processes.values()][0] as Process).service.renderer.ids.positionOf(id);
    const hooks = new Hooks({
      oracle,
      machine,
      chance: chanceOf(seed, "receivers"),
      positionOf,
      found,
      isLate: storeOf(seed) === "together",
    });
    this.#scene = {
      seed,
      store: storeOf(seed),
      chance,
      machine,
      prepared: known,
      oracle,
      hooks,
      processes,
      inner: () => this.#inner,
      any: () => chance.pick([...processes.values()]),
      found,
    };
    this.#followers = new Followers({ oracle, hooks, positionOf, found, isSeenLater: storeOf(seed) === "sqlite" });
    this.#keys = new Keys(this.#scene);
    this.#requests = new Requests(this.#scene, this.#keys, this.#followers);
  }

  async run(): Promise<Outcome> {
    const { machine, seed } = this.#scene;
    using _timers = machine.takeTimers();
    using _hashing = takeHashing(machine);
    try {
      await this.#begin();
      for (this.#steps = 0; this.#steps < steps[this.#scene.store]; this.#steps += 1) await this.#step();
      await this.#end();
    } catch (thrown) {
      if (!(thrown instanceof Violation)) throw thrown;
    } finally {
      machine.waits = 0;
      machine.end();
      void this.#inner.close();
    }
    return {
      seed,
      ...(this.#violation === undefined ? {} : { violation: this.#violation }),
      trace: machine.trace,
      steps: this.#steps,
      answers: this.#requests.answers,
    };
  }

  // ── From the first step to the last ──

  async #begin(): Promise<void> {
    const { chance, machine, prepared: { world }, store } = this.#scene; // biome-ignore format: short
    machine.waits = 0;
    machine.begin();
    this.#inner = await this.#open();
    await this.#keys.giveAll();
    this.#storm = stormOf(chance);
    machine.waits = chance.pick([0, 10, 30, 60]);
    machine.note(`world ${world.number} ${store} ${JSON.stringify(this.#storm)} waits ${machine.waits}`);
    await this.#start();
    if (store === "together" || chance.percent(35)) await this.#start();
    if (store === "together" && chance.percent(40)) await this.#start();
  }

  async #open(): Promise<Store> {
    const { hooks, machine, prepared: { plan: { tables } }, store } = this.#scene; // biome-ignore format: short
    const options = { tables, clock: () => machine.time };
    switch (store) {
      case "sqlite":
        // What takes long goes to a thread, which would be by the time of the real machine.
        return openSqliteStore({ file: ":memory:", sliceMilliseconds: Number.POSITIVE_INFINITY, ...options });
      case "memory":
        return openMemoryStore(options);
      case "together":
        return openTogether({
          tables,
          machine,
          placed: (entries) => hooks.placed(entries),
          loose: this.#mutation.loose,
        });
    }
  }

  /** A process begins, in good weather: what it loads at its start is there. */
  async #start(): Promise<void> {
    const { chance, hooks, machine, prepared: { plan, world }, processes, store } = this.#scene; // biome-ignore format: short
    this.#weather = calm;
    const life = machine.begin();
    const process = startProcess({
      plan,
      store: simulatedStore(this.#inner, {
        machine,
        life,
        chance,
        weather: () => this.#weather,
        watcher: watcherOf(this.#scene, this.#requests),
        // One that writes what comes at once together must not be held up in the middle of it.
        yields: store !== "sqlite",
      }),
      machine,
      chance,
      life,
      rates: new Rates(world, this.#durableRates, machine.time, this.#doubtfulRates),
      functions: new Functions(machine, life, (what) => this.#found(what)),
      post: hooks.post(life),
      mutation: this.#mutation,
      failed: (failure) => this.#failed(failure),
      notice: (sentence) => {
        if (sentence.startsWith("rates "))
          this.#requests.shared?.alone(life, !sentence.endsWith("again"), machine.uptime);
      },
    });
    processes.set(life, process);
    await this.#calmDown();
    this.#weather = this.#storm;
  }

  async #step(): Promise<void> {
    const { chance, hooks, machine, store } = this.#scene;
    const { flights, past } = this.#requests;
    const { plan, world } = this.#scene.prepared;
    const action = chance.weighted({
      open: machine.waiting > 0 ? 60 : 0,
      ask: flights.size < 6 ? 30 : 0,
      burst: store === "together" && flights.size < 6 ? 8 : 0,
      person: world.logins !== undefined && store !== "sqlite" && flights.size < 6 ? 22 : 0,
      device: world.inbound !== undefined && flights.size < 6 ? 14 : 0,
      repeat: past.length > 0 && flights.size < 6 ? 8 : 0,
      tick: 8,
      clear: 1.5,
      hook: plan.events.webhook === undefined ? 0 : hooks.endpoints.size === 0 ? 12 : 2,
      round: plan.events.webhook === undefined ? 0 : 10,
      mood: hooks.endpoints.size > 0 ? 2 : 0,
      lapse: world.resources.some(({ keep }) => keep) && hooks.endpoints.size > 0 ? 3 : 0,
      follow: world.stream === undefined ? 0 : this.#followers.all.length === 0 ? 12 : 3,
      turn: 10,
      ring: 3,
      // An operator who writes at once would wait for what only the next steps let go on.
      revoke: store === "sqlite" ? 0 : world.logins === undefined ? 1 : 2,
      abandon: flights.size > 0 ? 1 : 0,
      die: 0.4,
    });
    await this.#do(action);
    await this.#settled();
  }

  #do(action: string): Promise<void> | void {
    const { any, chance, hooks, machine, prepared: { world } } = this.#scene; // biome-ignore format: short
    const requests = this.#requests;
    switch (action) {
      case "open":
        return machine.open();
      case "ask":
        return requests.send(anyRequest(requests.asking(), requests.count));
      case "person":
        return requests.send(personRequest(requests.asking(), requests.people, requests.count));
      case "device":
        return requests.send(deviceRequest(requests.asking(), world.inbound as Operation, machine.time));
      case "burst":
        return this.#burst();
      case "repeat":
        return requests.send(repeated(requests.asking(), chance.pick(requests.past.slice(-12))));
      case "tick":
        return this.#tick(any());
      case "clear":
        return this.#clear(any());
      case "hook":
        return requests.send(hookRequest(requests.asking(), requests.count, [...hooks.endpoints.values()]));
      case "round":
        return this.#round(any());
      case "mood":
        return hooks.turn();
      case "follow":
        return this.#follow();
      case "lapse":
        return this.#lapse();
      case "turn":
        return this.#turn();
      case "ring":
        return void machine.ring();
      case "revoke":
        return chance.percent(60) && requests.people.logins.length > 0 ? this.#endSession() : this.#keys.change();
      case "abandon":
        return requests.abandon();
      case "die":
        return this.#die(any().life);
    }
  }

  /** All goes on that can; where a process has died, another one begins. */
  async #settled(): Promise<void> {
    const { machine } = this.#scene;
    await machine.settle();
    this.#requests.enterAll();
    this.#check();
    await this.#replaceDead();
  }

  /** Whether any had died. */
  async #replaceDead(): Promise<boolean> {
    const { machine, processes } = this.#scene;
    const dead = [...processes.values()].filter(({ life }) => !machine.isAlive(life));
    for (const { life, rates } of dead) {
      for (const key of rates.underWay) this.#doubtfulRates.add(key);
      processes.delete(life);
      this.#followers.died(life);
      this.#requests.died(life);
      this.#requests.shared?.alone(life, false, machine.uptime);
      await this.#start();
    }
    return dead.length > 0;
  }

  /** The weather is good, and whatever waits goes on to its end. */
  async #calmDown(): Promise<void> {
    const { machine } = this.#scene;
    this.#weather = calm;
    for (let count = 0; machine.waiting > 0 || count === 0; count += 1) {
      if (count > 20_000) this.#wrong("what waits never comes to an end");
      machine.open();
      await machine.settle();
      this.#requests.enterAll();
      this.#check();
    }
  }

  /** Everybody gets an answer, time does all that is due, and everything is as it must be. */
  async #end(): Promise<void> {
    const { machine } = this.#scene;
    // One may die yet of the bad weather in which its last transaction ran.
    do await this.#calmDown();
    while (await this.#replaceDead());
    // Somebody's function takes its time.
    for (let count = 0; this.#requests.flights.size > 0 && count < 20; count += 1) {
      machine.turn(20_000);
      while (machine.ring()) await this.#calmDown();
      await this.#calmDown();
    }
    for (const flight of this.#requests.flights) this.#wrong(`#${flight.number} was never answered`);
    await this.#finishTime();
    await this.#finishSending();
    for (let count = 0; count < 8; count += 1) {
      machine.turn(300);
      machine.ring();
      await this.#calmDown();
    }
    const missed = this.#followers.missing();
    if (missed !== undefined) this.#wrong(missed);
    machine.waits = 0;
    const wrong = await wrongAtTheEnd(this.#scene);
    if (wrong !== undefined) this.#wrong(wrong);
  }

  async #finishTime(): Promise<void> {
    for (let count = 0; ; count += 1) {
      for (const process of this.#scene.processes.values()) this.#tick(process);
      await this.#calmDown();
      const late = overdue(this.#scene);
      if (late === undefined) return;
      if (count > 5) this.#wrong(late);
    }
  }

  async #finishSending(): Promise<void> {
    const { hooks, machine, prepared: { plan }, processes } = this.#scene; // biome-ignore format: short
    hooks.heal();
    for (let count = 0; plan.events.webhook !== undefined; count += 1) {
      for (const process of processes.values()) this.#round(process);
      await this.#calmDown();
      const missing = hooks.missing();
      if (missing === undefined) return;
      if (count > 12) this.#wrong(missing);
      machine.note("clock 10800000");
      machine.turn(10_800_000);
    }
  }

  // ── What happens ──

  /** Somebody asks the same kind of thing several times at once. */
  async #burst(): Promise<void> {
    const { chance } = this.#scene;
    const requests = this.#requests;
    if (requests.people.logins.length > 0 && chance.percent(40)) {
      for (let left = chance.between(2, 3); left > 0; left -= 1) {
        requests.send(personRequest(requests.asking(), requests.people, requests.count));
        if (left > 1) await this.#settled();
      }
      return;
    }
    const first = anyRequest(requests.asking(), requests.count);
    requests.send(first);
    const { actor, operation, resource } = first.asked;
    for (let left = chance.between(1, 2); left > 0; left -= 1) {
      await this.#settled();
      requests.send(request(requests.asking(), actor, resource, operation, `k${requests.count}`));
    }
  }

  /** The operator ends a session; who asks with it meanwhile may still be let in. */
  #endSession(): void {
    const { chance, found, inner, machine, oracle } = this.#scene;
    const token = oracle.sessions.tokens.get(hashOf(chance.pick(this.#requests.people.logins.slice(-4)).token));
    if (token === undefined) return;
    machine.note(`the session ${token.session} is ended`);
    const ended = machine.tasks.run({ name: "operator", life: ofTheStore, looked: 0 }, async () => inner().sessions.end(token.session, 0)); // biome-ignore format: short
    void ended.then(
      () => oracle.sessions.end(token.session),
      (thrown: unknown) => found(`a session was not ended: ${String(thrown)}`),
    );
  }

  #turn(): void {
    const { chance, machine, processes } = this.#scene;
    const kind = chance.weighted({ little: 60, seconds: 25, minutes: 14, hours: 5, days: 2, back: 4 });
    const milliseconds = {
      little: chance.between(1, 400),
      seconds: chance.between(1, 59) * 1000,
      minutes: chance.between(1, 40) * 60_000,
      hours: chance.between(1, 5) * 3_600_000,
      days: chance.between(1, 2) * 86_400_000,
      back: -chance.pick([1, 1000, 60_000, 3_600_000]),
    }[kind];
    machine.note(`clock ${milliseconds}`);
    if (milliseconds < 0) for (const { rates } of processes.values()) rates.setBack(machine.time);
    if (milliseconds < 0) this.#requests.shared?.setBack(machine.uptime, -milliseconds);
    machine.turn(milliseconds);
  }

  /** The time of a record is over while what it told is on its way. */
  #lapse(): void {
    const { any, chance, machine, oracle } = this.#scene;
    const [over] = chance.some(
      [...oracle.records.values()].filter(({ resource }) => resource.keep),
      50,
    );
    machine.note(`the time of ${over?.id} is over`);
    machine.turn(over?.resource.keep?.milliseconds ?? 0);
    this.#round(any());
    this.#tick(any());
  }

  #tick(process: Process): void {
    const { machine } = this.#scene;
    machine.note(`tick ${process.life}`);
    const task: Task = { name: "time", life: process.life, looked: machine.time, skipped: new Map() };
    void machine.tasks.run(task, () => process.service.tick());
  }

  /** What is over is cleared; now and then all that came just now is over. */
  #clear(process: Process): void {
    const { chance, machine, oracle } = this.#scene;
    if (oracle.files.size > 0 && chance.percent(25)) machine.turn(3_600_001);
    machine.note(`clear ${process.life}`);
    const task: Task = { name: "clearing", life: process.life, looked: machine.time };
    void machine.tasks
      .run(task, () => process.purge(machine.time))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof StoreError || thrown instanceof Died)) this.#failed(thrown);
      });
  }

  #round(process: Process): void {
    const { machine } = this.#scene;
    machine.note(`round ${process.life}`);
    const task: Task = { name: "deliver", life: process.life, looked: machine.time };
    void machine.tasks.run(task, () => process.rounds?.tick());
  }

  /** Somebody begins to follow the events, goes on, or is cut off. */
  #follow(): void {
    const { chance, machine, prepared: { world } } = this.#scene; // biome-ignore format: short
    const requests = this.#requests;
    const { all } = this.#followers;
    // Who has asked and not been answered waits.
    if ([...requests.flights].some(({ follower }) => follower !== undefined)) return;
    const known = all.length > 2 || (all.length > 0 && chance.percent(70)) ? chance.pick(all) : undefined;
    if (known?.stream !== undefined) {
      machine.note(`${known.actor.name} is cut off after ${known.last}`);
      this.#followers.leave(known);
      return;
    }
    const able = actors.filter(({ roles }) => world.stream?.for.some(({ who }) => roles.includes(who as "member")));
    const older = world.older !== undefined && chance.percent(40);
    const follower = known ?? this.#followers.add(chance.pick(able), older);
    requests.send(followRequest(requests.asking(), follower.actor, follower.older, follower.last), follower);
  }

  #die(life: number): void {
    this.#scene.machine.note(`process ${life} dies`);
    this.#scene.machine.die(life);
  }

  // ── What is found ──

  #wrong(what: string): never {
    this.#found(what);
    throw new Violation(what);
  }

  /** What was found where it could not be thrown is thrown where it can. */
  #check(): void {
    if (this.#violation !== undefined) throw new Violation(this.#violation);
  }

  #found(what: string): void {
    this.#violation ??= what;
    this.#scene.machine.note(`WRONG: ${what}`);
  }

  #failed(failure: unknown): void {
    const message = failure instanceof Error ? failure.message : String(failure);
    if (failure instanceof Died || message.includes("pg_simulated_detail")) return;
    this.#found(`it failed: ${failure instanceof Error ? (failure.stack ?? message) : message}`);
  }
}
