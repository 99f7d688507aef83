/** Sessions in memory: what is committed, and what a transaction adds to it. */
import { isAmong, type SessionStore, type SessionToken, type SessionWork } from "../sessions.ts";

/** By the hash of their tokens. */
export type KeptSessions = Map<string, SessionToken>;

export function sessionStore(kept: KeptSessions): SessionStore {
  return {
    find: (hash) => kept.get(hash),
    list: () => [...kept.values()].filter(({ use }) => use === "access"),
    end: (session, at) => {
      const own = [...kept.values()].filter((token) => token.session === session);
      for (const token of own) kept.set(token.hash, endedAt(token, at));
      return own.length > 0;
    },
  };
}

export function purgeSessions(kept: KeptSessions, now: number): void {
  for (const { hash, expires } of kept.values()) if (expires !== undefined && expires <= now) kept.delete(hash);
}

/** The changes of one transaction; null: deleted. */
export class PendingSessions implements SessionWork {
  readonly #kept: KeptSessions;
  readonly #changed: Map<string, SessionToken | null> = new Map();

  constructor(kept: KeptSessions) {
    this.#kept = kept;
  }

  commit(): void {
    for (const [hash, token] of this.#changed) {
      if (token === null) this.#kept.delete(hash);
      else this.#kept.set(hash, token);
    }
  }

  session(hash: string): SessionToken | undefined {
    const changed = this.#changed.get(hash);
    return changed === undefined ? this.#kept.get(hash) : (changed ?? undefined);
  }

  addSession(token: SessionToken): void {
    this.#changed.set(token.hash, token);
  }

  replaceSession(hash: string, at: number): void {
    const token = this.session(hash);
    if (token !== undefined) this.#changed.set(hash, { ...token, replaced: at });
  }

  endSessions(which: Parameters<SessionWork["endSessions"]>[0], at: number): void {
    for (const token of this.#all()) if (isAmong(token, which)) this.#changed.set(token.hash, endedAt(token, at));
  }

  /** Those of a record that is deleted. */
  forget(resource: string, user: string): void {
    for (const token of this.#all())
      if (token.resource === resource && token.user === user) this.#changed.set(token.hash, null);
  }

  #all(): readonly SessionToken[] {
    const hashes = new Set([...this.#kept.keys(), ...this.#changed.keys()]);
    return [...hashes].flatMap((hash) => this.session(hash) ?? []);
  }
}

function endedAt(token: SessionToken, at: number): SessionToken {
  return { ...token, expires: Math.min(token.expires ?? at, at) };
}
