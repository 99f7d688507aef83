/** The value in the middle; of an even number the upper of the two, of none NaN. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
