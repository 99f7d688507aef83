/** Any bytes become a document whose every piece stands where its span says; what is mended is said, and nothing is thrown. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Document, Node } from "./document.ts";
import { readDocument } from "./read.ts";
import { treeOf } from "./print.ts";

const flagship = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

/** `line:column-line:column code`, one a finding. */
function findings(name: string, text: string | Uint8Array): readonly string[] {
  return readDocument(name, text).diagnostics.map(({ code, span: { start, end } }) => {
    return `${start.line}:${start.column}-${end.line}:${end.column} ${code.replace("document/", "")}`;
  });
}

function codes(text: string | Uint8Array): readonly string[] {
  return readDocument("a.md", text).diagnostics.map((found) => found.code);
}

function treeIn(document: Document): unknown {
  return document.root && treeOf(document.root);
}

test("the flagship reads without a finding, each part with its block", () => {
  const { document, diagnostics } = readDocument("parcel-lockers.md", flagship);
  assert.deepEqual(diagnostics, []);
  assert.equal(document.title?.text, "Parcel Lockers");
  assert.deepEqual(
    document.sections.map((section) => [section.heading, section.fences.length, section.fences[0]?.body?.kind]),
    [
      "What the service does",
      "Resources and their fields",
      "States and transitions",
      "Endpoints",
      "Authentication",
      "Events",
      "Errors",
      "Limits",
      "Versioning",
    ].map((heading) => [heading, 1, "map"]),
  );
  assert.equal(
    document.sections[0]?.prose[0]?.text,
    "Couriers leave parcels in unattended lockers; recipients open the door with a code.",
  );
  const line = flagship.split("\n").findIndex((text) => text.includes("# ok hidden")) + 1;
  assert.deepEqual(
    document.suppressions.map(({ rules, reason, covers }) => ({ rules, reason, covers })),
    [{ rules: ["hidden-field-leaves"], reason: "the mailer has to send the code", covers: line }],
  );
});

test("every scalar of the flagship stands where its span says", () => {
  const { document } = readDocument("parcel-lockers.md", flagship);
  let count = 0;
  for (const fence of document.sections.flatMap((section) => section.fences)) {
    eachText(fence.body, (text) => {
      const written = flagship.slice(text.span.start.offset, text.span.end.offset);
      assert.equal(written, text.quoted ? JSON.stringify(text.value) : text.value);
      count += 1;
    });
  }
  assert.ok(count > 300, String(count));
});

function eachText(node: Node | undefined, visit: (text: Extract<Node, { kind: "text" }>) => void): void {
  if (node?.kind === "text") visit(node);
  else if (node?.kind === "list") for (const item of node.items) eachText(item, visit);
  else if (node?.kind === "map") {
    for (const { key, value } of node.entries) {
      eachText(key, visit);
      eachText(value, visit);
    }
  }
}

// Markdown.

test("a fence in a list, in a quote, indented, with CRLF: its characters stand where the file has them", () => {
  const forms = [
    "## A\n\n- item\n\n  ```yaml\n  a: bcd\n    \n  e: [f, gh]\n  ```\n",
    "## A\n> quote\n> ```yaml\n> a: bcd\n>\n>e: [f, gh]\n> ```\n",
    "## A\n   ```yaml\n   a: bcd\n  e: [f, gh]\n   ```\n",
    "## A\r\n```yaml\r\na: bcd\r\n\r\ne: [f, gh]\r\n```\r\n",
    "## A\r```yaml\ra: bcd\re: [f, gh]\r```\r",
    "## A\n1. > - ~~~~yaml\n   >   a: bcd\n   >   e: [f, gh]\n   >   ~~~~\n",
    "\uFEFF## A\n```yaml\na: bcd\ne: [f, gh]\n```",
  ];
  for (const text of forms) {
    const { document, diagnostics } = readDocument("a.md", text);
    assert.deepEqual(diagnostics, [], text);
    const body = document.sections[0]?.fences[0]?.body;
    assert.deepEqual(body && treeOf(body), { a: "bcd", e: ["f", "gh"] }, text);
    eachText(body, ({ value, span }) => {
      assert.equal(document.text.slice(span.start.offset, span.end.offset), value);
      const lines = document.text.split(/\r\n|\n|\r/);
      assert.equal(lines[span.start.line - 1]?.slice(span.start.column - 1, span.end.column - 1), value);
    });
  }
});

