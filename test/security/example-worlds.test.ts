/**
 * Non-interference (R5.8, R5.9) of the examples: each document with hidden fields or owners runs in two worlds that differ in the
 * records and writes of other users. Each caller gets the same responses in both, in each version.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import handlers from "../../examples/courier-rates/handlers.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { createClient, type Client, type Reply } from "../serve/client.ts";
import { run, type Running } from "../serve/running.ts";
import { stores } from "../serve/scenario.ts";
import { createTelling, normalHeaders, type Telling } from "./worlds.ts";

interface Step {
  readonly who?: string;
  readonly call: string;
  readonly body?: unknown;
  /** The body in the second world. */
  readonly otherBody?: unknown;
  readonly headers?: Fields;
  /** What its id, or what `of` finds in the answer, is called; `{name}` stands for it. */
  readonly as?: string;
  readonly of?: (json: never) => string;
}

type Fields = Readonly<Record<string, string>>;

interface Example {
  readonly file: string;
  readonly environment?: Fields;
  readonly functions?: ServiceFunctions;
  /** The header of each caller with a credential. */
  readonly callers: Readonly<Record<string, (running: Running) => Promise<Fields>>>;
  /** Those who ask; undefined: without a credential. */
  readonly observers: readonly (string | undefined)[];
  /** Done in both worlds. */
  readonly before: readonly Step[];
  /** Done in the second one alone: at the start, and again in turn between what is asked. */
  readonly others: readonly Step[];
  readonly queries: readonly string[];
  /** Asked beside every path that can be read. */
  readonly asks: readonly Step[];
  readonly versions?: readonly Fields[];
}

const key = (header: string, credential: string, roles: readonly string[], prefix = "") => (user: string) => async (running: Running): Promise<Fields> => ({ [header]: prefix + (await running.keyOf(credential, user, ...roles)) }); // biome-ignore format: one line
const basic = (credential: string, ...roles: string[]) => (user: string) => async (running: Running): Promise<Fields> => ({ Authorization: `Basic ${Buffer.from(`${user}:${await running.keyOf(credential, user, ...roles)}`).toString("base64")}` }); // biome-ignore format: one line

/** What an example says itself is not held against it: its events carry the code, which is another one in each world. */
const said = /"pickupCode":"\d{6}"/g;

const courier = key("Authorization", "key", ["courier"], "Bearer ");
const any = { "If-Match": "*" };

function parcel(site: string, size: string, number: string): object {
  return {
    site,
    size,
    trackingNumber: number,
    recipientEmail: `${number}@example.org`,
    weightKg: 2,
    labels: ["glass"],
  };
}

const lockers: Example = {
  file: "parcel-lockers.md",
  environment: { DOOR_SECRET: "a secret of the doors" },
  callers: {
    ole: key("Authorization", "key", ["operator"], "Bearer ")("ole"),
    ana: courier("ana"),
    bo: courier("bo"),
  },
  observers: ["ana", undefined],
  before: [
    {
      who: "ole",
      call: "POST /sites",
      body: { name: "Mall", address: { street: "Main 1", postcode: "0150", country: "NO" } },
      as: "site",
    },
    ...["small", "medium", "large"].map((size, index) => ({
      who: "ole",
      call: "POST /lockers",
      body: { site: "{site}", door: index + 1, size },
    })),
    { who: "ana", call: "POST /parcels", body: parcel("{site}", "small", "ANA-000001"), as: "mine" },
    // Every signed-in caller may see that a locker is occupied, but not by which parcel.
    {
      who: "bo",
      call: "POST /parcels",
      body: parcel("{site}", "medium", "BO-0000001"),
      otherBody: { ...parcel("{site}", "medium", "BO-0000002"), weightKg: 7 },
      as: "theirs",
    },
  ],
  others: [
    { who: "bo", call: "PATCH /parcels/{theirs}", body: { recipientEmail: "z@example.org" }, headers: any },
    { who: "bo", call: "PATCH /parcels/{theirs}", body: { recipientEmail: "w@example.org" }, headers: any },
    { who: "bo", call: "GET /parcels" },
    { who: "ole", call: "GET /parcels/{mine}" },
    { who: "ole", call: "POST /webhooks", body: { url: "https://hooks.example/1" } },
    { who: "bo", call: "PATCH /parcels/{mine}", body: { recipientEmail: "x@example.org" }, headers: any },
    { who: "bo", call: "GET /events", headers: { Accept: "application/json" } },
  ],
  queries: [
    "limit=1",
    "trackingNumber=BO-0000001",
    "trackingNumber=ANA-000001",
    "courier=bo",
    "courier=ana",
    "state=announced",
    "sort=-createdAt",
    "sort=pickupCode",
    "pickupCode=123456",
    "size=small",
    "site={site}",
  ],
  asks: [
    { call: "PATCH /parcels/{mine}", body: { recipientEmail: "y@example.org" }, headers: any },
    { call: "PATCH /parcels/{mine}", body: { recipientEmail: "y@example.org", pickupCode: "123456" }, headers: any },
    { call: "PATCH /parcels/{missing}", body: { recipientEmail: "y@example.org" }, headers: any },
    { call: "POST /parcels/{mine}/drop-off", headers: { ...any, "Idempotency-Key": "one" } },
    { call: "POST /parcels/{mine}/drop-off", headers: { ...any, "Idempotency-Key": "one" } },
    { call: "POST /parcels/{mine}/collect", body: { code: "abcdef" } },
    { call: "POST /parcels/{missing}/collect", body: { code: "abcdef" } },
    { call: "POST /parcels/{mine}/take-back", headers: any },
    { call: "POST /webhooks", body: { url: "https://hooks.example/2" } },
    { call: "POST /sites", body: {} },
  ],
  versions: [{}, { "Lockers-Version": "2026-03-01" }],
};

