/** Pending requests: which are admitted, their permitted responses, and whether each got one of them. */
import type { HttpResponse, Sink, Streaming } from "../../src/http/message.ts";
import { hashOf } from "./sessions.ts";
import { isOfSessions } from "./document.ts";
import { type Asking, exchangeOf, type Memory, type Sent } from "./clients.ts";
import type { Follower, Followers } from "./followers.ts";
import { isOwn } from "./hooks.ts";
import { alwaysWrong, type Headers, headersOf, wrongAnswer } from "./expected-responses.ts";
import type { Keys } from "./keys.ts";
import type { Task } from "./machine.ts";
import { type Actor, storedResponseKey, type Asked, type Proof, tagKey, type AttemptOutcome } from "./oracle.ts";
import { People } from "./people.ts";
import type { Process } from "./process.ts";
import { type Admission, SharedRates } from "./rates.ts";
import type { Scene } from "./scene.ts";

const tooOften: AttemptOutcome = { kind: "refused", status: 429, code: "rate-limited", within: 60 };

export interface Flight {
  readonly number: number;
  readonly sent: Sent;
  readonly task: Task;
  readonly process: Process;
  /** Whose stream it is to be. */
  readonly follower: Follower | undefined;
  /** The clocks at its arrival. */
  readonly uptime: number;
  readonly time: number;
  /** How much had happened by then. */
  readonly before: number;
  /** What may be answered: what was true at one of the moments at which something was looked at for it. */
  readonly verdicts: AttemptOutcome[];
  /** It was refused after it had written something. */
  isUndone?: true;
  /** Another one with its key was under way meanwhile. */
  metItsKey?: true;
  /** Files whose bytes came with it. */
  readonly files: string[];
  entered: boolean;
  /** The caller hears nothing more of it. */
  abandoned: boolean;
  giveBack?: () => void;
  request?: string;
  /** How much had happened when it was last asked what must be answered. */
  changes?: number;
}

/** A signature is good for five minutes before and after its time. */
function isSigned({ sent: { asked }, time }: Flight): boolean {
  const { signed } = asked;
  return signed === undefined || (signed.isRight && Math.abs(time / 1000 - signed.seconds) <= 300);
}

export class Requests {
  readonly flights: Set<Flight> = new Set();
  /** What may be sent once more. */
  readonly past: Sent[] = [];
  /** Those who have logged in. */
  readonly people: People = new People();
  readonly #scene: Scene;
  readonly #keys: Keys;
  readonly #followers: Followers;
  /** Where processes count together. */
  readonly shared: SharedRates | undefined;
  readonly #memories: Map<string, Memory> = new Map();
  readonly #ids: Set<string> = new Set();
  #count = 0;
  #answers = 0;

  constructor(scene: Scene, keys: Keys, followers: Followers) {
    this.#scene = scene;
    this.#keys = keys;
    this.#followers = followers;
    this.shared = scene.store === "together" ? new SharedRates(scene.prepared.world) : undefined;
  }

  /** How many have been sent. */
  get count(): number {
    return this.#count;
  }

  /** How many have been answered. */
  get answers(): number {
    return this.#answers;
  }

  /** What callers go by when they ask. */
  asking(): Asking {
    const { chance, oracle, prepared } = this.#scene;
    return {
      world: prepared.world,
      oracle,
      chance,
      memoryOf: (actor) => this.#memoryOf(actor),
      secretOf: (actor) => this.#keys.secretOf(actor),
    };
  }