test("sections end at the next H1 or H2 of the document itself; H3 and deeper are prose", () => {
  const text = [
    "Before", "", "# T *one*", "", "## A `x` \\# y ##", "text", "### Deep", "- item **bold** [link](http://a.example)", "",
    "> ## Quoted", "", "B", "---", "| a | b |", "| - | - |", "# Second", "lost", "```yaml", "a: b", "```", "## C",
  ].join("\n"); // biome-ignore format: lines
  const { document } = readDocument("a.md", text);
  assert.equal(document.title?.text, "T one");
  assert.deepEqual(
    document.sections.map(({ heading, prose }) => [heading, prose.map((paragraph) => paragraph.text)]),
    [
      ["A x # y", ["text", "Deep", "item bold link", "Quoted"]],
      ["B", ["| a | b | | - | - |"]],
      ["C", []],
    ],
  );
  assert.deepEqual(findings("a.md", text), ["18:1-18:8 fence-outside-part"]);
});

test("prose loses its marks and nothing else", () => {
  const rows: Readonly<Record<string, string>> = {
    "This is **not shown** yet": "This is not shown yet",
    "is *not* _shown_": "is not shown",
    "snake_case_name and 2 * 3 * 4": "snake_case_name and 2 * 3 * 4",
    "![image](a.png) and [text][ref] and `code`": "image and text and code",
    "a <b>c</b> <https://a.example> d": "a c https://a.example d",
    "1 < 2 & 3 > 2": "1 < 2 & 3 > 2",
  };
  for (const [markdown, words] of Object.entries(rows)) {
    assert.equal(readDocument("a.md", `## A\n${markdown}\n`).document.sections[0]?.prose[0]?.text, words);
  }
});

test("only `yaml` without a further word defines", () => {
  const text =
    "## A\n```yaml example\na: !b\n```\n```json\n{a\n```\n```yml\na: b\n```\n```YAML\na: b\n```\n```yaml title=x\na: b\n```\n    indented: x\n";
  const { document } = readDocument("a.md", text);
  assert.deepEqual(
    document.sections[0]?.fences.map(({ language, meta, body }) => [language, meta, body?.kind]),
    [
      ["yaml", "example", undefined],
      ["json", "", undefined],
      ["yml", "", undefined],
      ["YAML", "", "map"],
      ["yaml", "title=x", undefined],
    ],
  );
  assert.deepEqual(findings("a.md", text), ["8:1-8:7 fence-language", "14:1-14:16 fence-language"]);
});

test("a fence that nobody closes", () => {
  assert.deepEqual(
    findings("a.md", "## A\n```yaml\na: b\n\n## B\n"),
    ["2:1-2:4 fence-not-closed", "5:1-5:1 fence-not-closed"].slice(0, 1),
  );
  assert.deepEqual(findings("a.md", "## A\n```yaml\na: b\n````\n"), []);
  assert.deepEqual(findings("a.md", "## A\n> ~~~~yaml\n> a: b\n\ntext"), ["2:3-2:7 fence-not-closed"]);
  assert.deepEqual(findings("a.md", "## A\n```"), ["2:1-2:4 fence-not-closed"]);
});

test("a block that says nothing has no body", () => {
  for (const inside of ["", "\n", "# only a comment\n", "---\n"]) {
    const { document, diagnostics } = readDocument("a.md", `## A\n\`\`\`yaml\n${inside}\`\`\`\n`);
    assert.equal(document.sections[0]?.fences[0]?.body, undefined, inside);
    assert.deepEqual(diagnostics, []);
  }
});

// The form.

