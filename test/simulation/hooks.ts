/**
 * Simulated webhooks: the callers' endpoints, the expected deliveries to each, and receivers that fail, stall, lose responses and
 * crash (R6.4 to R6.13).
 */
import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { instantText } from "../../src/base/clock.ts";
import { type Post, PostError } from "../../src/webhooks/post.ts";
import type { JournalEntry, Row } from "../../src/store/port/store.ts";
import { actors, olderName } from "./clients.ts";
import { before as olderVersion } from "./document.ts";
import type { Machine } from "./machine.ts";
import { type Actor, type Entry, keyOf, type Oracle } from "./oracle.ts";
import type { Chance } from "./random.ts";
import type { Log } from "./store.ts";

interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly owner: Actor;
  readonly older: boolean;
  /** The position in the journal that it was made at, once there is one: what comes later is for it. */
  made: number;
  enabled: boolean;
  /** It was disabled at some time, and need not have got what came then. */
  paused: boolean;
  /** Somebody has had something sent once more, which need not keep its place. */
  again: boolean;
  secret: string | undefined;
  /** How its receiver is today. */
  mood: Mood;
}

interface Delivery {
  readonly id: string;
  readonly endpoint: string;
  readonly position: number;
  readonly record: string;
  body: string;
  state: string;
  tries: number;
  /** When it is to be sent next, or until when it is somebody's to send. */
  next: string | null;
  /** Until when those may begin to send it who have claimed it, and have not begun. */
  readonly claims: number[];
}

const moods = ["well", "failing", "stalling", "dead", "deaf", "busy"] as const;
type Mood = (typeof moods)[number];

export interface HooksOptions {
  readonly oracle: Oracle;
  readonly machine: Machine;
  readonly chance: Chance;
  /** Positions of events by their ids, as the present process tells them. */
  readonly positionOf: (id: string) => number | undefined;
  readonly found: (what: string) => void;
  /** Whether positions are given later than with the commit: then `placed` is told. */
  readonly isLate: boolean;
}

export class Hooks {
  readonly endpoints: Map<string, Endpoint> = new Map();
  readonly deliveries: Map<string, Delivery> = new Map();
  /** What the journal holds by position; undefined: what is no event of the document. */
  readonly #journal: (Entry | undefined)[] = [undefined];
  /** What is committed and has no position yet. */
  readonly #unplaced: Map<JournalEntry, Entry | undefined> = new Map();
  readonly #born: WeakMap<JournalEntry, Endpoint> = new WeakMap();
  readonly #options: HooksOptions;
  /** By endpoint and event: the body that was sent first. */
  readonly #bodies: Map<string, string> = new Map();
  /** By endpoint and event: whether a receiver has taken it. */
  readonly #taken: Set<string> = new Set();
  /** Entries with data, by their record. */
  readonly #told: Map<string, Entry[]> = new Map();
  /** Those whose data is gone, each with its number: the first that was forgotten is 1. */
  readonly #forgotten: Map<Entry, number> = new Map();
  /** By endpoint and event: what there was a delivery of, which is not kept for ever. */
  readonly #made: Set<string> = new Set();

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  get isLate(): boolean {
    return this.#options.isLate;
  }

  /** What happened at a position of the journal; undefined: nothing to the document's own records. */
  entryAt(position: number): Entry | undefined {
    return this.#journal[position];
  }

  /** Beyond the newest. */
  get positions(): number {
    return this.#journal.length;
  }

  /** Where its data is gone, so that nobody is told of it any more: how many entries' was when that was so. */
  forgotten(position: number): number | undefined {
    const entry = this.#journal[position];
    return entry && this.#forgotten.get(entry);
  }

  /** Of how many entries the data is gone. */
  get forgottenEntries(): number {
    return this.#forgotten.size;
  }

  // ── What is committed ──

