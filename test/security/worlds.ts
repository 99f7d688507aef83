/**
 * Two worlds that differ only in data that one caller may not see, and that caller's requests in both: a generated document
 * (vault.ts), with other values in hidden fields, and other records and requests of other users.
 */
import assert from "node:assert/strict";
import { setTimeout as pass } from "node:timers/promises";
import { seeded } from "../random.ts";
import { createClient, type Client, type Reply, type Sent } from "../serve/client.ts";
import { follow, type Follower } from "../serve/follower.ts";
import { createReceiver, type Receiver } from "../serve/receiver.ts";
import { run, type Running } from "../serve/running.ts";
import { secrets } from "./callers.ts";
import {
  type Caller,
  type Facts,
  type FieldName,
  fields,
  isAlwaysShown,
  isShown,
  passes,
  textOf,
  type Vault,
} from "./vault.ts";

/** Who asks in both worlds; never one of those who make what it may not see. */
export const observers: readonly Caller[] = [
  { id: undefined, roles: [] },
  { id: "odd", roles: [] },
  { id: "odd", roles: ["clerk"] },
  { id: "odd", roles: ["boss"] },
  { id: "ona", roles: ["clerk", "boss"] },
];

const owners = ["ona", "bell", "odd"] as const;

/** A record that both worlds have, and what is different in the second one. */
interface Plot {
  readonly name: string;
  readonly owner: string;
  readonly open: boolean;
  readonly peer?: string;
  /** Of the first and the second world. */
  readonly values: readonly [Values, Values];
}

type Values = Readonly<Record<FieldName, unknown>> & { readonly title: string; readonly card: Card };

/** Nobody is given the `pin`, and whoever sees the record is given the `name`. */
interface Card {
  readonly name: string;
  readonly pin: string;
}

export interface Step {
  readonly method: string;
  /** With names of records in braces, which are ids in each world: `/things/{t1}`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names in braces as well. */
  readonly body?: string;
}

export interface Scenario {
  readonly vault: Vault;
  readonly observer: Caller;
  readonly store: "sqlite" | "memory" | "postgres";
  readonly plots: readonly Plot[];
  readonly steps: readonly Step[];
  readonly seed: number;
}

type Random = () => number;

const one = <Value>(random: Random, all: readonly Value[]): Value => all[Math.floor(random() * all.length)] as Value;

// ── What there is ──────────────────────────────────────────────────────────────────────────────────────────────────

const words = ["amber", "birch", "cedar", "dune"] as const;

let unique = 0;

/** What a field may hold; every value of `code` is another one, since that a unique value is taken is for all to see. */
function valueOf(random: Random, name: FieldName): unknown {
  const word = one(random, words);
  switch (name) {
    case "rank":
      return Math.floor(random() * 9) - 4;
    case "code":
      unique += 1;
      return `c${unique}`;
    case "tags":
      return [word];
    case "place":
      return random() < 0.5 ? { street: word } : { street: word, zip: "1" };
    case "labels":
      return { a: word };
    case "extra":
      return random() < 0.5 ? {} : { deep: [word] };
    case "cost":
      return { amount: `${Math.floor(random() * 9)}.00`, currency: "EUR" };
    default:
      return word;
  }
}