test("Markdown or one YAML or JSON value, by name or by look", () => {
  const keys = { topLevelKeys: ["purpose", "errors"] };
  const rows: readonly (readonly [name: string, text: string, form: string])[] = [
    ["a.yaml", "# A\n", "data"],
    ["a.JSON", "", "data"],
    ["a.md", "purpose: x\n", "markdown"],
    ["-", "purpose: x\n", "data"],
    ["-", "# a comment\n---\nerrors:\n- x\nother: {\n}\n", "data"],
    ["-", '{ "purpose": {} }', "data"],
    ["-", '\n  {\n  "errors": {} }', "markdown"],
    ["-", "other: x\n", "markdown"],
    ["-", "purpose: x\n\nSome prose here.\n", "markdown"],
    ["a.txt", "# Purpose\n\n## Errors\n", "markdown"],
    ["-", "```yaml\npurpose: x\n```\n", "markdown"],
    ["-", "", "markdown"],
  ];
  for (const [name, text, form] of rows) assert.equal(readDocument(name, text, keys).document.form, form, text);
  assert.equal(readDocument("-", "purpose: x\n").document.form, "markdown");
});

test("JSON is read as it stands", () => {
  const { document, diagnostics } = readDocument(
    "a.json",
    '{\r\n\t"a": [1, true, null, "x: # y"],\r\n\t"b": {}\r\n}\r\n',
  );
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(treeIn(document), { a: ["1", "true", "null", "x: # y"], b: {} });
});

// YAML: what is read, and where it is wrong.

