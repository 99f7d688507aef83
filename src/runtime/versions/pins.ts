/** Finds the pinned version of each credential (R9.2), in the store, with a cache. */
import type { PinStore } from "../../store/port/store.ts";
import type { Caller } from "../context/caller.ts";

/** Returns the pinned version of a caller; pins `newest` at the caller's first request. */
export type PinOf = (caller: Caller, newest: string) => string | Promise<string>;

/** The most cached callers; above it the cache is emptied. */
const maximumCached = 100_000;

export function createPins(store: PinStore): PinOf {
  const cached = new Map<string, Map<string, string>>();
  let size = 0;
  const cache = (credential: string, user: string, version: string): void => {
    if (size >= maximumCached) {
      cached.clear();
      size = 0;
    }
    const users = cached.get(credential) ?? new Map<string, string>();
    // Concurrent requests of one caller may all reach this line.
    if (!users.has(user)) size += 1;
    cached.set(credential, users.set(user, version));
  };
  return ({ credential, id }, newest) => {
    if (credential === null) return newest;
    const user = id ?? "";
    const known = cached.get(credential)?.get(user);
    if (known !== undefined) return known;
    return (async () => {
      const version = (await store.find(credential, user)) ?? (await store.pin(credential, user, newest));
      cache(credential, user, version);
      return version;
    })();
  };
}
