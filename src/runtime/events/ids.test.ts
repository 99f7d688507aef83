/** Tests event ids: each decrypts to its position, and forged ones are rejected. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createEventIds } from "./ids.ts";

const ids = createEventIds("a secret", randomBytes);

test("an id leads back to its position, in its own store alone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (position) => {
      const id = ids.idOf(position);
      assert.match(id, /^evt_[0-9a-v]{26}$/);
      assert.equal(ids.positionOf(id), position);
      assert.equal(createEventIds("another", randomBytes).positionOf(id), undefined);
    }),
  );
});

test("R5.8 a mark leads to its position, and no two marks tell that nothing has happened between them", () => {
  const marks = new Set(Array.from({ length: 100 }, () => ids.cursorOf(42)));
  assert(marks.size > 90, `${marks.size} of a hundred`);
  assert.deepEqual([...new Set([...marks].map((mark) => ids.positionOf(mark)))], [42]);
});

test("what was never given is known to be none", () => {
  const id = ids.idOf(42);
  const changed = [...id].map((digit, index) => id.slice(0, index) + (digit === "0" ? "1" : "0") + id.slice(index + 1));
  const others = ["", "evt_", "evt_1", `${id}0`, id.toUpperCase(), ` ${id}`, `evt_${"v".repeat(26)}`, "42", ...changed];
  assert.deepEqual(others.filter((text) => text !== id && ids.positionOf(text) !== undefined), []); // biome-ignore format: short
});

test("R5.8 how many positions are between two ids is not to be seen from them", () => {
  const known = new Set(Array.from({ length: 1000 }, (_, index) => ids.idOf(index + 1).slice(4, 10)));
  assert(known.size > 990, `${known.size} beginnings of a thousand ids`);
});
