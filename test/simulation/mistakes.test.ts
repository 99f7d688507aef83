/**
 * The simulation finds each deliberate bug: one in eight of them in every run, all of them in the nightly one. The search starts
 * at the bug's `from`, the first seed that finds it. If a change of the simulation makes it stale, the test names the new seed.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isNightly } from "../nightly.ts";
import { mutants } from "./mutants.ts";
import { simulate, worldNumberOf } from "./run.ts";
import { worldOf } from "./world.ts";

/** Seeds that a mistake may take, each of another world than the one before. */
const patience = 150;

void describe("a mistake is found", () => {
  const { stackTraceLimit } = Error;
  before(() => {
    Error.stackTraceLimit = 0;
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  for (const [name, mutation] of Object.entries(mutants).filter((_, index) => isNightly || index % 8 === 0)) {
    void test(name, async (t) => {
      const { from = 0, loose, of, together } = mutation;
      // What a store has to hold where transactions run together is seen in those seeds alone.
      const [first, step] = loose === undefined && together === undefined ? [0, 33] : [1, 36];
      for (let seed = Math.max(first, from), tried = 0; tried < patience; seed += step) {
        if (of?.(worldOf(worldNumberOf(seed))) === false) continue;
        tried += 1;
        const { violation } = await simulate(seed, mutation);
        if (violation === undefined) continue;
        if (tried > 3) t.diagnostic(`found by seed ${seed}, the ${tried}th that is tried from ${from} on`);
        return;
      }
      assert.fail(`it is not found in ${patience} seeds from ${from} on`);
    });
  }
});
