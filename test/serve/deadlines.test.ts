/**
 * A request's deadline ends its work (R8.10): any loop over many records stops, nothing of it is stored, and the service still
 * responds to others. Each operation evaluates pairs of records, which would take many seconds.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run, type Running } from "./running.ts";

/** No pair is so: every one is looked at. */
const pairs = "Item.exists(a, Item.exists(b, a.n + b.n == n - 5000000))";

const text = `# Long
## What the service does
\`\`\`yaml
nonet: 1
service: long
operations:
  addItem: Add one
  getItem: See one
  listItems: See them
  findItems: Find them
  countItems: Count them
  ruledItem: Add one by a rule
  addSlow: Add one
  getSlow: See a computed one
  chooseItem: Take one
  clearItems: Delete some
  closeItem: Close one
\`\`\`
## Resources and their fields
\`\`\`yaml
Item:
  id: id(it)
  n: integer(0..1000000), filter, sort
Slow:
  id: id(sl)
  n: integer(0..1000000)
  far: boolean := ${pairs}
Ruled:
  id: id(ru)
  n: integer(0..1000000)
Taken:
  id: id(ta)
  item: Item, read-only
rules:
  Ruled: ${pairs} else none-such
\`\`\`
## States and transitions
\`\`\`yaml
Item:
  states: { open: is open, closed: is closed }
  start: open
  moves:
    open -> closed: { by: closeItem, if: "${pairs}", else: none-such }
Slow: none
Ruled: none
Taken: none
\`\`\`
## Endpoints
\`\`\`yaml
lists: cursor, 50 per page, at most 200
endpoints:
  addItem: POST /items
  getItem: GET /items/{id}
  listItems: GET /items
  closeItem: POST /items/{id}/close
  ruledItem: { at: POST /ruled, of: Ruled }
  addSlow: POST /slows
  getSlow: GET /slows/{id}
  chooseItem:
    at: POST /takens
    choose:
      item: { from: Item, if: "${pairs}", else: none-such }
  countItems: { at: GET /count, gives: { count: "Item.filter(a, Item.exists(b, a.n + b.n == a.n - 5000000)).size()" } }
  findItems: { at: GET /found, of: Item, where: "${pairs}" }
  clearItems: { at: DELETE /found, of: Item, where: "${pairs}" }
\`\`\`
## Authentication
\`\`\`yaml
credentials: none
roles: none
allow:
  addItem, listItems, closeItem, ruledItem, addSlow, getSlow, chooseItem, countItems, findItems, clearItems: anyone
  getItem: anyone if ${pairs}
\`\`\`
## Events
none
## Errors
\`\`\`yaml
errors:
  none-such: 409 There is no such pair
\`\`\`
## Limits
\`\`\`yaml
time: { request: 30s, getItem: 1s, findItems: 1s, countItems: 1s, getSlow: 1s, ruledItem: 1s, addSlow: 1s, closeItem: 1s, chooseItem: 1s, clearItems: 1s }
\`\`\`
## Versioning
none
`;

const many = 8000;

let service: Running;
let slow = "";

before(async () => {
  service = await run(text);
  const view = { resource: "Item", members: [] };
  await service.store.transaction(async (tx) => {
    for (let n = 0; n < many; n += 1) {
      const row = { id: `it_${String(n).padStart(26, "0")}`, n, state: "open" };
      assert.equal((await tx.insert("Item", row, 1, view, {})).kind, "written");
    }
    const row = { id: `sl_${"0".repeat(26)}`, n: 1 };
    assert.equal((await tx.insert("Slow", row, 1, { resource: "Slow", members: [] }, {})).kind, "written");
  });
  slow = `sl_${"0".repeat(26)}`;
});

after(() => service[Symbol.asyncDispose]());

const json = { "Content-Type": "application/json" };
const first = `it_${"0".repeat(26)}`;

/** By what is asked. */
const requests: Readonly<Record<string, () => readonly [path: string, init?: RequestInit]>> = {
  "a permission of one record": () => [`/items/${first}`],
  "a list's condition": () => ["/found"],
  "a count of all records": () => ["/count"],
  "a computed field": () => [`/slows/${slow}`],
  "a rule": () => ["/ruled", { method: "POST", headers: json, body: '{"n":1}' }],
  "a computed field of what was written": () => ["/slows", { method: "POST", headers: json, body: '{"n":1}' }],
  "a guard": () => [`/items/${first}/close`, { method: "POST" }],
  "a choice": () => ["/takens", { method: "POST", headers: json, body: "{}" }],
  "what a deletion of all deletes": () => ["/found", { method: "DELETE" }],
};

/** How many records there are of each resource. */
async function counts(): Promise<readonly number[]> {
  const none = { where: {}, sort: [], filters: [], from: "start", counted: true, system: true } as const;
  const found: number[] = [];
  for (const resource of ["Item", "Slow", "Ruled", "Taken"]) {
    const list = service.store.list({ ...none, resource, view: { resource, members: [] } });
    found.push((await list({ limit: 1, filters: [] }, {})).total ?? 0);
  }
  return found;
}

for (const [name, request] of Object.entries(requests)) {
  test(`R8.10 ${name} is stopped at the deadline, and others are answered meanwhile`, async () => {
    const had = await counts();
    const [path, init] = request();
    let isOpen = true;
    const answer = fetch(service.url + path, init).finally(() => {
      isOpen = false;
    });
    let live = 0;
    let longest = 0;
    while (isOpen) {
      const began = performance.now();
      assert.equal((await fetch(`${service.url}/livez`)).status, 200);
      if (!isOpen) break;
      live += 1;
      longest = Math.max(longest, performance.now() - began);
    }
    const reply = await answer;
    const problem = (await reply.json()) as { readonly code?: string };
    assert.deepEqual([reply.status, problem.code], [503, "timed-out"], JSON.stringify(problem));
    assert.equal(reply.headers.get("retry-after"), "1");
    assert.ok(live >= 2, `${live} were answered while it was open`);
    if (process.env["NONET_TELL"])
      console.error(`${name}: ${live} answered, the slowest after ${longest.toFixed(0)} ms`);
    assert.deepEqual(await counts(), had);
    assert.deepEqual(service.failures, []);
  });
}

test("R8.10 a write that waits for one that is stopped is done after it", async () => {
  const slow = fetch(`${service.url}/ruled`, { method: "POST", headers: json, body: '{"n":1}' });
  const quick = fetch(`${service.url}/items`, { method: "POST", headers: json, body: '{"n":1}' });
  assert.equal((await slow).status, 503);
  assert.ok([201, 503].includes((await quick).status));
  const made = await fetch(`${service.url}/items`, { method: "POST", headers: json, body: '{"n":2}' });
  assert.equal(made.status, 201);
});
