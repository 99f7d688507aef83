/**
 * The exported client when requests fail: which ones it retries, with which body and delay; pages, waits, streams and webhooks. A
 * custom `fetch` returns the artificial responses; for the service's side of retries, a served document runs on both stores,
 * behind a relay that drops responses.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { planOf, run, type Running } from "../serve/running.ts";
import { ledger } from "../serve/ledger.ts";
import { createReceiver } from "../serve/receiver.ts";
import { documentText, stores } from "../serve/scenario.ts";
import { type Client, type ClientModule, type Given, moduleOf, type RejectOptions } from "./client-of.ts";
import { flagshipText, library, libraryText } from "./documents.ts";

let lockers: ClientModule;
let rooms: ClientModule;
before(async () => {
  lockers = await moduleOf(planOf(flagshipText));
  rooms = await moduleOf(library);
});

// ── With answers that are made up ──────────────────────────────────────────────────────────────────────────────────

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | "dropped";

/** Answers with each reply in turn, the last one from then on, and keeps what was sent. */
function answering(...replies: readonly Reply[]): { readonly sent: Sent[]; readonly fetch: unknown } {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? "dropped";
    sent.push({
      url,
      method: init.method ?? "",
      headers: init.headers as Headers,
      body: init.body as string | undefined,
    });
    if (reply === "dropped") throw new TypeError("fetch failed");
    const { status, headers = {}, body } = reply;
    return new Response(body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers,
    });
  };
  return { sent, fetch };
}

const quick = { retries: { most: 2, firstDelay: 1, longestDelay: 2 } };
const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { code, detail: code },
});
const site = { status: 201, headers: { ETag: '"1"' }, body: { id: "site_1" } };

/** The call, what comes, how many requests that makes, and what becomes of it. */
const rows: readonly (readonly [
  name: string,
  call: (client: Client) => Promise<unknown>,
  replies: readonly Reply[],
  count: number,
  end: string,
])[] = [
  [
    "a read is sent again when there was no response",
    (c) => c.getParcel("par_1"),
    ["dropped", "dropped", site],
    3,
    "given",
  ],
  ["but not for ever", (c) => c.getParcel("par_1"), ["dropped"], 3, "ConnectionError"],
  ["a write with a key is sent again", (c) => c.addSite({}), ["dropped", site], 2, "given"],
  [
    "a write without a key is not: it may have been done",
    (c) => c.deleteWebhook("w", { ifMatch: '"1"' }),
    ["dropped"],
    1,
    "ConnectionError",
  ],
  [
    "what was refused before anything was done is",
    (c) => c.deleteWebhook("w", { ifMatch: '"1"' }),
    [problem(503, "overloaded"), { status: 204 }],
    2,
    "given",
  ],
  ["too many requests", (c) => c.addSite({}), [problem(429, "rate-limited", { "Retry-After": "0" }), site], 2, "given"],
  [
    "more patience than there is",
    (c) => c.addSite({}),
    [problem(429, "rate-limited", { "Retry-After": "3600" })],
    1,
    "rate-limited",
  ],
  [
    "a date to come back at that is over",
    (c) => c.addSite({}),
    [problem(503, "overloaded", { "Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT" }), site],
    2,
    "given",
  ],
  ["the first request still runs", (c) => c.addSite({}), [problem(409, "idempotency-key-in-use"), site], 2, "given"],
  [
    "a conflict is the service's last word",
    (c) => c.announceParcel({}),
    [problem(409, "no-free-locker", { "Retry-After": "0" })],
    1,
    "no-free-locker",
  ],
  ["so is a fault", (c) => c.addSite({}), [problem(422, "invalid-request")], 1, "invalid-request"],
  [
    "a failure of the service, of a write with a key",
    (c) => c.addSite({}),
    [problem(500, "internal"), site],
    2,
    "given",
  ],
  ["of one without", (c) => c.deleteWebhook("w", { ifMatch: '"1"' }), [problem(500, "internal")], 1, "internal"],
  [
    "a page of something on the way",
    (c) => c.deleteWebhook("w", { ifMatch: '"1"' }),
    [{ status: 502, body: "<h1>Bad gateway</h1>" }],
    1,
    "unrecognized",
  ],
  [
    "a success that is no JSON",
    (c) => c.addSite({}, { retries: 0 }),
    [{ status: 201, body: "<html>" }],
    1,
    "ConnectionError",
  ],
  ["none if the caller says so", (c) => c.getParcel("par_1", { retries: 0 }), ["dropped"], 1, "ConnectionError"],
];

