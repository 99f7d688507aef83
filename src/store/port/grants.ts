/**
 * The part of the store for OAuth: clients, authorization codes, tokens and consents, each with an expiry. Each of them is a
 * text under a kind and an id (for a secret its SHA-256). Grants of one group are revoked together.
 */
import type { Awaitable } from "./store.ts";

export interface Grant {
  readonly kind: string;
  readonly id: string;
  /** The client or consent whose revocation also revokes this grant. */
  readonly group: string;
  readonly text: string;
  /** When the grant expires, in epoch milliseconds. */
  readonly expires: number;
}

export interface GrantStore {
  /** Stores a grant; replaces a grant with the same kind and id. */
  put(grant: Grant): Awaitable<void>;
  /** Returns a grant, even if it has expired; the caller checks `expires`. */
  find(kind: string, id: string): Awaitable<Grant | undefined>;
  /**
   * Replaces text and expiry if the grant is unchanged, else returns false. Of two concurrent callers one gets false, and a
   * revoked grant stays revoked.
   */
  replace(grant: Grant, next: Pick<Grant, "text" | "expires">): Awaitable<boolean>;
  /** Ends a grant; returns false if it is unknown. */
  end(kind: string, id: string): Awaitable<boolean>;
  endGroup(group: string): Awaitable<void>;
}
