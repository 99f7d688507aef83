/** Choices: the same for each seed, within their bounds, and different for each number. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { numbered, type Random, seeded } from "../../src/conformance/random.ts";

const some = (random: Random): readonly unknown[] => [
  ...Array.from({ length: 20 }, () => random.integer(0, 1000)),
  random.pick(["a", "b", "c"]),
  random.chance(0.5),
  random.text(10),
];

test("a seed makes the same choices, another seed makes others", () => {
  for (const seed of [0, 1, -5, 4_294_967_296, "", "1/resources/Site/name", "é😀"])
    assert.deepEqual(some(seeded(seed)), some(seeded(seed)));
  const all = [0, 1, 2, "1/a", "1/b", "2/a", "a/1"].map((seed) => JSON.stringify(some(seeded(seed))));
  assert.equal(new Set(all).size, all.length);
});

test("an integer is within its bounds, both included, however large they are", () => {
  const bound = fc.oneof(fc.integer(), fc.maxSafeInteger());
  fc.assert(
    fc.property(bound, bound, fc.nat(), (one, other, seed) => {
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      const integer = seeded(seed).integer(min, max);
      assert.ok(Number.isInteger(integer) && min <= integer && integer <= max, String(integer));
    }),
  );
  const found = new Set(Array.from({ length: 200 }, (_, seed) => seeded(`seed ${seed}`).integer(-1, 2)));
  assert.deepEqual(
    [...found].toSorted((one, other) => one - other),
    [-1, 0, 1, 2],
  );
});

test("each option is chosen about equally often", () => {
  const random = seeded(7);
  const counts = new Map<string, number>();
  for (let run = 0; run < 3000; run += 1) {
    const item = random.pick(["a", "b", "c"]);
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }
  for (const count of counts.values()) assert.ok(count > 850 && count < 1150, String(count));
  const often = Array.from({ length: 3000 }, () => random.chance(0.2)).filter(Boolean).length;
  assert.ok(often > 480 && often < 720, String(often));
});

test("nothing can be picked from an empty list", () => {
  assert.throws(() => seeded(1).pick([]), RangeError);
});

test("a text has its length and its alphabet", () => {
  assert.match(seeded(1).text(50), /^[a-z0-9]{50}$/);
  assert.match(seeded(1).text(5, "é😀"), /^[é😀]{5}$/u);
  assert.equal(seeded(1).text(0), "");
});

test("choices of a number are other choices than those of another number", () => {
  const words = Array.from({ length: 2000 }, (_, number) => {
    const random = numbered(number);
    const word = `${random.integer(1, 9)}${random.text(3)}`;
    assert.ok(random.isUsedUp());
    return word;
  });
  assert.equal(new Set(words).size, words.length);
  const short = numbered(100);
  short.text(1);
  assert.equal(short.isUsedUp(), false);
});
