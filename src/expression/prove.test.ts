/** What is said to be always, never, or not both true is so for every row; what may be otherwise is not said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row } from "./evaluate.ts";
import { anyExpression, anyInput, anyOthers, anyRecord, env } from "../../test/expression/arbitrary.ts";
import { parseExpression } from "./parse.ts";
import { always, constantValue, exclusive, satisfiable } from "./prove.ts";
import type { TypedExpression } from "./typed.ts";
import type { TypeEnvironment } from "./types.ts";

const parcel: TypeEnvironment = {
  names: {
    extensions: { type: { kind: "int" }, nullable: false },
    attempts: { type: { kind: "int" }, nullable: true },
    weight: { type: { kind: "double" }, nullable: false },
    state: { type: { kind: "string", values: ["announced", "stored"] }, nullable: false },
    code: { type: { kind: "string" }, nullable: false },
    note: { type: { kind: "string" }, nullable: true },
    fragile: { type: { kind: "bool" }, nullable: false },
    collectBy: { type: { kind: "timestamp" }, nullable: true },
    labels: { type: { kind: "list", of: { kind: "string" } }, nullable: true },
    now: { type: { kind: "timestamp" }, nullable: false },
    input: {
      type: { kind: "object", members: { code: { type: { kind: "string" }, nullable: false } } },
      nullable: false,
    },
  },
  resources: {},
};

function typed(text: string, env: TypeEnvironment = parcel): TypedExpression {
  const { expression } = parseExpression(text);
  const checked = expression && checkExpression(expression, env);
  assert.ok(checked?.typed, `${text}: ${JSON.stringify(checked?.problems)}`);
  return checked.typed;
}

test("a constant is found through what does not matter", () => {
  const constants: readonly [string, unknown][] = [
    ["1 + 2 * 3", 7],
    ["1 / 0", null],
    ["'a' + 'b' == 'ab'", true],
    ["timestamp('2026-01-01T00:00:00Z') + duration('24h')", "2026-01-02T00:00:00.000Z"],
    ["[1, 2].map(n, n + 1).sum()", 5],
    ["false && fragile", false],
    ["fragile || true", true],
    ["fragile || !fragile", true],
    ["true ? 1 : extensions", 1],
    ["fragile ? 2 : 2", 2],
  ];
  for (const [text, value] of constants) assert.deepEqual(constantValue(typed(text)), { value }, text);
  for (const text of ["extensions", "fragile", "fragile && true", "now", "fragile ? 1 : 2"]) {
    assert.equal(constantValue(typed(text)), undefined, text);
  }
});

test("what can never be true is found", () => {
  const never = [
    "false",
    "extensions < 2 && extensions > 5",
    "extensions < 2 && extensions > 1",
    "extensions > 1 && extensions < 4 && extensions != 2 && extensions != 3",
    "weight < 1.0 && weight >= 1.0",
    "state == 'stored' && state == 'announced'",
    "state != 'stored' && state != 'announced'",
    "!(state in ['stored', 'announced'])",
    "fragile && !fragile",
    "note == null && note.startsWith('x') && note != null",
    "note == null && note < 'x'",
    "extensions == null",
    "labels.size() < 0",
    "now < collectBy && collectBy < now",
    "now < collectBy && collectBy == null",
    "input.code == code && code != input.code",
    "(fragile || extensions == 1) && !fragile && extensions == 2",
    "fragile ? false : fragile",
    "extensions < extensions",
    "code < 'a' && code > 'b'",
    "2 < 1 || 'a' == 'b'",
  ];
  for (const text of never) assert.equal(satisfiable(typed(text)), false, text);
  const perhaps = [
    "true",
    "extensions < 2",
    "weight > 1.0 && weight < 1.0000001",
    "extensions > 1 && extensions < 3",
    "state != 'stored'",
    "!(attempts < 5) && !(attempts >= 5)",
    "note == null",
    "code > 'a' && code < 'b'",
    "note == code",
    "!(weight / 2 < 1.0) && !(weight / 2 >= 1.0)",
    "labels.exists(l, l == 'a') && labels.exists(l, l == 'b')",
  ];
  for (const text of perhaps) assert.equal(satisfiable(typed(text)), true, text);
});

test("what is always true is found", () => {
  for (const text of [
    "true",
    "fragile || !fragile",
    "extensions < 2 || extensions >= 2",
    "extensions == extensions",
    "note == note",
    "state in ['announced', 'stored']",
    "extensions != null",
    "note == null || note != null",
  ]) {
    assert.equal(always(typed(text)), true, text);
  }
  for (const text of [
    "fragile",
    "attempts < 2 || attempts >= 2",
    "attempts <= attempts",
    "note == code",
    "extensions + 1 == 2",
  ]) {
    assert.equal(always(typed(text)), false, text);
  }
});

test("guards that exclude each other are told from those that overlap", () => {
  const excluding: readonly [string, string][] = [
    ["extensions < 2", "extensions >= 2"],
    ["extensions < 2", "!(extensions < 2)"],
    ["attempts < 2", "attempts > 2"],
    ["input.code == code", "input.code != code"],
    ["input.code == code", "!(code == input.code)"],
    ["state == 'stored'", "state == 'announced'"],
    ["state == 'stored' && fragile", "state == 'announced' || !fragile"],
    ["collectBy < now", "collectBy >= now"],
    ["collectBy < now", "now < collectBy"],
    ["note == null", "note == 'x'"],
    ["code.startsWith('a')", "!code.startsWith('a')"],
    ["fragile && weight > 20.0", "fragile && weight <= 20.0"],
  ];
  for (const [a, b] of excluding) assert.equal(exclusive(typed(a), typed(b)), true, `${a} | ${b}`);
  const overlapping: readonly [string, string][] = [
    ["extensions < 2", "extensions < 3"],
    ["extensions <= 2", "extensions >= 2"],
    ["attempts < 2", "fragile"],
    ["!(attempts < 2)", "!(attempts >= 2)"],
    ["code.startsWith('a')", "!code.startsWith('b')"],
    ["input.code == code", "input.code == 'x'"],
  ];
  for (const [a, b] of overlapping) assert.equal(exclusive(typed(a), typed(b)), false, `${a} | ${b}`);
});

/** Conditions about few values, which therefore meet. */
const { anyGuard } = fc.letrec<{ anyGuard: string }>((tie) => {
  const order = fc.constantFrom("==", "!=", "<", "<=", ">", ">=");
  const asked = (names: readonly string[], literals: readonly string[]): fc.Arbitrary<string> => {
    return fc
      .tuple(fc.constantFrom(...names), order, fc.constantFrom(...names, ...literals))
      .map((parts) => parts.join(" "));
  };
  const pair = fc.tuple(tie("anyGuard"), fc.constantFrom("&&", "||"), tie("anyGuard"));
  return {
    anyGuard: fc.oneof(
      { maxDepth: 3 },
      asked(["i", "inn"], ["0", "1", "2"]),
      asked(["s", "sn"], ["'a'", "'b'"]),
      asked(["tags.size()"], ["0", "1"]),
      fc.constantFrom(
        "b",
        "bn",
        "sn == null",
        "inn != null",
        "s.startsWith('a')",
        "sn.contains('a')",
        "s in ['a', 'b']",
      ),
      pair.map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      tie("anyGuard").map((guard) => `!(${guard})`),
      fc.tuple(tie("anyGuard"), tie("anyGuard"), tie("anyGuard")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  };
});

test("property: no row refutes a proof", () => {
  const variables = (input: Row): Row => ({ input, now: "2026-02-01T00:00:00.000Z" });
  let proofs = 0;
  const rows = fc.array(fc.tuple(anyRecord, anyInput), { minLength: 5, maxLength: 20 });
  const conditions = fc.oneof(anyExpression("bool"), anyGuard);
  fc.assert(
    fc.property(conditions, conditions, rows, anyOthers, (first, second, things, others) => {
      const parsed = [first, second].map((text) => parseExpression(text).expression);
      const [a, b] = parsed.map((one) => one && checkExpression(one, env).typed);
      if (!a || !b) return;
      const [askA, askB] = [compileFunction(a), compileFunction(b)];
      const shown = {
        never: !satisfiable(a),
        always: always(a),
        exclusive: exclusive(a, b),
        constant: constantValue(a),
      };
      if (shown.never || shown.always || shown.exclusive || shown.constant) proofs += 1;
      for (const [thing, input] of things) {
        const record = { id: "t1", ...thing };
        const tables: Record<string, readonly Row[]> = { Thing: [record], Other: others };
        const scope = {
          record,
          variables: variables(input),
          reference: (resource: string, id: string | number) => tables[resource]?.find((row) => row["id"] === id),
          records: (resource: string) => tables[resource] ?? [],
        };
        const [x, y] = [askA(scope), askB(scope)];
        assert.ok(!(shown.never && x === true), `never true: ${first}`);
        assert.ok(!(shown.always && x !== true), `always true: ${first}`);
        assert.ok(!(shown.exclusive && x === true && y === true), `exclusive: ${first} | ${second}`);
        if (shown.constant) assert.deepEqual(x, shown.constant.value, first);
      }
    }),
    { numRuns: 1500 },
  );
  assert.ok(proofs > 200, `only ${proofs} proofs were put to the test`);
});
