/** One thread of a fleet: runs the seeds that it is given. */
import { parentPort } from "node:worker_threads";
import type { Said, Share } from "./fleet.ts";
import { simulate } from "./run.ts";

// A refusal is an exception, and where it was made is looked at by nobody.
Error.stackTraceLimit = 0;

parentPort?.on("message", (asked: Share) => void runShare(asked));

async function runShare({ from, seeds }: Share): Promise<void> {
  const say = (said: Said): void => parentPort?.postMessage(said);
  let answers = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    try {
      const outcome = await simulate(seed);
      answers += outcome.answers;
      if (outcome.violation !== undefined) say({ kind: "found", finding: { seed, violation: outcome.violation } });
    } catch (thrown) {
      say({ kind: "found", finding: { seed, violation: `the simulation itself failed: ${String(thrown)}` } });
    }
  }
  say({ kind: "done", seeds, answers });
}
