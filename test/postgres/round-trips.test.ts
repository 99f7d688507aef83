/** The number of PostgreSQL round trips of each request; only a change of the store changes these numbers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { buildPlan, check, createService, type EmbeddedService, soundModel } from "../../src/index.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { postgresForFile } from "./for-file.ts";

/**
 * What nobody who asked waits for (positions of the journal, leases, the work of time, rates that may be counted afterwards),
 * and who the caller is, which is asked twice a second.
 */
const aside =
  /nonet_sequence|nonet_bookmarks|FROM nonet_journal|nonet_processes|nonet_leads|_due <=|nonet_(?:long_)?rates|nonet_keys/;

const small = `# Notes

## What the service does
\`\`\`yaml
nonet: 1
service: notes
domain: paper
purpose: Notes that are put away.
users: { writer: writes notes }
outside: []
operations:
  addNote: Write one
  getNote: Read one
  listNotes: Read them
  putAway: Be done with one
\`\`\`

## Resources and their fields
\`\`\`yaml
Note:
  id: id(not)
  writer: user = caller, read-only
  text: string(1..40)
  number: string(1..40), unique
\`\`\`

## States and transitions
\`\`\`yaml
Note:
  states: { open: written, done: put away }
  start: open
  final: [done]
  moves:
    open -> done: by putAway
\`\`\`

## Endpoints
\`\`\`yaml
base: "{base_url}"
lists: cursor, 50 per page, at most 200
edits: none
repeats: Idempotency-Key on every POST, kept 24h
endpoints:
  addNote: POST /notes
  getNote: GET /notes/{id}
  listNotes: GET /notes
  putAway: POST /notes/{id}/put-away
\`\`\`

## Authentication
\`\`\`yaml
credentials:
  key: { kind: api-key, sent: Authorization Bearer, prefix: no_, lasts: 365d, revoked: at once }
roles: [writer]
own: { Note: writer == caller.id }
allow:
  addNote: writer
  getNote, listNotes, putAway: writer if own
unseen: 404
\`\`\`

## Events
none

## Errors
\`\`\`yaml
body: problem+json
standard: all
\`\`\`

## Limits
none

## Versioning
none
`;

const { server } = await postgresForFile();
interface Trips {
  readonly service: EmbeddedService;
  /** Runs it until the database has been heard of all of it, and gives how often was waited. */
  count(run: () => Promise<unknown>): Promise<number>;
}

async function withTrips(text: string, schema: string, body: (trips: Trips) => Promise<void>): Promise<void> {
  const result = check("document.md", text);
  const model = soundModel(result);
  assert.ok(model, JSON.stringify(result.diagnostics));
  const { tables } = buildPlan(model, result.places, result.expressions);
  let trips = 0;
  const exchanged = (statements: readonly string[]): void => {
    if (!statements.every((statement) => aside.test(statement))) trips += 1;
  };
  const address = `${server.address}?schema=${schema}`;
  const clock = (): number => Date.now();
  const store = await openPostgresStore({ address, tables, clock, connections: { exchanged } });
  const service = await createService({ document: text, store, environment: { DOOR_SECRET: "a test" } });
  await body({
    service,
    count: async (run) => {
      const before = trips;
      await run();
      return trips - before;
    },
  });
  await service.close();
  await store.close();
}

interface Made {
  readonly id: string;
}

