/**
 * Sessions of those who have logged in, a part of the store's port. A session is a family of tokens: those that requests are
 * sent with, and those that it is renewed with, of which each is replaced at its use. Tokens are kept as their SHA-256 only.
 * Sessions of a record end with it: deleting it deletes them, in the same transaction. Times in epoch milliseconds.
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
  /** What may be shown: the prefix and the last four characters. */
  readonly hint: string;
  readonly created: number;
  /** Absent: until the session ends. */
  readonly expires?: number;
  /** When another one took its place: `renew` only. */
  readonly replaced?: number;
}

/** Outside of transactions; another process (`nonet key`) may ask and end, too. */
export interface SessionStore {
  /** Also one that is over: that is for the caller to see. */
  find(hash: string): Awaitable<SessionToken | undefined>;
  /** The tokens that requests are sent with, oldest first. */
  list(): Awaitable<readonly SessionToken[]>;
  /** False where there is no such session. */
  end(session: string, at: number): Awaitable<boolean>;
}

/** Which sessions: one, or those of a record but one. */
export type Sessions =
  | { readonly session: string }
  | { readonly credential: string; readonly user: string; readonly except?: string };

/** In a transaction. */
export interface SessionOperations {
  session(hash: string): Awaitable<SessionToken | undefined>;
  addSession(token: SessionToken): Awaitable<void>;
  replaceSession(hash: string, at: number): Awaitable<void>;
  /** Their tokens are good until `at` and no longer. */
  endSessions(which: Sessions, at: number): Awaitable<void>;
}

/** Whether a token is one of these sessions'. */
export function isAmong(token: SessionToken, which: Sessions): boolean {
  if ("session" in which) return token.session === which.session;
  return token.credential === which.credential && token.user === which.user && token.session !== which.except;
}
