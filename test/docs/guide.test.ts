/** The language on one page: short enough for a model's context, and every snippet in it checks clean. */
import assert from "node:assert/strict";
import test from "node:test";
import { guide } from "../../scripts/guide.ts";
import { toJson } from "../../src/document/data.ts";
import { readDocument } from "../../src/document/read.ts";
import { formatDocument } from "../../src/format/format.ts";
import { check } from "../../src/language/check.ts";
import { readPage } from "./fences.ts";
import { play, type Step } from "./play.ts";

const page = readPage("docs/reference/guide.md");

/** A token has at least this many characters of English and YAML, on average. */
const charactersOfToken = 4;

test("the guide has fewer than 6,000 tokens", () => {
  assert(page.length / charactersOfToken < 6000, `${page.length / charactersOfToken}`);
});

test("the lists of the guide are those of the language: node scripts/guide.ts", () => {
  assert.equal(page, guide());
});

const whole = /^````markdown\n([\s\S]*?)^````$/m.exec(page)?.[1] ?? "";

function findings(name: string, text: string): readonly string[] {
  return check(name, text).diagnostics.map(({ code, message, span }) => `${span.start.line} ${code}: ${message}`);
}

test("the document of the guide has no findings and no gaps, and is formatted", () => {
  assert.deepEqual(findings("a.md", whole), []);
  assert.equal(check("a.md", whole).summary.gaps, 0);
  assert.deepEqual(formatDocument(whole, "a.md"), { text: whole, problems: [] });
});

const idioms = [...page.matchAll(/^(.+):\n\n```yaml idiom\n([\s\S]*?)^```$/gm)];

test("there are nine idioms or more", () => assert(idioms.length >= 9));

for (const [, what = "", text = ""] of idioms)
  test(`idiom: ${what}`, () => {
    assert.deepEqual(findings("a.yaml", completed(text)), [], completed(text));
    assert.deepEqual(formatDocument(text, "a.yaml"), { text, problems: [] });
  });

/** Returns the one-file form of an idiom, with the operations, permissions and errors that it names. */
function completed(text: string): string {
  const { root } = readDocument("a.yaml", text).document;
  assert(root !== undefined);
  const parts = toJson(root) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const operations = Object.keys(parts["endpoints"] ?? {});
  const errors = [...new Set([...text.matchAll(/else:? ([a-z-]+)/g)].map(([, code]) => code))];
  const resources = Object.keys(parts["resources"] ?? {}).filter((name) => /^[A-Z]/.test(name));
  const states = Object.keys(parts["states"] ?? {});
  const own = (part: string): string => new RegExp(`^${part}:\\n?((?: .*\\n)*|.*\\n)`, "m").exec(text)?.[1] ?? "";
  return `purpose:
  { nonet: 1, service: idiom, domain: tests, purpose: Test it., users: { staff: does all }, outside: [all else],
    operations: { ${operations.map((name) => `${name}: Do it`).join(", ")} } }
resources:
${own("resources")}
states:
${states.length > 0 ? own("states") : `  { ${resources.map((name) => `${name}: none`).join(", ")} }\n`}
endpoints:
  base: "{base_url}"
  lists: cursor, 50 per page, at most 200
  edits: none
  repeats: Idempotency-Key on every POST, kept 24h
  endpoints: ${own("endpoints").includes("\n ") || own("endpoints").startsWith("  ") ? `\n${own("endpoints").replaceAll(/^/gm, "  ")}` : own("endpoints")}
authentication:
  credentials:
    key: { kind: api-key, prefix: x_, obtained: here, lasts: 90d, renewed: by a new key, revoked: at once }
  roles: [staff]
${own("authentication") || `  allow: { "${operations.join(", ")}": staff }\n`}  unseen: 404
events:
${own("events") || "  none\n"}
errors:
  { body: problem+json, standard: all, errors: { ${errors.map((code) => `${code}: 409 It cannot be`).join(", ")} } }
limits: { rate: { all: 600/min per user, anyone: 60/min per ip } }
versioning: none
`;
}

/** Requests to the service of an idiom; the caller is ann, who is staff, or the one who is named first. */
const at = (hour: number): string => `2026-11-01T${hour}:00:00Z`;
const reading = (hour: number, value: number): object => ({ sensor: "$1", at: at(hour), value });
const booking = (begins: number, ends: number): object => ({ room: "$1", begins: at(begins), ends: at(ends) });

