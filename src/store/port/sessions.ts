/**
 * Sessions of logged-in users, a part of the store's port. A session is a family of tokens: access tokens, and refresh tokens
 * that are replaced at each use. The store holds only the SHA-256 of a token. Deleting a user's record deletes its sessions in
 * the same transaction. Times are epoch milliseconds.
 */
import type { Awaitable } from "./store.ts";

export interface SessionToken {
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string;
  /** The session, `ses_…`. */
  readonly session: string;
  readonly credential: string;
  readonly resource: string;
  /** The record's id, as text. */
  readonly user: string;
  readonly use: "access" | "renew";
  /** The part that may be displayed: the prefix and the last four characters. */
  readonly hint: string;
  readonly created: number;
  /** Absent: valid until the session ends. */
  readonly expires?: number;
  /** When another refresh token replaced it; only for `renew`. */
  readonly replaced?: number;
}

/** Outside transactions; another process (`nonet key`) may list and end sessions too. */
export interface SessionStore {
  /** Returns expired tokens too; the caller checks `expires`. */
  find(hash: string): Awaitable<SessionToken | undefined>;
  /** The access tokens, oldest first. */
  list(): Awaitable<readonly SessionToken[]>;
  /** Returns false for an unknown session. */
  end(session: string, at: number): Awaitable<boolean>;
}

/** One session, or all sessions of a user except one. */
export type Sessions =
  | { readonly session: string }
  | { readonly credential: string; readonly user: string; readonly except?: string };

/** In a transaction. */
export interface SessionOperations {
  session(hash: string): Awaitable<SessionToken | undefined>;
  addSession(token: SessionToken): Awaitable<void>;
  replaceSession(hash: string, at: number): Awaitable<void>;
  /** Makes their tokens expire at `at`, or earlier if they already do. */
  endSessions(which: Sessions, at: number): Awaitable<void>;
}

/** Whether the token belongs to these sessions. */
export function isAmong(token: SessionToken, which: Sessions): boolean {
  if ("session" in which) return token.session === which.session;
  return token.credential === which.credential && token.user === which.user && token.session !== which.except;
}
