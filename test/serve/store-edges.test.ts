/**
 * Values at the edges of every type: SQLite and PostgreSQL accept and reject the same ones, and responses about them have the
 * same bytes, after ids are mapped. No response is 500.
 *
 * NONET_EDGES=1000 tries this many generated values instead of the default.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import fc from "fast-check";
import { postgresForFile } from "../postgres/for-file.ts";
import { createClient, type Client } from "./client.ts";
import { run, type Running } from "./running.ts";

const document = `# Edges

## What the service does
\`\`\`yaml
nonet: 1
service: edges
purpose: Values at the edges of their types.
operations: { addEdge: Add one, getEdge: Look at one, listEdges: See all, changeEdge: Change one }
\`\`\`

## Resources and their fields
\`\`\`yaml
Edge:
  id: id(edg)
  moment?: datetime, filter, sort
  day?: date, filter, sort
  hour?: time, filter, sort
  whole?: integer, filter, sort
  num?: number, filter, sort
  dec?: decimal, filter, sort
  word?: string(0..300), filter, sort, search
  prose?: text(0..300), search
  code?: string(0..300), unique
  pair?: string(0..300)
  amount?: money
  raw?: bytes(0..300)
  any?: json
  length?: integer := size(word), filter, sort
  later?: datetime := moment + duration('1h'), filter, sort
  twice?: number := num * 2.0, filter, sort
  early: datetime = 0001-01-01T00:00:00Z
  tiny: number = 1e-7
rules: { Edge: "unique pair + whole, absent distinct" }
\`\`\`

## States and transitions
\`\`\`yaml
Edge: none
\`\`\`

## Endpoints
\`\`\`yaml
lists: cursor, 3 per page, at most 200
endpoints:
  addEdge: POST /edges
  getEdge: GET /edges/{id}
  listEdges: GET /edges
  changeEdge: PATCH /edges/{id}
\`\`\`

## Authentication
\`\`\`yaml
credentials: none
roles: none
allow:
  addEdge, getEdge, listEdges, changeEdge: anyone
\`\`\`

## Events
\`\`\`yaml
out: none
\`\`\`

## Errors
\`\`\`yaml
body: problem+json
\`\`\`

## Limits
\`\`\`yaml
rate: none
\`\`\`

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`;

const { server } = await postgresForFile();

/** One service on each store; `ids` are its records in the order in which they were made. */
interface Side {
  readonly name: string;
  readonly running: Running;
  readonly client: Client;
  readonly ids: string[];
}

const sides: Side[] = [];

before(async () => {
  for (const store of ["sqlite", "postgres"] as const) {
    const running = await run(
      document,
      store === "sqlite" ? { store } : { store, address: `${server.address}?connections=6` },
    );
    sides.push({ name: store, running, client: createClient(running.port, () => {}), ids: [] });
  }
});

