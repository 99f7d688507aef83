/** Formatting changes the form of a document and nothing else, and changes it once. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { models } from "../../test/arbitraries/model.ts";
import { scruffy } from "../../test/arbitraries/scruffy.ts";
import { runs } from "../../test/nightly.ts";
import { seeded } from "../../test/random.ts";
import type { Node } from "../document/document.ts";
import { treeOf } from "../document/print.ts";
import { readDocument } from "../document/read.ts";
import { check, soundModel } from "../language/check.ts";
import { printData, printModel } from "../language/print.ts";
import { buildPlan } from "../plan/build.ts";
import { formatDocument } from "./format.ts";

const root = new URL("../../", import.meta.url);
const examples = globSync("examples/**/*.md", { cwd: root }).map((path) => path.replaceAll("\\", "/"));

function exampleText(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** What a reader of the document notices: its model, its findings without positions, and its plan. */
function meaningOf(name: string, text: string): unknown {
  const result = check(name, text);
  const findings = result.diagnostics.map(({ code, severity, message, why = "" }) =>
    `${severity} ${code} ${message} ${why}`.replaceAll(/\bline \d+/g, "line N"),
  );
  const sound = soundModel(result);
  const plan = sound && findings.length === 0 && buildPlan(sound, result.places, result.expressions);
  return JSON.parse(JSON.stringify([result.model, findings.toSorted((a, b) => (a < b ? -1 : 1)), plan], withoutLines));
}

function withoutLines(key: string, value: unknown): unknown {
  return key === "line" || key === "place" || key === "span" ? undefined : value;
}

/** Formats a text, and checks what is true of every text. */
function formatted(name: string, text: string): string {
  const { text: once } = formatDocument(text, name);
  assert.equal(formatDocument(once, name).text, once, `formatted twice:\n${text}`);
  assert.deepEqual(meaningOf(name, once), meaningOf(name, text), text);
  return once;
}

/** Returns the text with each `yaml` block replaced. */
function withBlocks(text: string, replaced: (block: Node) => string): string {
  const { document } = readDocument("a.md", text);
  const fences = document.sections.flatMap(({ fences }) => fences).filter(({ body }) => body !== undefined);
  return fences.reduceRight((rest, { body, span, text: written }) => {
    const start = rest.indexOf("\n", span.start.offset) + 1;
    return rest.slice(0, start) + replaced(body as Node) + rest.slice(start + written.length + 1);
  }, text);
}

const nine = Array.from({ length: 9 }, (_, index) => `b${index + 1}: cccccccccccc`).join(", ");

/** A YAML block, and its house style: the same if absent. */
const blocks: readonly (readonly [what: string, before: string, after?: string])[] = [
  [
    "blanks in a line",
    "a :   b\nc:  {d: e,f: [ g,h ] , i: {}}  # note  \n",
    "a: b\nc: { d: e, f: [g, h], i: {} } # note\n",
  ],
  ["levels", "a:\n    b:\n     - c\n     -   d: e\n         f: g\n", "a:\n  b:\n    - c\n    - d: e\n      f: g\n"],
  ["a list at its key", "a:\n- b\n-   - c\n    - d\n", "a:\n  - b\n  - - c\n    - d\n"],
  ["empty lines", "\n\na: b\n\n\nc:\n\n  d: e\n\n  f: g\n\n", "a: b\n\nc:\n  d: e\n\n  f: g\n"],
  [
    "comments",
    "  # top\na:  # at a\n   # in a\n   b: c\n   # below b\n # between\nd: e\n#end",
    "# top\na: # at a\n  # in a\n  b: c\n  # below b\n# between\nd: e\n#end\n",
  ],
  ["aligned comments", "a: b     # 1\ncde: f   # 2\ng: h # 3\n", "a: b   # 1\ncde: f # 2\ng: h # 3\n"],
  ["lines in brackets", "a: {\n  b: c, d: e\n  , f: g,\n }\n", "a: {\n  b: c, d: e,\n  f: g }\n"],
  [
    "comments in brackets",
    "a: [ b, # one\n   # two\n     c\n     # three\n     ]\n",
    "a: [b, # one\n  # two\n  c\n  # three\n  ]\n",
  ],
  ["quotes", "'a':  \"b\"\nc:   'd'\n", "'a': \"b\"\nc: 'd'\n"],
  [
    "texts of several lines",
    'a: b\n     c\n\n     d\ne: "f\n   g"\nh:\n     i\n',
    'a: b\n  c\n\n  d\ne: "f\n  g"\nh:\n  i\n',
  ],
  [
    "block texts",
    "a: |\n     b\n       c\n\n\n\nd: >1-   # note\n   e\n\n   f\n",
    "a: |\n  b\n    c\n\nd: >2- # note\n    e\n\n    f\n",
  ],
  ["a value alone", "  none  # so\n", "none # so\n"],
  ["an explicit key", "?  a\n:    b\n", "? a\n: b\n"],
  ["a start of a document", "---\n\na:  b\n", "---\n\na: b\n"],
  [
    "a long line",
    `a: { ${nine}, d1: { e: ffffffffffff, g: hhhhhhhhhhhhhhhhhhhh }, d2: { e: ffffffffffff, g: hhhhhhhhhhhhhhhhhhhh }, i: j }\n`,
    `a:
  { b1: cccccccccccc, b2: cccccccccccc, b3: cccccccccccc, b4: cccccccccccc, b5: cccccccccccc, b6: cccccccccccc,
    b7: cccccccccccc, b8: cccccccccccc, b9: cccccccccccc, d1: { e: ffffffffffff, g: hhhhhhhhhhhhhhhhhhhh },
    d2: { e: ffffffffffff, g: hhhhhhhhhhhhhhhhhhhh }, i: j }
`,
  ],
  ["a long line with a suppression", `a: { ${"b".repeat(80)}: c, ${"d".repeat(80)}: e } # ok x: it is long\n`],
  ["a suppression after a bracket", "a: [ b\n  ] # ok x: nothing is here\n", "a: [b\n  ] # ok x: nothing is here\n"],
];

for (const [what, before, after = before] of blocks)
  test(`format ${what}`, () => {
    assert.deepEqual(formatDocument(before, "a.yaml"), { text: after, problems: [] });
    assert.equal(formatDocument(after, "a.yaml").text, after);
  });

/** A document, and the same formatted; the same if absent; and the problems. */
const documents: readonly (readonly [
  what: string,
  before: string,
  after?: string | undefined,
  problems?: RegExp | undefined,
  name?: string,
])[] = [
  [
    "prose",
    "# A  b \n\n*  c  \n\n```yaml\na:  b\n```\n d  \n\n\n",
    "# A  b \n\n*  c  \n\n```yaml\na: b\n```\n d  \n\n\n",
  ],
  ["CRLF", "a\r\n```yaml\r\nb:  c\r\n\r\nd:  e\r\n```\r\nf\n", "a\r\n```yaml\r\nb: c\r\n\r\nd: e\r\n```\r\nf\n"],
  ["no line feed at the end", "```yaml\na:  b\n```", "```yaml\na: b\n```"],
  ["a byte order mark", "\uFEFF```YAML\na:  b\n```", "\uFEFF```YAML\na: b\n```"],
  [
    "a fence in a list",
    "1. x\n\n   ```yaml\n   a:  b\n\n   c:\n       d: e\n   ```\n",
    "1. x\n\n   ```yaml\n   a: b\n\n   c:\n     d: e\n   ```\n",
  ],
  ["a fence in a quote", "> ~~~yaml\n> a:  b\n>\n> c:  d\n> ~~~\n", "> ~~~yaml\n> a: b\n>\n> c: d\n> ~~~\n"],
  ["a fence with fewer blanks inside", "  ```yaml\na:  b\nc:  d\n  ```\n", "  ```yaml\na: b\nc: d\n  ```\n"],
  ["other fences", "```yaml example\na:  b\n```\n```json\n{ }\n```\n```yml\na:  b\n```\n"],
  ["empty fences", "```yaml\n```\n```yaml\n\n```\n"],
  [
    "a broken fence",
    "```yaml\na:  b\n```\n```yaml\na: [b\nc:  d\n```\n",
    "```yaml\na: b\n```\n```yaml\na: [b\nc:  d\n```\n",
    /^6: /,
  ],
  ["tabs", "```yaml\na:\n\tb:  c\n```\n", undefined, /^3: .*tab/i],
  ["tabs within lines", "```yaml\na:\tb\t# c\n```\n", "```yaml\na: b # c\n```\n"],
  ["an open fence", "```yaml\na:  b\n", undefined, /^1: .*never closed/],
  ["a repeated key", "```yaml\na:  b\na:  c\n```\n", undefined, /^3: .*twice/],
  ["JSON", '{ "title":  "x" }', undefined, undefined, "a.json"],
  ["nothing", "", "", undefined, "a.yaml"],
  ["the one-file form", "title:  x\r\nlimits:  none", "title: x\r\nlimits: none\r\n", undefined, "stdin"],
];

for (const [what, before, after = before, problems, name = "a.md"] of documents)
  test(`format a document with ${what}`, () => {
    const formatting = formatDocument(before, name);
    assert.equal(formatting.text, after);
    const found = formatting.problems.map(({ span, message }) => `${span.start.line}: ${message}`).join("\n");
    if (problems === undefined) assert.equal(found, "");
    else assert.match(found, problems);
    assert.equal(formatDocument(after, name).text, after);
  });

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

test("the documents that Nonet prints are formatted", () => {
  fc.assert(
    fc.property(models, (model) => {
      for (const [name, print] of [["a.md", printModel] as const, ["a.yaml", printData] as const])
        assert.equal(formatDocument(print(model), name).text, print(model));
    }),
    { numRuns: runs(60, 2000) },
  );
});

test("any document in any form keeps its meaning", () => {
  fc.assert(
    fc.property(models, seeds, (model, seed) => {
      const random = seeded(seed);
      formatted(
        "a.md",
        withBlocks(printModel(model), (block) => scruffy(treeOf(block), random)),
      );
    }),
    { numRuns: runs(40, 5000) },
  );
});

for (const path of examples) {
  const text = exampleText(path);

  test(`${path} is formatted`, () => assert.equal(formatDocument(text, path).text, text));

  test(`${path} in any form keeps its meaning`, () => {
    fc.assert(
      fc.property(seeds, fc.boolean(), (seed, isWindows) => {
        const random = seeded(seed);
        const lines = withBlocks(text, (block) => scruffy(treeOf(block), random));
        const once = formatted("a.md", isWindows ? lines.replaceAll("\n", "\r\n") : lines);
        assert.equal(once.replaceAll("\r\n", "\n").includes("\r"), false);
      }),
      { numRuns: runs(4, 200) },
    );
  });

  test(`${path} with mistakes keeps its meaning`, () => {
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.nat(12),
        fc.constantFrom("", " ", "\n", "#", ":", "{", "}", "[", "]", ",", "'", '"', "-", "\t", "|", ">", "&", "- a"),
        (at, cut, put) => {
          formatted("a.md", text.slice(0, at) + put + text.slice(at + cut));
        },
      ),
      { numRuns: runs(5, 500) },
    );
  });
}
