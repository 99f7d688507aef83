/** The part of the store that keeps which version each credential was first met with (R9.2). */
import type { Awaitable } from "./store.ts";

export interface PinStore {
  find(credential: string, user: string): Awaitable<string | undefined>;
  /** Pins a user of a credential, and gives the version that it is pinned to: the first one stays. */
  pin(credential: string, user: string, version: string): Awaitable<string>;
}