const yamls: readonly (readonly [yaml: string, tree: unknown, findings: readonly string[]])[] = [
  ["a: no\nb: 0123\nc: 2026-09-01\nd: ~", { a: "no", b: "0123", c: "2026-09-01", d: "~" }, []],
  ["a:\nb: ''\nc: { d: , e }", { a: "", b: "", c: { d: "", e: "" } }, []],
  ["a, b: c | d\nfree -> held: when x", { "a, b": "c | d", "free -> held": "when x" }, []],
  ["a: string /^[0-9]{6}$/ = x", { a: "string /^[0-9]{6}$/ = x" }, []],
  ["a: |\n  x\n  y: z\nb: >-\n  q\n  r\n", { a: "x\ny: z\n", b: "q r" }, []],
  // Traps, mended and read on.
  ["if: !locker.open && x\nb: c", { if: "!locker.open && x", b: "c" }, ["1:5-1:22 value-needs-quotes"]],
  ["a: *.x", { a: "*.x" }, ["1:4-1:7 value-needs-quotes"]],
  ["a: | null # note", { a: "| null" }, ["1:4-1:10 value-needs-quotes"]],
  ["a: > 5\nb: c", { a: "> 5", b: "c" }, ["1:4-1:7 value-needs-quotes"]],
  [
    "a: @x\nb: %y\nc: `z`",
    { a: "@x", b: "%y", c: "`z`" },
    ["1:4-1:6", "2:4-2:6", "3:4-3:7"].map((at) => `${at} value-needs-quotes`),
  ],
  ["a: x: y", { a: "x: y" }, ["1:4-1:8 value-needs-quotes"]],
  ["a: b ? c : d", { a: "b ? c : d" }, ["1:4-1:13 value-needs-quotes"]],
  ["a:\n  - x: y: z\n  - b", { a: [{ x: "y: z" }, "b"] }, ["2:8-2:12 value-needs-quotes"]],
  [
    "a: { if: x.exists(y, y == 'z'), else: w }",
    { a: { if: "x.exists(y, y == 'z')", else: "w" } },
    ["1:10-1:31 value-needs-quotes"],
  ],
  ["a: { b: c(d, e: f }", { a: { b: "c(d", e: "f" } }, []],
  ["a: { at: PUT /x/{id} }\nb: c", { a: { at: "PUT /x/{id}" }, b: "c" }, ["1:10-1:21 value-needs-quotes"]],
  [
    "a: { b: string[], c: @d, e: f }",
    { a: { b: "string[]", c: "@d", e: "f" } },
    ["1:9-1:17 value-needs-quotes", "1:22-1:24 value-needs-quotes"],
  ],
  [
    "a: {\n  at: GET /x/{id},\n  b: c\n}\nd: e",
    { a: { at: "GET /x/{id}", b: "c" }, d: "e" },
    ["2:7-2:18 value-needs-quotes"],
  ],
  ["a: {base_url}", { a: "{base_url}" }, ["1:4-1:14 value-needs-quotes"]],
  ["a: {base_url}/x\nb: c", { a: "{base_url}/x", b: "c" }, ["1:4-1:16 value-needs-quotes"]],
  ['a: "x" or "y"\nb: c', { a: '"x" or "y"', b: "c" }, ["1:4-1:14 value-needs-quotes"]],
  ["*: anyone", { "*": "anyone" }, ["1:1-1:2 value-needs-quotes"]],
  ["a:b\nc: d", { a: "b", c: "d" }, ["1:1-1:4 space-after-colon"]],
  ["a:b", { a: "b" }, ["1:1-1:4 space-after-colon"]],
  ["x: {a:b, c: d}", { x: { a: "b", c: "d" } }, ["1:5-1:8 space-after-colon"]],
  ["https://a.example", "https://a.example", []],
  [
    "a:\n\tb: c\n\td: e\nf: g",
    { a: { b: "c", d: "e" }, f: "g" },
    ["2:1-2:2 tab-indentation", "3:1-3:2 tab-indentation"],
  ],
  // Comments.
  ["a: string /a #b/", { a: "string /a" }, ["1:14-1:17 comment-cuts-value"]],
  ["a: string(1..80 # x", { a: "string(1..80" }, ["1:17-1:20 comment-cuts-value"]],
  ["a: b # a comment\nc: d # ok x: y\ne: f ## g", { a: "b", c: "d", e: "f" }, []],
  // What is not followed.
  ["a: &x b\nc: *x", { a: "b", c: "" }, ["1:4-1:6 yaml-anchor", "2:4-2:6 yaml-anchor"]],
  ["a: !!str b", { a: "b" }, ["1:4-1:9 yaml-tag"]],
  ["<<: { a: b }\nc: d", { c: "d" }, ["1:1-1:3 merge-key"]],
  ["%YAML 1.1\n---\na: no", { a: "no" }, ["1:1-1:10 yaml-directive"]],
  ["a: b\n---\nc: d", { a: "b" }, ["3:1-3:2 several-values"]],
  ["a: b\n...\n---\n", { a: "b" }, []],
  // Faults that stay, and what is read around them.
  ["a: b\na: c\nd: e", { a: "b", d: "e" }, ["2:1-2:2 duplicate-key"]],
  ["? [a]\n: b\nc: d", { c: "d" }, ["1:3-1:6 key-not-text"]],
  ['a: "x\nb: c\nd: e', { a: "x", b: "c", d: "e" }, ["1:4-1:5 not-closed"]],
  ["a: [1, 2\nb: c", { a: ["1", "2"], b: "c" }, ["2:1-2:2 not-closed"]],
  ["a: {b: c}}\nd: e", { a: { b: "c" }, d: "e" }, ["1:10-1:11 yaml-out-of-place"]],
  ["a:\n  b: {c: d}}\n  e: f\ng: h", { a: { b: { c: "d" }, e: "f" }, g: "h" }, ["2:12-2:13 yaml-out-of-place"]],
  ["a b\nc: d\ne: f", { c: "d", e: "f" }, ["1:1-2:2 yaml-syntax"]],
  ['a: "\\q"\nb: c', { a: "\\q", b: "c" }, ["1:5-1:6 escape"]],
];

for (const [yaml, tree, expected] of yamls) {
  test(`YAML ${JSON.stringify(yaml)}`, () => {
    assert.deepEqual(treeIn(readDocument("a.yaml", yaml).document), tree);
    assert.deepEqual(findings("a.yaml", yaml), expected);
  });
}

test("applying the fixes leaves nothing to fix, and the same tree", () => {
  for (const [yaml, tree] of yamls) {
    const first = readDocument("a.yaml", yaml);
    const fixes = first.diagnostics.flatMap((found) => (found.fix && found.severity === "error" ? [found.fix] : []));
    let text = yaml;
    for (const fix of fixes.toReversed()) {
      text = text.slice(0, fix.span.start.offset) + fix.text + text.slice(fix.span.end.offset);
    }
    const again = readDocument("a.yaml", text);
    assert.deepEqual(treeIn(again.document), tree, text);
    assert.equal(
      again.diagnostics.some((found) => found.fix && found.severity === "error"),
      false,
      text,
    );
  }
});

