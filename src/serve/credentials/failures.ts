/**
 * Failed credentials (R5.7): at most ten in a minute from one address, and at most ten for one key, wherever they come
 * from. Only failures are counted and only failures are refused, so guessing costs nobody with a good credential anything.
 * Several processes count them together: each is told of the others' with its own next failure.
 */
import type { Heard, Shared, Sharing } from "../limits/sharing.ts";

export interface FailureLimit {
  /** Seconds to wait before an unproved credential may be tried again; 0: it may. */
  waitSeconds(name: string, now: number): number;
  note(name: string, now: number): void;
}

const limit = 10;
const windowMilliseconds = 60_000;
/** Beyond this many names the oldest are forgotten: the table protects the server, it must not fill it. */
const maximumNames = 100_000;

/** A limit under a name that no other one has. */
export type FailureLimits = (name: string) => FailureLimit;

/** `unreadable`: what a name is to the other processes, who keep it; none of them can turn it back. */
export function createFailureLimits(sharing: Sharing | undefined, unreadable: (name: string) => string): FailureLimits {
  return (what) => {
    const shared = (name: string): Shared => ({
      name: `failed ${what}`,
      key: unreadable(name),
      limit: { count: limit, windowMilliseconds },
    });
    return createFailureLimit(sharing && ((name, heard) => sharing.tell(shared(name), 1, heard)));
  };
}

/** `tell`: has other processes count one more of a name, and hears what they have counted. */
export function createFailureLimit(tell?: (name: string, heard: Heard) => void): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    waitSeconds(name, now) {
      const entry = failures.get(name);
      if (entry === undefined) return 0;
      // A clock that was set back takes away the future that it was to end in.
      entry.until = Math.min(entry.until, now + windowMilliseconds);
      if (entry.until <= now || entry.count < limit) return 0;
      return Math.ceil((entry.until - now) / 1000);
    },
    note(name, now) {
      let entry = failures.get(name);
      if (entry !== undefined && entry.until > now) entry.count += 1;
      else {
        failures.delete(name);
        failures.set(name, (entry = { count: 1, until: now + windowMilliseconds }));
        if (failures.size > maximumNames) failures.delete(failures.keys().next().value as string);
      }
      const noted = entry;
      tell?.(name, (counted) => {
        if (counted === undefined) return;
        // What was noted here since it was asked is not in it yet; of another window than ours all of it is.
        const isSame = counted.at < noted.until + windowMilliseconds / 2;
        noted.count = isSame ? Math.max(noted.count, counted.used) : counted.used;
        noted.until = counted.at;
      });
    },
  };
}
