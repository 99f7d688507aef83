/** Tests random bytes from a pool: the requested number, and none twice. */
import assert from "node:assert/strict";
import test from "node:test";
import { createRandom } from "./random.ts";

test("as many bytes as asked for, however many", () => {
  const random = createRandom();
  for (const bytes of [0, 1, 10, 8191, 8192, 8193, 3]) assert.equal(random(bytes).length, bytes);
});

test("no bytes are given twice, and what was given stays as it was", () => {
  const random = createRandom();
  const given = Array.from({ length: 5000 }, () => random(10));
  const texts = given.map((bytes) => Buffer.from(bytes).toString("hex"));
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(texts.every((text) => text !== "00".repeat(10)));
});
