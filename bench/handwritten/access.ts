/** Who is calling: API keys, stored as SHA-256, looked up at most once a second each so that a revocation binds at once. */
import { hash, randomBytes } from "node:crypto";
import type { Database } from "./database.ts";
import { Problem } from "./problem.ts";

export interface Caller {
  readonly id: string;
  readonly roles: readonly string[];
  readonly operator: boolean;
}

const CACHE_MS = 1000;
const CACHE_SIZE = 10_000;
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Makes a key that lasts a year and gives it back, the only time it is seen. */
export function createKey(database: Database, user: string, role: string): string {
  const key = `pl_${randomBytes(24).toString("base64url")}`;
  database
    .statement("insert into api_key (hash, user, roles, expiresAt) values (?, ?, ?, ?)")
    .run(hash("sha256", key), user, role, Date.now() + YEAR_MS);
  return key;
}

/** From an `Authorization` header to the caller; throws 401 (R5.2). */
export function authenticator(database: Database): (authorization: string | undefined) => Caller {
  const find = database.statement("select user, roles, expiresAt from api_key where hash = ? and revokedAt is null");
  const cache = new Map<string, { readonly caller: Caller; readonly until: number }>();
  return (authorization) => {
    if (authorization === undefined) throw unauthenticated("");
    const now = Date.now();
    const cached = cache.get(authorization);
    if (cached !== undefined && cached.until > now) return cached.caller;
    if (!/^Bearer pl_[A-Za-z0-9_-]{10,100}$/i.test(authorization)) throw unauthenticated(', error="invalid_token"');
    const row = find.get(hash("sha256", authorization.slice(7))) as
      | { user: string; roles: string; expiresAt: number }
      | undefined;
    if (row === undefined || row.expiresAt <= now) throw unauthenticated(', error="invalid_token"');
    const roles = row.roles.split(",");
    const caller = { id: row.user, roles, operator: roles.includes("operator") };
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(authorization, { caller, until: Math.min(now + CACHE_MS, row.expiresAt) });
    return caller;
  };
}

const unauthenticated = (why: string): Problem =>
  new Problem(
    401,
    "unauthenticated",
    "Send a valid key: Authorization: Bearer pl_….",
    {},
    {
      "www-authenticate": `Bearer realm="parcel-lockers"${why}`,
    },
  );
