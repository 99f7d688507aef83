/** The types of logins and sessions. */
import type { Value } from "../../expression/evaluate.ts";

export interface LoginRecord {
  readonly id: Value;
  /** The login name. */
  readonly name: Value;
  /** The hash of the secret; null if the record has none. */
  readonly secret: string | null;
  readonly roles: readonly string[];
}

export interface LoginRecords {
  byName(name: Value): Promise<LoginRecord | undefined>;
  byId(id: string): Promise<LoginRecord | undefined>;
}

export interface Attempt {
  readonly credential: string;
  readonly name: string;
  /** The client's IP address. */
  readonly address: string;
}

export interface LoginGuard {
  /**
   * Runs `verify`, which hashes the password, within the limits of failed logins. @throws ApiError if there are too many
   * failures; then `verify` does not run.
   */
  verified(attempt: Attempt, now: number, verify: () => Promise<boolean>): Promise<boolean>;
}

/** A verified login: the record, its stored hash, and a new hash if the cost is outdated. */
export interface Proved {
  readonly id: Value;
  readonly storedHash: string;
  readonly renewed?: string;
}

/** The outcome of verifying the current secret. `storedHash`: the hash that the sent secret matched. */
export type PresentSecret =
  | { readonly kind: "absent" }
  | { readonly kind: "wrong" }
  | { readonly kind: "right"; readonly storedHash: string };

/** The tokens of a session, which the client gets only once. */
export interface SessionSecrets {
  readonly token: string;
  /** When the session expires, in epoch milliseconds; absent: it lasts until it is revoked. */
  readonly expires?: number;
  readonly refreshToken?: string;
}

export interface TokenPlaceholders {
  /** The secret text in each placeholder of this request. */
  readonly nonce: string;
  /** The value of the variable `tokens` in expressions. */
  readonly variable: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
  /** The records that this request has created or logged in, with their tokens if these exist already. */
  readonly proved: Map<string, SessionSecrets | undefined>;
}
