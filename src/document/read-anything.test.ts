/** Whatever the input, a document comes back, with every place inside of its text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { Span } from "../base/span.ts";
import type { Node } from "./document.ts";
import { readDocument } from "./read.ts";
import { spanInside } from "./span-inside.ts";

const flagship = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

function readsWell(name: string, input: string | Uint8Array): void {
  const { document, diagnostics } = readDocument(name, input, { topLevelKeys: ["purpose", "a"] });
  const lines = document.text.split(/\r\n|\n|\r/);
  const check = (span: Span, what: string): void => {
    const { start, end } = span;
    assert.ok(start.offset <= end.offset && end.offset <= document.text.length, `${what} ${JSON.stringify(span)}`);
    for (const { line, column } of [start, end]) {
      const length = lines[line - 1]?.length;
      assert.ok(length !== undefined && column >= 1 && column <= length + 1, `${what} ${JSON.stringify(span)}`);
    }
  };
  for (const found of diagnostics) {
    assert.match(found.code, /^document\/[a-z0-9-]+$/);
    check(found.span, found.code);
    if (found.fix) check(found.fix.span, found.code);
  }
  for (const section of document.sections) {
    check(section.span, "section");
    for (const prose of section.prose) check(prose.span, "prose");
    for (const fence of section.fences) {
      check(fence.span, "fence");
      if (fence.body) checkNode(fence.body, check);
    }
  }
  if (document.root) checkNode(document.root, check);
  for (const suppression of document.suppressions) check(suppression.span, "suppression");
}

function checkNode(node: Node, check: (span: Span, what: string) => void): void {
  check(node.span, node.kind);
  if (node.kind === "list") for (const item of node.items) checkNode(item, check);
  else if (node.kind === "map") {
    for (const { key, value } of node.entries) {
      checkNode(key, check);
      checkNode(value, check);
    }
  } else {
    for (let at = 0; at <= Math.min(node.value.length, 50); at++) spanInside(node, at);
  }
}

const name = fc.constantFrom("a.md", "a.yaml", "a.json", "-");
const runs = { numRuns: 1500 };

test("any bytes", () => {
  fc.assert(
    fc.property(name, fc.uint8Array({ maxLength: 300 }), (file, bytes) => readsWell(file, bytes)),
    runs,
  );
});

test("any text", () => {
  fc.assert(
    fc.property(name, fc.string({ unit: "binary", maxLength: 200 }), (file, text) => readsWell(file, text)),
    runs,
  );
});

const sign = fc.constantFrom(
  ..."#`~>-*+ \t\n\r:?,[]{}&!|%@'\"\\/.=0ab\u0000\ufeff\u2028".split(""),
  "\n```yaml\n", "\n```\n", "\n## A\n", "a: ", "- ", "\n  ", "\r\n", "# ok x: y", "---\n", "...", "<<: ", "<!--", "-->",
  "\ud800", "🚚", "|-\n", ">+2\n", "? ", "\\u", "''", "{id}", "&x ", "*x", "!!str ",
); // biome-ignore format: signs of Markdown, then of YAML

test("any heap of Markdown's and YAML's signs", () => {
  fc.assert(
    fc.property(name, fc.array(sign, { maxLength: 60 }), (file, signs) => readsWell(file, signs.join(""))),
    { numRuns: 6000 },
  );
});

test("any heap of signs inside of a fence in a list", () => {
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 40 }), (signs) => {
      const inside = signs.join("").replace(/\r\n|\n|\r/g, "\n  ");
      readsWell("a.md", `## A\n\n- \`\`\`yaml\n  a: b\n  ${inside}\n  \`\`\`\n`);
    }),
    { numRuns: 3000 },
  );
});

test("the flagship with pieces cut, doubled, moved and signs put in", () => {
  const place = fc.nat({ max: flagship.length });
  const change = fc.tuple(place, fc.nat({ max: 30 }), fc.oneof(sign, fc.constant(""), place));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let text = flagship;
      for (const [at, length, put] of changes) {
        const inserted = typeof put === "number" ? flagship.slice(put, put + length) : put;
        text = text.slice(0, at) + inserted + text.slice(at + length);
      }
      readsWell("a.md", text);
    }),
    { numRuns: 400 },
  );
});