for (const [name, call, replies, count, end] of rows) {
  test(name, async () => {
    const { sent, fetch } = answering(...replies);
    const client = lockers.createClient({ baseUrl: "http://lockers.example/", fetch, ...quick });
    const became = await call(client).then(
      () => "given",
      (thrown: RejectOptions) => (thrown.name === "ApiError" ? thrown.code : thrown.name),
    );
    assert.equal(became, end);
    assert.equal(sent.length, count);
    const keys = new Set(sent.map(({ headers }) => headers.get("Idempotency-Key")));
    assert.equal(keys.size, 1, "all tries have one key, or none");
  });
}

test("what is sent: version, credential, key, tag, query, body", async () => {
  const { sent, fetch } = answering({ status: 200, body: { items: [], next: null } });
  const client = lockers.createClient({
    baseUrl: "http://lockers.example/at/",
    fetch,
    credential: { key: () => "pl_1" },
  });
  await client.listParcels({
    "state[in]": ["announced", "stored"],
    limit: 5,
    courier: undefined,
    trackingNumber: "a&b,c",
  });
  await client.changeParcel("par/1", { labels: null }, { ifMatch: '"7"' });
  await client.dropOff("par_1", { idempotencyKey: "mine" });
  const [list, change, drop] = sent.map(({ url, method, headers, body }) => ({
    url,
    method,
    body,
    ...Object.fromEntries(headers),
  })) as readonly Record<string, unknown>[];
  assert.deepEqual(list, {
    url: "http://lockers.example/at/parcels?state%5Bin%5D=announced,stored&limit=5&trackingNumber=a%26b%2Cc",
    method: "GET",
    body: undefined,
    accept: "application/json",
    authorization: "Bearer pl_1",
    "lockers-version": "2026-09-01",
  });
  assert.deepEqual(change, {
    url: "http://lockers.example/at/parcels/par%2F1",
    method: "PATCH",
    body: '{"labels":null}',
    accept: "application/json",
    authorization: "Bearer pl_1",
    "content-type": "application/merge-patch+json",
    "if-match": '"7"',
    "lockers-version": "2026-09-01",
  });
  assert.deepEqual([drop?.["body"], drop?.["content-type"], drop?.["idempotency-key"]], [undefined, undefined, "mine"]);
});

test("what names nothing is not asked for", async () => {
  const { sent, fetch } = answering(site);
  const client = lockers.createClient({ baseUrl: "http://lockers.example", fetch });
  for (const id of ["", ".", "..", undefined]) await assert.rejects(client.getParcel(id), /which is not an id/);
  await assert.rejects(client.changeParcel("par_1", {}, { ifMatch: { id: "par_1" } }), /has no ETag/);
  assert.equal(sent.length, 0);
});

test("a secret that is refused is asked for once more", async () => {
  const { sent, fetch } = answering(problem(401, "unauthenticated"), site);
  const asked: boolean[] = [];
  const key = (refused: boolean): string => {
    asked.push(refused);
    return refused ? "new" : "old";
  };
  await lockers.createClient({ baseUrl: "http://lockers.example", fetch, credential: { key } }).addSite({});
  assert.deepEqual(asked, [false, true]);
  assert.deepEqual(
    sent.map(({ headers }) => headers.get("Authorization")),
    ["Bearer old", "Bearer new"],
  );
  const always = answering(problem(401, "unauthenticated"));
  const refused = lockers.createClient({
    baseUrl: "http://lockers.example",
    fetch: always.fetch,
    credential: { key: "k" },
  });
  await assert.rejects(refused.addSite({}), /401 unauthenticated/);
  assert.equal(always.sent.length, 1);
});

