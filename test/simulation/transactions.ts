/** Submits each transaction to the oracle in the order of commits, at the last moment before it is durable. */
import { isOwn } from "./hooks.ts";
import { wrongAnswer, wrongEffects } from "./expected-responses.ts";
import type { Task } from "./machine.ts";
import { type HandledResponse, storedResponseKey, type Asked, type Effects, type Hints, keyOf, type Oracle, type AttemptOutcome } from "./oracle.ts"; // biome-ignore format: a list
import type { Flight, Requests } from "./requests.ts";
import type { Scene } from "./scene.ts";
import { Sessions } from "./sessions.ts";
import { Waits } from "../../src/runtime/functions/transaction.ts";
import { ApiError } from "../../src/runtime/errors/api-error.ts";
import { StoreError } from "../../src/store/port/error.ts";
import type { Row } from "../../src/store/port/store.ts";
import type { Log, Watcher } from "./store.ts";

const nothing: Effects = { records: new Map(), entries: [], counted: new Map(), sessions: [] };

const flightOf = (task: Task): Flight | undefined => task.request as Flight | undefined;

/** What is seen of the store on behalf of a run. */
export function watcherOf(scene: Scene, requests: Requests): Watcher {
  const { machine, oracle, processes } = scene;
  const judge = new Validator(scene);
  return {
    authenticated: (task) => {
      task.waits = false;
      const flight = flightOf(task);
      if (flight !== undefined) requests.enter(flight);
    },
    sessionSought: (task, hash, isThere) => {
      const flight = flightOf(task);
      const proof = flight?.sent.asked.proof;
      if (flight === undefined || proof === undefined) return;
      const token = oracle.goodToken(hash, "access", machine.time, isThere);
      if (token !== undefined) proof.session = token.session;
      else requests.refuse(flight, proof);
    },
    personRead: (task) => {
      const flight = flightOf(task);
      const { actor, operation, proof } = flight?.sent.asked ?? {};
      if (flight === undefined || proof === undefined || actor === undefined) return;
      if (proof.token !== undefined) {
        const role = oracle.records.get(keyOf("Person", actor.id ?? ""))?.values["role"];
        if (role === undefined) return requests.refuse(flight, proof);
        Object.assign(actor, { roles: [role] });
        task.waits = false;
        return requests.enter(flight);
      }
      if (operation?.action !== "login") return;
      const proved = oracle.prove(flight.sent.asked);
      if (proved !== undefined) proof.proved = proved;
      else requests.unproved(flight);
    },
    appended: (task, id) => {
      oracle.files.set(id, machine.time);
      flightOf(task)?.files.push(id);
    },
    purging: (now) => oracle.clear(now),
    reading: (task) => {
      const flight = flightOf(task);
      if (flight === undefined || flight.follower !== undefined) return;
      const { asked } = flight.sent;
      // Moves are read after who may see them, and the record may be gone in between.
      const isIn = flight.verdicts.some(({ kind }) => kind === "history");
      flight.verdicts.push(isIn ? oracle.history(asked) : oracle.read(asked));
    },
    looking: (task, log) => {
      const flight = flightOf(task);
      if (flight !== undefined) judge.looking(flight, log);
    },
    committing: (task, log) => {
      const flight = flightOf(task);
      if (flight !== undefined) judge.request(flight, log);
      else if (task.name === "time") judge.time(task, log);
      else judge.sending(log);
    },
    undone: (task, log, injected, thrown) => {
      const flight = flightOf(task);
      if (thrown instanceof Waits) return;
      const late = flight && (judge.lost(thrown) ?? judge.late(flight, thrown));
      if (flight !== undefined && late !== undefined) return void flight.verdicts.push(late);
      if (flight !== undefined && !injected) {
        flight.verdicts.push(judge.undone(flight, log));
        flight.isUndone = true;
      }
      if (flight === undefined && task.name === "time" && (!injected || isByRule(thrown))) judge.undoneTime(task, log);
    },
    rated: (asked) => requests.shared?.counted(asked, machine.uptime),
    keepingRates: (life) => processes.get(life)?.rates.snapshots(machine.time) ?? (() => {}),
  };
}

/** Whether the document is why an act of time is left out, also in a turn in which something has failed before. */
function isByRule(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof ApiError;
}

class Validator {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  // ── Of requests ──

