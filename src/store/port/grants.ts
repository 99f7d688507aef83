/**
 * What a part of the service has given somebody for a time, a part of the store's port: access tokens of OAuth and what leads
 * to them. Each is a text under a kind and an id, which for what is secret is its SHA-256; those of a group end together.
 */
import type { Awaitable } from "./store.ts";

export interface Grant {
  readonly kind: string;
  readonly id: string;
  /** What it ends with: a client, a consent. */
  readonly group: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

export interface GrantStore {
  /** In the place of one with the same kind and id. */
  put(grant: Grant): Awaitable<void>;
  /** Also one that is over: that is for the caller to see. */
  find(kind: string, id: string): Awaitable<Grant | undefined>;
  /**
   * Another text and end in the place of these; false where they are not there any more. Of two at once one learns that it was
   * too late, and nothing that has ended comes back.
   */
  replace(grant: Grant, next: Pick<Grant, "text" | "expires">): Awaitable<boolean>;
  /** False where there is none. */
  end(kind: string, id: string): Awaitable<boolean>;
  endGroup(group: string): Awaitable<void>;
}
