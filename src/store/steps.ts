/** Work that asks for something in between, written once for stores that answer at once and for those that wait. */
import type { Awaitable } from "./store.ts";

export function answered<Question, Answer, Result>(
  steps: Generator<Question, Result, Answer>,
  answer: (question: Question) => Answer,
): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next(answer(step.value));
  return step.value;
}

export async function answeredLater<Question, Answer, Result>(
  steps: Generator<Question, Result, Answer>,
  answer: (question: Question) => Awaitable<Answer>,
): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answer(step.value));
  return step.value;
}
