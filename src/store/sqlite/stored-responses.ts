/**
 * Stores responses for idempotency keys (R4.19) in the table `nonet_answers`: rows in insertion order, found by an index on a
 * 53-bit hash of scope and key, which the query verifies. Rows in hash order would scatter the writes over the table (three times
 * the cost); an index on the texts costs 50 % more.
 */
import type { StoredResponse } from "../port/store.ts";
import { responseOf } from "../sql/row-values.ts";
import type { Connection } from "./connection.ts";

export const responsesSql = `
  CREATE TABLE nonet_answers (
    _seq INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX nonet_answers_by_hash ON nonet_answers (hash);
`;

/** Returns the newest response for a key; it may have expired. An older, expired one may also exist. */
export function findResponse(connection: Connection, scope: string, key: string): StoredResponse | undefined {
  const row = connection.get(
    `SELECT fingerprint, status, headers, body, expires FROM nonet_answers
     WHERE hash = ? AND scope = ? AND key = ? ORDER BY _seq DESC LIMIT 1`,
    hashOf(scope, key),
    scope,
    key,
  );
  return row && responseOf(row);
}

/** Stores a response; returns the function that undoes the insert. */
export function saveResponse(connection: Connection, scope: string, key: string, stored: StoredResponse): () => void {
  const { lastInsertRowid } = connection.run(
    `INSERT INTO nonet_answers (hash, expires, scope, key, fingerprint, status, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    hashOf(scope, key),
    stored.expires,
    scope,
    key,
    stored.fingerprint,
    stored.status,
    JSON.stringify(stored.headers),
    stored.body,
  );
  return () => connection.run("DELETE FROM nonet_answers WHERE _seq = ?", lastInsertRowid);
}

/**
 * Deletes expired responses among the `batch` oldest after `after`; returns the position reached, or undefined at the end: a
 * batch without expired responses, because responses expire nearly in insertion order. Later calls find the rest, which readers
 * ignore because it is expired.
 */
export function purgeResponses(connection: Connection, now: number, after: number, batch: number): number | undefined {
  const last = connection.get(
    "SELECT max(_seq), count(*) FILTER (WHERE expires <= ?) FROM (SELECT _seq, expires FROM nonet_answers WHERE _seq > ? ORDER BY _seq LIMIT ?)",
    now,
    after,
    batch,
  ) as [number | null, number];
  const [end, expired] = last;
  if (end === null || expired === 0) return undefined;
  connection.run("DELETE FROM nonet_answers WHERE _seq > ? AND _seq <= ? AND expires <= ?", after, end, now);
  return end;
}

/**
 * Returns a hash: cyrb53, which is in the public domain, two 32-bit lanes of multiply and rotate; 53 bits fit in a JavaScript
 * integer.
 */
export function hashOf(scope: string, key: string): number {
  const text = `${scope}\0${key}`;
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
