/** Runs a generator that yields queries, so that one algorithm serves SQLite (synchronous) and PostgreSQL (asynchronous). */
import type { Awaitable } from "../port/store.ts";

export function runSteps<Query, Rows, Result>(
  steps: Generator<Query, Result, Rows>,
  run: (query: Query) => Rows,
): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(run(step.value));
  return step.value;
}

export async function runStepsAsync<Query, Rows, Result>(
  steps: Generator<Query, Result, Rows>,
  run: (query: Query) => Awaitable<Rows>,
): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await run(step.value));
  return step.value;
}
