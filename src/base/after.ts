/**
 * What goes on after something that is waited for only where it is not there yet. An `await` costs a turn of the queue of
 * promises even for a value, and what a request waits for is nearly always there already.
 */
export function after<Input, Result>(
  input: Input | Promise<Input>,
  go: (input: Input) => Result | Promise<Result>,
): Result | Promise<Result> {
  return input instanceof Promise ? input.then(go) : go(input);
}
