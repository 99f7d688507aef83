/**
 * One seed: a world, a service that is made of its document, callers, time and misfortune, one step after another; and at
 * each step, whether what happened is what must be.
 */
import { hashSecret, mintSecret } from "../../src/serve/credentials/api-key.ts";
import type { Answer } from "../../src/serve/exchange.ts";
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import {
  actors,
  anyRequest,
  exchangeOf,
  followRequest,
  hookRequest,
  type Memory,
  repeated,
  type Sent,
} from "./clients.ts";
import { type Follower, Followers } from "./followers.ts";
import { Hooks, isOwn } from "./hooks.ts";
import { alwaysWrong, headersOf, wrongAnswer, wrongEffects } from "./judge.ts";
import { Died, Machine, type Task } from "./machine.ts";
import {
  type Actor,
  answerKey,
  type Answered,
  type Asked,
  type Effects,
  type Hints,
  keyOf,
  Oracle,
  tagKey,
  type Verdict,
} from "./oracle.ts";
import { prepared, type Prepared } from "./prepared.ts";
import { type Mutation, type Process, startProcess } from "./process.ts";
import { type Chance, chanceOf } from "./random.ts";
import { type Durable, Rates } from "./rates.ts";
import { calm, type Log, simulatedStore, type Watcher, type Weather } from "./store.ts";

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
const steps = 110;
/** Opening a database takes as long as a third of a run, so one seed in so many has one. */
const sqliteEvery = 8;

export function worldNumberOf(seed: number): number {
  return Math.floor(seed / seedsPerWorld);
}

class Violation extends Error {}

const nothing: Effects = { records: new Map(), entries: [], counted: new Map(), forgotten: [] };

interface Flight {
  readonly number: number;
  readonly sent: Sent;
  readonly task: Task;
  readonly process: Process;
  /** Whose stream it is to be. */
  readonly follower: Follower | undefined;
  /** The clocks at its arrival. */
  readonly uptime: number;
  /** What may be answered: what was true at one of the moments at which something was looked at for it. */
  readonly verdicts: Verdict[];
  entered: boolean;
  /** The caller hears nothing more of it. */
  abandoned: boolean;
  giveBack?: () => void;
  request?: string;
}

export async function simulate(seed: number, mutation: Mutation = {}): Promise<Outcome> {
  const simulation = new Simulation(seed, mutation);
  return simulation.run();
}

class Simulation {
  readonly #seed: number;
  readonly #isSqlite: boolean;
  readonly #chance: Chance;
  readonly #machine: Machine;
  readonly #prepared: Prepared;
  readonly #oracle: Oracle;
  readonly #durableRates: Durable = new Map();
  readonly #processes: Map<number, Process> = new Map();
  readonly #hooks: Hooks;
  readonly #followers: Followers;
  readonly #mutation: Mutation;
  readonly #flights: Set<Flight> = new Set();
  readonly #past: Sent[] = [];
  readonly #memories: Map<string, Memory> = new Map();
  readonly #keys: Map<string, { readonly id: string; readonly secret: string }> = new Map();
  readonly #formerKeys: Map<string, string> = new Map();
  /** Secrets of keys that were revoked, and when, by the clock that is never set back. */
  readonly #revoked: Map<string, number> = new Map();
  readonly #requestIds: Set<string> = new Set();
  #weather: Weather = calm;
  #storm: Weather = calm;
  #inner!: Store;
  #isAlone = true;
  #count = 0;
  #answers = 0;
  #steps = 0;
  #violation: string | undefined;

