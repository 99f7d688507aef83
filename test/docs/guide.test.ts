/** The language on one page: short enough for a model's context, and every snippet in it checks clean. */
import assert from "node:assert/strict";
import test from "node:test";
import { guide } from "../../scripts/guide.ts";
import { toJson } from "../../src/document/data.ts";
import { readDocument } from "../../src/document/read.ts";
import { formatDocument } from "../../src/format/format.ts";
import { createService } from "../../src/index.ts";
import { check } from "../../src/language/check.ts";
import { readPage } from "./fences.ts";

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
  const resources = Object.keys(parts["resources"] ?? {}).filter((name) => name !== "rules");
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
  allow: { "${operations.join(", ")}": staff }
  unseen: 404
events:
${own("events") || "  none\n"}
errors:
  { body: problem+json, standard: all, errors: { ${errors.map((code) => `${code}: 409 It cannot be`).join(", ")} } }
limits: { rate: { all: 600/min per user } }
versioning: none
`;
}

/** Requests to the service of an idiom, with `$n` for the id in the n-th response, and the status and code of each response. */
type Step = readonly [request: string, body: object | undefined, response: string];

const at = (hour: number): string => `2026-11-01T${hour}:00:00Z`;
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
  "A waiting list": [
    ["POST /courses", { places: 1 }, "201"],
    ["POST /seats", { course: "$1" }, "201"],
    ["POST /seats", { course: "$1" }, "201"],
    ["POST /seats/$2/take", undefined, "200"],
    ["POST /seats/$3/take", undefined, "409 full"],
    ["POST /seats/$2/leave", undefined, "200"],
    ["POST /seats/$3/leave", undefined, "200"],
  ],
  "One of a kind": [
    ["POST /projects", { name: "A" }, "201"],
    ["POST /issues", { project: "$1", title: "x" }, "201"],
    ["POST /issues", { project: "$1", title: "y" }, "201"],
    ["GET /projects/$1/issues/2", undefined, "200"],
    ["POST /issues", { project: "$1", title: "x" }, "409 title-taken"],
  ],
  Likes: [
    ["POST /posts", { text: "a" }, "201"],
    ["PUT /posts/$1/like", undefined, "200"],
    ["PUT /posts/$1/like", undefined, "200"],
    ["DELETE /posts/$1/like", undefined, "200"],
  ],
  "A free thing": [
    ["POST /bikes", { size: "small" }, "201"],
    ["POST /rides", { size: "large" }, "409 no-bike"],
    ["POST /rides", { size: "small" }, "201"],
    ["POST /rides", { size: "small" }, "409 no-bike"],
    ["POST /rides/$3/end", undefined, "200"],
    ["POST /rides", { size: "small" }, "201"],
  ],
  "Only drafts": [
    ["POST /articles", { text: "a" }, "201"],
    ["PATCH /articles/$1", { text: "b" }, "200"],
    ["POST /articles/$1/publish", undefined, "200"],
    ["PATCH /articles/$1", { text: "c" }, "409 not-a-draft"],
  ],
  Totals: [
    ["POST /sales", { cents: 5 }, "201"],
    ["GET /sales/per-day", undefined, "200"],
  ],
};

test("each idiom is played", () => assert.equal(Object.keys(plays).length, idioms.length));

for (const [title, steps] of Object.entries(plays))
  test(`${title} does what the guide says`, async (context) => {
    const [, , text = ""] = idioms.find(([, what]) => what?.startsWith(title)) ?? assert.fail(title);
    const service = await createService({ document: completed(text), environment: {} });
    context.after(() => service.close());
    const key = await service.createKey({ user: "ann", roles: ["staff"] });
    const ids: unknown[] = [];
    for (const [index, [request, body, expected]] of steps.entries()) {
      const filled = (words: string): string =>
        words.replaceAll(/\$(\d)/g, (_, number) => String(ids[Number(number) - 1]));
      const [method = "", path = ""] = filled(request).split(" ");
      const headers = {
        Authorization: `Bearer ${key}`,
        "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
        "Idempotency-Key": `key-${index}`,
      };
      const sent = body === undefined ? {} : { body: filled(JSON.stringify(body)) };
      const response = await service.fetch(new Request(`http://x.example${path}`, { method, headers, ...sent }));
      const answer = (await response.json()) as { readonly id?: string; readonly type?: string };
      ids.push(answer.id);
      const code = response.ok ? "" : ` ${answer.type?.split("/").at(-1)}`;
      assert.equal(`${response.status}${code}`, expected, `${request} ${JSON.stringify(answer)}`);
    }
  });