after(async () => {
  for (const { client } of sides) client[Symbol.dispose]();
  await Promise.all(sides.map(({ running }) => running[Symbol.asyncDispose]()));
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What of an answer does not differ between two runs. */
function comparable({ ids }: Side, { json, status, text }: Awaited<ReturnType<Client["send"]>>): Answer {
  const body = JSON.stringify(json ?? text)
    .replaceAll(/edg_\w+/g, (id) => `#${ids.indexOf(id)}`)
    .replaceAll(/"(?:request_id|instance|next|type)":"[^"]*"/g, "");
  return { status, body };
}

/** What differed in a test: all of it, since one fault shows in many requests. */
const differences: string[] = [];

function compare(what: string, one: Answer, other: Answer): void {
  const isSame = one.status === other.status && one.body === other.body && one.status < 500;
  if (!isSame) differences.push(`${what}: ${one.status} ${one.body} | ${other.status} ${other.body}`);
}

afterEach(() => {
  assert.deepEqual(differences.splice(0), []);
});

/** Sends the same to both, and gives what both answer. `what` names it where they differ. */
async function both(
  method: string,
  path: (side: Side) => string,
  body?: unknown,
): Promise<Answer & { readonly json: unknown }> {
  const [one, other] = await Promise.all(
    sides.map(async (side) => {
      const reply = await side.client.send({ method, path: path(side), ...(body === undefined ? {} : { body }) });
      if (method === "POST" && reply.status === 201) side.ids.push((reply.json as { id: string }).id);
      return { answer: comparable(side, reply), json: reply.json };
    }),
  );
  assert.ok(one !== undefined && other !== undefined);
  const what = `${method} ${path(sides[0] as Side)} ${JSON.stringify(body)}`;
  compare(what, one.answer, other.answer);
  return { ...one.answer, json: one.json };
}

const list = (query: string) => both("GET", () => `/edges?${query}`);

/** Page by page, so that each value is in a cursor once. */
async function walk(query: string): Promise<void> {
  const cursors = new Map<Side, string | null>(sides.map((side) => [side, ""]));
  for (let pages = 0; [...cursors.values()].some((cursor) => cursor !== null); pages += 1) {
    assert.ok(pages < 400 / 3, "no end of pages");
    const answers = await Promise.all(
      sides.map(async (side) => {
        const cursor = cursors.get(side) ?? "";
        const reply = await side.client.send({
          method: "GET",
          path: `/edges?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`,
        });
        cursors.set(side, (reply.json as { next: string | null }).next);
        return comparable(side, reply);
      }),
    );
    const [one, other] = answers as [Answer, Answer];
    compare(`page ${pages} of ${query}`, one, other);
    if (one.status !== 200 || one.body !== other.body) break;
  }
}

const texts = [
  "", " ", "a", "A", "a\u0000b", "\ud800", "a\udc00", "\ud83d\ude00", "\uffff", "\ufeff", "\u00e9", "e\u0301", "\u1e9e", "stra\u00dfe", "STRASSE",
  "\u0130stanbul", "istanbul", "\u0131", "I", "i", "οδοσ", "οδος", "ΟΔΟΣ", "οδοστρωμα", "\ufb01n", "fin", "\u212b", "\u00c5", "A\u030a", "\u202e", "a'b", "a\"b", "a\\b", "%", "_", "a%", "a,b",
  "\u{10ffff}", "\ud55c", "\u1112\u1161\u11ab", "a\r\nb", "\u2028", "0", "1e3", "null", "true", "x".repeat(300), "\u{1f600}".repeat(300), "x".repeat(301),
]; // biome-ignore format: values
const moments = [
  "0000-01-01T00:00:00Z", "0000-12-31T23:59:59.999Z", "0000-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "0001-01-01T12:00:00+14:00", "0001-01-01T00:00:00-12:00",
  "1582-10-10T00:00:00Z", "1883-11-18T12:03:58-05:00", "1900-02-28T00:00:00Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "2026-06-01T12:00:00.123456789Z",
  "9999-12-31T23:59:59.999Z", "9999-12-31T22:59:59.999Z", "9999-12-31T23:59:59.999-00:01", "9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
]; // biome-ignore format: values
const days = ["0000-01-01", "0000-02-29", "0000-12-31", "0001-01-01", "1582-10-10", "1900-02-29", "2000-02-29", "9999-12-31", "10000-01-01"]; // biome-ignore format: values
const hours = ["00:00", "23:59:59", "24:00", "23:59:60", "09:30", "09:30:00"];
const wholes = [0, -0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 53, -(2 ** 53), 2 ** 63, 1e20];
const numbers = [...wholes, 0.1, -0.1, 1e-7, -1e-7, 1e21, 1e-6, 123456789012345680000, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e-323, 0.1 + 0.2, 1 / 3, 1e15, 1e16, 123456.789e3]; // biome-ignore format: values
const decimals = [...wholes, 0.1, 1e-7, 1e14, 999999999999999, 99999999999999.9, 0.000000000000001, 1e-15, 1e-16, 123456789012345.6, 1e21]; // biome-ignore format: values
/** As they are written in a request: no value of JavaScript is written so. */
const written = ["1e400", "-1e400", "1e-400", "-1e-400", "-0", "-0.0", "0e0", "1E3", "1e+3", "9007199254740993", "0.1e1", "1.0", "100000000000000000000000"]; // biome-ignore format: values

const values: Readonly<Record<string, readonly unknown[]>> = {
  moment: moments,
  day: days,
  hour: hours,
  whole: wholes,
  num: numbers,
  dec: decimals,
  word: texts,
  prose: texts,
  code: texts,
  pair: texts,
  amount: ["0", "-0", "0.00", "-0.01", "999999999999999.9999", "12.5", "1e3", "0.00001"].map((amount) => ({
    amount,
    currency: "CLF",
  })),
  raw: ["", "AAAA", "AA==", "A", "/+8=", "____"],
  any: [
    null,
    0,
    -0,
    1e-7,
    1e21,
    5e-324,
    "a\u0000b",
    "\ud800",
    { "\u0000": 1 },
    { "": { "\ud800": [] } },
    [[[]]],
    { b: 1, a: 2 },
    { "10": 1, "9": 2 },
    123456789012345680000,
  ],
};

const operators = ["", "[gt]", "[gte]", "[lt]", "[lte]", "[in]"];
const computed: Readonly<Record<string, string>> = { word: "length", moment: "later", num: "twice" };

async function tried(field: string, value: unknown): Promise<void> {
  const posted = await both("POST", () => "/edges", { [field]: value });
  if (posted.status === 201) {
    await both("GET", (side) => `/edges/${side.ids.at(-1)}`);
    await both("PATCH", (side) => `/edges/${side.ids.at(-1)}`, { [field]: value });
    // Taken by the record that has it, where it is to be unique.
    if (field === "code") assert.equal((await both("POST", () => "/edges", { code: value })).status, 409);
    if (field === "pair") {
      await both("POST", () => "/edges", { pair: value, whole: 1 });
      assert.equal((await both("POST", () => "/edges", { pair: value, whole: 1 })).status, 409);
    }
  }
  if (["any", "raw", "amount", "prose", "code", "pair"].includes(field)) return;
  for (const operator of operators) await filtered(field, operator, String(value as string));
}

/** A lone surrogate has no place in an address. */
async function filtered(field: string, operator: string, text: string): Promise<void> {
  if (!text.isWellFormed()) return;
  await list(`${field}${encodeURIComponent(operator)}=${encodeURIComponent(text)}&limit=200`);
}

for (const [field, edges] of Object.entries(values))
  test(`${field}: each edge is one and the same in both stores`, async () => {
    for (const value of edges) await tried(field, value);
    if (["any", "raw", "amount", "prose", "code", "pair"].includes(field)) return;
    for (const sort of [field, computed[field]].filter((name) => name !== undefined)) {
      await walk(`sort=${sort}&limit=9`);
      await walk(`sort=-${sort}&limit=9`);
    }
  });

test("numbers that JavaScript does not write are the same in both stores, in bodies and in filters", async () => {
  for (const field of ["whole", "num", "dec", "any"])
    for (const text of written) {
      await both("POST", () => "/edges", `{"${field}":${text}}`);
      if (field !== "any") for (const operator of operators) await filtered(field, operator, text);
    }
  for (const text of ["1e-7", "-1e-7", "1e21", "5e-324"]) assert.equal((await list(`num=${text}`)).status, 200, text);
  assert.equal((await list("num=1e400")).status, 400);
});

test("a search finds the same in both stores, whatever the case and form of a text", async () => {
  for (const text of texts.filter((one) => one.trim() !== "" && one.isWellFormed() && one.length <= 200))
    await list(`search=${encodeURIComponent(text)}&limit=200`);
  await both("POST", () => "/edges", { prose: "ένα οδοστρωμα" });
  const rows: readonly (readonly [search: string, text: string])[] = [
    ["οδοσ", "οδοστρωμα"],
    ["ΟΔΟΣ", "οδοστρωμα"],
    ["οδος", "οδοστρωμα"],
    ["strasse", "stra\u00dfe"],
    ["e\u0301", "\u00e9"],
    ["fi", "\ufb01n"],
    ["\u0130stanbul", "\u0130stanbul"],
  ];
  for (const [search, text] of rows) {
    const { json } = await list(`search=${encodeURIComponent(search)}&limit=200`);
    const { items } = json as { items: { word?: string; prose?: string }[] };
    assert.ok(
      items.some(({ prose, word }) => word?.includes(text) || prose?.includes(text)),
      `${search} finds ${text}`,
    );
  }
});

const many = Number(process.env["NONET_EDGES"] ?? 10);

test("generated values are the same in both stores", async () => {
  const generated: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    moment: fc
      .tuple(
        fc.date({
          min: new Date("0000-01-01T00:00:00Z"),
          max: new Date("9999-12-31T23:59:59.999Z"),
          noInvalidDate: true,
        }),
        fc.constantFrom("Z", "+14:00", "-12:00", "+05:30", "-23:59"),
      )
      .map(([date, offset]) => date.toISOString().slice(-24).replace("Z", offset)),
    whole: fc.maxSafeInteger(),
    num: fc.double({ noNaN: true, noDefaultInfinity: true }),
    dec: fc.double({ noNaN: true, noDefaultInfinity: true }),
    word: fc.string({ unit: "binary", maxLength: 20 }),
    prose: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 20,
    }),
    any: fc.jsonValue({ maxDepth: 3 }),
  };
  for (const [field, arbitrary] of Object.entries(generated))
    await fc.assert(
      fc.asyncProperty(arbitrary, (value) => tried(field, value)),
      { numRuns: many },
    );
  for (const sort of ["moment", "whole", "num", "dec", "word", "-length", "later", "-twice"])
    await walk(`sort=${sort}&limit=50`);
});