test("too deep, and deep enough", () => {
  const nested = (depth: number): string => `a: ${"[".repeat(depth)}${"]".repeat(depth)}`;
  assert.deepEqual(codes(`## A\n\`\`\`yaml\n${nested(60)}\n\`\`\``), []);
  assert.deepEqual(codes(`## A\n\`\`\`yaml\n${nested(70)}\n\`\`\``), ["document/too-deep"]);
  assert.deepEqual(codes(`## A\n\`\`\`yaml\n${nested(100_000)}\n\`\`\``), ["document/too-deep"]);
  // What stands after it is read, and brackets in a text are none.
  const quoted = `q: "${"[".repeat(2000)}"`;
  assert.deepEqual(codes(`## A\n\`\`\`yaml\n${nested(2000)}\nb: [x, ${"[".repeat(70)}a${"]".repeat(70)}, y]\n${quoted}\n\`\`\``), ["document/too-deep", "document/too-deep"]); // biome-ignore format: short
  assert.deepEqual(codes(`## A\n\n${"> ".repeat(60)}x\n\ny`), ["document/too-deep"]);
});

test("too large", () => {
  assert.deepEqual(codes("a".repeat(12_582_913)), ["document/too-large"]);
  assert.deepEqual(codes("\n".repeat(250_001)), ["document/too-large"]);
});

test("more broken lines than a call has room for arguments", () => {
  const text = `## A\n\`\`\`yaml\n${"x\n".repeat(150_000)}a: [\n\`\`\`\n`;
  assert.notDeepEqual(codes(text), []);
});

// Characters.

test("bytes and characters that are no text", () => {
  const bytes = (...parts: (string | number)[]): Uint8Array =>
    new Uint8Array(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])));
  assert.deepEqual(findings("a.md", bytes("# A\nb", 0xff, 0xfe, "c")), ["2:2-2:3 not-utf-8"]);
  assert.deepEqual(findings("a.md", bytes("# A\n", 0xed, 0xa0, 0x80)), ["2:1-2:2 not-utf-8"]);
  assert.deepEqual(findings("a.md", "# A\nb\ud800c"), ["2:2-2:3 not-utf-8"]);
  assert.deepEqual(findings("a.md", "# \ufffd is a character like others"), []);
  assert.deepEqual(findings("a.md", bytes(0xef, 0xbb, 0xbf, "# A\n")), []);
  assert.equal(readDocument("a.md", bytes(0xef, 0xbb, 0xbf, "# A\n")).document.text, "# A\n");
  assert.deepEqual(findings("a.md", "# A\n\u0000"), ["2:1-2:2 control-character"]);
  const nul = readDocument("a.md", "## A\n```yaml\na: b\u0000c\nd: e\n```\n");
  assert.deepEqual(
    nul.diagnostics.map((found) => found.code),
    ["document/control-character"],
  );
});

// Suppressions.

test("`# ok` covers its own line, or the next with content", () => {
  const text =
    '# ok a/b, c-d: why: so\n\n# more\nx: y # ok e: f\nz: "# ok g: h"\nw: | # ok i: j\n  # ok k: l\n#ok m: n\n';
  const { document, diagnostics } = readDocument("a.yaml", text);
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(
    document.suppressions.map(({ rules, reason, covers }) => [rules.join("+"), reason, covers]),
    [
      ["a/b+c-d", "why: so", 4],
      ["e", "f", 4],
      ["i", "j", 6],
      ["m", "n", 8],
    ],
  );
});

test("`# ok` without reason or rule silences nothing", () => {
  const text = "a: b # ok x\nc: d # ok x, y:\ne: f # ok: because\ng: h # okay then\ni: j # ok so we do that";
  assert.deepEqual(readDocument("a.yaml", text).document.suppressions, []);
  assert.deepEqual(findings("a.yaml", text), [
    "1:6-1:12 suppression-without-reason",
    "2:6-2:16 suppression-without-reason",
    "3:6-3:19 suppression-without-rule",
  ]);
});
