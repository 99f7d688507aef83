/** Asserts that a value exists for every document and request. Throws otherwise, because its absence is a bug of Nonet. */
export function defined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what}: undefined`);
  return value;
}
