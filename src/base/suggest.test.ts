/** The near miss of a name: a slip finds the name that was meant, what is merely short or other finds none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { didYouMean, editDistance } from "./suggest.ts";

const names = ["announced", "stored", "expired", "collected", "id", "site", "size"];
const rows: readonly (readonly [name: string, near: string | undefined])[] = [
  ["anounced", "announced"],
  ["stroed", "stored"],
  ["Collected", "collected"],
  ["colected!", "collected"],
  ["di", "id"],
  ["sitze", "site"],
  ["six", undefined],
  ["xy", undefined],
  ["parcel", undefined],
  ["", undefined],
];
for (const [name, near] of rows) {
  test(`${JSON.stringify(name)} → ${near ?? "nothing"}`, () => assert.equal(didYouMean(name, names), near));
}

test("a distance is symmetric, and a limit changes no smaller one", () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "c") });
  fc.assert(
    fc.property(word, word, fc.nat({ max: 9 }), (a, b, limit) => {
      const distance = editDistance(a, b);
      assert.equal(editDistance(b, a), distance);
      assert.equal(editDistance(a, b, limit), Math.min(distance, limit));
      assert.equal(distance === 0, a === b);
    }),
  );
});