  /** Entries in the order of commits; `known` are those of the document's own records. */
  committed(log: Log, known: readonly Entry[]): void {
    const own = [...known];
    for (const entry of log.entries) this.#unplaced.set(entry, isOwn(entry.resource) ? own.shift() : undefined);
    for (const entry of known) this.#note(entry);
    for (const { isNew, resource, row } of log.puts) {
      if (resource === "Webhook") this.#putEndpoint(row, isNew, log.entries.at(-1));
      if (resource === "WebhookDelivery") this.#putDelivery(row, isNew);
    }
    for (const { id, resource } of log.deleted) {
      if (resource === "Webhook") this.endpoints.delete(String(id as string));
      if (resource === "WebhookDelivery") this.deliveries.delete(String(id as string));
    }
    if (!this.#options.isLate) this.placed(log.entries);
    if (known.some(({ forgets }) => forgets)) this.#checkForgotten();
  }

  #note(entry: Entry): void {
    const key = keyOf(entry.resource, entry.record);
    const told = this.#told.get(key) ?? [];
    this.#told.set(key, told);
    if (entry.forgets === true) for (const one of told.splice(0)) this.#forgotten.set(one, this.#forgotten.size + 1);
    else if (entry.data !== undefined || entry.payload !== undefined) told.push(entry);
  }

