/** Tests the limit of ten failures a minute: shared by processes, per name, robust to clock changes, in bounded memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { subscriberOf } from "../limits/limiter.ts";
import { memoryRates } from "../../../test/store/memory-rates.ts";
import { createSharing } from "../limits/shared-counts.ts";
import { refund } from "../limits/rate-limiter.ts";
import { attempt, createFailureLimits, type FailureLimit } from "./failures.ts";

const limitOf = (): FailureLimit => createFailureLimits(undefined, "a test")("tries");

/** Counts a failure; returns the seconds to wait if there were too many, otherwise 0. */
async function fail(failures: FailureLimit, name: string, now: number): Promise<number> {
  const attempted = await attempt([failures(name, now)], now);
  return "full" in attempted ? attempted.waitSeconds : 0;
}

test("R5.7 ten in a minute, counted from the first", async () => {
  const failures = limitOf();
  for (let at = 0; at < 10; at += 1) assert.equal(await fail(failures, "ann", at * 1000), 0);
  assert.equal(await fail(failures, "ann", 10_000), 50);
  assert.equal(await fail(failures, "ann", 59_999), 1);
  assert.equal(await fail(failures, "bob", 10_000), 0);
  assert.equal(await fail(failures, "ann", 60_000), 0);
});

test("R5.7 what was no failure is given back, and one that is refused counts in none", async () => {
  const [ofName, ofAddress] = [limitOf(), limitOf()];
  for (let at = 0; at < 30; at += 1) {
    const attempted = await attempt([ofName("ann", 0), ofAddress("here", 0)], 0);
    assert("reservations" in attempted);
    refund(attempted.reservations, 0);
  }
  for (let at = 0; at < 10; at += 1) assert.equal(await fail(ofName, "ann", 0), 0);
  assert("full" in (await attempt([ofName("ann", 0), ofAddress("here", 0)], 0)));
  for (let at = 0; at < 10; at += 1) assert.equal(await fail(ofAddress, "here", 0), 0);
  assert.equal(await fail(ofAddress, "here", 0), 60);
});

test("R5.7 nobody waits longer because the clock was set back", async () => {
  const failures = limitOf();
  for (let at = 0; at < 10; at += 1) await fail(failures, "ann", 3_600_000);
  assert.equal(await fail(failures, "ann", 0), 60);
  assert.equal(await fail(failures, "ann", 60_000), 0);
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

test("R5.7 several processes count together: ten in all, whichever of them is asked", async () => {
  const rates = memoryRates();
  const kept: string[] = [];
  const nodes = [0, 1].map(() => {
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
    return createFailureLimits(sharing, "a test")("tries");
  });
  const waits = await Promise.all(Array.from({ length: 30 }, (_, at) => fail(nodes[at % 2] as FailureLimit, "ann", 0)));
  assert.equal(waits.filter((seconds) => seconds === 0).length, 10);
  for (const node of nodes) assert.equal(await fail(node, "ann", 1000), 59);
  for (const node of nodes) assert.equal(await fail(node, "bob", 1000), 0);
  assert.equal(new Set(kept).size, 2);
  assert(!kept.some((key) => key.includes("ann")), "names are not told");
});
