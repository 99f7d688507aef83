/** Texts for regular expressions: RE2 itself decides whether a text matches. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { RE2JS } from "@bufbuild/re2";
import { seeded } from "../../src/conformance/random.ts";
import { readPattern } from "../../src/conformance/values/pattern.ts";
import { textFor } from "../../src/conformance/values/texts.ts";

const now = Date.UTC(2026, 8, 1);

/** Patterns as documents have them, with the lengths between which texts are asked for. */
const patterns: readonly (readonly [pattern: string, least: number, most: number])[] = [
  ["^[a-z]+$", 1, 10],
  ["^[A-Z]{2}-[0-9]{4}$", 0, 100],
  ["^[a-z0-9]+(?:-[a-z0-9]+)*$", 30, 30],
  ["^(a|bb|ccc){2,3}$", 0, 9],
  ["^(?:\\+|00)[1-9]\\d{6,14}$", 0, 16],
  ["\\d", 5, 20],
  ["^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", 0, 10],
  ["^[^/]+/x$", 3, 3],
  ["^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$", 6, 40],
  ["^\\S+( \\S+)+$", 0, 40],
  ["^[[:alpha:]][[:alnum:]_]*$", 8, 8],
  ["^\\p{Lu}\\p{Ll}+$", 0, 8],
  ["^\\p{Greek}{3}$", 0, 8],
  ["^[\\p{L}\\p{M}' -]+$", 1, 60],
  ["(?i)^abc$", 0, 5],
  ["^(?i:abc)d$", 0, 5],
  ["^(?P<year>\\d{4})-(?P<month>0[1-9]|1[0-2])$", 0, 10],
  ["^(?<year>\\d{4})$", 0, 10],
  ["^\\Qa.b\\E+$", 0, 10],
  ["^[]a]+$", 4, 4],
  ["^[\\w.-]+$", 4, 4],
  ["^[a\\-z]+$", 4, 4],
  ["^a{,3}$", 0, 10],
  ["^x*?y+?$", 3, 3],
  ["\\bword\\b", 0, 40],
  ["^\\x41\\x{1F600}\\101\\t$", 0, 10],
  ["^(?s).{4}$", 0, 10],
  ["^.{2,5}$", 4, 4],
  ["^[^a-zA-Z0-9]+$", 3, 3],
  ["^[^ -~]+$", 2, 2],
  ["^(|a|(b|(c)))$", 0, 2],
  ["^\\A\\z$", 0, 2],
  ["^([a-c]{2}){3}$", 0, 10],
  ["^(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$", 0, 15],
  ["^\\d{1,3}(,\\d{3})*(\\.\\d{2})?$", 8, 12],
  ["^[a-z]{1000}$", 0, 1000],
  ["^((((((((((a+)+)+)+)+)+)+)+)+)+)+$", 5, 9],
];

for (const [pattern, least, most] of patterns)
  test(`texts of ${least} to ${most} characters match ${pattern}`, () => {
    const compiled = RE2JS.compile(pattern);
    for (let seed = 0; seed < 25; seed += 1) {
      const text = textFor({ least, most, pattern }, seeded(seed), now);
      assert.ok(text !== undefined, "no text");
      assert.ok(compiled.test(text), JSON.stringify(text));
      const length = [...text].length;
      assert.ok(least <= length && length <= most, `${length} characters`);
    }
  });

/** Nothing matches, or nothing so short. */
const impossible: readonly (readonly [pattern: string, most: number])[] = [
  ["^a$b", 10],
  ["^[a-z]{5}$", 4],
  ["^a\\Bb$", 1],
];

for (const [pattern, most] of impossible)
  test(`there is no text of ${most} characters for ${pattern}`, () => {
    assert.equal(textFor({ least: 0, most, pattern }, seeded(1), now), undefined);
  });

test("a text for a pattern has a format, too", () => {
  for (const [pattern, format] of [
    ["@example\\.com$", "email"],
    ["^https:", "uri"],
    ["\\.pdf$", "uri"],
    ["^2", "date-time"],
  ] as const) {
    const text = textFor({ least: 0, most: 200, pattern, format }, seeded(pattern), now);
    assert.ok(text !== undefined && RE2JS.compile(pattern).test(text), pattern);
  }
});

const parts: fc.Arbitrary<string> = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: "pattern" },
    fc.constantFrom(
      "a",
      "7",
      "\\.",
      "-",
      "[a-f]",
      "[^x]",
      "\\d",
      "\\w",
      "\\s",
      "\\S",
      ".",
      "[[:upper:]]",
      "\\pL",
      "é",
      "😀",
    ),
    fc
      .tuple(tie("part"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}"))
      .map(([part, times]) => `(?:${part})${times}`),
    fc.array(tie("part"), { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
    fc.array(tie("part"), { minLength: 2, maxLength: 3 }).map((all) => `(${all.join("|")})`),
  ),
})).part;

test("a pattern without anchors inside has texts between its least and its most length", () => {
  fc.assert(
    fc.property(parts, fc.nat({ max: 30 }), fc.nat(), (inner, length, seed) => {
      const pattern = `^${inner}$`;
      const read = readPattern(pattern);
      assert.ok(read !== undefined, "it can be read");
      const text = read.write(length, seeded(seed));
      assert.ok(RE2JS.compile(pattern).test(text), JSON.stringify(text));
      const written = [...text].length;
      assert.ok(read.least <= written && written <= read.most, `${written} characters`);
    }),
    { numRuns: 300 },
  );
});