async function ask(
  { service }: Trips,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Made> {
  const answer = await service.fetch(
    new Request(`http://test${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Made;
}

type Row = readonly [name: string, expected: number, run: () => Promise<unknown>];

async function assertTrips(trips: Trips, rows: readonly Row[]): Promise<void> {
  const found: (readonly [string, number])[] = [];
  for (const [name, , run] of rows) found.push([name, await trips.count(run)]);
  assert.deepEqual(
    found,
    rows.map(([name, expected]) => [name, expected]),
  );
}

test("a small document: what is written is sent in one round trip, after what has to be seen first", async () => {
  await withTrips(small, "small", async (trips) => {
    const key = await trips.service.createKey({ user: "ann", roles: ["writer"] });
    const add = (number: string, headers = {}): Promise<Made> =>
      ask(trips, key, "POST", "/notes", { text: "x", number }, headers);
    const away = ({ id }: Made, headers = {}): Promise<Made> =>
      ask(trips, key, "POST", `/notes/${id}/put-away`, undefined, headers);
    const [one, two, three] = [await add("1"), await add("2"), await add("3")];
    const rows: readonly Row[] = [
      ["read", 1, () => ask(trips, key, "GET", `/notes/${one.id}`)],
      ["list", 1, () => ask(trips, key, "GET", "/notes")],
      ["create", 1, () => add("4")],
      ["move: the record is looked at", 2, () => away(one)],
      ["create with a key: whether it has an answer", 2, () => add("5", { "Idempotency-Key": "five" })],
      ["the same again: found, held and given", 4, () => add("5", { "Idempotency-Key": "five" })],
      ["move with a key", 3, () => away(two, { "Idempotency-Key": "two" })],
    ];
    await assertTrips(trips, rows);
    const many = await trips.count(() =>
      Promise.all([away(three), ...Array.from({ length: 20 }, (_, index) => add(`at once ${index}`))]),
    );
    assert.ok(many <= 6, `twenty-one writes at once are a few round trips, not ${many}`);
  });
});

test("a quota of live records is asked with what is written, where there seems to be room", async () => {
  const limited = small.replace("## Limits\nnone", "## Limits\n```yaml\nquota: { Note: 3 per user }\n```");
  assert.notEqual(limited, small);
  await withTrips(limited, "limited", async (trips) => {
    const key = await trips.service.createKey({ user: "ann", roles: ["writer"] });
    const add = (number: string): Promise<Made> => ask(trips, key, "POST", "/notes", { text: "x", number });
    const rows: readonly Row[] = [
      ["one", 1, () => add("1")],
      ["two", 1, () => add("2")],
      ["three", 1, () => add("3")],
      [
        "four, which is one too many: asked, and done again before that is believed",
        5,
        () => assert.rejects(add("4"), /quota-exceeded/),
      ],
    ];
    await assertTrips(trips, rows);
  });
});

test("the flagship: a drop-off holds nothing while it is thought about, an announcement holds the locker that it takes", async () => {
  // Whoever sends events reads the database at moments of its own.
  const text = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8")
    .replace(/^ {2}webhook:\n(?: {4}.*\n)+/m, "")
    .replace("  webhook: 20 per user\n", "");
  await withTrips(text, "flagship", async (trips) => {
    const operator = await trips.service.createKey({ user: "olga", roles: ["operator"] });
    const courier = await trips.service.createKey({ user: "ann", roles: ["courier"] });
    let count = 0;
    const post = (key: string, path: string, body?: unknown): Promise<Made> =>
      ask(trips, key, "POST", path, body, { "Idempotency-Key": `key-${(count += 1)}` });
    const address = { street: "Storgata 1", postcode: "0155", country: "NO" };
    const site = await post(operator, "/sites", { name: "Central", address });
    for (const door of [1, 2, 3]) await post(operator, "/lockers", { site: site.id, door, size: "small" });
    const announce = (number: string): Promise<Made> =>
      post(courier, "/parcels", {
        ...{ site: site.id, size: "small", trackingNumber: `TRACK-${number}`, weightKg: 1.5 },
        recipientEmail: "someone@example.com",
      });
    const first = await announce("1");
    const rows: readonly Row[] = [
      ["read", 1, () => ask(trips, courier, "GET", `/parcels/${first.id}`)],
      ["list", 1, () => ask(trips, courier, "GET", "/parcels")],
      ["create", 5, () => announce("2")],
      ["move", 4, () => post(courier, `/parcels/${first.id}/drop-off`)],
    ];
    await assertTrips(trips, rows);
  });
});
