/** A typed expression is written as the author could have written it, and means the same when it is read again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkExpression } from "../expression/check.ts";
import { anyExpression, env, type Kind } from "../../test/expression/arbitrary.ts";
import { parseExpression } from "../expression/parse.ts";
import { keyOf, type TypedExpression } from "../expression/typed.ts";
import { expressionText } from "./expression-text.ts";

function typed(text: string): TypedExpression | undefined {
  const { expression } = parseExpression(text);
  return expression && checkExpression(expression, env).typed;
}

test("as the author wrote it, in canonical form", () => {
  const rows = [
    ["i  ==  1 && (b || !bn)", "i == 1 && (b || !bn)"],
    ["(i + 1) * 2 - -3 > 0", "(i + 1) * 2 - -3 > 0"],
    ["i - (1 - 2) == 0", "i - (1 - 2) == 0"],
    ['s == "it\'s"', "s == 'it\\'s'"],
    ["s in ['a', 'b'] ? i : 2", "s in ['a', 'b'] ? i : 2"],
    ["tn < t + duration('90m')", "tn < t + duration('90m')"],
    ["t > timestamp('2026-01-31T12:00:00Z')", "t > timestamp('2026-01-31T12:00:00.000Z')"],
    ["other.k + 1 == 2", "other.k + 1 == 2"],
    ["box.inner.n == null", "box.inner.n == null"],
    ["s.startsWith('a') && size(tags) > 1", "s.startsWith('a') && tags.size() > 1"],
    ["tags.exists(one, one == s)", "tags.exists(x, x == s)"],
    ["Other.filter(o, o.thing == id && o.k > 1).size() > 0", "Other.filter(x, x.thing == id && x.k > 1).size() > 0"],
    ["d * 2.0 > 1e300", "d * 2.0 > 1e+300"],
  ] as const;
  for (const [text, expected] of rows) {
    const expression = typed(text);
    assert.ok(expression, text);
    assert.equal(expressionText(expression), expected);
  }
});

test("what is written means the same when it is read", () => {
  const kinds: readonly Kind[] = ["bool", "int", "double", "string", "timestamp", "duration"];
  const texts = fc.constantFrom(...kinds).chain((kind) => anyExpression(kind));
  fc.assert(
    fc.property(texts, (text) => {
      const expression = typed(text);
      fc.pre(expression !== undefined);
      const written = expressionText(expression);
      const again = typed(written);
      assert.ok(again, `${text} was written as ${written}`);
      assert.deepEqual(again.type, expression.type, written);
      // What compares a value of unknown type is taken apart by the check, and taken apart once more when read again.
      if (!keyOf(expression).includes('"as"')) assert.equal(keyOf(again), keyOf(expression), written);
    }),
    { numRuns: 100 },
  );
});