function plotsOf(random: Random, vault: Vault, observer: Caller): readonly Plot[] {
  const facts = Array.from({ length: 7 }, (_, index) => {
    const peer = index > 0 && random() < 0.4 ? Math.floor(random() * index) : undefined;
    return { owner: owners[index % owners.length] as string, open: random() < 0.5, peer };
  });
  // What a view nests is shown to whoever sees the outer record.
  const isRelated = (index: number): boolean =>
    facts[index]?.peer !== undefined || facts.some(({ peer }) => peer === index);
  return facts.map(({ peer, ...about }, index): Plot => {
    const known = mayKnow(vault, observer, about) || isRelated(index);
    const first = Object.fromEntries(fields.map((name) => [name, valueOf(random, name)])) as Record<FieldName, unknown>;
    const second = Object.fromEntries(
      fields.map((name) => {
        if (known && isShown(vault, name, observer, about)) return [name, first[name]];
        const other = valueOf(random, name);
        // Views count all records with a rank above nought, for whoever sees every rank.
        if (name !== "rank" || !isAlwaysShown(vault, name, observer)) return [name, other];
        const size = Math.abs(other as number);
        return [name, (first.rank as number) > 0 ? size + 1 : -size];
      }),
    ) as Record<FieldName, unknown>;
    const title = one(random, ["alpha", "beta", "gamma delta"]);
    const card: Card = { name: one(random, words), pin: one(random, words) };
    return {
      name: `t${index}`,
      ...about,
      ...(peer === undefined ? {} : { peer: `t${peer}` }),
      values: [
        { title, card, ...first },
        {
          title: known ? title : "other",
          card: { name: known ? card.name : "other", pin: one(random, words) },
          ...second,
        },
      ],
    };
  });
}

/** Whether some operation, or an event, tells the caller of such a record. */
function mayKnow(vault: Vault, caller: Caller, facts: Facts): boolean {
  return [...Object.values(vault.allow), vault.follow].some((all) => all.some((grant) => passes(grant, caller, facts)));
}

// ── What is asked ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Others use the same keys. */
const keys = ["key-1", "key-2"] as const;

const older = { "Vault-Version": "2026-03-01" };
const oldest = { "Vault-Version": "2025-01-01" };