  request(flight: Flight, log: Log): void {
    const { asked } = flight.sent;
    if (!isOwn(asked.resource.name)) {
      flight.verdicts.push({ kind: "webhook" });
      return this.sending(log);
    }
    if (asked.operation.method === "GET") return;
    if (this.#wasRefused(flight, log)) return;
    const { effects, verdict } = this.#verdictOf(flight, log);
    flight.verdicts.push(verdict);
    const wrong =
      wrongEffects(effects, log, asked.operation.action === "delete") ??
      this.#scene.oracle.sessions.wrong(effects.sessions, log.sessions) ??
      this.#wrongRemembered(flight, verdict, log);
    if (wrong !== undefined) return this.#scene.found(`#${flight.number} ${asked.operation.name}: ${wrong}`);
    const request = log.entries[0]?.request;
    if (request !== undefined) flight.request = request;
    this.#apply(effects, log);
  }

  /** What changes nothing but what is remembered of it may have been before others that were committed since it looked, or was undone. */
  #wasRefused(flight: Flight, log: Log): boolean {
    if (log.remembered.length === 0) return false;
    const { counted, deleted, entries, puts, sessions } = log;
    if (puts.length + deleted.length + entries.length + counted.length + sessions.length > 0) return false;
    return flight.verdicts.some(
      (verdict) => verdict.kind === "refused" && this.#wrongRemembered(flight, verdict, log) === undefined,
    );
  }

  /** Beside others it may be refused for what was so at any of the moments at which it looked. */
  looking(flight: Flight, log: Log): void {
    const { changes } = this.#scene.oracle;
    if (flight.changes === changes || !isOwn(flight.sent.asked.resource.name)) return;
    flight.changes = changes;
    const { verdict } = this.#verdictOf(flight, log);
    if (verdict.kind === "refused") flight.verdicts.push(verdict);
  }

  undone(flight: Flight, log: Log): AttemptOutcome {
    return isOwn(flight.sent.asked.resource.name) ? this.#verdictOf(flight, log).verdict : { kind: "webhook" };
  }

  /** A file that came too long ago is not there any more to be given to a record: whoever sent it may send it again. */
  lost(thrown: unknown): AttemptOutcome | undefined {
    if (!(thrown instanceof StoreError) || thrown.kind !== "gone") return undefined;
    const id = [...this.#scene.oracle.files.keys()].find((one) => thrown.message.includes(one));
    if (id === undefined || !this.#scene.oracle.cleared.has(id))
      this.#scene.found(`it is not so that ${thrown.message}`);
    return { kind: "refused", status: 503, code: "overloaded" };
  }

  /** A function that was done again and came to something else, for others have changed something meanwhile, or took too long. */
  late({ before, sent, task, uptime }: Flight, thrown: unknown): AttemptOutcome | undefined {
    const { found, machine, oracle } = this.#scene;
    if (!(thrown instanceof ApiError) || sent.asked.operation.action !== "handler") return undefined;
    const { code } = thrown;
    if (code !== "overloaded" && code !== "timed-out") return undefined;
    const isLate = machine.uptime - uptime >= 30_000 || machine.time > (task.since ?? 0) + 30_000;
    const isSo = code === "overloaded" ? oracle.changes > before : isLate;
    if (!isSo) found(`${task.name} is refused as ${code}, and it is not so`);
    return { kind: "refused", status: 503, code };
  }

  /** What was refused and undone is late for nothing any more: its answer alone is to be remembered. */
  #verdictOf({ isUndone, sent: { asked }, task }: Flight, log: Log): ReturnType<Oracle["write"]> {
    const since = task.since ?? task.looked;
    return this.#scene.oracle.write(asked, since, isUndone === true ? since : log.began, hintsOf(log, asked));
  }

  #wrongRemembered(flight: Flight, verdict: AttemptOutcome, log: Log): string | undefined {
    const { remembered } = log;
    const { sent: { asked }, task } = flight; // biome-ignore format: short
    const { oracle } = this.#scene;
    if (asked.operation.action === "receive") return this.#wrongTaken(flight, verdict, log);
    const isKept = asked.key !== undefined && verdict.kind !== "replayed" && oracle.isOutcome(verdict);
    if (remembered.length !== (isKept ? 1 : 0)) return `${remembered.length} answers are remembered`;
    const [one] = remembered;
    if (one === undefined) return undefined;
    const { body, expires, headers, status } = one.answer;
    const wrong = wrongAnswer(oracle, asked, verdict, {
      status,
      headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      body,
    });
    if (wrong !== undefined) return `what is remembered: ${wrong}`;
    const answered: HandledResponse = {
      verdict,
      fingerprint: asked.fingerprint,
      expires: (task.since ?? 0) + 86_400_000,
      kept: { status, body },
    };
    if (expires !== answered.expires) return `it is remembered until ${expires} in place of ${answered.expires}`;
    oracle.answers.set(storedResponseKey(asked), answered);
    return undefined;
  }

