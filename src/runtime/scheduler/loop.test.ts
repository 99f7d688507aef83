/** A recurring task: one run at a time, which every call waits for, and failures that are reported once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchedulerLoop } from "./loop.ts";

test("a call during a run waits for it, and a call after it begins another one", async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const loop = createSchedulerLoop(
    {
      run: () => {
        const begun = Promise.withResolvers<number>();
        runs.push(begun);
        return begun.promise;
      },
    },
    assert.ifError,
  );
  const [first, second] = [loop.tick(), loop.tick()];
  assert.equal(runs.length, 1);
  runs[0]?.resolve(3);
  assert.deepEqual(await Promise.all([first, second]), [3, 3]);
  const third = loop.tick();
  assert.equal(runs.length, 2);
  runs[1]?.resolve(0);
  assert.equal(await third, 0);
});

test("no run begins while the loop rests, and one that is active stops early", async () => {
  const begun: (() => boolean)[] = [];
  const end = Promise.withResolvers<number>();
  const loop = createSchedulerLoop(
    {
      run: (isStopped) => {
        begun.push(isStopped);
        return end.promise;
      },
    },
    assert.ifError,
  );
  const active = loop.tick();
  const resting = loop.rest();
  assert.equal(begun[0]?.(), true);
  assert.equal(await loop.tick(), 0);
  assert.equal(begun.length, 1);
  end.resolve(1);
  await Promise.all([active, resting]);
  assert.equal(await loop.tick(), 1);
});

test("a failure is reported once until a run succeeds", async () => {
  const reported: unknown[] = [];
  const outcomes = [new Error("1"), new Error("2"), 5, new Error("3")];
  const loop = createSchedulerLoop(
    {
      run: async () => {
        const outcome = outcomes.shift() ?? 0;
        if (typeof outcome === "number") return outcome;
        throw outcome;
      },
    },
    (failure) => reported.push((failure as Error).message),
  );
  const counts = [await loop.tick(), await loop.tick(), await loop.tick(), await loop.tick()];
  assert.deepEqual(
    [counts, reported],
    [
      [0, 0, 5, 0],
      ["1", "3"],
    ],
  );
});
