/** Logins and sessions: what a request knows of a caller whose secret it has verified. */
import type { Value } from "../../expression/evaluate.ts";

export interface LoginRecord {
  readonly id: Value;
  /** By which it logs in. */
  readonly name: Value;
  /** The stored hash; null if there is none. */
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
  /** The peer's. */
  readonly address: string;
}

export interface LoginGuard {
  /**
   * Whether `verify`, which hashes the password, finds it right; within the limits of failures.
   * @throws Refusal where the attempt comes too soon; `verify` is not called then.
   */
  verified(attempt: Attempt, now: number, verify: () => Promise<boolean>): Promise<boolean>;
}

/** A record whose login was verified: the stored hash, and the hash that replaces it, if its cost is outdated. */
export interface Proved {
  readonly id: Value;
  readonly storedHash: string;
  readonly renewed?: string;
}

/** `storedHash`: the stored hash of a secret that was right. */
export type PresentSecret =
  | { readonly kind: "absent" }
  | { readonly kind: "wrong" }
  | { readonly kind: "right"; readonly storedHash: string };

/** The tokens of a session, which its owner gets once. */
export interface SessionSecrets {
  readonly token: string;
  /** Epoch milliseconds; absent: until it is revoked. */
  readonly expires?: number;
  readonly refreshToken?: string;
}

export interface TokenPlaceholders {
  /** What each mark of this request begins and ends with. */
  readonly nonce: string;
  /** What expressions see as `tokens`. */
  readonly variable: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
  /** The records that were made, or proved who they are, in this request; with their tokens where they have some. */
  readonly proved: Map<string, SessionSecrets | undefined>;
}
