/** Tests that a rate limiter is exact (R8.3), and that its memory is bounded without dropping active windows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type RateLimiter, createRateLimiter } from "./rate-limiter.ts";

const start = 1_700_000_000_000;

function meterOf(
  count: number,
  windowMilliseconds: number,
  more: { burst?: number; maximumKeys?: number } = {},
): RateLimiter {
  const { maximumKeys = 1000, ...burst } = more;
  return createRateLimiter({ rate: { name: "posts", count, windowMilliseconds, ...burst }, maximumKeys, seed: 7 });
}

/** Consumes one request; false if the limit is used up. */
function admits(meter: RateLimiter, key: string, now: number): boolean {
  const place = meter.look(key, now);
  if (meter.left(place, now) === 0) return false;
  meter.consume(place, now);
  return true;
}

void describe("a window", () => {
  test("R8.3 takes so many from its first request on, and begins anew when it is over", () => {
    const meter = meterOf(3, 1000);
    const at = [0, 10, 500, 501, 999, 1000, 1001, 1500, 1999, 2000, 5000, 5999, 6000];
    const admitted = at.filter((time) => admits(meter, "ann", start + time));
    assert.deepEqual(admitted, [0, 10, 500, 1000, 1001, 1500, 2000, 5000, 5999, 6000]);
  });

  for (const burst of [{}, { burst: 2 }])
    test(`a clock that is set back makes nobody wait longer ${JSON.stringify(burst)}`, () => {
      const meter = meterOf(2, 60_000, burst);
      const back = start - 3_600_000;
      for (const time of [start, start, start]) admits(meter, "ann", time);
      assert.equal(admits(meter, "ann", back), false);
      assert.ok(meter.waitSeconds(meter.look("ann", back), back) <= 60);
      assert.equal(admits(meter, "ann", back + 60_000), true);
    });

  for (const [unit, from, until] of [
    ["day", "2026-03-28T23:30:00Z", "2026-03-29T22:00:00Z"],
    ["day", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    ["week", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"],
    ["month", "2026-02-28T22:59:59Z", "2026-02-28T23:00:00Z"],
    ["month", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"],
  ] as const)
    test(`a ${unit} of the calendar from ${from} ends at local midnight, with summer time`, () => {
      const calendar = { unit, zone: "Europe/Oslo" };
      const meter = createRateLimiter({
        rate: { name: "posts", count: 1, windowMilliseconds: 86_400_000, calendar },
        maximumKeys: 10,
        seed: 7,
      });
      const [first, end] = [Date.parse(from), Date.parse(until)];
      const at = [first, end - 1, end, end + 1];
      assert.deepEqual(
        at.map((time) => admits(meter, "ann", time)),
        [true, false, true, false],
      );
      // After the clock is set back, no caller waits for the end of the later window.
      assert.ok(meter.waitSeconds(meter.look("ann", first), first) <= (end - first) / 1000);
    });

  test("keys are apart", () => {
    const meter = meterOf(1, 1000);
    assert.deepEqual(
      [admits(meter, "ann", start), admits(meter, "bob", start), admits(meter, "ann", start)],
      [true, true, false],
    );
  });

  test("what is told: the policy, what is left, and the seconds until there is more, at least one", () => {
    const meter = meterOf(2, 60_000);
    assert.equal(meter.policy, '"posts";q=2;w=60');
    admits(meter, "ann", start);
    const place = meter.look("ann", start + 59_500);
    assert.deepEqual([meter.left(place, start + 59_500), meter.waitSeconds(place, start + 59_500)], [1, 1]);
    assert.equal(meter.waitSeconds(place, start + 100), 60);
  });

  test("what is given back can be taken again", () => {
    const meter = meterOf(1, 1000);
    const place = meter.look("ann", start);
    meter.consume(place, start);
    assert.equal(admits(meter, "ann", start), false);
    meter.refund(place, start);
    assert.deepEqual([admits(meter, "ann", start), admits(meter, "ann", start)], [true, false]);
  });

  test("whenever requests come, no window of its length from a first request on takes more", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 5 }), (waits, count) => {
        const meter = meterOf(count, 1000);
        let now = start;
        let opened = Number.NEGATIVE_INFINITY;
        let used = 0;
        let left = count;
        for (const wait of waits) {
          now += wait;
          if (now >= opened + 1000) [opened, used, left] = [now, 0, count];
          assert.equal(admits(meter, "ann", now), used < count);
          used = Math.min(count, used + 1);
          const told = meter.left(meter.look("ann", now), now);
          assert.ok(told >= 0 && told <= left, "what is left never rises by itself");
          left = told;
        }
      }),
    );
  });
});

