/** Work that asks for something in between, written once for stores that answer at once and for those that wait. */
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
