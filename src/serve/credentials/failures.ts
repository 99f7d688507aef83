/** Failed credentials per address (R5.7): at most ten in a minute, and none of them spends anybody else's quota. */

export interface FailureLimit {
  /** Seconds to wait before the address may try an unproved credential again; 0: it may. */
  waitSeconds(address: string, now: number): number;
  note(address: string, now: number): void;
}

const limit = 10;
const windowMilliseconds = 60_000;
/** Beyond this many addresses the oldest are forgotten: the table protects the server, it must not fill it. */
const maximumAddresses = 100_000;

export function createFailureLimit(): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>();
  return {
    waitSeconds(address, now) {
      const entry = failures.get(partition(address));
      if (entry === undefined || entry.until <= now || entry.count < limit) return 0;
      return Math.ceil((entry.until - now) / 1000);
    },
    note(address, now) {
      const key = partition(address);
      const entry = failures.get(key);
      if (entry !== undefined && entry.until > now) {
        entry.count += 1;
        return;
      }
      failures.delete(key);
      failures.set(key, { count: 1, until: now + windowMilliseconds });
      if (failures.size > maximumAddresses) failures.delete(failures.keys().next().value as string);
    },
  };
}

/** One IPv6 subscriber holds a /64 (R8.4). */
function partition(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = ""] = address.split("::");
  const groups = (
    address.includes("::") ? [...head.split(":").filter(Boolean), "0", "0", "0", "0"] : address.split(":")
  ).slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}
