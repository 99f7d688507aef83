/**
 * Stores responses for idempotency keys (R4.19) in the table `nonet_answers`, by the SHA-256 of scope and key.
 *
 * A transaction that looks for a response reserves the key with an empty row, which the response later fills: a second request
 * with the key waits for the first, then finds its response.
 */
import { hash } from "node:crypto";
import type { StoredResponse } from "../port/store.ts";
import { responseOf } from "../sql/row-values.ts";
import type { PgSession } from "./connection.ts";
import { Overtaken } from "./failure.ts";

/**
 * The table of responses. A row with only a hash was reserved by a transaction that saved no response. Scope and key are for
 * backups, and are JSON because a scope contains NUL, which a PostgreSQL text cannot.
 */
export const responsesSql: readonly string[] = [
  `CREATE TABLE nonet_answers (
    hash bytea PRIMARY KEY,
    expires bigint,
    scope text COLLATE "C",
    key text COLLATE "C",
    fingerprint text COLLATE "C",
    status integer,
    headers text COLLATE "C",
    body text COLLATE "C"
  )`,
  "CREATE INDEX nonet_answers_by_expires ON nonet_answers (expires)",
];

/**
 * The keys that a transaction has not reserved, by scope and key: `absent` if it found no response, which it checks again when
 * it saves one; `written` if it saved one.
 */
export type Unclaimed = Map<string, "absent" | "written">;

/** Returns the newest response for a key; it may have expired. */
export async function findResponse(
  session: PgSession,
  unclaimed: Unclaimed,
  scope: string,
  key: string,
): Promise<StoredResponse | undefined> {
  const digest = keyOf(scope, key);
  const name = `${scope}\0${key}`;
  const isWritten = unclaimed.get(name) === "written";
  const glanced = isWritten ? undefined : await session.glance("SELECT 1 FROM nonet_answers WHERE hash = $1", [digest]);
  if (glanced?.length === 0) {
    unclaimed.set(name, "absent");
    return undefined;
  }
  const reserved = await session.rows(
    "INSERT INTO nonet_answers (hash) VALUES ($1) ON CONFLICT (hash) DO NOTHING RETURNING 1",
    [digest],
  );
  if (reserved.length > 0) return undefined;
  // The row is locked, because it may be an unused reservation or an expired response, which this transaction replaces.
  const [found] = await session.rows(
    "SELECT fingerprint, status, headers, body, expires FROM nonet_answers WHERE hash = $1 FOR UPDATE",
    [digest],
  );
  if (found === undefined) throw new Overtaken("the answer was forgotten this moment");
  return found.at(-1) === null ? undefined : responseOf(found);
}

export function saveResponse(
  session: PgSession,
  unclaimed: Unclaimed,
  scope: string,
  key: string,
  stored: StoredResponse,
): void {
  const values = [
    keyOf(scope, key),
    stored.expires,
    JSON.stringify(scope),
    JSON.stringify(key),
    stored.fingerprint,
    stored.status,
    JSON.stringify(stored.headers),
    stored.body,
  ];
  const name = `${scope}\0${key}`;
  if (unclaimed.get(name) === "absent") session.expect(`${insertSql} DO NOTHING RETURNING 1`, values);
  else session.send(`${insertSql} ${replaceSql}`, values);
  unclaimed.set(name, "written");
}

const insertSql = `INSERT INTO nonet_answers (hash, expires, scope, key, fingerprint, status, headers, body)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (hash)`;

const replaceSql = `DO UPDATE SET expires = excluded.expires, scope = excluded.scope, key = excluded.key,
  fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body`;

export function keyOf(scope: string, key: string): Buffer {
  return hash("sha256", `${scope}\0${key}`, "buffer");
}