void describe("a bucket", () => {
  test("holds its burst, and is refilled by the rate", () => {
    const meter = meterOf(6, 60_000, { burst: 3 });
    assert.equal(meter.policy, '"posts";q=3;w=30');
    const at = [0, 0, 0, 0, 9_999, 10_000, 10_001, 20_000, 80_000, 80_000, 80_000, 80_000];
    const admitted = at.map((time) => admits(meter, "ann", start + time));
    assert.deepEqual(admitted, [true, true, true, false, false, true, false, true, true, true, true, false]);
  });

  test("says when the next one is there, to the millisecond", () => {
    const counts = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 86_400_000 }), counts, (count, length, burst) => {
        const meter = meterOf(count, length, { burst });
        for (let index = 0; index < burst; index += 1) assert.ok(admits(meter, "ann", start), "the burst passes");
        assert.equal(admits(meter, "ann", start), false, "and no more");
        const next = start + Math.ceil(length / count);
        assert.equal(admits(meter, "ann", next - 1), false);
        assert.equal(admits(meter, "ann", next), true);
      }),
    );
  });

  test("in any time it admits the burst and what was refilled, and not one more", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 5 }), (waits, count, burst) => {
        const meter = meterOf(count, 7000, { burst });
        const admitted: number[] = [];
        let now = start;
        for (const wait of waits) {
          now += wait;
          if (admits(meter, "ann", now)) admitted.push(now);
        }
        for (const [first, from] of admitted.entries()) {
          for (const [last, to] of admitted.entries()) {
            if (last < first) continue;
            assert.ok(last - first + 1 <= burst + Math.floor(((to - from) * count) / 7000));
          }
        }
      }),
    );
  });
});

void describe("many keys", () => {
  test("beyond the maximum keys share windows, and a live one is never forgotten", () => {
    const meter = meterOf(2, 1000, { maximumKeys: 10 });
    for (let key = 0; key < 10; key += 1) for (const _ of [1, 2]) assert.ok(admits(meter, `own${key}`, start));
    let admitted = 0;
    for (let key = 0; key < 100_000; key += 1) if (admits(meter, `flood${key}`, start + 500)) admitted += 1;
    assert.equal(admitted, 1024 * 2, "as many as the shared windows take");
    for (let key = 0; key < 10; key += 1) assert.ok(!admits(meter, `own${key}`, start + 999), "those that were there");
    assert.ok(!admits(meter, "flood1", start + 1200), "no second window beside the shared one");
    assert.ok(admits(meter, "flood1", start + 1500));
  });

  test("what is over makes room", () => {
    const meter = meterOf(1, 1000, { maximumKeys: 3 });
    for (const [index, key] of ["a", "b", "c"].entries()) assert.ok(admits(meter, key, start + index));
    assert.ok(admits(meter, "d", start + 1000), "a is over");
    assert.equal(meter.look("d", start + 1000).key, "d");
    assert.match(meter.look("e", start + 1000).key, /^\*/);
  });

  test("of buckets the one that was used last goes last", () => {
    const meter = meterOf(1, 1000, { burst: 2, maximumKeys: 2 });
    assert.ok(admits(meter, "a", start));
    assert.ok(admits(meter, "b", start + 100));
    assert.ok(admits(meter, "a", start + 200));
    assert.equal(meter.look("c", start + 1150).key, "c", "b is full again, a is not");
    assert.equal(meter.left(meter.look("a", start + 1150), start + 1150), 1);
  });
});

void describe("kept counts", () => {
  for (const burst of [undefined, 4]) {
    test(`come back as they were (${burst === undefined ? "window" : "bucket"})`, () => {
      const rate = {
        name: "posts",
        count: 4,
        windowMilliseconds: 3_600_000,
        ...(burst === undefined ? {} : { burst }),
      };
      let changed = 0;
      const make = () => createRateLimiter({ rate, maximumKeys: 10, seed: 7, changed: () => (changed += 1) });
      const before = make();
      for (let index = 0; index < 3; index += 1) admits(before, "ann", start);
      assert.equal(changed, 3);
      const kept = before.changes(start);
      assert.equal(before.changes(start).size, 0, "only what changed since");
      before.again(kept.keys());
      assert.deepEqual(before.changes(start), kept);
      const after = make();
      for (const [key, counted] of kept) after.restore(key, counted, start + 1);
      assert.ok(admits(after, "ann", start + 2));
      assert.ok(!admits(after, "ann", start + 3));
      const later = make();
      for (const [key, counted] of kept) later.restore(key, counted, start + 3_600_000);
      assert.equal(later.left(later.look("ann", start + 3_600_000), start + 3_600_000), 4);
    });
  }

  test("a clock that was set back does not make a window longer", () => {
    const meter = meterOf(1, 3_600_000);
    meter.restore("ann", { used: 1, until: start + 90 * 86_400_000 }, start);
    assert.ok(!admits(meter, "ann", start + 3_599_999));
    assert.ok(admits(meter, "ann", start + 3_600_000));
  });

  test("more than there is room for are counted together", () => {
    const meter = meterOf(5, 3_600_000, { maximumKeys: 1 });
    for (const key of ["a", "b", "c"]) meter.restore(key, { used: 5, until: start + 1000 }, start);
    for (const key of ["a", "b", "c"]) assert.ok(!admits(meter, key, start + 1));
  });
});
