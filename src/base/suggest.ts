/** Suggests the known name that an author probably meant. */

/**
 * Returns the candidate most similar to `name`, if it is similar enough: at most one edit in short names, two edits from five
 * characters on, three from nine on. Ignores case. Of equally similar candidates the first wins.
 */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = editsAllowed(wanted.length) + 1;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Returns the end of a message about an unknown name: `; did you mean \`parcel\`?`, or an empty text if no candidate is
 * similar.
 */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const near = didYouMean(name, candidates);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}

function editsAllowed(length: number): number {
  if (length < 3) return length < 2 ? 0 : 1;
  if (length < 5) return 1;
  return length < 9 ? 2 : 3;
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
 * (Damerau-Levenshtein, optimal string alignment), in UTF-16 code units. Returns `limit` as soon as the result cannot be below
 * it.
 */
export function editDistance(a: string, b: string, limit: number = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    // A swap can use the row before the last one, so both rows must reach the limit.
    if (least >= limit && Math.min(...last) >= limit) return limit;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[b.length] ?? 0, limit);
}
