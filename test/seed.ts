/**
 * Loaded before every test file of `npm test`: generated examples are the same in each run, so that a red run is about the change that
 * was made. `node --test FILE` does without this and tries others each time; `NONET_SEED=random npm test` (or a number) does so for all.
 */
import { isMainThread } from "node:worker_threads";

const seed = process.env["NONET_SEED"] ?? "20261122";
// Threads get the options of their process, and have nothing generated in them.
if (isMainThread && seed !== "random") {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