test("a signal ends a call at once, also while it waits for the next try", async () => {
  const { sent, fetch } = answering("dropped");
  const client = lockers.createClient({ baseUrl: "http://lockers.example", fetch });
  const stop = new AbortController();
  const called = client.getParcel("par_1", {
    signal: stop.signal,
    retries: { firstDelay: 60_000, longestDelay: 60_000 },
  });
  setImmediate(() => stop.abort(new Error("enough")));
  await assert.rejects(called, /enough/);
  assert.equal(sent.length, 1);
});

test("no answer in time is a failure of its own", async () => {
  const fetch = (_: string, { signal }: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  const client = lockers.createClient({ baseUrl: "http://lockers.example", fetch, timeout: 5, retries: 0 });
  await assert.rejects(client.getParcel("par_1"), { name: "TimeoutError" });
});

test("pages that are numbered, pages that only Link tells of, and a list that nobody looks at", async () => {
  const numbered = answering(
    { status: 200, body: { items: [{ id: "1" }], next: 20 } },
    { status: 200, body: { items: [], next: 40 } },
    { status: 200, body: { items: [{ id: "2" }], next: null } },
  );
  const client = rooms.createClient({ baseUrl: "http://rooms.example", fetch: numbered.fetch });
  const all = await itemsOf(client.listShelves("hall", { width: 5 }));
  assert.deepEqual(
    all.map(({ id }) => id),
    ["1", "2"],
  );
  assert.deepEqual(
    numbered.sent.map(({ url }) => new URL(url).search),
    ["?width=5", "?width=5&offset=20", "?width=5&offset=40"],
  );
  client.listShelves("hall");
  assert.equal(numbered.sent.length, 3);
});

test("a body of the document's own says its code, and words", async () => {
  const { fetch } = answering({
    status: 409,
    body: { errors: { room: ["There is one"] }, kind: "no-space", http: 409 },
  });
  const { ok, error } = await rooms
    .createClient({ baseUrl: "http://rooms.example", fetch })
    .addShelf("hall", {})
    .outcome();
  assert.deepEqual([ok, error?.code, error?.status], [false, "no-space", 409]);
});

test("a body without a code is told by its status, its words, and its faults", async () => {
  const text = libraryText.replace(/^body: .*$/m, 'body: { errors: { "{field}": ["{message}"] } }');
  const module = await moduleOf(planOf(text));
  const rows: readonly (readonly [status: number, body: object, code: string, faults: readonly string[]])[] = [
    [409, { errors: { body: ["The room has such a shelf"] } }, "no-space", ["body: The room has such a shelf"]],
    [
      422,
      { errors: { width: ["too large", "no"], label: ["gone"] } },
      "invalid-request",
      ["width: too large", "width: no", "label: gone"],
    ],
    [409, { errors: { body: ["Something else"] } }, "unrecognized", ["body: Something else"]],
    [418, { teapot: true }, "unrecognized", []],
  ];
  for (const [status, body, code, faults] of rows) {
    const { fetch } = answering({ status, body });
    const client = module.createClient({ baseUrl: "http://rooms.example", fetch });
    const { error } = await client.addShelf("hall", {}).outcome();
    const told = error?.faults.map(({ field, detail }) => `${field}: ${detail}`);
    assert.deepEqual([error?.code, told], [code, faults], JSON.stringify(body));
  }
});

test("a webhook is believed by its signature alone", async () => {
  const secret = `whsec_${Buffer.from("a secret of some length!").toString("base64")}`;
  const payload = '{"type":"parcel.stored"}';
  const now = Date.now();
  const signed = new Webhook(secret).sign("evt_1", new Date(now), payload);
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(now / 1000)),
    "webhook-signature": `v1,AAAA ${signed}`,
  };
  const old = `whsec_${Buffer.from("another secret").toString("base64")}`;
  const good: readonly Parameters<ClientModule["verifyWebhook"]>[] = [
    [payload, headers, secret],
    [payload, new Headers(headers), [old, secret]],
  ];
  for (const row of good) assert.deepEqual(await lockers.verifyWebhook(...row), { type: "parcel.stored" });
  const bad: readonly Parameters<ClientModule["verifyWebhook"]>[] = [
    [`${payload} `, headers, secret],
    [payload, headers, old],
    [payload, { ...headers, "webhook-id": "evt_2" }, secret],
    [payload, { ...headers, "webhook-timestamp": String(Math.floor(now / 1000) - 301) }, secret],
    [payload, { ...headers, "webhook-signature": signed.replace("v1,", "v1a,") }, secret],
    [payload, { ...headers, "webhook-signature": "v1,%%%" }, secret],
    [payload, { "webhook-id": "evt_1" }, secret],
    [payload, headers, []],
  ];
  for (const row of bad)
    await assert.rejects(lockers.verifyWebhook(...row), { name: "WebhookError" }, JSON.stringify(row));
  for (const none of ["", "whsec_", "whsec_%%%"])
    await assert.rejects(lockers.verifyWebhook(payload, headers, none), { name: "TypeError" }, none);
});