function stepOf(random: Random, { plots }: Pick<Scenario, "plots">): Step {
  const versions = [{}, {}, {}, older, oldest];
  const tags = [{}, {}, {}, {}, { "If-Match": "*" }, { "If-Match": '"1"' }, { "If-None-Match": "*" }, { "If-None-Match": "{tag}" }, { "If-Match": "{tag}" }]; // biome-ignore format: a table
  const headers = { ...one(random, versions), ...one(random, tags) };
  const keyed = random() < 0.3 ? { ...headers, "Idempotency-Key": one(random, keys) } : headers;
  const target = one(random, [...plots.map(({ name }) => `{${name}}`), "{missing}", "{own}"]);
  const at = `/things/${target}`;
  const name = one(random, fields);
  const member = name === "note" && Object.hasOwn(headers, "Vault-Version") ? "memo" : name;
  const value = JSON.stringify(valueOf(random, name));
  const asked = String(valueOf(random, one(random, ["note", "code", "rank"] as const)));
  const any = one(random, ["note", "memo", "code", "rank", "open", "owner", "title", "tags", "hint", "nothing"]);
  // Who makes a record another one by a field that conditions read may see more of it afterwards.
  const settable = any === "open" ? "title" : any;
  const isOpen = plots.find((plot) => target === `{${plot.name}}`)?.open ?? random() < 0.5;
  switch (Math.floor(random() * 28)) {
    case 0:
    case 1:
      return { method: one(random, ["GET", "GET", "HEAD"]), path: at, headers };
    case 2:
      return { method: "GET", path: `${at}/out`, headers };
    case 3:
    case 4:
      return {
        method: "GET",
        path: `${one(random, ["/things", "/things/out"])}?limit=${one(random, [1, 2, 50])}`,
        headers,
      };
    case 5:
    case 6:
      return { method: "GET", path: `/things?${any}=${encodeURIComponent(asked)}`, headers };
    case 7:
      return {
        method: "GET",
        path: `/things?${any}[${one(random, ["gt", "lt", "in", "gte"])}]=${encodeURIComponent(asked)}`,
        headers,
      };
    case 8:
      return {
        method: "GET",
        path: `${one(random, ["/things", "/things/out"])}?sort=${one(random, ["", "-"])}${any}&limit=2`,
        headers,
      };
    case 9:
      return { method: "GET", path: `/things?search=${one(random, ["amber", "birch", "alpha"])}`, headers };
    case 10:
    case 11: {
      const filter = one(random, ["ranked", "noted", "peerRank", "peerNote", "coded", "tagged", "labelled"]);
      const given = filter.endsWith("anked") || filter === "peerRank" ? String(Math.floor(random() * 9) - 4) : asked;
      return { method: "GET", path: `/things?${filter}=${encodeURIComponent(given)}`, headers };
    }
    case 12:
      return { method: "GET", path: "{next}", headers };
    case 13:
      return { method: "PATCH", path: at, headers, body: `{"title":"${one(random, ["alpha", "beta"])}"}` };
    case 14:
      return { method: "PATCH", path: at, headers, body: `{"${one(random, [member, settable])}":${value}}` };
    case 15:
      return { method: "PATCH", path: at, headers, body: one(random, [`{"place":{"zip":"2"}}`, `{"labels":{"b":"x"}}`, `{"owner":"ona"}`, `{"peer":"${one(random, plots.map((plot) => `{${plot.name}}`))}"}`, `{"peer":"{missing}"}`, `{"state":"live"}`, `{"extra":{"deep":null}}`]) }; // biome-ignore format: a table
    case 16:
      return { method: "PUT", path: at, headers, body: wholeBody(random, headers, isOpen) };
    case 17:
      return { method: "POST", path: "/things", headers: keyed, body: wholeBody(random, headers, isOpen) };
    case 18:
      return { method: "POST", path: `${at}/publish`, headers: keyed };
    case 19:
      return { method: "GET", path: `${at}/history`, headers };
    case 20:
      return random() < 0.5
        ? { method: "GET", path: `${at}/parts` }
        : { method: "POST", path: `${at}/parts`, body: '{"body":"a part"}' };
    case 21:
      return { method: "DELETE", path: at, headers };
    case 22:
      return {
        method: "GET",
        path: `/events?limit=${one(random, [1, 2, 50])}`,
        headers: { ...headers, Accept: "application/json", ...one(random, [{}, { "Last-Event-ID": "{event}" }]) },
      };
    case 23:
      return { method: "PATCH", path: at, headers, body: JSON.stringify({ card: one(random, [{ pin: one(random, words) }, { pin: null }, { name: one(random, words) }, { name: one(random, words), pin: one(random, words) }, { more: null }]) }) }; // biome-ignore format: a table
    case 24:
      // At an older version what comes of it is an expression over another field, which may be hidden.
      return { method: "PATCH", path: at, headers: { ...headers, ...one(random, versions.slice(2)) }, body: one(random, ['{"grade":3}', '{"grade":"a grade"}']) }; // biome-ignore format: a table
    case 25:
      return {
        method: one(random, ["GET", "HEAD"]),
        path: `/counted?${one(random, ["limit=2", "offset=1", `${any}=${encodeURIComponent(asked)}`])}`,
        headers,
      };
    case 26: {
      const inside = one(random, [`{"labels":{"b":"x"}}`, `{"labels":{"a":null}}`, `{"extra":{"deep":null}}`, `{"extra":{"new":[1]}}`, `{"place":{"zip":"2"}}`, `{"place":{"zip":null}}`, `{"place":{"road":"r"}}`, `{"cost":{"currency":"USD"}}`, `{"labels":{"b":"x","c":"y"}}`]); // biome-ignore format: a table
      return { method: "PATCH", path: at, headers, body: inside };
    }
    default:
      return { method: one(random, ["GET", "OPTIONS"]), path: one(random, ["/openapi.json", "/", "/things", at, "/events/{event}", "/nothing", "/webhooks"]), headers: one(random, versions) }; // biome-ignore format: a table
  }
}

