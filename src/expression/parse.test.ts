/** The grammar: one canonical text for each tree, a place for each fault, and bounds on what is read. Reading never throws. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExpression } from "./parse.ts";
import { printExpression } from "./print.ts";
import { type BinaryOperator, type Expression, type Extent, keywords, precedence, reservedWords } from "./syntax.ts";

const nowhere: Extent = { start: 0, end: 0 };

/** A tree without its places, to compare two that came from different texts. */
function shape(expression: Expression | undefined): unknown {
  return JSON.parse(
    JSON.stringify(expression, (name, value) => (name === "at" || name === "nameAt" ? undefined : value)),
  );
}

test("an expression has one canonical text", () => {
  const examples: readonly [text: string, canonical: string][] = [
    ["a", "a"],
    ["  a  ", "a"],
    ["a // why\n && b", "a && b"],
    ["((a))", "a"],
    ["a&&b||c&&d", "a && b || c && d"],
    ["a&&(b||c)", "a && (b || c)"],
    ["1+2*3", "1 + 2 * 3"],
    ["(1+2)*3", "(1 + 2) * 3"],
    ["1-(2-3)", "1 - (2 - 3)"],
    ["1-2-3", "1 - 2 - 3"],
    ["a<b==c", "a < b == c"],
    ["a<(b==c)", "a < (b == c)"],
    ["a?b:c?d:e", "a ? b : c ? d : e"],
    ["(a?b:c)?d:e", "(a ? b : c) ? d : e"],
    ["!!a", "!!a"],
    ["!(a&&b)", "!(a && b)"],
    ["--1", "--1"],
    ["-(1+2).size()", "-(1 + 2).size()"],
    ["(-1).size()", "(-1).size()"],
    ['"it\'s"', "'it\\'s'"],
    ["r'\\d+'", "'\\\\d+'"],
    ["'''a\nb'''", "'a\\nb'"],
    ["'\\u00e9\\x41\\101'", "'éAA'"],
    ["0x1F", "31"],
    [".5", "0.5"],
    ["2.0", "2.0"],
    ["1e3", "1000.0"],
    ["1e300", "1e+300"],
    ["[1,2,]", "[1, 2]"],
    ["Like.exists(l,l.recipe==id)", "Like.exists(l, l.recipe == id)"],
    ["a.`x-y`", "a.`x-y`"],
    ["a.`x`", "a.x"],
    ["old.package", "old.package"],
    ["a in [1]", "a in [1]"],
    ["timestamp('2026-01-31T12:00:00Z')", "timestamp('2026-01-31T12:00:00Z')"],
  ];
  for (const [text, canonical] of examples) {
    const { expression, problems } = parseExpression(text);
    assert.deepEqual(problems, [], text);
    assert.ok(expression);
    assert.equal(printExpression(expression), canonical);
    assert.deepEqual(shape(parseExpression(canonical).expression), shape(expression));
  }
});

test("what cannot be read is said, with its place", () => {
  const examples: readonly [text: string, code: string, faulty: string][] = [
    ["", "unexpected-token", ""],
    ["a &&", "unexpected-token", ""],
    ["a = b", "unexpected-character", "="],
    ["a & b", "unexpected-character", "&"],
    ["a b", "unexpected-token", "b"],
    ["(a", "unexpected-token", ""],
    ["a)", "unexpected-token", ")"],
    ["f(a,)", "unexpected-token", ")"],
    ["a ? b", "unexpected-token", ""],
    ["!-a", "unexpected-token", "-"],
    ["a.", "unexpected-token", ""],
    ["a.in", "unexpected-token", "in"],
    ["in", "unexpected-token", "in"],
    ["'open", "unterminated-text", "'open"],
    ["'a\nb'", "unterminated-text", "'a"],
    ["'\\q'", "bad-escape", "\\q"],
    ["'\\ud800'", "bad-escape", "\\u"],
    ["'a\\x00'", "bad-text", "'a\\x00'"],
    ["72h", "bad-number", "72h"],
    ["9007199254740992", "number-too-large", "9007199254740992"],
    ["1e999", "number-too-large", "1e999"],
    ["1u", "not-in-language", "1u"],
    ["b'x'", "not-in-language", "b'"],
    ["a[0]", "not-in-language", "["],
    ["{'a': 1}", "not-in-language", "{"],
    [".a", "not-in-language", "."],
    ["a.?b", "not-in-language", "?"],
    ["package == 'x'", "reserved-word", "package"],
    ["😀", "unexpected-character", "😀"],
  ];
  for (const [text, code, faulty] of examples) {
    const { expression, problems } = parseExpression(text);
    assert.equal(expression, undefined, text);
    assert.equal(problems.length, 1, text);
    const [problem] = problems;
    assert.equal(problem?.code, code, `${text}: ${problem?.message}`);
    assert.equal(text.slice(problem?.start, problem?.end), faulty, text);
  }
});

