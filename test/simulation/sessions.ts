/**
 * The expected sessions (R5.4, R5.7, R5.10): which tokens exist, their owner and expiry, and the result of a renewal. Like the
 * oracle, it uses nothing of the service except its stored data.
 */
import { createHash } from "node:crypto";
import type { SessionChange as Written } from "./store.ts";
import type { World } from "./world.ts";

export interface Token {
  /** SHA-256, as it is kept. */
  readonly hash: string;
  readonly session: string;
  readonly user: string;
  readonly use: "access" | "renew";
  expires: number;
  /** When others took its place, and which. */
  replaced?: number;
  next?: Pair;
}

/** Tokens that are given together, by their hashes. */
export interface Pair {
  readonly access: string;
  readonly renew?: string;
  readonly expires: number;
}

/** What must be written of sessions, but for what only the service can know. */
export type SessionChange =
  | { readonly kind: "opened"; readonly user: string; readonly session?: string; readonly at: number; readonly replaces?: string } // biome-ignore format: a list
  | { readonly kind: "ended"; readonly session: string }
  | { readonly kind: "endedAll"; readonly user: string; readonly except?: string }
  /** With the record that they were of; the store does so by itself. */
  | { readonly kind: "gone"; readonly user: string };

/** So long after it was replaced a token gives once more what it gave. */
const graceMilliseconds = 10_000;

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export class Sessions {
  readonly tokens: Map<string, Token> = new Map();
  /** All that there ever were, by their hashes. */
  readonly ever: Set<string> = new Set();
  readonly #lasts: number;
  readonly #renewed: number | undefined;

  constructor({ logins }: World) {
    this.#lasts = logins?.lasts.milliseconds ?? 0;
    this.#renewed = logins?.renewed?.milliseconds;
  }

  /** The token, where it is good at this moment. */
  good(hash: string, use: Token["use"], now: number): Token | undefined {
    const token = this.tokens.get(hash);
    return token?.use === use && token.expires > now ? token : undefined;
  }

  /** What comes of a token that somebody renews a session with. */
  renewal(hash: string, now: number): "unknown" | "reused" | "again" | "first" {
    const token = this.good(hash, "renew", now);
    if (token === undefined) return "unknown";
    if (token.replaced === undefined) return "first";
    return Math.abs(now - token.replaced) > graceMilliseconds ? "reused" : "again";
  }

  /** What is written, if it is not what must be written. */
  wrong(must: readonly SessionChange[], written: readonly Written[]): string | undefined {
    const left = [...written];
    for (const change of must) {
      if (change.kind === "gone") continue;
      for (const one of this.#plain(change, left)) {
        const given = left.shift();
        const plain = given && JSON.stringify(Object.fromEntries(Object.keys(one).map((name) => [name, given[name as keyof Written] ?? null]))); // biome-ignore format: short
        if (plain !== JSON.stringify(one))
          return `of sessions ${plain ?? "nothing"} is written in place of ${JSON.stringify(one)}`;
      }
    }
    return left.length === 0 ? undefined : `of sessions ${JSON.stringify(left[0])} is written, too`;
  }

  #plain(change: Exclude<SessionChange, { kind: "gone" }>, written: readonly Written[]): readonly object[] {
    if (change.kind === "ended") return [{ kind: "end", session: change.session, at: 0 }];
    if (change.kind === "endedAll") return [{ kind: "end", user: change.user, except: change.except ?? null, at: 0 }];
    const { at, replaces, user } = change;
    const opened = written.find((one) => one.kind === "add");
    const session = change.session ?? opened?.session ?? null;
    const token = (use: Token["use"], lasts: number): object => ({ kind: "add", use, user, session, resource: "Person", credential: "session", created: at, expires: at + lasts }); // biome-ignore format: short
    return [
      ...(replaces === undefined ? [] : [{ kind: "replace", hash: replaces, at }]),
      token("access", this.#lasts),
      ...(this.#renewed === undefined ? [] : [token("renew", this.#renewed)]),
    ];
  }

  /** The tokens that are among what is written. */
  static pairIn(written: readonly Written[]): Pair | undefined {
    const hash = (use: Token["use"]): string | undefined => written.find((one) => one.kind === "add" && one.use === use)?.hash; // biome-ignore format: short
    const [access, renew] = [hash("access"), hash("renew")];
    const expires = written.find(({ use }) => use === "access")?.expires ?? 0;
    return access === undefined ? undefined : { access, ...(renew === undefined ? {} : { renew }), expires };
  }

  /** It is committed. */
  apply(changes: readonly SessionChange[], written: readonly Written[]): void {
    for (const change of changes) {
      switch (change.kind) {
        case "opened": {
          const next = Sessions.pairIn(written);
          const before = this.tokens.get(change.replaces ?? "");
          if (before !== undefined && next !== undefined) Object.assign(before, { replaced: change.at, next });
          for (const { expires = 0, hash = "", kind, session = "", use, user = "" } of written)
            if (kind === "add" && use !== undefined) this.#add({ hash, session, user, use, expires });
          break;
        }
        case "ended":
          this.end(change.session);
          break;
        case "endedAll":
          for (const { session, user } of [...this.tokens.values()])
            if (user === change.user && session !== change.except) this.end(session);
          break;
        case "gone":
          for (const { hash, user } of [...this.tokens.values()]) if (user === change.user) this.tokens.delete(hash);
      }
    }
  }

  #add(token: Token): void {
    this.tokens.set(token.hash, token);
    this.ever.add(token.hash);
  }

  /** At once, and for ever: a clock that is set back does not make it good again. */
  end(session: string): void {
    for (const token of this.tokens.values()) if (token.session === session) token.expires = 0;
  }
}
