/**
 * Estimates in memory how many records have a value, for quotas (R8.7). The estimate only selects how to query the database: if
 * there seems to be room, the check is sent along with the writes and not awaited; else it is awaited, and its result updates the
 * estimate.
 */
export interface LiveCounts {
  /** Whether one more record seems to be within `most`; if so, adds it to the estimate. */
  expects(name: string, most: number): boolean;
  /** Sets the estimate to the database's count. */
  counted(name: string, count: number): void;
}

const mostNames = 10_000;

export function createLiveCounts(): LiveCounts {
  const known = new Map<string, number>();
  const counted: LiveCounts["counted"] = (name, count) => {
    if (known.size >= mostNames) known.clear();
    known.set(name, count);
  };
  return {
    counted,
    expects(name, most) {
      const next = (known.get(name) ?? 0) + 1;
      if (next > most) return false;
      counted(name, next);
      return true;
    },
  };
}