test("who may not follow events looks again and again, and is told only of what has changed", async () => {
  const looks: (string | null)[] = [];
  const replies: readonly Reply[] = [
    { status: 200, headers: { ETag: '"1"' }, body: { id: "par_1", state: "announced" } },
    { status: 304 },
    { status: 200, headers: { ETag: '"2"' }, body: { id: "par_1", state: "stored" } },
  ];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    if (url.endsWith("/events")) return Response.json({ code: "forbidden", detail: "no" }, { status: 403 });
    const reply = replies[looks.length] as Exclude<Reply, "dropped">;
    looks.push((init.headers as Headers).get("If-None-Match"));
    return new Response(reply.body === undefined ? null : JSON.stringify(reply.body), reply);
  };
  const client = lockers.createClient({ baseUrl: "http://lockers.example", fetch });
  assert.equal((await client.waitForParcel("par_1", "stored", { every: 1 })).state, "stored");
  assert.deepEqual(looks, [null, '"1"', '"1"']);
  // Not more often than it was told to: at the beginning, and at the end of its time.
  let count = 0;
  const counting = async (url: string): Promise<Response> => {
    if (url.endsWith("/events")) return Response.json({ code: "forbidden", detail: "no" }, { status: 403 });
    count += 1;
    return Response.json({ id: "par_1", state: "announced" });
  };
  const patient = lockers.createClient({ baseUrl: "http://lockers.example", fetch: counting });
  await assert.rejects(patient.waitForParcel("par_1", "stored", { every: 1_000_000, within: 20 }), { reason: "late" });
  assert.equal(count, 2);
});

test("a stream goes on after its last event when it breaks off, and says so when it cannot be reached", async () => {
  const resumed: (string | null)[] = [];
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    resumed.push((init.headers as Headers).get("Last-Event-ID"));
    if (resumed.length > 2) throw new TypeError("fetch failed");
    const id = resumed.length;
    // In two pieces, broken in the middle of a letter, with a comment and a line end of each kind.
    const bytes = new TextEncoder().encode(`:hello\n\nid: evt_${id}\r\nevent: x\r\ndata: {"id":"é${id}"}\r\n\r\n`);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const middle = bytes.indexOf(0xc3) + 1;
        controller.enqueue(bytes.slice(0, middle));
        controller.enqueue(bytes.slice(middle));
        controller.close();
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const client = lockers.createClient({ baseUrl: "http://lockers.example", fetch, ...quick });
  const seen: string[] = [];
  const following = async (): Promise<void> => {
    for await (const { id } of client.followEvents()) seen.push(id);
  };
  await assert.rejects(following(), { name: "ConnectionError" });
  assert.deepEqual(seen, ["é1", "é2"]);
  assert.deepEqual(resumed, [null, "evt_1", "evt_2", "evt_2", "evt_2"]);
});

async function itemsOf(list: AsyncIterable<Given>): Promise<readonly Given[]> {
  const items: Given[] = [];
  for await (const item of list) items.push(item);
  return items;
}