const printer = (role: string) => key("Print-Key", "key", [role]);

const prints: Example = {
  file: "print-shop.md",
  callers: {
    ana: printer("customer")("ana"),
    bo: printer("customer")("bo"),
    pia: printer("printer")("pia"),
    pax: printer("packer")("pax"),
  },
  observers: ["ana", undefined],
  before: [
    {
      who: "ana",
      call: "POST /orders",
      body: { paper: "matt", sheets: 10, note: "mine" },
      as: "mine",
      of: ({ number }: { number: number }) => String(number),
    },
  ],
  others: [
    { who: "bo", call: "POST /orders", body: { paper: "gloss", sheets: 77 } },
    { who: "bo", call: "GET /orders" },
    { who: "pax", call: "POST /boxes", body: { size: "small" } },
    { who: "bo", call: "POST /orders/2/withdraw", headers: any },
    { who: "bo", call: "PATCH /orders/1", body: { note: "x" }, headers: any },
  ],
  queries: ["limit=1", "number=2", "customer=bo", "paper=gloss", "state=withdrawn", "sort=placedAt", "sort=-sheets"],
  asks: [
    { call: "GET /orders/2" },
    { call: "PATCH /orders/2", body: { note: "y" }, headers: any },
    { call: "PATCH /orders/{mine}", body: { note: "y" }, headers: any },
    { call: "POST /orders/3/withdraw", headers: any },
    { call: "POST /jobs", body: { order: "{missing}", press: "A3" } },
    { call: "POST /orders/{mine}/withdraw", headers: { ...any, "Idempotency-Key": "one" } },
    { call: "POST /orders/{mine}/withdraw", headers: { ...any, "Idempotency-Key": "two" } },
  ],
};

const rate = key("Authorization", "key", [], "Bearer ");

const rates: Example = {
  file: "courier-rates/courier-rates.md",
  functions: handlers as unknown as ServiceFunctions,
  callers: { ole: key("Authorization", "key", ["operator"], "Bearer ")("ole"), ana: rate("ana"), bo: rate("bo") },
  observers: ["ana", undefined],
  before: [
    {
      who: "ole",
      call: "PUT /rates/near",
      body: { start: { amount: "5.00", currency: "EUR" }, perKg: { amount: "1.00", currency: "EUR" } },
    },
    { who: "ana", call: "POST /quotes", body: { zone: "near", weightKg: 3 }, as: "quote" },
    { who: "ana", call: "POST /orders", body: { quote: "{quote}", address: "Main 1, Oslo" }, as: "mine" },
  ],
  others: [
    { who: "bo", call: "POST /quotes", body: { zone: "near", weightKg: 9 }, as: "theirQuote" },
    { who: "bo", call: "POST /orders", body: { quote: "{theirQuote}", address: "Side 2, Oslo" }, as: "theirs" },
    { who: "ole", call: "POST /orders/{theirs}/deliver" },
    { who: "ole", call: "GET /days" },
    { who: "bo", call: "POST /orders", body: { quote: "{quote}", address: "Side 2, Oslo" } },
    { who: "bo", call: "GET /invoices" },
  ],
  queries: ["limit=1", "sort=-createdAt", "createdAt[gt]=2020-01-01T00:00:00Z", "customer=bo", "search=x"],
  asks: [
    { call: "GET /orders/{missing}" },
    { call: "POST /orders", body: { quote: "{quote}", address: "Main 1, Oslo" } },
    { call: "POST /orders", body: { quote: "{missing}", address: "Main 1, Oslo" } },
    { call: "POST /orders/{mine}/deliver" },
    { call: "POST /quotes", body: { zone: "near", weightKg: 1 } },
    { call: "POST /quotes", body: { zone: "far", weightKg: 1 } },
  ],
};