  send(sent: Sent, follower?: Follower): void {
    const { any, found, machine, oracle } = this.#scene;
    const number = (this.#count += 1);
    const process = any();
    const task: Task = { name: `#${number}`, life: process.life, looked: machine.time };
    const flight: Flight = {
      number,
      sent,
      task,
      process,
      follower,
      uptime: machine.uptime,
      time: machine.time,
      before: oracle.changes,
      verdicts: [],
      files: [],
      entered: false,
      abandoned: false,
    };
    Object.assign(task, { request: flight });
    const { asked, body = "", method, target } = sent;
    machine.note(`#${number} ${asked.actor.name}: ${method} ${target} ${body} ${sent.headers.slice(asked.actor.id === null ? 0 : 2).join(" ")}`); // biome-ignore format: short
    this.#meet(flight);
    this.flights.add(flight);
    if (isOwn(asked.resource.name)) this.past.push(sent);
    machine.tasks
      .run(task, async () => process.service.response(exchangeOf(sent, () => machine.pass("body", process.life))))
      .then(
        (response) => this.#answered(flight, response),
        (thrown: unknown) => {
          if (machine.isAlive(process.life)) found(`#${number} was not answered: ${String(thrown)}`);
        },
      );
  }

  /** Somebody goes away before the answer comes. */
  abandon(): void {
    const { chance, machine } = this.#scene;
    const flight = chance.pick([...this.flights]);
    machine.note(`#${flight.number} is abandoned`);
    flight.abandoned = true;
  }

  /** Those who were waiting hear nothing, and do not know what became of what they asked. */
  died(life: number): void {
    for (const flight of this.flights) {
      if (flight.process.life !== life) continue;
      if (isOwn(flight.sent.asked.resource.name)) this.past.push(flight.sent);
      if (!flight.entered) this.shared?.enter(flight, flight.sent.asked, flight.uptime);
      this.shared?.left(flight, this.#scene.machine.uptime);
      this.flights.delete(flight);
    }
  }

  /** Who is let in, in the order in which it became known who they are. */
  enterAll(): void {
    for (const flight of this.flights)
      if (!flight.entered && flight.task.waits !== true && this.#scene.machine.isAlive(flight.process.life))
        this.enter(flight);
  }

  enter(flight: Flight): void {
    const { oracle } = this.#scene;
    flight.entered = true;
    const { asked } = flight.sent;
    if (this.#isRevoked(flight)) return;
    if (asked.operation.action === "login") flight.verdicts.push(tooOften);
    if (asked.proof?.isRefused === true || !isSigned(flight)) {
      flight.verdicts.push({ kind: "refused", status: 401, code: "unauthenticated" }, tooOften);
      return;
    }
    const { admitted, giveBack } = this.#admit(flight);
    if (admitted !== true) flight.verdicts.push({ kind: "refused", status: 429, code: "rate-limited" });
    if (admitted !== false) {
      flight.giveBack = giveBack;
      const barred = oracle.barred(asked);
      if (barred !== undefined) flight.verdicts.push(barred);
      else if ((asked.upload?.length ?? 0) > 100)
        flight.verdicts.push({ kind: "refused", status: 413, code: "too-large" });
      else if (flight.follower !== undefined) flight.verdicts.push({ kind: "webhook" });
    }
  }

  #admit(flight: Flight): Admission {
    const { machine } = this.#scene;
    const { asked } = flight.sent;
    if (this.shared === undefined) return flight.process.rates.enter(asked, machine.time, machine.uptime);
    this.shared.enter(flight, asked, flight.uptime);
    return { admitted: undefined, giveBack: () => {} };
  }

  /** Who says to be in a session that is none (R5.10), or guesses too often (R5.7). */
  refuse(flight: Flight, proof: Proof): void {
    flight.task.waits = false;
    proof.isRefused = true;
    this.enter(flight);
  }

  /** Nobody has this name and this password; of those who try too often nobody is asked. */
  unproved({ verdicts }: Flight): void {
    verdicts.push({ kind: "refused", status: 401, code: "unauthenticated" });
  }

  /** A key that was revoked is good for no more than a second, in which its caller may be known from before (R5.4). */
  #isRevoked(flight: Flight): boolean {
    const since = this.#keys.revokedSince(flight.sent.secret);
    if (since === undefined) return false;
    // Nobody had to look: it was taken from memory.
    if (flight.task.waits === undefined) {
      if (flight.uptime > since + 1000)
        this.#scene.found(`R5.4: #${flight.number} is let in by a key that was revoked`);
      return false;
    }
    flight.verdicts.push({ kind: "refused", status: 401, code: "unauthenticated" });
    // Who guesses too often is not even asked (R5.7).
    flight.verdicts.push(tooOften);
    return true;
  }

  // ── What is answered ──

  #answered(flight: Flight, response: HttpResponse): void {
    const { found, hooks, machine, store } = this.#scene;
    if (!machine.isAlive(flight.process.life) || !this.flights.delete(flight)) return;
    if (!flight.entered && flight.task.waits !== true) this.enter(flight);
    this.#answers += 1;
    const { number, sent, task } = flight;
    const headers = headersOf(response);
    const body = typeof response.body === "string" ? response.body : "";
    const { status } = response;
    machine.note(`#${number} ${status} ${headers.get("etag") ?? ""} ${body}`);
    const crowded = this.shared?.left(flight, machine.uptime, status);
    if (crowded !== undefined) return found(`#${number}: ${crowded}`);
    const always = this.#alwaysWrong(flight, response, headers, body);
    if (always !== undefined) return found(`#${number}: ${always}`);
    const goesOn = flight.process.functions.answered(headers.get("request-id") ?? "");
    if (goesOn !== undefined) return found(`#${number} ${status}: ${goesOn}`);
    const left = this.#leftOver(flight);
    if (left !== undefined) return found(`#${number}: the file ${left} is still there, and no record has it`);
    if (status === 304) flight.giveBack?.();
    const wrong = this.#wrongOf(flight, status, headers, body);
    if (wrong !== undefined) {
      // SQLite's readers see what is durable, and a transaction that has run becomes so with the others of its group.
      if (store === "sqlite" && sent.method === "GET" && status < 500) return;
      return found(`#${number} ${sent.method} ${sent.target}: ${wrong}`);
    }
    if (status === 200 && isOfSessions(sent.asked.operation.action)) this.people.given(sent.asked, body);
    if (status === 200 && sent.asked.operation.action === "read" && response.stream !== undefined)
      this.#download(flight, response.stream, headers);
    if (flight.follower !== undefined) this.#followed(flight.follower, flight, response);
    if (status === 201 && !isOwn(sent.asked.resource.name)) {
      const { id: made, secret } = JSON.parse(body) as { id: string; secret: string };
      const endpoint = hooks.endpoints.get(made);
      if (endpoint !== undefined) endpoint.secret = secret;
    }
    if (!flight.abandoned && task.fault === undefined) this.#keep(flight, headers, body);
  }

  /** A file that came, and that no record took: it is gone before the answer is given. */
  #leftOver({ files, task }: Flight): string | undefined {
    const { inner, oracle, store } = this.#scene;
    if (files.length === 0 || store === "sqlite" || task.fault !== undefined) return undefined;
    const held = new Set(oracle.photos().map(({ id }) => id));
    return files.find((id) => !held.has(id) && inner().files.piece(id, 0) !== undefined);
  }