function wholeBody(random: Random, headers: Readonly<Record<string, string>>, isOpen: boolean): string {
  const isOlder = Object.hasOwn(headers, "Vault-Version");
  const values = Object.fromEntries(
    fields.map((name) => [isOlder && name === "note" ? "memo" : name, valueOf(random, name)]),
  );
  const place = isOlder ? { place: { road: "r" } } : {};
  const card = random() < 0.5 ? {} : { card: { name: one(random, words), pin: one(random, words) } };
  return JSON.stringify({ open: isOpen, title: "made", ...values, ...place, ...card });
}

export function scenarioOf(
  vault: Vault,
  observer: Caller,
  store: Scenario["store"],
  seed: number,
  length: number,
): Scenario {
  const random = seeded(seed);
  const plots = plotsOf(random, vault, observer);
  const steps = Array.from({ length }, () => stepOf(random, { plots }));
  return { vault, observer, store, plots, steps, seed };
}

// ── The worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface World {
  readonly running: Running;
  readonly client: Client;
  readonly receiver: Receiver;
  readonly follower: Follower | undefined;
  readonly credential: Readonly<Record<string, string>>;
  /** Of those who do what the observer may not see. */
  readonly others: (owner: string) => Readonly<Record<string, string>>;
  /** Ids by their names. */
  readonly names: Map<string, string>;
  readonly told: Telling;
  /** What the observer was answered when it asked for webhooks and the stream. */
  readonly opened: string;
}

/** Filters with conditions of the document's own, which read fields that may be hidden. */
const filters = {
  ranked: { type: "integer", if: "rank > value" },
  noted: "note == value",
  coded: "code == value",
  tagged: { type: "string", if: "value in tags" },
  labelled: { type: "string", if: "labels.a == value" },
  peerRank: { type: "integer", if: "peer.rank == value" },
  peerNote: { type: "string", if: "peer.note == value" },
};

/** The newest version first; in the oldest one the rank was a text, and there was no code and no filter that reads it. */
const versions = {
  "2026-09-01": [
    "rename Thing.memo -> note",
    "rename Place.road -> street",
    "retype Thing.grade, was integer, seen as 1 before, taken as memo + '!' before",
  ],
  "2026-03-01": [
    "retype Thing.rank, was string, seen as 'x' before, taken as 0 before",
    "add Thing.code, taken as 'x' before",
  ],
  "2025-01-01": "first",
};

/** Every caller sees them with the record, but for the `pin`. */
const more = {
  "grade?": "string(1..200)",
  "card?": {
    schema: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, pin: { type: "string", writeOnly: true } },
      maxProperties: 2,
    },
  },
};

const counted = { at: "GET /counted", of: "Thing", lists: "offset, limit 20 at most 100", gives: { things: "Brief[]", all: "count" } }; // biome-ignore format: one line

export function documentFor(vault: Vault): string {
  return textOf(vault, {
    filters,
    versions,
    fields: more,
    endpoints: { countThings: counted },
    repeats: "Idempotency-Key on every POST, kept 24h",
  });
}