const people = ["ana", "bo", "cy"] as const;
const word = "correct horse battery";
const session =
  (name: string) =>
  async (running: Running): Promise<Fields> => {
    using client = createClient(running.port, () => {});
    const user = { username: name, email: `${name}@example.org`, password: word };
    const reply = await client.send({ method: "POST", path: "/api/users", body: { user } });
    assert.equal(reply.status, 201, reply.text);
    return { Authorization: `Token ${(reply.json as { user: { token: string } }).user.token}` };
  };

const conduit: Example = {
  file: "conduit.md",
  callers: Object.fromEntries(people.map((name) => [name, session(name)])),
  observers: ["ana", undefined],
  before: [
    {
      who: "cy",
      call: "POST /api/articles",
      body: { article: { title: "How to", description: "d", body: "b", tagList: ["x", "y"] } },
    },
    { who: "ana", call: "POST /api/profiles/cy/follow" },
    { who: "ana", call: "POST /api/articles/how-to/comments", body: { comment: { body: "good" } } },
  ],
  others: [
    { who: "bo", call: "PUT /api/user", body: { user: { email: "other@example.org" } } },
    { who: "bo", call: "POST /api/profiles/cy/follow" },
    { who: "bo", call: "POST /api/profiles/ana/follow" },
    { who: "bo", call: "DELETE /api/articles/how-to" },
    { who: "bo", call: "DELETE /api/articles/how-to/comments/1" },
    { who: "cy", call: "GET /api/articles/feed" },
  ],
  queries: ["limit=1", "offset=1", "tag=x", "author=cy", "author=nobody", "favorited=bo"],
  asks: [
    { call: "GET /api/profiles/bo" },
    { call: "GET /api/profiles/cy" },
    { call: "GET /api/profiles/nobody" },
    { call: "GET /api/articles/how-to" },
    { call: "GET /api/articles/how-to/comments" },
    { call: "PUT /api/articles/how-to", body: { article: { body: "mine" } } },
    { call: "PUT /api/user", body: { user: { bio: "a bio" } } },
    { call: "POST /api/articles/how-to/favorite" },
    { call: "POST /api/users/login", body: { user: { email: "bo@example.org", password: "a wrong password" } } },
    { call: "POST /api/users/login", body: { user: { email: "who@example.org", password: "a wrong password" } } },
  ],
};

const station = { name: "North", place: { latitude: 1, longitude: 2 }, instruments: ["barometer"] };

const stations: Example = {
  file: "weather-stations.md",
  environment: { STATION_SECRET: "a shared secret of enough length" },
  callers: { ana: basic("staff", "keeper")("ana"), bo: basic("staff", "keeper")("bo") },
  observers: ["ana", undefined],
  before: [
    { who: "ana", call: "PUT /stations/NO-1", body: station },
    { who: "bo", call: "PUT /stations/NO-2", body: { ...station, name: "South" } },
  ],
  others: [
    { who: "bo", call: "PUT /stations/NO-1", body: { ...station, name: "Mine" } },
    { who: "bo", call: "GET /stations" },
    { who: "bo", call: "DELETE /stations/NO-1" },
    { who: "bo", call: "PUT /stations/NO-2", body: { ...station, name: "South" } },
  ],
  queries: ["limit=1", "name=South", "owner=bo", "sort=-updatedAt", "sort=place"],
  asks: [
    { call: "GET /stations/NO-2" },
    { call: "PUT /stations/NO-2", body: station },
    { call: "PUT /stations/NO-1", body: { ...station, name: "Norther" } },
    { call: "POST /stations/NO-2/open" },
    { call: "DELETE /stations/NO-2" },
  ],
};

const examples = [lockers, prints, rates, conduit, stations];

interface World {
  readonly running: Running;
  readonly client: Client;
  readonly names: Map<string, string>;
  readonly headers: Readonly<Record<string, Fields>>;
  readonly telling: Telling;
}

