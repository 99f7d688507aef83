/** Compares names of versions number by number: dates as well as version numbers. */

export function isNewerVersion(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.split(/[-.]/).map(Number));
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index += 1) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