test("places are where things stand", () => {
  const text = " a.b == ( f(x) )";
  const { expression } = parseExpression(text);
  const texts: string[] = [];
  JSON.stringify(expression, (name, value) => {
    if (name === "at" || name === "nameAt") texts.push(text.slice(value.start, value.end));
    return value;
  });
  assert.deepEqual(texts, ["a.b == ( f(x) )", "a.b", "a", "b", "( f(x) )", "f", "x"]);
});

test("an expression is bounded in length, depth and size", () => {
  const tooLarge = [
    `'${"x".repeat(9000)}'`,
    `${"(".repeat(101)}a${")".repeat(101)}`,
    `${"!".repeat(101)}a`,
    Array(120).fill("a").join(" && "),
    `[${Array(1100).fill("a").join(",")}]`,
    `${"(".repeat(3900)}a`,
  ];
  for (const text of tooLarge) assert.equal(parseExpression(text).problems[0]?.code, "too-large", text.slice(0, 20));
  const largeEnough = [Array(99).fill("a").join(" && "), `${"(".repeat(99)}a${")".repeat(99)}`, `${"-".repeat(99)}1`];
  for (const text of largeEnough) assert.deepEqual(parseExpression(text).problems, []);
});

const identifier = fc
  .stringMatching(/^[_a-zA-Z][_a-zA-Z0-9]{0,6}$/)
  .filter((name) => !keywords.has(name) && !reservedWords.has(name));
const selector = fc.oneof(
  identifier,
  fc.stringMatching(/^[_a-zA-Z0-9./\- ]{1,6}$/),
  fc.constantFrom("true", "in", "package"),
);
const literalText = fc
  .string({ unit: "binary", maxLength: 8 })
  .filter((value) => !value.includes("\0") && value.isWellFormed());

const { anyExpression } = fc.letrec<{ anyExpression: Expression }>((tie) => ({
  anyExpression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ kind: fc.constant("name" as const), at: fc.constant(nowhere), name: identifier }),
    fc.record({ kind: fc.constant("int" as const), at: fc.constant(nowhere), value: fc.maxSafeNat() }),
    fc.record({
      kind: fc.constant("double" as const),
      at: fc.constant(nowhere),
      value: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    }),
    fc.record({ kind: fc.constant("string" as const), at: fc.constant(nowhere), value: literalText }),
    fc.record({ kind: fc.constant("bool" as const), at: fc.constant(nowhere), value: fc.boolean() }),
    fc.constant({ kind: "null" as const, at: nowhere }),
    fc.record({
      kind: fc.constantFrom("not" as const, "negate" as const),
      at: fc.constant(nowhere),
      operand: tie("anyExpression"),
    }),
    fc.record({
      kind: fc.constant("binary" as const),
      at: fc.constant(nowhere),
      operator: fc.constantFrom(...(Object.keys(precedence) as BinaryOperator[])),
      left: tie("anyExpression"),
      right: tie("anyExpression"),
    }),
    fc.record({
      kind: fc.constant("conditional" as const),
      at: fc.constant(nowhere),
      test: tie("anyExpression"),
      whenTrue: tie("anyExpression"),
      whenFalse: tie("anyExpression"),
    }),
    fc.record({
      kind: fc.constant("list" as const),
      at: fc.constant(nowhere),
      items: fc.array(tie("anyExpression"), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("member" as const),
      at: fc.constant(nowhere),
      object: tie("anyExpression"),
      name: selector,
      nameAt: fc.constant(nowhere),
    }),
    fc.record(
      {
        kind: fc.constant("call" as const),
        at: fc.constant(nowhere),
        target: tie("anyExpression"),
        function: identifier,
        nameAt: fc.constant(nowhere),
        arguments: fc.array(tie("anyExpression"), { maxLength: 3 }),
      },
      { requiredKeys: ["kind", "at", "function", "nameAt", "arguments"] },
    ),
  ),
}));

test("property: reading what was printed gives the same tree", () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const text = printExpression(expression);
      const parsed = parseExpression(text);
      assert.deepEqual(parsed.problems, [], text);
      assert.deepEqual(shape(parsed.expression), shape(expression), text);
    }),
    { numRuns: 2000 },
  );
});

test("property: reading never throws, and says something when it gives nothing", () => {
  const pieces = fc.constantFrom(
    "a",
    "1",
    ".",
    "'",
    '"',
    "(",
    ")",
    "[",
    "]",
    "&&",
    "!",
    "-",
    "?",
    ":",
    " in ",
    "\\",
    "`",
    ",",
    "{",
    "r'",
    'b"',
    "0x",
    "e",
    "//",
    "\n",
    "é",
    "\ud800",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const text = parts.join("");
      const { expression, problems } = parseExpression(text);
      assert.equal(expression === undefined, problems.length > 0);
      for (const { start, end } of problems) assert.ok(0 <= start && start <= end && end <= text.length);
    }),
    { numRuns: 3000 },
  );
});
