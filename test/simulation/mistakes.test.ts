/** The simulation finds the mistakes that it is there for. Beside the seeds of `simulation.test.ts`, which take as long. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mutants } from "./mutants.ts";
import { simulate } from "./run.ts";

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
      const seedOf = (number: number): number => (mutation.loose === undefined ? number * 33 : number * 36 + 1);
      for (let number = 0; number < patience; number += 1) {
        const { violation } = await simulate(seedOf(number), mutation);
        if (violation !== undefined) return;
      }
      assert.fail(`it is not found in ${patience} seeds`);
    });
  }
});