  /** That an event was taken is known for as long as its signature is good (R5.6). */
  #wrongTaken(
    { sent: { asked }, task }: Flight,
    verdict: AttemptOutcome,
    { recalled, remembered }: Log,
  ): string | undefined {
    const { oracle } = this.#scene;
    const [now, field] = [task.since ?? task.looked, asked.signed?.field ?? ""];
    const isFirst = verdict.kind === "given" && !oracle.isReceived(field, now, recalled);
    if (remembered.length !== (isFirst ? 1 : 0)) return `${remembered.length} events are said to have been taken`;
    const [one] = remembered;
    if (one === undefined) return undefined;
    if (one.answer.expires <= now + 600_000) return `that it was taken is known until ${one.answer.expires}`;
    oracle.received.set(field, one.answer.expires);
    oracle.cleared.delete(field);
    return undefined;
  }

  // ── Of what the service does by itself ──

  /** Of what is sent nothing comes but that it is. */
  sending(log: Log): void {
    const wrong = wrongEffects(nothing, log, false);
    if (wrong === undefined) this.#scene.hooks.committed(log, []);
    else this.#scene.found(`sending: ${wrong}`);
  }

  time({ skipped }: Task, log: Log): void {
    const { found, oracle } = this.#scene;
    const { sought } = log;
    if (sought === undefined) return;
    // The service keeps what was sent for a time, too; and what somebody else has in hand is theirs.
    if (log.left === true || !isOwn(sought.resource)) return this.sending(log);
    const key = keyOf(sought.resource, sought.id);
    const left = skipped?.get(key) ?? new Set();
    // Another turn was faster, and has put off what could not be done.
    if (left.size === 0 && oracle.isPutOff(key, log.began) && log.puts.length + log.deleted.length === 0) return;
    const { effects, refused } = oracle.time(sought.resource, sought.id, log.began, hintsOf(log), left);
    const wrong = refused === undefined ? wrongEffects(effects, log, false) : `${refused} is not refused`;
    if (wrong !== undefined) return found(`time at ${key}: ${wrong}`);
    this.#apply(effects, log);
    if (left.size > 0) oracle.putOff(key, log.began);
  }

  /** An act that the document's own rules refuse is left out in this turn. */
  undoneTime(task: Task, { began, sought, ...log }: Log): void {
    const { found, oracle } = this.#scene;
    if (sought === undefined) return;
    const key = keyOf(sought.resource, sought.id);
    const skipped = task.skipped?.get(key) ?? new Set();
    const { refused } = oracle.time(sought.resource, sought.id, began, hintsOf({ began, ...log }), skipped);
    if (refused === undefined) found(`time at ${key} was refused`);
    else task.skipped?.set(key, skipped.add(refused));
  }

  #apply(effects: Effects, log: Log): void {
    this.#scene.oracle.apply(effects, log.sessions);
    this.#scene.hooks.committed(log, effects.entries);
  }
}

function hintsOf(log: Log, asked?: Asked): Hints {
  const made = log.puts.find(({ isNew, resource }) => isNew && resource === asked?.resource.name)?.row;
  const written = (resource: string, id: string): Row | undefined =>
    log.puts.findLast((one) => one.resource === resource && one.row["id"] === id)?.row;
  return {
    ...(made === undefined ? {} : { id: String(made["id"] as string), order: made["_seq"] as number }),
    tokens: Sessions.pairIn(log.sessions),
    recalled: log.recalled,
    hasToken: log.hasToken,
    isFirst: log.counted[0]?.used === 1,
    entered: (resource, id) => {
      const entered = written(resource, id)?.["_entered"];
      return typeof entered === "number" ? entered : undefined;
    },
    written,
  };
}
