/**
 * Sessions of logged-in users, a part of the store's port. A session is a family of tokens: access tokens, and refresh tokens
 * that are replaced at each use. The store holds only the SHA-256 of a token. Deleting a user's record deletes its sessions in
 * the same transaction. Times are epoch milliseconds.
 */
import type { Awaitable } from "./store.ts";

export interface SessionToken {
  /** The SHA-256 of the token, in lower-case hex. */
  readonly hash: string;
  /** The id of the session, `ses_…`. */
  readonly session: string;
  readonly credential: string;
  readonly resource: string;
  /** The id of the user's record, as text. */
  readonly user: string;
  readonly use: "access" | "renew";
  /** The part of the token that may be displayed: the prefix and the last four characters. */
  readonly hint: string;
  readonly created: number;
  /** When the token expires. Absent: it is valid until the session ends. */
  readonly expires?: number;
  /** When another refresh token replaced it; only for `renew`. */
  readonly replaced?: number;
}

/** Sessions outside transactions; another process (`nonet key`) may list and end them too. */
export interface SessionStore {
  /** Returns a token, even if it has expired; the caller checks `expires`. */
  find(hash: string): Awaitable<SessionToken | undefined>;
  /** Returns the access tokens, oldest first. */
  list(): Awaitable<readonly SessionToken[]>;
  /** Ends a session; returns false if it is unknown. */
  end(session: string, at: number): Awaitable<boolean>;
}

/** Selects one session, or all sessions of a user except one. */
export type Sessions =
  | { readonly session: string }
  | { readonly credential: string; readonly user: string; readonly except?: string };

/** The operations on sessions inside a transaction. */
export interface SessionOperations {
  session(hash: string): Awaitable<SessionToken | undefined>;
  addSession(token: SessionToken): Awaitable<void>;
  replaceSession(hash: string, at: number): Awaitable<void>;
  /** Makes the tokens of the sessions expire at `at`, unless they expire earlier. */
  endSessions(which: Sessions, at: number): Awaitable<void>;
}

/** Whether the token belongs to these sessions. */
export function isAmong(token: SessionToken, which: Sessions): boolean {
  if ("session" in which) return token.session === which.session;
  return token.credential === which.credential && token.user === which.user && token.session !== which.except;
}
