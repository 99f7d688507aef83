/** What is read line by line is what the library reads; everything that it would have to say something about is left to it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { LineSpan } from "../base/span.ts";
import type { Node } from "./document.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { linesOf, sourceOfLines } from "./source.ts";
import { readAnyYaml } from "./yaml.ts";

const examples = new URL("../../examples/", import.meta.url);
const blocks = readdirSync(examples)
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => [...readFileSync(new URL(name, examples), "utf8").matchAll(/```yaml\n([^]*?)\n```/g)])
  .map(([, block = ""]) => block);

/** Returns a copy of the node with spans of two positions. */
function plain(node: Node): unknown {
  const copied = (_: string, value: unknown): unknown =>
    value instanceof LineSpan ? { start: value.start, end: value.end } : value;
  return JSON.parse(JSON.stringify(node, copied)) as unknown;
}

/** Whether the text is read here; if so, as by the library, which has nothing to report. */
function isPlain(text: string): boolean {
  const source = sourceOfLines(linesOf(text));
  const node = readPlainYaml(source);
  if (node !== undefined)
    assert.deepEqual({ node: plain(node), diagnostics: [] }, readAnyYaml(source), JSON.stringify(text));
  return node !== undefined;
}

test("the blocks of all examples are plain, but for those of one word, or with a map over several lines", () => {
  const isOther = (block: string): boolean => block === "none" || /[{,]$|:\n\s+\{/m.test(block);
  for (const block of blocks) assert.equal(isPlain(block), !isOther(block), block);
});

for (const text of [
  "a: b",
  "a: b # c\n# d\n\nb: c",
  "a -> b: c, d | e\n2026-09-01: /x {y} [z]",
  'a: "b: c # d"\nb: \'c "d"\'',
  "a:\n    b: 1\n\n# c\nb: 2",
  "a: # b\n  - c\n  - [d, 'e', { f: g }]\nb: {}",
  "a: [b,]\nb: { c: d, }\nc: [{ d: e, }, ]",
  "a: https://x.example/y#z",
  "é: \ud83d\ude00",
  "a:\n  - b: c",
  "a:\n  - b: c\n    d: e\n\n  # f\n  - g:\n      h: i\n  -   - j\n      - k: l\nm: n",
  '"a": b\n"c": { "d": e, \'f\': "g" }\nh:\n  - "i": j',
  'a: "b\\n"\n"c\\"": ["\\u00e9\\ud83d\\ude00 d", "\\/\\t"]',
  "-1: a\n+1: { -2: b }",
  "a: 'b \\q c'\n'd\\e': ['\\f']",
  "a:\n  - b: c\n  # d\n    e: f",
]) {
  test(`plain: ${JSON.stringify(text)}`, () => assert.ok(isPlain(text)));
}

for (const text of [
  "",
  "none",
  "- a",
  "  a: b",
  "a: b: c",
  "a: b:",
  "a:b",
  "a: 1\na: 2",
  "a: { b: 1, b: 2 }",
  "<<: a",
  "... a: b",
  "---\na: b",
  "%a\nb: c",
  "a:",
  "a: b\n  c",
  "a: b\n c: d",
  "a:\n- b",
  "a: [b,\n  c]",
  "a: [b, c",
  "a: [b, c]]",
  "a: [b: c]",
  "a: {b}",
  "a: { b: c(d, e) }",
  "a: [,]",
  "a: [b,,]",
  "a: { b: c,, }",
  "a: |\n  b",
  "a: &b c",
  "a: *b",
  "a: !b c",
  "a: `b`",
  "? a",
  "a: 'b''c'",
  'a: "\\x41\\e"',
  'a: "b" c',
  'a: { "b":c }',
  "a:\n  -\n    b: c",
  "a:\n  - b: c\n   d: e",
  "a: [- b]",
  "a: b #c",
  "a: string(1 # c",
  "a: b\n  # c",
  "a:\n  b: c\n  # d\nb: e",
  "a: b\u00a0",
  "a:\tb",
  "\ufeffa: b",
  `${"a".repeat(2000)}: b`,
  Array.from({ length: 40 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n") + " b",
  `a: ${"[".repeat(40)}${"]".repeat(40)}`,
]) {
  test(`left to the library: ${JSON.stringify(text.slice(0, 60))}`, () => assert.ok(!isPlain(text)));
}

const written = blocks.flatMap((block) => block.split("\n").map((line) => line.trim()));
const sign = fc.constantFrom(
  ...' |  |#| # c| #c|:|: |-|- |- x: |- - |,|{|}|[|]|"|\'|a|<<: x|>|&a|*|!|?|? |---|...|%|x: y|"x": |"\\n"|{ a: b }|[a]|[a: b]|\'\'|\\|(|a:b|\t|\n'.split(
    "|",
  ),
);
const line = fc
  .tuple(
    fc.constantFrom("", "  ", "    ", "      "),
    fc.constantFrom(...written, "", "# c", "- a", "- a: b", "- - c", "a: b", "x:"),
  )
  .map((pair) => pair.join(""));
const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join("\n"));
const damaged = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), sign), { maxLength: 2 }))
  .map(([whole, damages]) =>
    damages.reduce((left, [where, removed, inserted]) => {
      const at = where % (left.length + 1);
      return left.slice(0, at) + inserted + left.slice(at + removed);
    }, whole),
  );

test("any lines, with any damage", () => {
  let plain = 0;
  fc.assert(
    fc.property(damaged, (each) => {
      if (isPlain(each)) plain += 1;
    }),
    { numRuns: 5000 },
  );
  assert.ok(plain > 100, `only ${plain} were plain`);
});
