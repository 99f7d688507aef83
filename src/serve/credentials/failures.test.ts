import assert from "node:assert/strict";
import { test } from "node:test";
import { subscriberOf } from "../address.ts";
import { createFailureLimit } from "./failures.ts";

test("R5.7 ten in a minute, counted from the first", () => {
  const failures = createFailureLimit();
  for (let at = 0; at < 10; at += 1) {
    assert.equal(failures.waitSeconds("ann", at * 1000), 0);
    failures.note("ann", at * 1000);
  }
  assert.equal(failures.waitSeconds("ann", 10_000), 50);
  assert.equal(failures.waitSeconds("ann", 59_999), 1);
  assert.equal(failures.waitSeconds("bob", 10_000), 0);
  assert.equal(failures.waitSeconds("ann", 60_000), 0);
});

test("R5.7 the table is bounded: the oldest are forgotten first", () => {
  const failures = createFailureLimit();
  for (const name of ["first", "second"]) for (let i = 0; i < 10; i += 1) failures.note(name, 0);
  for (let i = 0; i < 99_999; i += 1) failures.note(String(i), 1);
  assert.equal(failures.waitSeconds("first", 1), 0);
  assert(failures.waitSeconds("second", 1) > 0);
});

for (const [address, expected] of [
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["2001:db8:0:1::9", "2001:db8:0:1"],
  ["2001:0db8:0000:0001:1:2:3:4", "2001:db8:0:1"],
  ["2001:db8::1", "2001:db8:0:0"],
] as const) {
  test(`R8.4 ${address} is counted as ${expected}`, () => assert.equal(subscriberOf(address), expected));
}
