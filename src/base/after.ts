/**
 * What goes on after something that is waited for only where it is not there yet. An `await` costs a turn of the queue of
 * promises even for a value, and what a request waits for is nearly always there already.
 */
export function after<Given, Result>(
  given: Given | Promise<Given>,
  go: (given: Given) => Result | Promise<Result>,
): Result | Promise<Result> {
  return given instanceof Promise ? given.then(go) : go(given);
}
