/** How findings are shown: to people with the lines they are about, to programs as JSON, SARIF and GitHub's commands, escaped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Position } from "../base/span.ts";
import { type Diagnostic, inOrder } from "./diagnostic.ts";
import { github } from "./github.ts";
import { diagnosticJson } from "./json.ts";
import { sarif } from "./sarif.ts";
import { printDiagnostic } from "./text.ts";

/** The diagnostic over the text between two `¦` of `marked`, and the text without them. */
function over(marked: string, more: Partial<Diagnostic> = {}): { readonly text: string; readonly found: Diagnostic } {
  const [before = "", inside = "", after = ""] = marked.split("¦");
  const text = before + inside + after;
  const position = (offset: number): Position => {
    const lines = text.slice(0, offset).split("\n");
    return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, offset };
  };
  const span = { start: position(before.length), end: position(before.length + inside.length) };
  return { text, found: { code: "part/slug", severity: "error", message: "Wrong.", span, ...more } };
}

function frame(marked: string): string {
  const { text, found } = over(marked);
  return printDiagnostic(found, { name: "a.md", text }).split("\n").slice(1, -1).join("\n");
}

const frames: readonly (readonly [what: string, marked: string, expected: string])[] = [
  [
    "one line between its neighbours",
    "one\ntwo ¦three¦ four\nfive\nsix",
    "  1 | one\n  2 | two three four\n    |     ^^^^^\n  3 | five",
  ],
  ["the first line", "¦one¦\ntwo", "  1 | one\n    | ^^^\n  2 | two"],
  ["an empty span", "one¦¦", "  1 | one\n    |    ^"],
  ["an empty text", "¦¦", "  1 |\n    | ^"],
  ["after the end of a line", "one¦\n¦two", "  1 | one\n    |    ^\n  2 | two"],
  ["tabs", "\ta:\t¦b\tc¦", "  1 |     a:  b   c\n    |         ^^^^^"],
  ["wide characters", "小包: ¦ロッカー¦ x", "  1 | 小包: ロッカー x\n    |       ^^^^^^^^"],
  ["emoji and joined marks", "👩‍👩‍👧 e\u0301 ¦x¦", "  1 | 👩‍👩‍👧 e\u0301 x\n    |      ^"],
  ["several lines", "a: ¦{\n  b: c\n}¦ d", "  1 | a: {\n    |    ^\n  2 |   b: c\n    |   ^^^^\n  3 | } d\n    | ^"],
  [
    "many lines",
    "¦a\nb\nc\nd\ne\nf\ng¦\nh",
    "  1 | a\n    | ^\n  2 | b\n    | ^\n  3 | c\n    | ^\n  4 | d\n    | ^\n    …\n  7 | g\n    | ^\n  8 | h",
  ],
  ["wider line numbers", `${"x\n".repeat(9)}¦y¦`, "   9 | x\n  10 | y\n     | ^"],
  ["a sign that would steer the terminal", "a\u001b[2J ¦b¦", "  1 | a␛[2J b\n    |       ^"],
];
for (const [what, marked, expected] of frames) {
  test(`code frame: ${what}`, () => assert.equal(frame(marked), expected));
}

test("a long line is cut around the finding", () => {
  const lines = frame(`${"x".repeat(5000)}¦y¦${"z".repeat(5000)}`).split("\n");
  assert.ok(lines.every((line) => line.length < 180));
  const column = lines[1]?.indexOf("^") ?? -1;
  assert.equal(lines[0]?.[column], "y");
});

test("head, why and help; colour only where asked for", () => {
  const { text, found } = over("a ¦b¦", { severity: "warning", why: "Because.", help: "Write `c`." });
  const plain = printDiagnostic(found, { name: "x/a.md", text });
  assert.equal(
    plain,
    "x/a.md:1:3: warning: Wrong. [part/slug]\n  1 | a b\n    |   ^\n  why: Because.\n  help: Write `c`.\n",
  );
  const coloured = printDiagnostic(found, { name: "x/a.md", text, colour: true });
  assert.match(coloured, /\u001b\[33mwarning\u001b\[0m/);
  assert.equal(coloured.replace(/\u001b\[\d+m/g, ""), plain);
});

test("a finding whose place lies beyond the text is still printed", () => {
  const { found } = over("a\nb\nc ¦d¦");
  assert.match(printDiagnostic(found, { name: "a.md", text: "" }), /^a\.md:3:3: error/);
});

test("JSON", () => {
  const { found } = over("a\n b¦c\nd¦", { help: "Write." });
  assert.deepEqual(diagnosticJson(found), {
    code: "part/slug", severity: "error", message: "Wrong.", line: 2, column: 3, endLine: 3, endColumn: 2, help: "Write.",
  }); // biome-ignore format: one line
  assert.ok(!("help" in diagnosticJson(over("¦a¦").found)));
});

test("GitHub's workflow commands, escaped", () => {
  const one = over("a ¦bc¦", { message: "50% of\r\nx: y, z", help: "Write `c`.", severity: "hint" }).found;
  assert.equal(
    github([one], "docs/a,b: c%.md"),
    "::notice file=docs/a%2Cb%3A c%25.md,line=1,endLine=1,col=3,endColumn=4,title=part/slug::50%25 of%0D%0Ax: y, z%0AWrite `c`.\n",
  );
  const many = over("¦a\nb¦").found;
  assert.equal(github([many], "a.md"), "::error file=a.md,line=1,endLine=2,title=part/slug::Wrong.\n");
  assert.equal(github([], "a.md"), "");
});

test("SARIF", () => {
  const fixed = over("a ¦b¦");
  const found: Diagnostic = { ...fixed.found, fix: { title: "Mend", span: fixed.found.span, text: "c" } };
  const other: Diagnostic = { ...fixed.found, code: "part/other", severity: "hint" };
  const rules = [
    { code: "part/slug", summary: "About it.", severity: "error", page: "https://x.example/slug" },
  ] as const;
  const log = JSON.parse(JSON.stringify(sarif([found, other], "docs/my file.md", rules)));
  assert.equal(log.version, "2.1.0");
  const [run] = log.runs;
  assert.deepEqual(run.tool.driver.rules, [
    { id: "part/slug", shortDescription: { text: "About it." }, defaultConfiguration: { level: "error" }, helpUri: "https://x.example/slug" },
    { id: "part/other" },
  ]); // biome-ignore format: a rule a line
  const [first, second] = run.results;
  assert.equal(first.ruleIndex, 0);
  assert.equal(second.level, "note");
  assert.equal(first.locations[0].physicalLocation.artifactLocation.uri, "docs/my%20file.md");
  const region = { startLine: 1, startColumn: 3, endLine: 1, endColumn: 4, charOffset: 2, charLength: 1 };
  assert.deepEqual(first.locations[0].physicalLocation.region, region);
  assert.deepEqual(first.fixes[0].artifactChanges[0].replacements, [
    { deletedRegion: region, insertedContent: { text: "c" } },
  ]);
});

test("by place, then by code, otherwise as given", () => {
  const at = (offset: number, code: string, message: string): Diagnostic => {
    const position = { line: 1, column: offset + 1, offset };
    return { code, severity: "error", message, span: { start: position, end: position } };
  };
  const given = [at(5, "b/b", "1"), at(5, "a/a", "2"), at(0, "z/z", "3"), at(5, "a/a", "4")];
  assert.deepEqual(
    inOrder(given).map((found) => found.message),
    ["3", "2", "4", "1"],
  );
});
