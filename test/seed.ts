/**
 * Loaded before every test file of `npm test`: fixes the seed of generated examples, so that failures come from the change. `node
 * --test FILE` uses new examples each time; `NONET_SEED=random npm test` (or a number) does so for all files.
 */
import { isMainThread } from "node:worker_threads";

const seed = process.env["NONET_SEED"] ?? "20261122";
// Threads get the options of their process, and have nothing generated in them.
if (isMainThread && seed !== "random") {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
