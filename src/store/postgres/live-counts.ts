/**
 * How many records have a value, as far as this process knows. It only decides how the database is asked whether there is room
 * for one more (R8.7): where there seems to be, the question goes out with what is written, and nobody waits for its answer; else
 * it is waited for, and tells how many there are.
 */
export interface LiveCounts {
  /** Whether one more seems to be within `most`; if so it is counted as there from then on. */
  expects(name: string, most: number): boolean;
  /** As the database has counted. */
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