  /** What no answer may be, whatever was asked; and its request is named once. */
  #alwaysWrong(flight: Flight, response: HttpResponse, headers: Headers, body: string): string | undefined {
    const { prepared, seed } = this.#scene;
    // Looking everything up in the description takes as long as answering does: each seed looks at others.
    const isLookedUp = flight.number % 4 === seed % 4;
    const always =
      alwaysWrong(response.status, headers, body) ??
      (isLookedUp && flight.follower === undefined
        ? prepared.undeclared(flight.sent, response, headers, body)
        : undefined);
    if (always !== undefined) return always;
    const id = headers.get("request-id") ?? "";
    if (this.#ids.has(id)) return `${id} was given before`;
    this.#ids.add(id);
    return flight.request !== undefined && flight.request !== id
      ? `the journal has the request ${flight.request} in place of ${id}`
      : undefined;
  }

  #wrongOf(
    { metItsKey, sent, task, verdicts }: Flight,
    status: number,
    headers: Headers,
    body: string,
  ): string | undefined {
    const { asked } = sent;
    const code = status >= 400 ? (JSON.parse(body) as { code?: string }).code : undefined;
    const { fault = "none" } = task;
    if (["busy", "both"].includes(fault) && status === 503 && code === "overloaded") return undefined;
    if (["broken", "both"].includes(fault) && status === 500 && code === "internal") return undefined;
    if (code === "idempotency-key-in-use" && metItsKey === true) return undefined;
    const wrongs = verdicts.map((verdict) =>
      wrongAnswer(this.#scene.oracle, asked, verdict, { status, headers, body }),
    );
    const at = wrongs.indexOf(undefined);
    if (at < 0) return [...new Set(wrongs)].join("; ") || `${status} ${body}, and nothing was ever looked at for it`;
    return this.#noteTag(asked, verdicts[at] as AttemptOutcome, headers, body);
  }

  /** A tag is of one revision as one kind of caller sees it: never of another, and there is no second one. */
  #noteTag(asked: Asked, verdict: AttemptOutcome, headers: Headers, body: string): string | undefined {
    const { tags } = this.#scene.oracle;
    const tag = headers.get("etag");
    if (tag === undefined || verdict.kind !== "given" || verdict.record === undefined) return undefined;
    const { record } = verdict;
    const key = tagKey(record, tag);
    const known = tags.get(key);
    if (known !== undefined && known !== record.version)
      return `R4.15: the tag ${tag} was of another revision: ${body}`;
    tags.set(key, record.version);
    this.#memoryOf(asked.actor).tags.set(`${asked.older ? "older " : ""}${record.id}`, tag);
    return undefined;
  }

  /** Of two with one key that are under way at one process either may be told so. */
  #meet(flight: Flight): void {
    const { process, sent: { asked } } = flight; // biome-ignore format: short
    if (asked.key === undefined) return;
    const key = storedResponseKey(asked);
    for (const other of this.flights) {
      if (
        other.process !== process ||
        other.sent.asked.key === undefined ||
        storedResponseKey(other.sent.asked) !== key
      )
        continue;
      flight.metItsKey = true;
      other.metItsKey = true;
    }
  }

  /** The bytes are those that were sent, to the last one, or it is seen that they are not. */
  #download({ number, process, task }: Flight, stream: Streaming, headers: Headers): void {
    const { found, machine } = this.#scene;
    const pieces: Uint8Array[] = [];
    const sink: Sink = {
      waiting: 0,
      drained: () => Promise.resolve(),
      write: (bytes) => void pieces.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes),
      end: () => {
        const text = Buffer.concat(pieces).toString();
        machine.note(`#${number} gave ${text.length} bytes`);
        if (`"${hashOf(text)}"` !== headers.get("etag")) found(`#${number} gives other bytes: ${text}`);
      },
      cut: () => machine.note(`#${number} is cut off`),
    };
    const downloading: Task = { name: task.name, life: process.life, looked: machine.time };
    machine.tasks.run(downloading, () => stream.start(sink));
  }

  #followed(follower: Follower, { process, task }: Flight, response: HttpResponse): void {
    const { machine } = this.#scene;
    if (follower.stream !== undefined) response.stream?.ended();
    else {
      const following: Task = { name: task.name, life: process.life, looked: machine.time };
      machine.tasks.run(following, () => this.#followers.answered(follower, process.life, response));
    }
  }

  #keep({ sent: { asked }, verdicts }: Flight, headers: Headers, body: string): void {
    if (asked.operation.action !== "list" || !headers.has("etag")) return;
    const { next } = JSON.parse(body) as { next: string | null };
    const page = verdicts.find((verdict) => verdict.kind === "page");
    const last = page?.items.at(-1);
    if (next !== null && last !== undefined) this.#memoryOf(asked.actor).cursors.push({ asked, cursor: next, last });
  }

  #memoryOf(actor: Actor): Memory {
    const known = this.#memories.get(actor.name);
    if (known !== undefined) return known;
    const memory: Memory = { tags: new Map(), cursors: [] };
    this.#memories.set(actor.name, memory);
    return memory;
  }
}
