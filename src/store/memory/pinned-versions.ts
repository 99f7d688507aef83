/** Stores pinned versions in memory. */
import { getOrMake } from "../../base/once.ts";
import type { PinStore } from "../port/store.ts";

export function pinStore(): PinStore {
  const pins = new Map<string, string>();
  const keyOf = (credential: string, user: string): string => JSON.stringify([credential, user]);
  return {
    find: (credential, user) => pins.get(keyOf(credential, user)),
    pin: (credential, user, version) => getOrMake(pins, keyOf(credential, user), () => version),
  };
}