async function open(
  { callers, environment, file, functions }: Example,
  store: (typeof stores)[number],
): Promise<World> {
  const text = readFileSync(new URL(`../../examples/${file}`, import.meta.url), "utf8");
  const running = await run(text, {
    store,
    ...(environment === undefined ? {} : { environment }),
    ...(functions === undefined ? {} : { functions }),
  });
  const headers: Record<string, Fields> = {};
  for (const [name, headerOf] of Object.entries(callers)) headers[name] = await headerOf(running);
  const names = new Map([["missing", "xxx_00000000007000800000000000"]]);
  const client = createClient(running.port, () => {});
  return { running, client, names, headers, telling: createTelling(running.url, "https://hooks.example", names) };
}

async function send({ client, headers, names, running }: World, { body, call, who, ...step }: Step): Promise<Reply> {
  const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => names.get(name) ?? hole);
  const [method = "", path = ""] = call.split(" ");
  const sent = { method, path: fill(path), headers: { ...(who === undefined ? {} : headers[who]), ...step.headers } };
  const reply = await client.send(
    body === undefined ? sent : { ...sent, body: JSON.parse(fill(JSON.stringify(body))) as object },
  );
  assert(reply.status < 500, `${call}: ${reply.text} ${String(running.failures.at(-1))}`);
  if (step.as !== undefined) {
    assert(reply.status < 300, `${call}: ${reply.text}`);
    names.set(step.as, step.of?.(reply.json as never) ?? (reply.json as { id: string }).id);
  }
  return reply;
}

/** A response as text, without the seconds that are left of a limit. */
function toldOf({ telling }: World, reply: Reply, call: string): string {
  const limits = Object.fromEntries(
    Object.entries(normalHeaders(reply.headers)).map(([name, value]) => [
      name,
      value.replaceAll(/\bt=\d+/g, "t=<time>"),
    ]),
  );
  return telling
    .tell({ ...reply, headers: limits }, call)
    .replaceAll(/"token":"[^"]+"/g, '"token":"<token>"')
    .replaceAll(/"retry-after":"\d+"/g, '"retry-after":"<time>"')
    .replaceAll(said, '"pickupCode":"<code>"');
}

/** All paths that can be read, with the records that have names, and what is written beside. */
function asksOf(
  { asks, queries, versions = [{}] }: Example,
  { names, running }: World,
  who: string | undefined,
): readonly Step[] {
  const reads = running.routes.flatMap((route) => {
    const [method = "", path = ""] = route.split(" ");
    if (method !== "GET" || path === "/openapi.json") return [];
    if (!path.includes("{")) return [`GET ${path}`, ...queries.map((query) => `GET ${path}?${query}`)];
    return [...names.keys()].map((name) => `GET ${path.replaceAll(/\{\w+\}/g, `{${name}}`)}`);
  });
  const all: readonly Step[] = [...reads.map((call) => ({ call, headers: { Accept: "application/json" } })), ...asks];
  return versions.flatMap((version) =>
    all.map((step) => ({ ...step, ...(who === undefined ? {} : { who }), headers: { ...step.headers, ...version } })),
  );
}

for (const store of stores.filter((one) => one !== "memory"))
  for (const example of examples)
    test(`R5.8 R5.9 ${example.file}: nobody learns anything of others (${store})`, async (t) => {
      const [first, second] = [await open(example, store), await open(example, store)];
      await using _first = first.running;
      await using _second = second.running;
      using _client = first.client;
      using _other = second.client;
      for (const step of example.before) {
        for (const world of [first, second]) {
          const otherwise = world === second && step.otherBody !== undefined ? { body: step.otherBody } : {};
          const { status, text } = await send(world, { ...step, ...otherwise });
          assert(status < 300, `${step.call}: ${text}`);
        }
      }
      const known = example.observers.flatMap((observer) => asksOf(example, first, observer));
      const done: number[] = [];
      for (const step of example.others) done.push((await send(second, step)).status);
      assert(
        done.some((status) => status < 300),
        "others do something",
      );
      for (const [index, step] of known.entries()) {
        // The rate of anonymous callers allows few requests a minute.
        if (index % 20 === 19) for (const { running } of [first, second]) running.pass(60_000);
        const other = example.others[index % example.others.length];
        if (other !== undefined) await send(second, other);
        const [one, two] = [await send(first, step), await send(second, step)];
        assert.equal(toldOf(first, one, step.call), toldOf(second, two, step.call), JSON.stringify(step));
      }
      assert.deepEqual([...first.running.failures, ...second.running.failures], []);
      t.diagnostic(`${known.length} requests`);
    });
