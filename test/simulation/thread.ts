/** One thread of a fleet: runs the seeds that it receives, one after another. */
import { parentPort } from "node:worker_threads";
import type { Played } from "./fleet.ts";
import { simulate } from "./run.ts";

// A refusal is an exception, and where it was made is looked at by nobody.
Error.stackTraceLimit = 0;

parentPort?.on("message", (seed: number) => void play(seed));

async function play(seed: number): Promise<void> {
  const { answers, violation } = await simulate(seed);
  parentPort?.postMessage({ answers, ...(violation === undefined ? {} : { violation }) } satisfies Played);
}