async function open({ observer, plots, seed, store, vault }: Scenario, which: 0 | 1): Promise<World> {
  const running = await run(documentFor(vault), { store, environment: secrets });
  const client = createClient(running.port, () => {});
  const receiver = await createReceiver();
  const keys = new Map<string, string>();
  for (const owner of owners) keys.set(owner, await running.keyOf("key", owner, "clerk", "boss"));
  const others = (owner: string) => ({ Authorization: `Bearer ${keys.get(owner)}` });
  const credential: Record<string, string> =
    observer.id === undefined
      ? {}
      : { Authorization: `Bearer ${await running.keyOf("key", observer.id, ...observer.roles)}` };
  const names = new Map<string, string>();
  const told = createTelling(running.url, receiver.url, names);
  const world: World = { running, client, receiver, others, credential, names, told, opened: "", follower: undefined };
  for (const plot of plots) {
    if (which === 1) await elsewhere(world, vault, observer, names.size);
    const { owner, open: isOpen, peer, values } = plot;
    const body = { open: isOpen, ...values[which], ...(peer === undefined ? {} : { peer: names.get(peer) }) };
    let made = await client.send({ method: "POST", path: "/things", headers: others(owner), body });
    // Who makes a record refers only to what it sees.
    if (made.status === 422 && peer !== undefined)
      made = await client.send({
        method: "POST",
        path: "/things",
        headers: others(owner),
        body: { ...body, peer: undefined },
      });
    assert.equal(made.status, 201, made.text);
    names.set(plot.name, (made.json as { id: string }).id);
  }
  names.set("missing", "thi_00000000007000800000000000");
  // Webhooks and streams send the version that was requested when they were made.
  const version = [{}, older, oldest][seed % 3] ?? {};
  const hook = await client.send({
    method: "POST",
    path: "/webhooks",
    headers: { ...credential, ...version },
    body: { url: receiver.url },
  });
  names.set("hook", (hook.json as { readonly id?: string }).id ?? "none");
  const stream = await follow(running.port, { ...credential, ...version, Accept: "text/event-stream" });
  const opened = [told.tell(hook), told.text(JSON.stringify([stream.status, normalHeaders(stream.headers)]))].join(
    "\n",
  );
  return { ...world, opened, ...(stream.status === 200 ? { follower: stream } : {}) };
}

/** Something that others do, and the observer may not notice: with records that it does not see, or by reading. */
async function elsewhere(
  world: Pick<World, "client" | "others">,
  vault: Vault,
  observer: Caller,
  turn: number,
): Promise<void> {
  const hidden = owners.flatMap((owner) => [true, false].map((isOpen) => ({ owner, open: isOpen }))).filter((facts) => facts.owner !== observer.id && !mayKnow(vault, observer, facts)); // biome-ignore format: one line
  const facts = hidden[turn % Math.max(1, hidden.length)];
  const { client, others } = world;
  if (facts === undefined) {
    await client.send({ method: "GET", path: "/things?limit=1", headers: others("bell") });
    return;
  }
  const random = seeded(turn + 1);
  const values = Object.fromEntries(fields.map((name) => [name, valueOf(random, name)]));
  // Views that count all records count those with a rank above nought: that is for whoever sees the view to know.
  const body = { title: "alpha", open: facts.open, ...values, rank: -Math.floor(random() * 5) };
  const made = await client.send({ method: "POST", path: "/things", headers: others(facts.owner), body });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json as { id: string };
  for (const [method, path, sent] of [
    ["PATCH", `/things/${id}`, { title: "beta" }],
    ["POST", `/things/${id}/publish`, undefined],
    ["PATCH", `/things/${id}`, { card: { name: "birch", pin: "birch" } }],
    ["POST", `/things/${id}/parts`, { body: "x" }],
    ["GET", "/events", undefined],
    ["DELETE", turn % 2 === 0 ? `/things/${id}` : "/nothing", undefined],
  ] as const)
    await client.send({
      method,
      path,
      headers: { Accept: "application/json", ...others(facts.owner), ...(method === "POST" && turn % 2 === 0 ? { "Idempotency-Key": keys[0] } : {}) }, // biome-ignore format: one line
      ...(sent === undefined ? {} : { body: sent }),
    });
}

// ── What is told ───────────────────────────────────────────────────────────────────────────────────────────────────

export interface Telling {
  /** The answer with ids, times, tags and cursors as names, the same name wherever the same one comes again. */
  tell(reply: Reply, path?: string): string;
  text(text: string): string;
}

