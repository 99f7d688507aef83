/** Ten failures in a minute, across processes: who made them waits and nobody else, whatever the clock does, in bounded memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { subscriberOf } from "../address.ts";
import { setImmediate as turn } from "node:timers/promises";
import { memoryRates } from "../../store/memory/rates.ts";
import { createSharing } from "../limits/sharing.ts";
import { createFailureLimit, createFailureLimits } from "./failures.ts";

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

test("R5.7 nobody waits longer because the clock was set back", () => {
  const failures = createFailureLimit();
  for (let at = 0; at < 10; at += 1) failures.note("ann", 3_600_000);
  assert.equal(failures.waitSeconds("ann", 0), 60);
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

test("R5.7 several processes count together: who has failed ten times at one is sent away by the others after one more", async () => {
  const rates = memoryRates();
  const kept: string[] = [];
  const [one, other] = [0, 1].map(() => {
    const sharing = createSharing({
      rates: {
        count: (asks, now) => {
          kept.push(...asks.map(({ key }) => key));
          return rates.count(asks, now);
        },
      },
      now: () => 0,
      notice: () => {},
    });
    return createFailureLimits(sharing, (name) => `not ${name.length}`)("tries");
  });
  for (let at = 0; at < 10; at += 1) one?.note("ann", 0);
  await turn();
  assert.equal(other?.waitSeconds("ann", 0), 0, "nobody has told it");
  other?.note("ann", 0);
  await turn();
  assert.equal(other?.waitSeconds("ann", 1000), 59);
  assert.equal(other?.waitSeconds("bob", 1000), 0);
  assert.deepEqual([...new Set(kept)], ["not 3"], "names are not told");
});
