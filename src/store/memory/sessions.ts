/** Stores sessions in memory: committed tokens, and the changes of one transaction. */
import { isAmong, type SessionStore, type SessionToken, type SessionOperations } from "../port/sessions.ts";

/** The tokens by their hash. */
export type StoredSessions = Map<string, SessionToken>;

export function sessionStore(stored: StoredSessions): SessionStore {
  return {
    find: (hash) => stored.get(hash),
    list: () => [...stored.values()].filter(({ use }) => use === "access"),
    end: (session, at) => {
      const tokens = [...stored.values()].filter((token) => token.session === session);
      for (const token of tokens) stored.set(token.hash, endedAt(token, at));
      return tokens.length > 0;
    },
  };
}

export function purgeSessions(stored: StoredSessions, now: number): void {
  for (const { hash, expires } of stored.values()) if (expires !== undefined && expires <= now) stored.delete(hash);
}

/** The session changes of one transaction; null: a deleted token. */
export class PendingSessions implements SessionOperations {
  readonly #stored: StoredSessions;
  readonly #changed: Map<string, SessionToken | null> = new Map();

  constructor(stored: StoredSessions) {
    this.#stored = stored;
  }

  commit(): void {
    for (const [hash, token] of this.#changed) {
      if (token === null) this.#stored.delete(hash);
      else this.#stored.set(hash, token);
    }
  }

  session(hash: string): SessionToken | undefined {
    const changed = this.#changed.get(hash);
    return changed === undefined ? this.#stored.get(hash) : (changed ?? undefined);
  }

  addSession(token: SessionToken): void {
    this.#changed.set(token.hash, token);
  }

  replaceSession(hash: string, at: number): void {
    const token = this.session(hash);
    if (token !== undefined) this.#changed.set(hash, { ...token, replaced: at });
  }

  endSessions(which: Parameters<SessionOperations["endSessions"]>[0], at: number): void {
    for (const token of this.#all()) if (isAmong(token, which)) this.#changed.set(token.hash, endedAt(token, at));
  }

  /** Deletes the sessions of a deleted record. */
  forget(resource: string, user: string): void {
    for (const token of this.#all())
      if (token.resource === resource && token.user === user) this.#changed.set(token.hash, null);
  }

  #all(): readonly SessionToken[] {
    const hashes = new Set([...this.#stored.keys(), ...this.#changed.keys()]);
    return [...hashes].flatMap((hash) => this.session(hash) ?? []);
  }
}

function endedAt(token: SessionToken, at: number): SessionToken {
  return { ...token, expires: Math.min(token.expires ?? at, at) };
}
