/**
 * The part of the store for OAuth: clients, authorization codes, tokens and consents, each with an expiry. Each is a text under a
 * kind and an id (the SHA-256 for a secret). Grants of one group are revoked together.
 */
import type { Awaitable } from "./store.ts";

export interface Grant {
  readonly kind: string;
  readonly id: string;
  /** The client or consent whose revocation also revokes this grant. */
  readonly group: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

export interface GrantStore {
  /** Replaces a grant with the same kind and id. */
  put(grant: Grant): Awaitable<void>;
  /** Returns expired grants too; the caller checks `expires`. */
  find(kind: string, id: string): Awaitable<Grant | undefined>;
  /**
   * Replaces text and expiry if the grant is unchanged, else returns false. Of two concurrent callers one gets false, and a
   * revoked grant stays revoked.
   */
  replace(grant: Grant, next: Pick<Grant, "text" | "expires">): Awaitable<boolean>;
  /** Returns false for an unknown grant. */
  end(kind: string, id: string): Awaitable<boolean>;
  endGroup(group: string): Awaitable<void>;
}
