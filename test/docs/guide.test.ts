/** The language on one page: short enough for a model's context, and every snippet in it checks clean. */
import assert from "node:assert/strict";
import test from "node:test";
import { guide } from "../../scripts/guide.ts";
import { toJson } from "../../src/document/data.ts";
import { readDocument } from "../../src/document/read.ts";
import { formatDocument } from "../../src/format/format.ts";
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
