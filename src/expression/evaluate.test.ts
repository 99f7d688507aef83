/** What an expression's function gives for a row. It is total: no row, number, text or pattern makes it throw or run on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExpression } from "./check.ts";
import { compileFunction, mostSteps, type Scope, TooManySteps, type Value } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import type { FieldType, TypeEnvironment, ValueType } from "./types.ts";

const may = (kind: "bool" | "int" | "double" | "string" | "timestamp" | "any"): FieldType => ({
  type: { kind },
  nullable: true,
});
const strings: ValueType = { kind: "list", of: { kind: "string" } };
const env: TypeEnvironment = {
  names: {
    absent: may("int"),
    none: may("bool"),
    missing: may("string"),
    never: may("timestamp"),
    n: { type: { kind: "int" }, nullable: false },
    d: { type: { kind: "double" }, nullable: false },
    s: { type: { kind: "string" }, nullable: false },
    nothing: { type: strings, nullable: true },
    list: { type: strings, nullable: false },
    locker: { type: { kind: "record", resource: "Locker" }, nullable: true },
    lost: { type: { kind: "record", resource: "Locker" }, nullable: false },
    json: may("any"),
    caller: { type: { kind: "object", members: { id: may("string") } }, nullable: true },
  },
  resources: {
    Locker: {
      id: { type: { kind: "record", resource: "Locker" }, nullable: false },
      door: { type: { kind: "int" }, nullable: false },
    },
  },
};
const lockers = [
  { id: "l1", door: 7 },
  { id: "l2", door: 9007199254740991 },
];
const scope: Scope = {
  // `absent` and the others are not even there.
  record: {
    n: 7,
    d: 1e308,
    s: "a\u{1f600}",
    list: ["x", "y"],
    locker: "l1",
    lost: "l9",
    json: { a: { b: "c" }, n: 1, list: ["x", 1, null] },
  },
  variables: {},
  reference: (_, id) => lockers.find((row) => row.id === id),
  records: () => lockers,
};

function value(text: string): Value {
  const { expression } = parseExpression(text);
  const checked = expression && checkExpression(expression, env);
  assert.ok(checked?.typed, `${text}: ${JSON.stringify(checked?.problems)}`);
  return compileFunction(checked.typed)(scope);
}

test("absent is null, and what is asked of it is false", () => {
  const examples: readonly [string, Value][] = [
    ["absent == null", true],
    ["absent != 1", true],
    ["absent < 1", false],
    ["!(absent < 1)", true],
    ["absent <= absent", false],
    ["absent + 1", null],
    ["-absent", null],
    ["none", null],
    ["!none", true],
    ["none && true", false],
    ["none || true", true],
    ["none ? 1 : 2", 2],
    ["missing + 'x'", null],
    ["missing.startsWith('')", false],
    ["missing.size()", null],
    ["missing in list", false],
    ["slugify(missing)", null],
    ["never + duration('1h')", null],
    ["nothing.size()", null],
    ["'x' in nothing", false],
    ["nothing.exists(x, true)", false],
    ["nothing.all(x, true)", false],
    ["nothing.map(x, x + 'y')", null],
    ["[absent].exists(x, x == null)", true],
    ["[absent, 1, 2].sum()", 3],
    ["caller.id == null", true],
    ["caller.id == s", false],
    ["has(json.a) && !has(json.z)", true],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("texts are changed, and lists are made of lists", () => {
  const examples: readonly [string, Value][] = [
    ["'\\u0085 a\\tb\\u3000'.trim()", "a\tb"],
    ["'\\u200ba\\ufeff'.trim()", "\u200ba\ufeff"],
    ["'ÄÖ İ Ab'.lowerAscii()", "ÄÖ İ ab"],
    ["'ß aB'.upperAscii()", "ß AB"],
    ["'a.b.c'.replace('.', '$&')", "a$&b$&c"],
    ["missing.trim()", null],
    ["s.replace('a', missing)", null],
    ["list.join()", "xy"],
    ["list.join(', ')", "x, y"],
    ["list.join(missing)", null],
    ["nothing.join()", null],
    ["[missing, 'a', missing].join('-')", "a"],
    ["[['b'], nothing, ['a', 'b']].flatten()", ["b", "a", "b"]],
    ["['b', 'a', 'b'].distinct()", ["b", "a"]],
    ["[2, absent, 1].sort()", [null, 1, 2]],
    ["['\\uffff', '😀', 'b', 'B'].sort()", ["B", "b", "\uffff", "😀"]],
    ["[3, 1, 2].reverse()", [2, 1, 3]],
    ["['bb', 'a', 'cc'].sortBy(x, -x.size())", ["bb", "cc", "a"]],
    ["nothing.sort()", null],
    ["string(n) + string(none == null)", "7true"],
    ["string(absent)", null],
    ["int('-0012')", -12],
    ["int('9007199254740992')", null],
    ["int('1.5')", null],
    ["int('')", null],
    ["int(-1.9)", -1],
    ["int(-0.5)", 0],
    ["int(1e300)", null],
    ["int(timestamp('1969-12-31T23:59:59.999Z'))", -1],
    ["double(n) / 2.0", 3.5],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("arithmetic is total", () => {
  const examples: readonly [string, Value][] = [
    ["n / 2", 3],
    ["-n / 2", -3],
    ["-n % 4", -3],
    ["n / (n - 7)", null],
    ["n % (n - 7)", null],
    ["9007199254740991 + n", null],
    ["9007199254740991 * n", null],
    ["0 * -n", 0],
    ["d * 10", null],
    ["d / 0.0", null],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1h')", null],
    ["timestamp('2026-03-01T00:00:00+02:00') - duration('1ms')", "2026-02-28T21:59:59.999Z"],
    ["timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-28T00:00:00Z') == duration('24h')", true],
    ["Locker.map(l, l.door).sum()", null],
    ["Locker.filter(l, l.door < 10).map(l, l.door).sum()", 7],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("texts are code points", () => {
  const examples: readonly [string, Value][] = [
    ["s.size()", 2],
    ["'\\uffff' < '\\U0001f600'", true],
    ["'Z' < 'a'", true],
    ["'a' < 'ab'", true],
    ["s.matches('^a.$')", true],
    ["s.matches('b')", false],
    ["slugify('  Crème  brûlée, No. 5! ')", "creme-brulee-no-5"],
    ["slugify('ǅ')", "dz"],
    ["slugify('日本')", ""],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("a walk follows ids that are counted", () => {
  const at = { start: 0, end: 0 };
  const common = { at, nullable: false, type: { kind: "string" } } as const;
  const state = compileFunction({
    ...common,
    kind: "walk",
    resource: "Order",
    name: "state",
    reference: { ...common, kind: "field", name: "order", type: { kind: "record", resource: "Order" } },
  });
  const reference = (_: string, id: string | number) => (id === 7 ? { state: "placed" } : undefined);
  assert.equal(state({ record: { order: 7 }, variables: {}, reference }), "placed");
  assert.equal(state({ record: { order: 8 }, variables: {}, reference }), null);
});

test("a walk goes through references, and nowhere is null", () => {
  const examples: readonly [string, Value][] = [
    ["locker.door", 7],
    ["lost.door", null],
    ["lost.door == 7", false],
    ["locker.id == 'l1'", true],
    ["Locker.exists(l, l == locker)", true],
    ["Locker.all(l, l.door > 5)", true],
    ["Locker.size()", 2],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("a value of unknown type is what it turns out to be", () => {
  const examples: readonly [string, Value][] = [
    ["json.a.b == 'c'", true],
    ["json.n == 1", true],
    ["json.n == '1'", false],
    ["json.n < 2", true],
    ["json.a.b < 2", false],
    ["json.a && true", false],
    ["'x' in json.list && 1 in json.list && !('1' in json.list)", true],
    ["json.constructor == null", true],
    ["json.a == json.a", true],
    ["json.list.size()", 3],
    ["json.a.b.c.d == null", true],
  ];
  for (const [text, wanted] of examples) assert.deepEqual(value(text), wanted, text);
});

test("a pattern cannot run away", () => {
  const { expression } = parseExpression("s.matches('^(a+)+$')");
  const { typed } = expression ? checkExpression(expression, env) : {};
  assert.ok(typed);
  const run = compileFunction(typed);
  assert.equal(run({ record: { s: `${"a".repeat(5000)}b` }, variables: {} }), false);
});

test("an evaluation ends after so many steps, whatever its lists and texts are", () => {
  const list = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `t${index}`);
  const nested = "list.exists(a, list.exists(b, list.exists(c, a + b == c)))";
  const long = "x".repeat(100_000);
  const ask = (text: string, record: Readonly<Record<string, unknown>>, more: Partial<Scope> = {}): Value => {
    const { expression } = parseExpression(text);
    const checked = expression && checkExpression(expression, env);
    assert.ok(checked?.typed, text);
    return compileFunction(checked.typed)({ ...scope, record: { ...scope.record, ...record }, ...more });
  };
  const tooMany: readonly (readonly [text: string, record: Readonly<Record<string, unknown>>])[] = [
    [nested, { list: list(200) }],
    ["list.map(a, list.map(b, list.filter(c, c == a + b).size()).sum()).sum() > 0", { list: list(200) }],
    ["list.all(a, list.sort() != [a])", { list: list(1000) }],
    ["list.all(a, list.all(b, !((list + list) == [a, b])))", { list: list(1000) }],
    ["list.all(a, list.all(b, s.contains('y') == false))", { list: list(100), s: long }],
    ["list.all(a, !s.matches('^(x*)*y$'))", { list: list(100), s: long }],
    ["list.all(a, s <= s + a)", { list: list(100), s: long }],
    ["list.all(a, size(s) > 1)", { list: list(100), s: long }],
    ["list.all(a, s.slugify() != a)", { list: list(100), s: long }],
    ["list.all(a, nothing == list)", { list: list(2000), nothing: list(2000) }],
    ["list.all(a, !('y' in list))", { list: list(2000) }],
    ["s.replace('x', s).replace('x', s) == 'y'", { s: long }],
    ["list.join(s) == 'y'", { list: list(1000), s: long }],
  ];
  for (const [text, record] of tooMany) assert.throws(() => ask(text, record), TooManySteps, text);
  // A list alone takes as many steps as it has items, and what `stop` throws ends it before.
  assert.equal(ask("list.all(a, a != s)", { list: list(mostSteps / 2) }), true);
  assert.equal(ask(nested, { list: list(50) }), false);
  assert.equal(ask(nested, { list: list(120) }, { steps: Number.POSITIVE_INFINITY }), false);
  assert.throws(() => ask("list.all(a, a != s)", { list: list(1000), s: long }, { steps: 999 }), TooManySteps);
  let left = 3;
  const stop = (): void => {
    left -= 1;
    if (left === 0) throw new Error("at its deadline");
  };
  assert.throws(() => ask("list.all(a, a != s)", { list: list(10_000) }, { stop }), /at its deadline/);
});