// ── With a service ─────────────────────────────────────────────────────────────────────────────────────────────────

for (const store of stores) {
  describe(`at a service (${store})`, () => {
    const serve = (): Promise<Running> => run(flagshipText, { store, environment: { DOOR_SECRET: "correct horse" } });
    const clients = async (
      service: Running,
      baseUrl = service.url,
    ): Promise<{ operator: Client; courier: Client }> => ({
      operator: lockers.createClient({ baseUrl, credential: { key: await service.key("kim", "operator") }, ...quick }),
      courier: lockers.createClient({ baseUrl, credential: { key: await service.key("ann", "courier") }, ...quick }),
    });
    const address = { street: "Quay 1", postcode: "0150", country: "NO" };
    const filled = async (operator: Client, lockersAt: number): Promise<string> => {
      const { id } = await operator.addSite({ name: "Harbour", address });
      for (let door = 1; door <= lockersAt; door += 1) await operator.addLocker({ site: id, door, size: "small" });
      return id;
    };
    const parcel = (at: string, count = 1): object => ({
      site: at,
      size: "small",
      trackingNumber: `NO-000${count}`,
      recipientEmail: "eva@example.com",
      weightKg: 1,
    });

    test("an answer that is lost costs nothing: the effect is there once", async () => {
      await using service = await serve();
      const direct = await clients(service);
      const at = await filled(direct.operator, 5);
      await using relay = await dropping(service.port, 2);
      const { courier } = await clients(service, relay.url);
      const made = await courier.announceParcel(parcel(at));
      assert.equal(relay.dropped, 2);
      const all = await itemsOf(direct.courier.listParcels());
      assert.deepEqual(
        all.map(({ id }) => id),
        [made.id],
      );
      const held = await itemsOf(direct.operator.listLockers({ state: "held" }));
      assert.equal(held.length, 1, "one locker, not one for each try");
      assert.equal(new Set(relay.keys).size, 1);
      assert.deepEqual(service.failures, []);
    });

    test("a wait is woken by an event, sees the state that it waits for, and knows when it cannot come", async () => {
      await using service = await serve();
      const { operator, courier } = await clients(service);
      const at = await filled(operator, 2);
      const { id } = await courier.announceParcel(parcel(at));
      const opened = Promise.withResolvers<void>();
      // Looks so seldom that only an event can be what wakes it.
      const seen = courier.waitForParcel(id, ["stored", "cancelled"], { every: 3_000_000, within: 3_000_000 });
      const following = (async () => {
        for await (const event of courier.followEvents({}, { onOpen: opened.resolve })) return event;
        return undefined;
      })();
      await opened.promise;
      await courier.dropOff(id);
      assert.equal((await seen).state, "stored");
      assert.equal(String((await following)?.["type"]), "parcel.stored");
      await assert.rejects(courier.waitForParcel(id, "cancelled"), {
        name: "WaitError",
        reason: "unreachable",
        state: "stored",
      });
      await assert.rejects(courier.waitForParcel(id, "expired", { within: 0 }), { name: "WaitError", reason: "late" });
      const stop = AbortSignal.abort(new Error("enough"));
      await assert.rejects(courier.waitForParcel(id, "expired", { signal: stop }), /enough/);
      await assert.rejects(courier.waitForParcel("par_00000000000000000000000000", "stored"), /404 not-found/);
    });

    test("an event that comes in is signed by the client, and moves what it is about", async () => {
      await using service = await serve();
      const { operator } = await clients(service);
      await filled(operator, 1);
      const [locker] = await itemsOf(operator.listLockers());
      const door = lockers.createClient({ baseUrl: service.url, credential: { device: "correct horse" } });
      await door.doorFaulted({ locker: locker?.id, fault: "jammed" });
      const [now] = await itemsOf(operator.listLockers());
      assert.equal(now?.state, "faulty");
      const forged = lockers.createClient({ baseUrl: service.url, credential: { device: "wrong" } });
      await assert.rejects(forged.doorFaulted({ locker: locker?.id, fault: "jammed" }), /401 unauthenticated/);
    });

    test("what the service sends to a webhook is verified", async () => {
      await using service = await serve();
      await using receiver = await createReceiver();
      const { operator, courier } = await clients(service);
      const { secret } = (await operator.createWebhook({ url: receiver.url })) as Given & { readonly secret: string };
      const at = await filled(operator, 1);
      const { id } = await courier.announceParcel(parcel(at));
      const [sent] = await receiver.until(1);
      assert.ok(sent !== undefined);
      const event = (await lockers.verifyWebhook(sent.body, sent.headers, secret)) as {
        type: string;
        data: { id: string };
      };
      assert.deepEqual([event.type, event.data.id], ["parcel.announced", id]);
    });

    test("envelopes, views and pages in the document's own words", async () => {
      await using service = await run(documentText("recipes"), { store });
      const recipes = await moduleOf(service.plan);
      const client = recipes.createClient({
        baseUrl: service.url,
        credential: { key: await service.key("ann", "cook") },
      });
      await client.addUser({ user: { id: "ann", handle: "ann", email: "ann@example.com", password: "long enough" } });
      for (const slug of ["one", "two", "three"])
        await client.addRecipe({ recipe: { slug, title: slug, body: "Stir." } });
      const seen = await itemsOf(client.listRecipes({ limit: 2 }));
      assert.deepEqual(
        seen.map(({ slug, author }) => `${String(slug)} ${String(author?.["handle"])}`),
        ["three ann", "two ann", "one ann"],
      );
      const page = await client.listRecipes({ limit: 2 });
      assert.deepEqual(page["body"]?.["meta"], { recipesCount: 3, next: 2 });
      assert.equal((await itemsOf(client.newestRecipes())).length, 3);
    });

    test("a parameter with brackets is sent once for each item", async () => {
      await using service = await run(ledger, { store });
      const generated = await moduleOf(service.plan);
      const as = async (user: string, role: string): Promise<Client> =>
        generated.createClient({ baseUrl: service.url, credential: { key: await service.key(user, role) } });
      const [ann, clerk] = [await as("ann", "customer"), await as("clerk", "clerk")];
      const { id: customer } = await ann.addCustomer({ name: "Ann" });
      const [{ id: charge }, { id: other }] = [
        await clerk.addCharge({ amount: 10, customer }),
        await clerk.addCharge({ amount: 20, customer }),
      ];
      const { id } = await clerk.addRefund({ charge, other });
      const refund = await clerk.getRefund(id, { "expand[]": ["charge.customer", "other.customer"] });
      assert.deepEqual(
        [refund["charge"]?.["customer"]?.["name"], refund["other"]?.["customer"]?.["name"]],
        ["Ann", "Ann"],
      );
    });

    test("pages by cursor give every record once", async () => {
      await using service = await serve();
      const { operator } = await clients(service);
      await filled(operator, 7);
      const all = await itemsOf(operator.listLockers({ limit: 3 }));
      assert.equal(new Set(all.map(({ id }) => id)).size, 7);
      const sizes: number[] = [];
      for await (const { items } of operator.listLockers({ limit: 3 }).pages()) sizes.push(items.length);
      assert.deepEqual(sizes, [3, 3, 1]);
    });
  });
}

interface Relay extends AsyncDisposable {
  readonly url: string;
  readonly dropped: number;
  /** The keys of the writes that came by. */
  readonly keys: readonly (string | undefined)[];
}

/** Passes requests on, and breaks the connection instead of giving the first `count` answers to writes. */
async function dropping(port: number, count: number): Promise<Relay> {
  let dropped = 0;
  const keys: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const onward = ask({ host: "127.0.0.1", port, method, path: url, headers: withoutHop(headers) }, (answer) => {
      if (method === "POST") keys.push(headers["idempotency-key"] as string | undefined);
      if (method === "POST" && dropped < count) {
        dropped += 1;
        // The service has answered: what was asked for is done.
        answer.resume().on("end", () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get dropped() {
      return dropped;
    },
    keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withoutHop({ connection: _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}