  /** What is gone is in nothing any more that was or is to be sent. */
  #checkForgotten(): void {
    for (const { body, id, position } of this.deliveries.values())
      if (body !== "" && this.forgotten(position) !== undefined)
        this.#options.found(`what was erased is still in ${id}: ${body}`);
  }

  /** Entries of the journal, committed before, get the next positions. */
  placed(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      const endpoint = this.#born.get(entry);
      if (endpoint !== undefined) endpoint.made = this.#journal.length;
      this.#journal.push(this.#unplaced.get(entry));
      this.#unplaced.delete(entry);
    }
  }

  #putEndpoint(row: Row, isNew: boolean, entry: JournalEntry | undefined): void {
    const id = row["id"] as string;
    const known = this.endpoints.get(id);
    const enabled = row["state"] === "enabled";
    if (known !== undefined) {
      known.enabled = enabled;
      known.paused ||= !enabled;
      known.again ||= (row["recoverSince"] ?? null) !== null;
      return;
    }
    if (!isNew) this.#options.found(`an endpoint ${id} is changed that there is not`);
    const endpoint: Endpoint = {
      id,
      url: row["url"] as string,
      owner: actors.find((actor) => actor.id === row["owner"]) as Actor,
      older: row["version"] === olderVersion,
      made: Number.POSITIVE_INFINITY,
      enabled,
      paused: false,
      again: false,
      secret: undefined,
      mood: this.#options.chance.pick(moods),
    };
    this.endpoints.set(id, endpoint);
    if (entry !== undefined) this.#born.set(entry, endpoint);
  }

  #putDelivery(row: Row, isNew: boolean): void {
    const { found, positionOf } = this.#options;
    const id = row["id"] as string;
    const known = this.deliveries.get(id);
    if (known !== undefined) {
      if (known.state !== "pending" && row["state"] === "pending") {
        const endpoint = this.endpoints.get(known.endpoint);
        if (endpoint !== undefined) endpoint.again = true;
      }
      if (
        known.state === "pending" &&
        row["state"] === "delivered" &&
        !this.#taken.has(`${known.endpoint} ${known.position}`)
      )
        found(`R6.4: ${id} is delivered, and nobody has taken it`);
      this.#noteClaim(known, row);
      known.state = row["state"] as string;
      known.body = row["body"] as string;
      return;
    }
    if (!isNew) return found(`a delivery ${id} is changed that there is not`);
    const position = positionOf(row["event"] as string);
    if (position === undefined) return found(`${String(row["event"] as string)} is the id of no event`);
    const endpoint = row["webhook"] as string;
    for (const other of this.deliveries.values())
      if (other.endpoint === endpoint && other.position === position)
        return found(`R6.1: there are two deliveries of ${String(row["event"] as string)} to ${endpoint}`);
    const delivery: Delivery = {
      id,
      endpoint,
      position,
      record: row["record"] as string,
      body: row["body"] as string,
      state: row["state"] as string,
      tries: row["tries"] as number,
      next: row["nextAttemptAt"] as string | null,
      claims: [],
    };
    this.deliveries.set(id, delivery);
    this.#made.add(`${endpoint} ${position}`);
    const wrong = this.#wrongDelivery(delivery);
    if (wrong !== undefined) found(wrong);
  }

  /** Whoever puts off when it is to be sent, and has not tried, has claimed it. */
  #noteClaim(delivery: Delivery, row: Row): void {
    const [next, tries] = [row["nextAttemptAt"] as string | null, row["tries"] as number];
    const isClaim = row["state"] === "pending" && delivery.state === "pending" && tries === delivery.tries;
    if (isClaim && delivery.next !== null && next !== null && next !== delivery.next) delivery.claims.push(Date.parse(next)); // biome-ignore format: short
    Object.assign(delivery, { next, tries });
  }

  /** Whether its owner may know of it, and is told what was so then and no more. */
  #wrongDelivery({ body, endpoint: id, position }: Delivery): string | undefined {
    const endpoint = this.endpoints.get(id);
    const entry = this.#journal[position];
    if (endpoint === undefined) return `there is no endpoint ${id}`;
    if (entry?.event === undefined || entry.data === undefined) return `there is no event at ${position}`;
    if (this.forgotten(position) !== undefined)
      return `${entry.event} is to be sent, and what it tells of was erased: ${body}`;
    if (!this.#mayKnow(endpoint, entry)) return `R6.13: ${endpoint.owner.name} may not know of ${entry.event}: ${body}`;
    return wrongEvent(this.#options.oracle, { actor: endpoint.owner, older: endpoint.older }, entry, body);
  }

  #mayKnow({ owner }: Endpoint, { data }: Entry): boolean {
    const { webhook } = this.#options.oracle.world;
    return (
      data !== undefined &&
      (webhook?.for ?? []).some(
        ({ own, who }) => owner.roles.includes(who as "member") && (own !== true || data.values["owner"] === owner.id),
      )
    );
  }

  // ── The receivers ──

  /** One of them is in another mood from now on. */
  turn(): void {
    const all = [...this.endpoints.values()];
    if (all.length === 0) return;
    const endpoint = this.#options.chance.pick(all);
    endpoint.mood = this.#options.chance.pick(moods);
    this.#options.machine.note(`the receiver of ${endpoint.id} is ${endpoint.mood}`);
  }

  heal(): void {
    for (const endpoint of this.endpoints.values()) endpoint.mood = "well";
  }

  /** The network of one process. */
  post(life: number): Post {
    const { chance, machine } = this.#options;
    return {
      close: () => {},
      send: async (url, headers, body, timeout) => {
        this.#begin(url, headers);
        await machine.pass("post", life);
        const endpoint = [...this.endpoints.values()].find((one) => one.url === url);
        const mood = endpoint?.mood ?? "well";
        machine.note(`  ${headers["webhook-id"]} to ${endpoint?.id}, which is ${mood}`);
        const fails = mood !== "well" && chance.percent(80);
        if (fails && mood === "dead") throw new PostError("connect ECONNREFUSED", false);
        if (fails && mood === "stalling") {
          machine.turn(timeout);
          throw new PostError(`no answer within ${timeout} ms`, true);
        }
        // It has come, whatever is said of it.
        const isTaken = !(fails && (mood === "failing" || mood === "busy"));
        this.#receive(endpoint, headers, body, isTaken);
        await machine.pass("posted", life);
        if (fails && mood === "deaf") throw new PostError("socket hang up", false);
        if (!fails || mood === "deaf") return { status: chance.pick([200, 202, 204]), reply: "" };
        if (mood === "busy") return { status: 429, retryAfter: "30", reply: "" };
        return { status: chance.pick([500, 302, 404]), reply: "no" };
      },
    };
  }

  /** Each claim is good for one attempt, which begins while it lasts; what becomes of the delivery meanwhile does not end it. */
  #begin(url: string, { "webhook-id": id = "" }: Readonly<Record<string, string>>): void {
    const { found, machine, positionOf } = this.#options;
    const position = positionOf(id);
    const delivery = [...this.deliveries.values()].find(
      (one) => one.position === position && this.endpoints.get(one.endpoint)?.url === url,
    );
    if (delivery === undefined) return;
    const claim = delivery.claims.findIndex((until) => until > machine.time);
    if (claim < 0) return found(`R6.4: ${id} is sent to ${url} by nobody who has claimed it, and is ${delivery.state}`);
    delivery.claims.splice(claim, 1);
  }

  #receive(
    endpoint: Endpoint | undefined,
    headers: Readonly<Record<string, string>>,
    body: string,
    isTaken: boolean,
  ): void {
    const { found, machine, positionOf } = this.#options;
    const id = headers["webhook-id"] ?? "";
    const position = positionOf(id);
    // It may have been deleted while it was on its way.
    if (endpoint === undefined) return;
    if (position === undefined) return found(`R6.5: ${id} is the id of no event`);
    if ((JSON.parse(body) as { id: string }).id !== id) return found(`R6.5: ${id} says that it is another: ${body}`);
    const key = `${endpoint.id} ${position}`;
    if ((this.#bodies.get(key) ?? body) !== body) return found(`R6.5: ${id} is sent with another body: ${body}`);
    this.#bodies.set(key, body);
    const delivery = [...this.deliveries.values()].find(
      (one) => one.endpoint === endpoint.id && one.position === position,
    );
    if (delivery === undefined) return;
    const { secret } = endpoint;
    const seconds = headers["webhook-timestamp"] ?? "";
    if (secret !== undefined) {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
      if (headers["webhook-signature"] !== `v1,${signature}`) return found(`R6.5: ${id} is not signed`);
    }
    if (Math.abs(Number(seconds) * 1000 - machine.time) > 86_400_000 * 30) return found(`R6.5: ${id} is of ${seconds}`);
    if (this.#options.oracle.world.webhook?.inOrder === true && !endpoint.again)
      for (const other of this.deliveries.values())
        if (
          other.endpoint === endpoint.id &&
          other.record === delivery.record &&
          other.position < position &&
          other.state === "pending"
        )
          return found(`R6.4: ${id} is sent before ${other.id}, which was before it`);
    if (isTaken) this.#taken.add(key);
  }

  // ── At the end ──

  /** Something that must have arrived and has not; undefined: nothing. */
  missing(): string | undefined {
    for (const endpoint of this.endpoints.values()) {
      if (!endpoint.enabled || endpoint.paused) continue;
      for (const [position, entry] of this.#journal.entries()) {
        if (position <= endpoint.made || entry?.event === undefined || !this.#mayKnow(endpoint, entry)) continue;
        if (this.#forgotten.has(entry)) continue;
        if (!this.#made.has(`${endpoint.id} ${position}`))
          return `R6.4: ${entry.event} of ${entry.record} never went to ${endpoint.id}`;
      }
    }
    for (const { endpoint, id, state } of this.deliveries.values())
      if (state === "pending" && this.endpoints.get(endpoint)?.enabled === true)
        return `R6.4: ${id} is still to be sent`;
    return undefined;
  }
}

/** Whether somebody is told of an event what was so then, as much as it may see, in the words of its version. */
export function wrongEvent(
  oracle: Oracle,
  { actor, older }: { readonly actor: Actor; readonly older: boolean },
  entry: Entry,
  body: string,
): string | undefined {
  if (entry.data === undefined) return undefined;
  const { data, id: _, request: __, sequence, ...said } = JSON.parse(body) as Record<string, unknown>;
  const seen = Object.entries(oracle.view(entry.data, actor));
  const { resource } = entry.data;
  const told = Object.fromEntries(
    older ? seen.map(([name, value]) => [olderName(oracle.world, resource, name), value]) : seen,
  );
  if (!isDeepStrictEqual(data, told))
    return `R6.13: ${actor.name} is told ${JSON.stringify(data)} in place of ${JSON.stringify(told)}`;
  if (!Number.isSafeInteger(sequence)) return `R6.2: the event's place in the order is ${JSON.stringify(sequence)}`;
  const must = { type: entry.event, timestamp: instantText(entry.at) };
  if (isDeepStrictEqual(said, must)) return undefined;
  return `the event says ${JSON.stringify(said)} in place of ${JSON.stringify(must)}`;
}

export function isOwn(resource: string): boolean {
  return resource !== "Webhook" && resource !== "WebhookDelivery" && resource !== "Event";
}
