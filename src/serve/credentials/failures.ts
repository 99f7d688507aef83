/**
 * Failed credentials (R5.7): at most ten in a minute from one address, and at most ten for one key, wherever they come
 * from. Only failures are counted and only failures are refused, so guessing costs nobody with a good credential anything.
 */

export interface FailureLimit {
  /** Seconds to wait before an unproved credential may be tried again; 0: it may. */
  waitSeconds(name: string, now: number): number;
  note(name: string, now: number): void;
}

const limit = 10;
const windowMilliseconds = 60_000;
/** Beyond this many names the oldest are forgotten: the table protects the server, it must not fill it. */
const maximumNames = 100_000;

/** `name`: what failures are counted by. */
export function createFailureLimit(): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    waitSeconds(name, now) {
      const entry = failures.get(name);
      if (entry === undefined || entry.until <= now || entry.count < limit) return 0;
      return Math.ceil((entry.until - now) / 1000);
    },
    note(name, now) {
      const entry = failures.get(name);
      if (entry !== undefined && entry.until > now) {
        entry.count += 1;
        return;
      }
      failures.delete(name);
      failures.set(name, { count: 1, until: now + windowMilliseconds });
      if (failures.size > maximumNames) failures.delete(failures.keys().next().value as string);
    },
  };
}
