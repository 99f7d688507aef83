/** Ids are UUIDv7 (RFC 9562) in other digits: they rise even where the clock does not, and nothing else passes for one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIds, isId } from "./id.ts";

const zeros = (bytes: number): Uint8Array => new Uint8Array(bytes);
const ones = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(255);

test("the bits are those of a UUIDv7", () => {
  // 0x017f22e279b0 is the example of RFC 9562, A.6.
  const id = createIds({ now: () => 0x017f22e279b0 }, zeros)("par");
  assert.equal(id, `par_${base32(0x017f22e279b070008000000000000000n)}`);
  assert.equal(id.length, "par_".length + 26);
});

test("ids of one millisecond, and of a clock that goes back, rise", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_003 })),
      fc.boolean(),
      (times, high) => {
        let index = 0;
        const next = createIds({ now: () => times[index++] ?? 0 }, high ? ones : zeros);
        const ids = times.map(() => next("x"));
        assert.deepEqual(ids, ids.toSorted());
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ids) assert.ok(isId("x", id), id);
      },
    ),
  );
});

test("what is no id", () => {
  const id = createIds({ now: () => 1_800_000_000_000 }, ones)("par");
  assert.ok(isId("par", id));
  const other = [
    id.toUpperCase(), `${id}0`, id.slice(0, -1), id.replace("_", "-"), id.replace("par", "lok"), `8${id.slice(5)}`,
    id.replace("_0", "_8"), id.replace(/.$/, "u"), id.replace(/^(.{14})./, "$1c"), id.replace(/^(.{17})./, "$10"), "par_", "", ` ${id}`,
  ]; // biome-ignore format: a table
  for (const text of other) assert.equal(isId("par", text), false, text);
  assert.equal(isId("pa", id), false);
});

function base32(value: bigint): string {
  let text = "";
  for (let rest = value, digit = 0; digit < 26; digit++, rest /= 32n) {
    text = ("0123456789abcdefghjkmnpqrstvwxyz"[Number(rest % 32n)] ?? "") + text;
  }
  return text;
}