/** Names are given in the order in which the observer comes upon what they stand for. */
export function createTelling(url: string, receiver: string, names: ReadonlyMap<string, string>): Telling {
  const known = new Map<string, string>();
  const nameOf = (kind: string, text: string): string => {
    const name = known.get(`${kind} ${text}`) ?? `<${kind} ${known.size}>`;
    known.set(`${kind} ${text}`, name);
    return name;
  };
  const text = (given: string): string => {
    const ids = new Map([...names].map(([name, id]) => [id, `<${name}>`]));
    return given
      .replaceAll(url, "<base>")
      .replaceAll(new URL(url).host, "<host>")
      .replaceAll(receiver, "<receiver>")
      .replaceAll(/("sequence":)"?\d+"?/g, "$1<sequence>")
      .replaceAll(/\breq_[0-9a-z]{26}\b/g, "<request>")
      .replaceAll(/\b[a-z]+_[0-9a-z]{26}\b/g, (id) => ids.get(id) ?? nameOf("id", id))
      .replaceAll(/\b(?:whsec|vk)_[\w+/=-]{20,}/g, (secret) => nameOf("secret", secret))
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>")
      .replaceAll(
        /("next":"|cursor=)([\w-]{22,})/g,
        (_, before: string, cursor: string) => before + nameOf(`cursor of ${cursor.length}`, cursor),
      );
  };
  return {
    text,
    tell: ({ status, headers, text: body }, path = "") => {
      const { etag, ...others } = normalHeaders(headers);
      // Two records that changed in one millisecond have the same tag, each for itself.
      const tag = etag === undefined ? {} : { etag: nameOf(`tag of ${etag.length}`, `${path} ${etag}`) };
      return text(JSON.stringify([status, { ...others, ...tag }, body]).replaceAll('\\"', '"'));
    },
  };
}

export function normalHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { date: _, connection: __, "keep-alive": ___, "request-id": ____, ...others } = headers;
  return others;
}

/** The machine had no time for a request, which says nothing of the two worlds. */
export class Busy extends Error {}

async function ask(
  { client, credential, names, running, told }: World,
  { method, path, headers = {}, body }: Step,
): Promise<string> {
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => names.get(name) ?? hole);
  const sent: Sent = {
    method,
    path: filled(path),
    headers: {
      ...credential,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    },
    ...(body === undefined ? {} : { body: filled(body) }),
  };
  if (!sent.path.startsWith("/")) return "nothing to go on with";
  const reply = await client.send(sent);
  if (reply.status === 503) throw new Busy(reply.text);
  assert(
    reply.status < 500,
    `${method} ${path} ${JSON.stringify([headers, body])}: ${reply.text} ${String((running.failures.at(-1) as Error | undefined)?.stack)}`,
  );
  const { etag, link } = reply.headers;
  if (etag !== undefined) names.set("tag", etag);
  const next = link === undefined ? undefined : /<[^>]*?(\/(?:things|events)[^>]*)>; rel="next"/.exec(link)?.[1];
  if (next !== undefined) names.set("next", next);
  const event = /"evt_[0-9a-v]{26}"/.exec(reply.text)?.[0].slice(1, -1);
  if (event !== undefined) names.set("event", event);
  if (method === "POST" && path === "/things" && reply.status === 201)
    names.set("own", (reply.json as { id: string }).id);
  return told.tell(reply, path);
}

export interface Difference {
  readonly steps: readonly Step[];
  readonly first: string;
  readonly second: string;
}

export interface Played {
  readonly requests: number;
  readonly difference?: Difference;
}

