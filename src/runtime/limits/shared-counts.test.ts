/** Tests shared counts (R8.3): the total that several processes admit, and their behaviour without the shared store. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import type { CalendarWindow } from "../../plan/limits/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { memoryRates } from "../../../test/store/memory-rates.ts";
import type { RateRequest, Rates } from "../../store/port/store.ts";
import type { HttpRequest } from "../../http/message.ts";
import { ApiError } from "../errors/api-error.ts";
import {
  admissionOf,
  limitBeforeAuth,
  createLimiter,
  refundTokens,
  type OperationLimits,
  rateLimitHeaders,
} from "./limiter.ts";
import { createSharing } from "./shared-counts.ts";

const start = 1_700_000_000_000;
const exchange = { address: "192.0.2.1" } as HttpRequest;

interface Node {
  readonly limits: OperationLimits;
  readonly notices: string[];
}

interface Limit {
  readonly calendar?: CalendarWindow;
  readonly count: number;
  readonly windowMilliseconds?: number;
  readonly burst?: number;
}

function nodeOf(rates: Rates, { count, windowMilliseconds = 60_000, burst, calendar }: Limit, now: () => number): Node {
  const rate = {
    name: "posts",
    count,
    windowMilliseconds,
    ...(burst === undefined ? {} : { burst }),
    calendar,
    of: "all",
  };
  const notices: string[] = [];
  const limiter = createLimiter({
    plan: { rates: [rate as never], generalRates: [], quotas: [] },
    secret: "a test",
    changed: () => {},
    sharing: createSharing({ rates, now, notice: (sentence) => notices.push(sentence) }),
  });
  const operation = { rates: [{ limit: 0, by: { kind: "ip" } }], quotas: [] } as unknown as Operation;
  return { limits: limiter.of(operation) as OperationLimits, notices };
}

/** The admission, or undefined for a rejected request. */
async function ask({ limits }: Node, now: number): Promise<ReturnType<typeof admissionOf> | undefined> {
  const admission = admissionOf(limits, exchange, {}, false);
  try {
    await limitBeforeAuth(admission, now);
    return admission;
  } catch (thrown) {
    assert.ok(thrown instanceof ApiError && thrown.code === "rate-limited", String(thrown));
    const headers = rateLimitHeaders(admission, { status: 429 }, now);
    assert.match(headers.join(), /"posts";r=0;/);
    return undefined;
  }
}

/** Responds after some ticks of the event loop. */
function slow(rates: Rates, turns: () => number): Rates {
  return {
    async count(asks, now) {
      for (let left = turns(); left > 0; left -= 1) await turn();
      const counts = await rates.count(asks, now);
      for (let left = turns(); left > 0; left -= 1) await turn();
      return counts;
    },
  };
}

const admitted = (given: readonly unknown[]): number => given.filter((one) => one !== undefined).length;

for (const burst of [false, true])
  test(`whatever comes to whichever process, in all no more than the limit and one for each (${burst ? "bucket" : "window"})`, async () => {
    const process = fc.integer({ min: 0, max: 3 });
    const groups = fc.array(fc.array(process, { maxLength: 60 }), { maxLength: 8 });
    const counts = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 130 }));
    const turns = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(groups, counts, turns, async (asked, count, waits) => {
        const rates = memoryRates();
        let at = 0;
        const later = slow(rates, () => waits[(at += 1) % waits.length] ?? 0);
        const limit = burst ? { count: 1, windowMilliseconds: 3_000_000, burst: count } : { count };
        const nodes = Array.from({ length: 4 }, () => nodeOf(later, limit, () => start));
        const requests = asked.flat().length;
        let all = 0;
        for (const group of asked)
          all += admitted(await Promise.all(group.map((index) => ask(nodes[index] as Node, start))));
        const allowed = count < 100 ? count : count + 4;
        assert.ok(all <= allowed, `${all} of ${count}`);
        assert.ok(all >= Math.min(requests, count), `${all} of ${requests}, though ${count} may`);
      }),
      { numRuns: 60 },
    );
  });

test("one process alone admits exactly the limit, one after another or at once", async () => {
  for (const count of [1, 7, 100, 250])
    for (const width of [1, 3, 40]) {
      const node = nodeOf(slow(memoryRates(), () => 1), { count }, () => start); // biome-ignore format: short
      let all = 0;
      for (let sent = 0; sent < count + 40; sent += width)
        all += admitted(await Promise.all(Array.from({ length: width }, () => ask(node, start))));
      assert.equal(all, count, `${count} in groups of ${width}`);
    }
});

test("who sends one request after another waits for nobody where the limit is high, and what is full is not asked", async () => {
  const calls: RateRequest[] = [];
  const rates = memoryRates();
  const counting: Rates = {
    count: (asks, now) => {
      calls.push(...asks);
      return rates.count(asks, now);
    },
  };
  const node = nodeOf(counting, { count: 100 }, () => start);
  for (let sent = 0; sent < 100; sent += 1) {
    assert.equal(limitBeforeAuth(admissionOf(node.limits, exchange, {}, false), start), undefined);
    await turn();
    await turn();
  }
  assert.equal(calls.length, 100);
  for (let sent = 0; sent < 50; sent += 1) assert.equal(await ask(node, start), undefined);
  assert.equal(calls.length, 100, "heard just now");
  assert.equal(await ask(node, start + 300), undefined);
  await turn();
  assert.equal(calls.length, 101, "it may have been given back since");
});

