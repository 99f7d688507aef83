/** What is there, whatever the document and the request say: that it is not is a mistake of Nonet's own, and is thrown. */
export function defined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what}: undefined`);
  return value;
}