/** Plays the scenario in both worlds; the first answer that differs ends it. */
export async function play(scenario: Scenario): Promise<Played> {
  const { observer, steps, vault } = scenario;
  const first = await open(scenario, 0);
  const second = await open(scenario, 1);
  await using _first = first.running;
  await using _second = second.running;
  await using _one = first.receiver;
  await using _two = second.receiver;
  using _client = first.client;
  using _other = second.client;
  try {
    if (first.opened !== second.opened)
      return { requests: 0, difference: { steps: [], first: first.opened, second: second.opened } };
    let done = 0;
    for (const [index, step] of steps.entries()) {
      // Others go on meanwhile, otherwise in each world.
      if (index % 5 === 2) await elsewhere(second, vault, observer, index);
      if (index % 11 === 7) await elsewhere(first, vault, observer, index + 1);
      const answers = await Promise.all([ask(first, step), ask(second, step)]);
      done += 1;
      if (answers[0] !== answers[1])
        return {
          requests: 2 * done,
          difference: { steps: steps.slice(0, index + 1), first: answers[0], second: answers[1] },
        };
    }
    const told = await Promise.all([sentTo(first), sentTo(second)]);
    assert.deepEqual([...first.running.failures, ...second.running.failures], []);
    if (told[0] === told[1]) return { requests: 2 * done };
    return { requests: 2 * done, difference: { steps, first: told[0], second: told[1] } };
  } finally {
    first.follower?.[Symbol.dispose]();
    second.follower?.[Symbol.dispose]();
  }
}

/** What came by the stream and to the webhook, once all that is still to come has had its time. */
async function sentTo({ client, credential, follower, names, receiver, running, told }: World): Promise<string> {
  const read = (path: string) => client.send({ method: "GET", path, headers: credential });
  const attemptsNow = async (): Promise<readonly object[]> => {
    const { json } = await read(`/webhooks/${names.get("hook")}/deliveries?limit=200`);
    return (json as { readonly items?: readonly object[] }).items ?? [];
  };
  let items: readonly object[] = [];
  for (let quiet = 0, last = ""; quiet < 3; ) {
    await running.tick();
    await pass(60);
    items = await attemptsNow();
    const isUnderWay = items.some((one) => (one as { readonly state?: string }).state === "pending");
    const sizes = [follower?.text.length, receiver.received.length, items.length].join();
    quiet = sizes === last && !isUnderWay ? quiet + 1 : 0;
    last = sizes;
  }
  // Deliveries of one endpoint are in the order of each record, and those of different records in any.
  const deliveries = receiver.received.map(({ body, headers }) => `${body} ${headers["content-type"]}`);
  const hooks = await read("/webhooks");
  return [
    told.text((follower?.text ?? "").replaceAll(/^:\nid: evt_\w+\n\n/gm, "").replaceAll(/^id: evt_\w+$/gm, "id")),
    ...deliveries.map((one) => told.text(one)).toSorted(),
    told.tell(hooks),
    ...items.map((one) => told.text(attemptText(one))).toSorted(),
  ].join("\n");
}

/** A delivery without its id, its event's id and the time that its receiver took: they differ in each run. */
function attemptText(delivery: object): string {
  const text = JSON.stringify(delivery).replaceAll(/"(?!thi_)[a-z]+_[0-9a-z]{26}"/g, '"<id>"');
  return text.replaceAll(/"milliseconds":\d+/g, '"milliseconds":0');
}

/** The fewest requests that still differ: the last one alone if that will do, else without as many of those before as can be. */
export async function smallest(scenario: Scenario, found: Difference): Promise<Difference> {
  let best = found;
  const again = async (steps: readonly Step[]): Promise<boolean> => {
    const { difference } = await play({ ...scenario, steps });
    if (difference === undefined) return false;
    best = difference;
    return true;
  };
  const last = found.steps.slice(-1);
  if (await again(last)) return best;
  for (let chunk = Math.ceil(best.steps.length / 2), tries = 0; chunk >= 1 && tries < 40; ) {
    let cut = false;
    for (let at = 0; at < best.steps.length - 1 && tries < 40; at += chunk) {
      tries += 1;
      const rest = [...best.steps.slice(0, at), ...best.steps.slice(Math.min(at + chunk, best.steps.length - 1))];
      if (rest.length < best.steps.length && (await again(rest))) {
        cut = true;
        break;
      }
    }
    if (!cut) chunk = Math.floor(chunk / 2);
  }
  return best;
}