const plays: Readonly<Record<string, readonly Step[]>> = {
  "A balance": [
    ["POST /accounts", {}, "201"],
    ["POST /entries", { account: "$1", cents: 500 }, "201"],
    ["POST /entries", { account: "$1", cents: -501 }, "409 overdrawn"],
    ["POST /entries", { account: "$1", cents: -500 }, "201"],
  ],
  Stock: [
    ["POST /items", { stock: 3 }, "201"],
    ["POST /orders", { item: "$1", pieces: 2 }, "201"],
    ["POST /orders", { item: "$1", pieces: 2 }, "409 out-of-stock"],
    ["POST /orders", { item: "$1", pieces: 1 }, "201"],
  ],
  Bookings: [
    ["POST /rooms", { name: "Blue" }, "201"],
    ["POST /bookings", booking(10, 12), "201"],
    ["POST /bookings", booking(11, 13), "409 taken"],
    ["POST /bookings", booking(13, 12), "409 ends-before-begin"],
    ["POST /bookings", booking(12, 13), "201"],
  ],
  "An order": [
    ["POST /products", { cents: 250, stock: 3 }, "201"],
    ["POST /products", { cents: 100, stock: 1 }, "201"],
    [
      "POST /orders",
      {
        lines: [
          { product: "$1", pieces: 1 },
          { product: "$2", pieces: 2 },
        ],
      },
      "409 out-of-stock",
    ],
    [
      "POST /orders",
      {
        lines: [
          { product: "$1", pieces: 3 },
          { product: "$2", pieces: 1 },
        ],
      },
      "201",
    ],
    ["PATCH /products/$1", { cents: 900 }, "200"],
    ["GET /orders/$4", "200 cents=850"],
    ["POST /orders", { lines: [{ product: "$1", pieces: 1 }] }, "409 out-of-stock"],
  ],
  "A place": [
    ["POST /courses", { places: 1 }, "201"],
    ["POST /seats", { course: "$1" }, "201 state=taken"],
    ["POST /seats", { course: "$1" }, "201 state=waiting"],
    ["POST /seats", { course: "$1" }, "201 state=waiting"],
    ["POST /seats/$3/leave", "200 state=gone"],
    ["POST /seats/$2/leave", "200 state=left"],
    ["GET /seats/$4", "200 state=taken"],
  ],
  "A large one": [
    ["POST /plans", { cents: 100_000 }, "201"],
    ["POST /purchases", { plan: "$1" }, "201 state=bought"],
    ["PATCH /plans/$1", { cents: 100_001 }, "200"],
    ["POST /purchases", { plan: "$1" }, "201 state=waiting"],
    ["PATCH /plans/$1", { cents: 5 }, "200"],
    ["POST /purchases/$4/approve", "409 own-purchase"],
    ["bob POST /purchases/$4/approve", "200 cents=100001"],
  ],
  "Who changed": [
    ["POST /sensors", { highest: 30 }, "201"],
    ["PATCH /sensors/$1", { highest: 40 }, "200"],
    ["GET /changes", "200 items.0.from=30"],
    ["POST /readings", [reading(10, 41), reading(11, 42)], "201"],
    ["GET /alarms?state=open", "200 items.length=1"],
    ["POST /readings", [reading(12, 43), reading(11, 42)], "409 read-before"],
    ["POST /readings", [reading(12, 43)], "201"],
    ["GET /alarms?state=open", "200 items.length=1"],
  ],
  Tenants: [
    ["POST /teams", { name: "Blue" }, "201"],
    ["POST /members", { team: "$1", user: "bob" }, "201"],
    ["bob POST /articles", { team: "$1", text: "a" }, "201"],
    ["eve POST /articles", { team: "$1", text: "a" }, "422 invalid-request"],
    ["eve GET /articles/$3", "404 not-found"],
    ["eve GET /articles", "200 items.length=0"],
    ["bob GET /articles", "200 items.length=1"],
    ["eve POST /articles/$3/publish", "404 not-found"],
    ["bob POST /articles/$3/publish", "200"],
    ["eve GET /articles/$3", "200"],
  ],
  "One of a kind": [
    ["POST /projects", { name: "A" }, "201"],
    ["POST /issues", { project: "$1", title: "x" }, "201"],
    ["POST /issues", { project: "$1", title: "y" }, "201"],
    ["GET /projects/$1/issues/2", "200"],
    ["POST /issues", { project: "$1", title: "x" }, "409 title-taken"],
  ],
  Likes: [
    ["POST /posts", { text: "a" }, "201"],
    ["PUT /posts/$1/like", "200"],
    ["PUT /posts/$1/like", "200"],
    ["DELETE /posts/$1/like", "200"],
  ],
  "A free thing": [
    ["POST /bikes", { size: "small" }, "201"],
    ["POST /rides", { size: "large" }, "409 no-bike"],
    ["POST /rides", { size: "small" }, "201"],
    ["POST /rides", { size: "small" }, "409 no-bike"],
    ["POST /rides/$3/end", "200"],
    ["POST /rides", { size: "small" }, "201"],
  ],
  "Only drafts": [
    ["POST /articles", { text: "a" }, "201"],
    ["PATCH /articles/$1", { text: "b" }, "200"],
    ["POST /articles/$1/publish", "200"],
    ["PATCH /articles/$1", { text: "c" }, "409 not-a-draft"],
  ],
  Totals: [
    ["POST /sales", { cents: 5 }, "201"],
    ["GET /sales/per-day", "200"],
  ],
};

test("each idiom is played", () => assert.equal(Object.keys(plays).length, idioms.length));

for (const [title, steps] of Object.entries(plays))
  test(`${title} does what the guide says`, async () => {
    const [, , text = ""] = idioms.find(([, what]) => what?.startsWith(title)) ?? assert.fail(title);
    const callers = { ann: ["staff"], bob: ["staff"], eve: [] };
    assert.deepEqual(await play({ document: completed(text), callers, steps }), []);
  });
