/** Tests rate limits counted in a real Valkey or Redis. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import fc from "fast-check";
import { noValkey, startValkey, type ValkeyServer } from "../../../test/valkey.ts";
import { memoryRates } from "../../../test/store/memory-rates.ts";
import { arbitraryCalls, requestsOf } from "../../../test/store/rates-cases.ts";
import type { RateRequest } from "../port/rates.ts";
import { openValkeyRates, type ValkeyRates } from "./rates.ts";

const post = (key: string, wanted: number): RateRequest => ({ name: "posts", key, limit: { count: 50, windowMilliseconds: 60_000 }, consumed: 0, wanted }); // biome-ignore format: short

void describe("rates in valkey", { skip: noValkey }, () => {
  let server: ValkeyServer;
  const opened: ValkeyRates[] = [];
  const open = async (service = "post", address = server.address): Promise<ValkeyRates> => {
    const rates = await openValkeyRates({ address, service });
    opened.push(rates);
    await untilReached(rates);
    return rates;
  };

  before(async () => {
    server = await startValkey();
  });
  after(async () => {
    for (const rates of opened) await rates.close();
    await server[Symbol.asyncDispose]();
  });

  test("a count comes to the same as in memory, whatever is asked and whatever the clock does", async () => {
    // The server expires counts by its own clock, so the test uses the present time.
    const start = Date.now();
    const there = await open();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryCalls, async (calls) => {
        const here = memoryRates();
        const name = `${(runs += 1)}`;
        let now = start;
        for (const { wait, requests } of calls) {
          now += wait;
          assert.deepEqual(
            await there.count(requestsOf(requests, name), now),
            await here.count(requestsOf(requests, name), now),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a count that is over stays for a process whose clock is behind", async () => {
    const rates = await open();
    const until = Date.now() + 20;
    const granted = async (now: number): Promise<number | undefined> => {
      const limit = { count: 1, windowMilliseconds: 60_000, until };
      return (await rates.count([{ name: "behind", key: "ann", limit, consumed: 0, wanted: 1 }], now))[0]?.granted;
    };
    assert.equal(await granted(until - 20), 1);
    while (Date.now() <= until + 20) await pass(5);
    assert.equal(await granted(until - 1), 0);
    assert.equal(await granted(until), 1);
  });

  test("processes that ask at once are granted exactly what there is; services have their counts apart", async () => {
    const processes = await Promise.all([open(), open(), open(), open("other")]);
    const now = Date.now();
    const granted = await Promise.all(
      processes.map(async (rates) => {
        const counts = await Promise.all(Array.from({ length: 30 }, () => rates.count([post("ann", 3)], now)));
        return counts.flat().reduce((sum, count) => sum + count.granted, 0);
      }),
    );
    const other = granted.pop();
    assert.deepEqual([granted.reduce((sum, one) => sum + one), other], [50, 50]);
  });

  test("where it is gone counting rejects, and counts again when it is there again", async () => {
    const first = await startValkey();
    const port = Number(new URL(first.address).port);
    const rates = await open("post", first.address.replace("redis:", "valkey:"));
    await first[Symbol.asyncDispose]();
    await assert.rejects(rates.count([post("ann", 1)], Date.now()));
    await using _second = await startValkey(port);
    await untilReached(rates);
    assert.equal((await rates.count([post("ann", 1)], Date.now()))[0]?.granted, 1);
  });

  test("an address that is none is refused", async () => {
    await assert.rejects(openValkeyRates({ address: "redis://host:port", service: "post" }), /no address/);
  });
});

async function untilReached(rates: ValkeyRates): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const reached = await rates.count([], Date.now()).then(() => rates.count([post("", 0)], Date.now())).then(() => true, () => false); // biome-ignore format: short
    if (reached) return;
    await pass(20);
  }
  assert.fail("it is never reached");
}
