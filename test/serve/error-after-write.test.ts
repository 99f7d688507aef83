/**
 * R4.20 An error after a write rolls back all of it, and its response is stored for the idempotency key like any other business
 * outcome: a declined request is not executed again.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { type Client, createClient } from "./client.ts";
import { served } from "./scenario.ts";

const document = `# Shop
## What the service does
\`\`\`yaml
nonet: 1
service: shop
operations: [addThing, listThings, pay, payWired, answered, caught, mark, brand, stamp]
\`\`\`
## Resources and their fields
\`\`\`yaml
Thing: { id: id(thing), title: string(1..9), n: "integer = 0" }
Label: { id: id(label), thing: Thing, code: "string(1..9), unique" }
rules:
  Thing: Thing.map(t, t.n).sum() <= 10 else too-many
\`\`\`
## States and transitions
none
## Endpoints
\`\`\`yaml
repeats: Idempotency-Key on every POST, kept 24h
endpoints:
  addThing: POST /things
  listThings: GET /things
  pay: { at: "POST /things/{id}/pay", does: handler }
  payWired: { at: POST /wired, does: handler, wire: { body?: { type: json }, answers: { 200: json, 402: json } } }
  answered: { at: POST /answered, does: handler, wire: { body?: { type: json }, answers: { 200: json, 402: json } } }
  caught: { at: POST /caught, does: handler }
  mark: { at: POST /marks, of: Thing, does: create }
  brand: { at: POST /brands, does: handler }
  stamp: { at: POST /stamps, does: handler }
\`\`\`
## Authentication
\`\`\`yaml
credentials: none
allow: { "addThing, listThings, pay, payWired, answered, caught, mark, brand, stamp": anyone }
\`\`\`
## Events
none
## Errors
\`\`\`yaml
errors: { declined: 402 Declined, too-many: 409 Too many }
\`\`\`
## Limits
none
## Versioning
none
`;

const runs = new Map<string, number>();
function ran(name: string): void {
  runs.set(name, (runs.get(name) ?? 0) + 1);
}

const functions: ServiceFunctions = {
  async pay({ fail, record, records }) {
    ran("pay");
    await records.system["Thing"]?.update((record as { id: string }).id, { title: "paid" });
    fail("declined", { detail: `Declined ${runs.get("pay")}` });
  },
  async payWired({ fail, records }) {
    ran("payWired");
    await records.system["Thing"]?.create({ title: "wired" });
    fail("declined");
  },
  async answered({ records }) {
    ran("answered");
    await records.system["Thing"]?.create({ title: "wired" });
    return { status: 402, body: { code: "declined" } };
  },
  async caught({ records }) {
    ran("caught");
    await records.system["Thing"]?.create({ title: "too many", n: 11 }).catch(() => undefined);
  },
  async brand({ records, fail }) {
    ran("brand");
    const made = await records.system["Thing"]?.create({ title: "twice" });
    const label = { thing: made?.["id"] as string, code: "one" };
    await records.system["Label"]?.create(label);
    // A refusal for which nothing was written may be caught: what becomes of the rest is the function's to say.
    await records.system["Label"]?.create(label).catch(() => fail("declined"));
  },
  async stamp({ records }) {
    ran("stamp");
    await records.system["Thing"]?.create({ title: "ten", n: 10 });
    await records.system["Thing"]?.create({ title: "one", n: 1 });
  },
  after: {
    // It has written nothing itself.
    mark({ fail }) {
      ran("mark");
      fail("declined");
    },
  },
};

const wired = ["/wired", "/answered"];

served(
  "an error after a write",
  document,
  (subject) => {
    // What a function answers on the wire by itself is no problem of the service's own.
    let plain: Client | undefined;
    after(() => plain?.[Symbol.dispose]());
    const clientFor = (path: string): Client => {
      if (!wired.includes(path)) return subject.client;
      return (plain ??= createClient(subject.running.port, () => {}));
    };
    const send = (path: string, key?: string, body: object = {}) =>
      clientFor(path).send({
        method: "POST",
        path,
        headers: key === undefined ? {} : { "Idempotency-Key": key },
        body,
      });
    const titles = async (): Promise<readonly string[]> => {
      const { json } = await subject.client.send({ method: "GET", path: "/things" });
      return (json as { items: readonly { title: string }[] }).items.map(({ title }) => title);
    };
    const cases: readonly (readonly [name: string, path: string, status: number, code: string, body?: object])[] = [
      ["pay", "/things/$id/pay", 402, "declined"],
      ["payWired", "/wired", 402, "declined"],
      ["answered", "/answered", 402, "declined"],
      ["caught", "/caught", 409, "too-many"],
      ["mark", "/marks", 402, "declined", { title: "marked" }],
      ["brand", "/brands", 402, "declined"],
      ["stamp", "/stamps", 409, "too-many"],
      ["nothing", "/things", 409, "too-many", { title: "large", n: 11 }],
    ];
    for (const [name, path, status, code, body] of cases) {
      test(`${name}: nothing of it stays, and the second send is the remembered answer`, async () => {
        const made = await send("/things", undefined, { title: name.slice(0, 9) });
        const at = path.replace("$id", (made.json as { id: string }).id);
        const before = await titles();
        runs.clear();
        const first = await send(at, `key of ${name}`, body);
        assert.deepEqual([first.status, (first.json as { code: string }).code], [status, code], first.text);
        assert.equal(first.headers["idempotent-replayed"], undefined);
        assert.deepEqual(await titles(), before);
        const second = await send(at, `key of ${name}`, body);
        assert.equal(second.text, first.text);
        assert.deepEqual([second.status, second.headers["idempotent-replayed"]], [status, "true"]);
        assert.deepEqual([...runs.values()], name === "nothing" ? [] : [1], "it runs once");
        const anew = await send(at, `another key of ${name}`, body);
        assert.deepEqual([anew.status, anew.headers["idempotent-replayed"]], [status, undefined]);
        assert.equal((await send(at, undefined, body)).status, status);
        assert.deepEqual(await titles(), before);
      });
    }
  },
  { functions },
);
