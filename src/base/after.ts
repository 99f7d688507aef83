/**
 * Continues with a value that is nearly always present already, and waits only if it is a promise: an `await` would cost a
 * microtask even for a value that is present.
 */
export function after<Input, Result>(
  input: Input | Promise<Input>,
  go: (input: Input) => Result | Promise<Result>,
): Result | Promise<Result> {
  return input instanceof Promise ? input.then(go) : go(input);
}