test("requests of one turn are one call, and of one key one entry of it", async () => {
  const calls: (readonly RateRequest[])[] = [];
  const rates = memoryRates();
  const node = nodeOf({ count: (asks, now) => (calls.push(asks), rates.count(asks, now)) }, { count: 5 }, () => start); // biome-ignore format: short
  const given = await Promise.all(Array.from({ length: 9 }, () => ask(node, start)));
  assert.equal(admitted(given), 5);
  assert.deepEqual(calls.map((asks) => asks.map(({ consumed, wanted }) => [consumed, wanted])), [[[0, 9]]]); // biome-ignore format: short
});

test("what is given back at one process can be taken at another", async () => {
  const rates = memoryRates();
  const [one, other] = [0, 1].map(() => nodeOf(rates, { count: 2 }, () => start)) as [Node, Node];
  const [first] = [await ask(one, start), await ask(one, start)];
  assert.ok(first);
  assert.equal(await ask(other, start), undefined);
  refundTokens(first, start);
  await turn();
  await turn();
  assert.equal(await ask(other, start + 250), undefined, "it learns of it");
  await turn();
  await turn();
  assert.ok(await ask(other, start + 251));
  assert.equal(await ask(one, start + 252), undefined);
});

test("what makes a token bucket full again is given back to all processes", async () => {
  const rates = memoryRates();
  const [one, other] = [0, 1].map(() => nodeOf(rates, { count: 1, burst: 1 }, () => start)) as [Node, Node];
  const first = await ask(one, start);
  assert.ok(first);
  assert.equal(await ask(other, start), undefined);
  refundTokens(first, start);
  await turn();
  await turn();
  assert.equal(await ask(other, start + 250), undefined, "it learns of it");
  await turn();
  await turn();
  assert.ok(await ask(other, start + 251));
});

test("what was taken from a window that is over is not given back to the next one", async () => {
  let now = start;
  const node = nodeOf(memoryRates(), { count: 1, windowMilliseconds: 1000 }, () => now);
  const first = await ask(node, start);
  assert.ok(first);
  now = start + 1000;
  assert.ok(await ask(node, start + 1000));
  refundTokens(first, start + 1001);
  await turn();
  await turn();
  assert.equal(await ask(node, start + 1300), undefined);
});

test("where the others cannot be asked each process counts for itself, and says so once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let state: "good" | "broken" | "silent" = "good";
  const rates = memoryRates();
  const shaky: Rates = {
    count: (asks, now) => {
      if (state === "good") return rates.count(asks, now);
      return state === "broken" ? Promise.reject(new Error("gone")) : Promise.withResolvers<never>().promise;
    },
  };
  for (const how of ["broken", "silent"] as const) {
    state = "good";
    const nodes = [0, 1].map(() => nodeOf(shaky, { count: 3, windowMilliseconds: 1000 }, () => start));
    state = how;
    const given = Promise.all(nodes.flatMap((node) => Array.from({ length: 5 }, () => ask(node, start))));
    await turn();
    await turn();
    t.mock.timers.tick(2000);
    assert.equal(admitted(await given), 6, "three each");
    for (const { notices } of nodes) assert.equal(notices.length, 1);
  }
});

void test("a bucket gives no more than its burst and the time that goes by, where clocks are apart or a call is late", async () => {
  for (const apart of [0, 1, 100, 2_000]) {
    const rates = memoryRates();
    const limit = { count: 10, windowMilliseconds: 1000, burst: 5 };
    let granted = 0;
    for (let passed = 0; passed < 3000; passed += 1) {
      // One process's clock is behind the other's.
      const now = start + passed + (passed % 2) * apart;
      const [count] = await rates.count([{ name: "posts", key: "ann", limit, consumed: 0, wanted: 1 }], now);
      granted += count?.granted ?? 0;
    }
    assert(granted >= 34 && granted <= 5 + (2999 + apart) / 100, `${granted} where clocks are ${apart} ms apart`);
  }
});

void test("a clock that is set back makes nobody wait for the time that it takes away, but for ten seconds of it", async () => {
  const rates = memoryRates();
  const limit = { count: 1, windowMilliseconds: 1000, burst: 2 };
  const granted = async (now: number): Promise<number> =>
    (await rates.count([{ name: "posts", key: "ann", limit, consumed: 0, wanted: 5 }], now))[0]?.granted ?? 0;
  assert.equal(await granted(start), 2);
  assert.equal(await granted(start - 3_600_000), 0);
  assert.equal(await granted(start - 3_600_000 + 10_000), 0);
  assert.equal(await granted(start - 3_600_000 + 11_000), 1);
});

test("a day of the calendar is one window for all processes, also if the clock of one of them is behind", async () => {
  const rates = memoryRates();
  const midnight = Date.parse("2026-10-25T23:00:00Z");
  const limit = { count: 3, windowMilliseconds: 86_400_000, calendar: { unit: "day", zone: "Europe/Oslo" } } as const;
  let time = midnight - 40;
  const [exact, behind] = [nodeOf(rates, limit, () => time), nodeOf(rates, limit, () => time - 50)];
  const admitted: number[] = [];
  for (const at of [-40, -30, -20, -10, 5, 10, 15, 20, 49, 60, 80_000_000, 86_399_999, 86_400_060]) {
    time = midnight + at;
    const asked = [await ask(behind, time - 50), await ask(exact, time)];
    admitted.push(asked.filter((one) => one !== undefined).length);
  }
  assert.deepEqual(admitted, [2, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2]);
});
