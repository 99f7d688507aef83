/** The types of logins and sessions. */
import type { Value } from "../../expression/evaluate.ts";

export interface LoginRecord {
  readonly id: Value;
  /** The login name. */
  readonly name: Value;
  /** The hash of the secret; null without one. */
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
  /** The client's address. */
  readonly address: string;
}

export interface LoginGuard {
  /**
   * Runs `verify`, which hashes the password, within the limits of failed logins. @throws ApiError if there are too many
   * failures; `verify` does not run then
   */
  verified(attempt: Attempt, now: number, verify: () => Promise<boolean>): Promise<boolean>;
}

/** A verified login: the record, its stored hash, and a new hash if the cost is outdated. */
export interface Proved {
  readonly id: Value;
  readonly storedHash: string;
  readonly renewed?: string;
}

/** `storedHash`: the hash that the sent secret matched. */
export type PresentSecret =
  | { readonly kind: "absent" }
  | { readonly kind: "wrong" }
  | { readonly kind: "right"; readonly storedHash: string };

/** The tokens of a session; the client gets them once. */
export interface SessionSecrets {
  readonly token: string;
  /** Epoch milliseconds; absent: until it is revoked. */
  readonly expires?: number;
  readonly refreshToken?: string;
}

export interface TokenPlaceholders {
  /** The secret text in each placeholder of this request. */
  readonly nonce: string;
  /** The variable `tokens` of expressions. */
  readonly variable: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
  /** Records that this request has created or logged in, with their tokens if they exist already. */
  readonly proved: Map<string, SessionSecrets | undefined>;
}
