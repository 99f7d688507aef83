/** Stores pinned versions in memory. */
import type { PinStore } from "../port/store.ts";

export function pinStore(): PinStore {
  const pins = new Map<string, string>();
  const keyOf = (credential: string, user: string): string => JSON.stringify([credential, user]);
  return {
    find: (credential, user) => pins.get(keyOf(credential, user)),
    pin(credential, user, version) {
      const key = keyOf(credential, user);
      const pinned = pins.get(key) ?? version;
      pins.set(key, pinned);
      return pinned;
    },
  };
}