  constructor(seed: number, mutation: Mutation) {
    this.#seed = seed;
    this.#mutation = mutation;
    this.#chance = chanceOf(seed, "events");
    this.#prepared = prepared(worldNumberOf(seed));
    this.#isSqlite = seed % sqliteEvery === sqliteEvery - 1;
    this.#machine = new Machine(chanceOf(seed, "order"));
    this.#oracle = new Oracle(this.#prepared.world);
    this.#hooks = new Hooks({
      oracle: this.#oracle,
      machine: this.#machine,
      chance: chanceOf(seed, "receivers"),
      isAlone: () => this.#isAlone,
      positionOf: (id) => ([...this.#processes.values()][0] as Process).service.teller.ids.positionOf(id),
      found: (what) => this.#found(what),
    });
    this.#followers = new Followers({
      oracle: this.#oracle,
      hooks: this.#hooks,
      positionOf: (id) => ([...this.#processes.values()][0] as Process).service.teller.ids.positionOf(id),
      found: (what) => this.#found(what),
    });
  }

  async run(): Promise<Outcome> {
    using _timers = this.#machine.takeTimers();
    try {
      await this.#begin();
      for (this.#steps = 0; this.#steps < steps; this.#steps += 1) await this.#step();
      await this.#end();
    } catch (thrown) {
      if (!(thrown instanceof Violation)) throw thrown;
    } finally {
      this.#machine.waits = 0;
      void this.#inner.close();
    }
    return {
      seed: this.#seed,
      ...(this.#violation === undefined ? {} : { violation: this.#violation }),
      trace: this.#machine.trace,
      steps: this.#steps,
      answers: this.#answers,
    };
  }

  // ── From the first step to the last ──

  async #begin(): Promise<void> {
    const machine = this.#machine;
    const chance = this.#chance;
    const { plan } = this.#prepared;
    const options = { tables: plan.tables, clock: () => machine.time };
    machine.waits = 0;
    machine.begin();
    this.#inner = this.#isSqlite
      ? await openSqliteStore({ file: ":memory:", ...options })
      : await openMemoryStore(options);
    for (const actor of actors) if (actor.id !== null) await this.#giveKey(actor);
    // Each seed has its own misfortunes, and many of them none of a kind: together they would hide one another.
    const often = (most: number): number => (chance.percent(50) ? 0 : chance.between(1, most));
    this.#storm = {
      busy: often(4),
      broken: often(2),
      again: often(20),
      before: often(10),
      after: often(10),
      dies: often(2),
    };
    machine.waits = chance.pick([0, 10, 30, 60]);
    machine.note(
      `world ${this.#prepared.world.number} ${this.#isSqlite ? "sqlite" : "memory"} ${JSON.stringify(this.#storm)} waits ${machine.waits}`,
    );
    await this.#start();
    this.#isAlone = chance.percent(65);
    if (!this.#isAlone) await this.#start();
  }

  async #giveKey(actor: Actor): Promise<void> {
    const secret = mintSecret("k_", (count) => this.#chance.bytes(count));
    const hash = hashSecret(secret);
    const id = `key_${actor.name}_${hash.slice(0, 8)}`;
    this.#keys.set(actor.name, { id, secret });
    await this.#inner.keys.create({
      id,
      credential: "key",
      hash,
      hint: "k_…",
      user: actor.id ?? "",
      roles: actor.roles,
      created: this.#machine.time,
    });
  }

  /** The operator takes a key away and gives another one. */
  async #changeKey(): Promise<void> {
    const actor = this.#chance.pick(actors.filter((one) => one.id !== null));
    const key = this.#keys.get(actor.name);
    if (key === undefined) return;
    this.#machine.note(`the key of ${actor.name} is revoked`);
    await this.#inner.keys.revoke(key.id, this.#machine.time);
    this.#revoked.set(key.secret, this.#machine.uptime);
    this.#formerKeys.set(actor.name, key.secret);
    await this.#giveKey(actor);
  }

  /** A process begins, in good weather: what it loads at its start is there. */
  async #start(): Promise<void> {
    const machine = this.#machine;
    const chance = this.#chance;
    this.#weather = calm;
    const life = machine.begin();
    const process = startProcess({
      plan: this.#prepared.plan,
      store: simulatedStore(this.#inner, {
        machine,
        life,
        chance,
        weather: () => this.#weather,
        watcher: this.#watcher(),
        // One that writes what comes at once together must not be held up in the middle of it.
        yields: !this.#isSqlite,
      }),
      machine,
      chance,
      life,
      rates: new Rates(this.#prepared.world, this.#durableRates, machine.time),
      post: this.#hooks.post(life),
      mutation: this.#mutation,
      failed: (failure) => this.#failed(failure),
    });
    this.#processes.set(life, process);
    await this.#calmDown();
    this.#weather = this.#storm;
  }

  /** One of the processes that there are: whoever asks does not choose. */
  #any(): Process {
    return this.#chance.pick([...this.#processes.values()]);
  }

  async #step(): Promise<void> {
    const machine = this.#machine;
    const chance = this.#chance;
    const action = chance.weighted({
      open: machine.waiting > 0 ? 60 : 0,
      ask: this.#flights.size < 6 ? 30 : 0,
      repeat: this.#past.length > 0 && this.#flights.size < 6 ? 8 : 0,
      tick: 8,
      hook: this.#prepared.plan.events.webhook === undefined ? 0 : this.#hooks.endpoints.size === 0 ? 12 : 2,
      round: this.#prepared.plan.events.webhook === undefined ? 0 : 10,
      mood: this.#hooks.endpoints.size > 0 ? 2 : 0,
      follow: this.#prepared.world.stream === undefined ? 0 : this.#followers.all.length === 0 ? 12 : 3,
      turn: 10,
      ring: 3,
      // An operator who writes at once would wait for what only the next steps let go on.
      revoke: this.#isSqlite ? 0 : 1,
      abandon: this.#flights.size > 0 ? 1 : 0,
      die: 0.4,
    });
    switch (action) {
      case "open":
        machine.open();
        break;
      case "ask":
        this.#send(anyRequest(this.#asking(), this.#count));
        break;
      case "repeat":
        this.#send(repeated(this.#asking(), chance.pick(this.#past.slice(-12))));
        break;
      case "tick":
        this.#tick();
        break;
      case "hook":
        this.#send(hookRequest(this.#asking(), this.#count, [...this.#hooks.endpoints.values()]));
        break;
      case "round":
        this.#round();
        break;
      case "mood":
        this.#hooks.turn();
        break;
      case "follow":
        this.#follow();
        break;
      case "turn":
        this.#turn();
        break;
      case "ring":
        machine.ring();
        break;
      case "revoke":
        await this.#changeKey();
        break;
      case "abandon": {
        const flight = chance.pick([...this.#flights]);
        machine.note(`#${flight.number} is abandoned`);
        flight.abandoned = true;
        break;
      }
      case "die":
        this.#die(this.#any().life);
        break;
    }
    await this.#settled();
  }

  #die(life: number): void {
    this.#machine.note(`process ${life} dies`);
    this.#machine.die(life);
  }

  /** All goes on that can; where a process has died, another one begins. */
  async #settled(): Promise<void> {
    await this.#machine.settle();
    this.#enterAll();
    this.#check();
    for (const { life } of [...this.#processes.values()]) {
      if (this.#machine.isAlive(life)) continue;
      this.#processes.delete(life);
      this.#followers.died(life);
      // Those who were waiting hear nothing, and do not know what became of what they asked.
      for (const flight of this.#flights) {
        if (flight.process.life !== life) continue;
        if (isOwn(flight.sent.asked.resource.name)) this.#past.push(flight.sent);
        this.#flights.delete(flight);
      }
      await this.#start();
    }
  }

  /** The weather is good, and whatever waits goes on to its end. */
  async #calmDown(): Promise<void> {
    this.#weather = calm;
    for (let count = 0; this.#machine.waiting > 0 || count === 0; count += 1) {
      if (count > 20_000) this.#wrong("what waits never comes to an end");
      this.#machine.open();
      await this.#machine.settle();
      this.#enterAll();
      this.#check();
    }
  }

  /** Everybody gets an answer, time does all that is due, and everything is as it must be. */
  async #end(): Promise<void> {
    await this.#calmDown();
    for (const flight of this.#flights) this.#wrong(`#${flight.number} was never answered`);
    for (let count = 0; ; count += 1) {
      for (const process of this.#processes.values()) this.#tick(process);
      await this.#calmDown();
      const late = this.#overdue();
      if (late === undefined) break;
      if (count > 5) this.#wrong(late);
    }
    this.#hooks.heal();
    for (let count = 0; this.#prepared.plan.events.webhook !== undefined; count += 1) {
      for (const process of this.#processes.values()) this.#round(process);
      await this.#calmDown();
      const missing = this.#hooks.missing();
      if (missing === undefined) break;
      if (count > 12) this.#wrong(missing);
      this.#machine.note("clock 10800000");
      this.#machine.turn(10_800_000);
    }
    for (let count = 0; count < 8; count += 1) {
      this.#machine.turn(300);
      this.#machine.ring();
      await this.#calmDown();
    }
    const missed = this.#followers.missing();
    if (missed !== undefined) this.#wrong(missed);
    await this.#compareAll();
  }

  #wrong(what: string): never {
    this.#violation ??= what;
    this.#machine.note(`WRONG: ${what}`);
    throw new Violation(what);
  }

  /** What was found where it could not be thrown is thrown where it can. */
  #check(): void {
    if (this.#violation !== undefined) throw new Violation(this.#violation);
  }

  #found(what: string): void {
    this.#violation ??= what;
    this.#machine.note(`WRONG: ${what}`);
  }

  #failed(failure: unknown): void {
    const message = failure instanceof Error ? failure.message : String(failure);
    if (failure instanceof Died || message.includes("pg_simulated_detail")) return;
    this.#found(`it failed: ${failure instanceof Error ? (failure.stack ?? message) : message}`);
  }

  // ── What happens ──

  #turn(): void {
    const machine = this.#machine;
    const chance = this.#chance;
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
    if (milliseconds < 0) for (const { rates } of this.#processes.values()) rates.setBack(machine.time);
    machine.turn(milliseconds);
  }

  #tick(process: Process = this.#any()): void {
    const machine = this.#machine;
    machine.note(`tick ${process.life}`);
    const task: Task = { name: "time", life: process.life, looked: machine.time, skipped: new Map() };
    void machine.tasks.run(task, () => process.service.tick());
  }

  #round(process: Process = this.#any()): void {
    this.#machine.note(`round ${process.life}`);
    const task: Task = { name: "deliver", life: process.life, looked: this.#machine.time };
    void this.#machine.tasks.run(task, () => process.rounds?.tick());
  }

  /** Somebody begins to follow the events, goes on, or is cut off. */
  #follow(): void {
    const chance = this.#chance;
    const { all } = this.#followers;
    // Who has asked and not been answered waits.
    if ([...this.#flights].some(({ follower }) => follower !== undefined)) return;
    const known = all.length > 2 || (all.length > 0 && chance.percent(70)) ? chance.pick(all) : undefined;
    if (known?.stream !== undefined) {
      this.#machine.note(`${known.actor.name} is cut off after ${known.last}`);
      this.#followers.leave(known);
      return;
    }
    const able = actors.filter(({ roles }) => this.#prepared.world.stream?.for.some(({ who }) => roles.includes(who as "member"))); // biome-ignore format: short
    const older = this.#prepared.world.older !== undefined && chance.percent(40);
    const follower = known ?? this.#followers.add(chance.pick(able), older);
    this.#send(followRequest(this.#asking(), follower.actor, follower.older, follower.last), follower);
  }

  #followed(follower: Follower, { process, task }: Flight, answer: Answer): void {
    if (follower.stream !== undefined) answer.stream?.ended();
    else {
      const following: Task = { name: task.name, life: process.life, looked: this.#machine.time };
      this.#machine.tasks.run(following, () => this.#followers.answered(follower, process.life, answer));
    }
  }

  #asking(): Parameters<typeof anyRequest>[0] {
    return {
      world: this.#prepared.world,
      oracle: this.#oracle,
      chance: this.#chance,
      memoryOf: (actor) => this.#memoryOf(actor),
      secretOf: (actor) => {
        const former = this.#formerKeys.get(actor.name);
        return former !== undefined && this.#chance.percent(25) ? former : this.#keys.get(actor.name)?.secret;
      },
    };
  }

  #memoryOf(actor: Actor): Memory {
    const known = this.#memories.get(actor.name);
    if (known !== undefined) return known;
    const memory: Memory = { tags: new Map(), cursors: [] };
    this.#memories.set(actor.name, memory);
    return memory;
  }

  #send(sent: Sent, follower?: Follower): void {
    const machine = this.#machine;
    const number = (this.#count += 1);
    const process = this.#any();
    const task: Task = { name: `#${number}`, life: process.life, looked: machine.time };
    const flight: Flight = {
      number,
      sent,
      task,
      process,
      follower,
      uptime: machine.uptime,
      verdicts: [],
      entered: false,
      abandoned: false,
    };
    Object.assign(task, { request: flight });
    const { asked, body = "", method, target } = sent;
    machine.note(`#${number} ${asked.actor.name}: ${method} ${target} ${body} ${sent.headers.slice(asked.actor.id === null ? 0 : 2).join(" ")}`); // biome-ignore format: short
    this.#flights.add(flight);
    if (isOwn(asked.resource.name)) this.#past.push(sent);
    machine.tasks
      .run(task, () => process.service.answer(exchangeOf(sent)))
      .then(
        (answer) => this.#answered(flight, answer),
        (thrown: unknown) => {
          if (machine.isAlive(process.life)) this.#found(`#${number} was not answered: ${String(thrown)}`);
        },
      );
  }

  /** Who is let in, in the order in which it became known who they are. */
  #enterAll(): void {
    for (const flight of this.#flights)
      if (!flight.entered && flight.task.waits !== true && this.#machine.isAlive(flight.process.life))
        this.#enter(flight);
  }

  #enter(flight: Flight): void {
    flight.entered = true;
    const { asked } = flight.sent;
    if (this.#isRevoked(flight)) return;
    const { admitted, giveBack } = flight.process.rates.enter(asked, this.#machine.time, this.#machine.uptime);
    if (admitted !== true) flight.verdicts.push({ kind: "refused", status: 429, code: "rate-limited" });
    if (admitted !== false) {
      flight.giveBack = giveBack;
      const barred = this.#oracle.barred(asked);
      if (barred !== undefined) flight.verdicts.push(barred);
      else if (flight.follower !== undefined) flight.verdicts.push({ kind: "webhook" });
    }
  }

  /** A key that was revoked is good for no more than a second, in which its caller may be known from before (R5.4). */
  #isRevoked(flight: Flight): boolean {
    const since = this.#revoked.get(flight.sent.secret ?? "");
    if (since === undefined) return false;
    // Nobody had to look: it was taken from memory.
    if (flight.task.waits === undefined) {
      if (flight.uptime > since + 1000) this.#found(`R5.4: #${flight.number} is let in by a key that was revoked`);
      return false;
    }
    flight.verdicts.push({ kind: "refused", status: 401, code: "unauthenticated" });
    // Who guesses too often is not even asked (R5.7).
    flight.verdicts.push({ kind: "refused", status: 429, code: "rate-limited", within: 60 });
    return true;
  }

  #answered(flight: Flight, answer: Answer): void {
    if (!this.#machine.isAlive(flight.process.life) || !this.#flights.delete(flight)) return;
    if (!flight.entered && flight.task.waits !== true) this.#enter(flight);
    this.#answers += 1;
    const { number, sent, task } = flight;
    const headers = headersOf(answer);
    const body = typeof answer.body === "string" ? answer.body : "";
    const { status } = answer;
    this.#machine.note(`#${number} ${status} ${headers.get("etag") ?? ""} ${body}`);
    // Looking everything up in the description takes as long as answering does: each seed looks at others.
    const isLookedUp = number % 4 === this.#seed % 4;
    const always =
      alwaysWrong(status, headers, body) ??
      (isLookedUp && flight.follower === undefined
        ? this.#prepared.undeclared(sent, answer, headers, body)
        : undefined);
    if (always !== undefined) return this.#found(`#${number}: ${always}`);
    const id = headers.get("request-id") ?? "";
    if (this.#requestIds.has(id)) return this.#found(`#${number}: ${id} was given before`);
    this.#requestIds.add(id);
    if (flight.request !== undefined && flight.request !== id)
      return this.#found(`#${number}: the journal has the request ${flight.request} in place of ${id}`);
    if (status === 304) flight.giveBack?.();
    const wrong = this.#wrongOf(flight, status, headers, body);
    if (wrong !== undefined) {
      // SQLite's readers see what is durable, and a transaction that has run becomes so with the others of its group.
      if (this.#isSqlite && sent.method === "GET" && status < 500) return;
      return this.#found(`#${number} ${sent.method} ${sent.target}: ${wrong}`);
    }
    if (flight.follower !== undefined) this.#followed(flight.follower, flight, answer);
    if (status === 201 && !isOwn(sent.asked.resource.name)) {
      const { id: made, secret } = JSON.parse(body) as { id: string; secret: string };
      const endpoint = this.#hooks.endpoints.get(made);
      if (endpoint !== undefined) endpoint.secret = secret;
    }
    if (!flight.abandoned && task.fault === undefined) this.#keep(flight, headers, body);
  }

  #wrongOf(
    { process, sent, task, verdicts }: Flight,
    status: number,
    headers: ReturnType<typeof headersOf>,
    body: string,
  ): string | undefined {
    // biome-ignore format: short
    const { asked } = sent;
    const code = status >= 400 ? (JSON.parse(body) as { code?: string }).code : undefined;
    if (task.fault === "busy" && status === 503 && code === "overloaded") return undefined;
    if (task.fault === "broken" && status === 500 && code === "internal") return undefined;
    if (code === "idempotency-key-in-use" && this.#isInUse(asked, process)) return undefined;
    const wrongs = verdicts.map((verdict) => wrongAnswer(this.#oracle, asked, verdict, { status, headers, body }));
    const at = wrongs.indexOf(undefined);
    if (at < 0) return [...new Set(wrongs)].join("; ") || `${status} ${body}, and nothing was ever looked at for it`;
    return this.#noteTag(asked, verdicts[at] as Verdict, headers, body);
  }

  /** A tag is of one revision as one kind of caller sees it: never of another, and there is no second one. */
  #noteTag(asked: Asked, verdict: Verdict, headers: ReadonlyMap<string, string>, body: string): string | undefined {
    const tag = headers.get("etag");
    if (tag === undefined || verdict.kind !== "given" || verdict.record === undefined) return undefined;
    const { record } = verdict;
    const key = tagKey(record, tag);
    const known = this.#oracle.tags.get(key);
    if (known !== undefined && known !== record.version)
      return `R4.15: the tag ${tag} was of another revision: ${body}`;
    this.#oracle.tags.set(key, record.version);
    this.#memoryOf(asked.actor).tags.set(`${asked.older ? "older " : ""}${record.id}`, tag);
    return undefined;
  }

  #isInUse(asked: Asked, process: Process): boolean {
    if (asked.key === undefined) return false;
    const key = answerKey(asked);
    return [...this.#flights].some(
      (other) => other.process === process && other.sent.asked.key !== undefined && answerKey(other.sent.asked) === key,
    );
  }

  #keep({ sent: { asked }, verdicts }: Flight, headers: ReadonlyMap<string, string>, body: string): void {
    if (asked.operation.deed !== "list" || !headers.has("etag")) return;
    const { next } = JSON.parse(body) as { next: string | null };
    const page = verdicts.find((verdict) => verdict.kind === "page");
    const last = page?.items.at(-1);
    if (next !== null && last !== undefined) this.#memoryOf(asked.actor).cursors.push({ asked, cursor: next, last });
  }

  // ── What is seen of the store ──

  #watcher(): Watcher {
    const flightOf = (task: Task): Flight | undefined => task.request as Flight | undefined;
    return {
      authenticated: (task) => {
        task.waits = false;
        const flight = flightOf(task);
        if (flight !== undefined) this.#enter(flight);
      },
      reading: (task) => {
        const flight = flightOf(task);
        if (flight === undefined || flight.follower !== undefined) return;
        const { asked } = flight.sent;
        // Moves are read after who may see them, and the record may be gone in between.
        const isIn = flight.verdicts.some(({ kind }) => kind === "history");
        flight.verdicts.push(isIn ? this.#oracle.history(asked) : this.#oracle.read(asked));
      },
      committing: (task, log) => {
        const flight = flightOf(task);
        if (flight !== undefined) this.#commitOf(flight, log);
        else if (task.name === "time") this.#commitOfTime(task, log);
        else this.#commitOfHooks(log);
      },
      undone: (task, log, injected) => {
        const flight = flightOf(task);
        if (flight !== undefined && !injected) flight.verdicts.push(this.#undoneOf(flight, log));
        if (flight === undefined && task.name === "time" && !injected) this.#undoneTime(task, log);
      },
      keepingRates: (life) => this.#processes.get(life)?.rates.keeping(this.#machine.time) ?? (() => {}),
    };
  }

  #hints(log: Log, asked?: Asked): Hints {
    const made = log.puts.find(({ isNew, resource }) => isNew && resource === asked?.resource.name)?.row;
    return {
      ...(made === undefined ? {} : { id: String(made["id"] as string), order: made["_seq"] as number }),
      entered: (resource, id) => {
        const put = log.puts.findLast((one) => one.resource === resource && one.row["id"] === id);
        const entered = put?.row["_entered"];
        return typeof entered === "number" ? entered : undefined;
      },
    };
  }

  #verdictOf({ sent: { asked }, task }: Flight, log: Log): ReturnType<Oracle["write"]> {
    return this.#oracle.write(asked, task.since ?? task.looked, log.began, this.#hints(log, asked));
  }

  #undoneOf(flight: Flight, log: Log): Verdict {
    return isOwn(flight.sent.asked.resource.name) ? this.#verdictOf(flight, log).verdict : { kind: "webhook" };
  }

  /** Of what is sent nothing comes but that it is. */
  #commitOfHooks(log: Log): void {
    const wrong = wrongEffects(nothing, log, false);
    if (wrong === undefined) this.#hooks.committed(log, [], []);
    else this.#found(`sending: ${wrong}`);
  }

  #commitOf(flight: Flight, log: Log): void {
    const { asked } = flight.sent;
    if (!isOwn(asked.resource.name)) {
      flight.verdicts.push({ kind: "webhook" });
      return this.#commitOfHooks(log);
    }
    if (asked.operation.method === "GET") return;
    const { effects, verdict } = this.#verdictOf(flight, log);
    flight.verdicts.push(verdict);
    const wrong =
      wrongEffects(effects, log, asked.operation.deed === "delete") ?? this.#wrongRemembered(flight, verdict, log);
    if (wrong !== undefined) {
      this.#found(`#${flight.number} ${asked.operation.name}: ${wrong}`);
      return;
    }
    const request = log.entries[0]?.request;
    if (request !== undefined) flight.request = request;
    this.#oracle.apply(effects);
    this.#hooks.committed(log, effects.entries, effects.forgotten);
  }

  #wrongRemembered({ sent: { asked }, task }: Flight, verdict: Verdict, { remembered }: Log): string | undefined {
    const isKept = asked.key !== undefined && verdict.kind !== "replayed" && this.#oracle.isOutcome(verdict);
    if (remembered.length !== (isKept ? 1 : 0)) return `${remembered.length} answers are remembered`;
    const [one] = remembered;
    if (one === undefined) return undefined;
    const { body, expires, headers, status } = one.answer;
    const wrong = wrongAnswer(this.#oracle, asked, verdict, {
      status,
      headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      body,
    });
    if (wrong !== undefined) return `what is remembered: ${wrong}`;
    const answered: Answered = {
      verdict,
      fingerprint: asked.fingerprint,
      expires: (task.since ?? 0) + 86_400_000,
      kept: { status, body },
    };
    if (expires !== answered.expires) return `it is remembered until ${expires} in place of ${answered.expires}`;
    this.#oracle.answers.set(answerKey(asked), answered);
    return undefined;
  }

  #commitOfTime({ skipped }: Task, log: Log): void {
    const { sought } = log;
    if (sought === undefined) return;
    // The service keeps what was sent for a time, too.
    if (!isOwn(sought.resource)) return this.#commitOfHooks(log);
    const key = keyOf(sought.resource, sought.id);
    const { effects, refused } = this.#oracle.time(
      sought.resource,
      sought.id,
      log.began,
      this.#hints(log),
      skipped?.get(key) ?? new Set(),
    );
    const wrong = refused === undefined ? wrongEffects(effects, log, false) : `${refused} is not refused`;
    if (wrong !== undefined) this.#found(`time at ${key}: ${wrong}`);
    else {
      this.#oracle.apply(effects);
      this.#hooks.committed(log, effects.entries, effects.forgotten);
    }
  }

  /** An act that the document's own rules refuse is left out in this turn. */
  #undoneTime(task: Task, { began, sought, ...log }: Log): void {
    if (sought === undefined) return;
    const key = keyOf(sought.resource, sought.id);
    const skipped = task.skipped?.get(key) ?? new Set();
    const hints = this.#hints({ began, ...log });
    const { refused } = this.#oracle.time(sought.resource, sought.id, began, hints, skipped);
    if (refused === undefined) this.#found(`time at ${key} was refused`);
    else task.skipped?.set(key, skipped.add(refused));
  }

  // ── At the end ──

  #overdue(): string | undefined {
    const { time } = this.#machine;
    for (const rec of this.#oracle.records.values()) {
      const skipped = new Set<string>();
      for (;;) {
        const turn = this.#oracle.time(rec.resource.name, rec.id, time, { entered: () => undefined }, skipped);
        const [entry] = turn.effects.entries;
        if (entry !== undefined) return `R3.5: ${rec.resource.name}/${rec.id} is overdue: ${entry.cause}`;
        if (turn.refused === undefined) break;
        skipped.add(turn.refused);
      }
    }
    return undefined;
  }

  /** Each record and each event that there must be is there, and no other. */
  async #compareAll(): Promise<void> {
    this.#machine.waits = 0;
    const { world, plan } = this.#prepared;
    for (const { fields, lifecycle, name } of world.resources) {
      const columns = ["id", ...fields.map((field) => field.name), ...(lifecycle === undefined ? [] : ["state"])];
      const rows = await this.#inner.transaction(async (tx) => tx.all(name, undefined, {}, 10_000));
      const expected = [...this.#oracle.records.values()].filter((rec) => rec.resource.name === name);
      const given = rows.map((row) => JSON.stringify(columns.map((column) => row[column] ?? null)));
      const must = expected
        .toSorted((a, b) => a.order - b.order)
        .map((rec) => JSON.stringify(columns.map((column) => (column === "id" ? rec.id : column === "state" ? rec.state : rec.values[column]) ?? null))); // biome-ignore format: short
      if (given.join("\n") !== must.join("\n")) this.#wrong(`${name} is\n${given.join("\n")}\nin place of\n${must.join("\n")}`); // biome-ignore format: short
    }
    const known = new Set(Object.keys(plan.events.out));
    const events = (await this.#inner.journal.events(0, 100_000)).filter(({ event = "" }) => known.has(event) && !event.startsWith("webhook.")); // biome-ignore format: short
    const told = events.map(({ event, record }) => `${event} ${record}`);
    const must = this.#oracle.journal.flatMap(({ event, record }) =>
      event === undefined ? [] : [`${event} ${record}`],
    );
    if (told.join() !== must.join()) this.#wrong(`the events are ${told.join()} in place of ${must.join()}`);
    for (const [index, { position }] of events.entries())
      if (position <= (events[index - 1]?.position ?? 0)) this.#wrong(`position ${position} comes twice, or too late`);
  }
}
