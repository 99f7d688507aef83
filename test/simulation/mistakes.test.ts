/** The simulation finds the mistakes that it is there for. Beside the seeds of `simulation.test.ts`, which take as long. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
  for (const [name, mutation] of Object.entries(mutants)) {
    void test(name, async () => {
      // What a store has to hold where transactions run together is seen in those seeds alone.
      const seedOf = (number: number): number =>
        mutation.loose === undefined && mutation.together === undefined ? number * 33 : number * 36 + 1;
      const isSeen = (seed: number): boolean => mutation.of?.(worldOf(worldNumberOf(seed))) ?? true;
      for (let number = 0, tried = 0; tried < patience; number += 1) {
        if (!isSeen(seedOf(number))) continue;
        tried += 1;
        const { violation } = await simulate(seedOf(number), mutation);
        if (violation !== undefined) return;
      }
      assert.fail(`it is not found in ${patience} seeds`);
    });
  }
});
