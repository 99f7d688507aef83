/** Converts rows of Nonet's own tables to objects and back; both databases have their columns in the same order. */
import type { JournalEntry, JournalRecord, Key, Row, SessionToken, StoredResponse } from "../port/store.ts";

/** A row of the database driver: numbers, texts and null. */
type SqlRow = readonly unknown[];

/** The columns of an entry, without its position. */
export const entryColumns =
  "at, resource, record, origin, target, by, cause, request, due, event, received, data, trace";

/** Returns the values of an entry, in the order of `entryColumns`. */
export function entryValues(entry: JournalEntry): (string | number | null)[] {
  const { at, by, cause, data, due = null, event = null, from = null, received = null, request = null } = entry;
  const { record, resource, to = null, trace = null } = entry;
  const text = data === undefined ? null : JSON.stringify(data);
  return [at, resource, record, from, to, by, cause, request, due, event, received, text, trace];
}

/** Returns an entry from its position and the columns of `entryColumns`. */
export function entryOf(row: SqlRow): JournalRecord {
  const [position, at, resource, id, from, to, by, cause, request, due, event, received, data, trace] = row as [
    number, number, string, string, string | null, string | null, string, string, string | null, number | null,
    string | null, string | null, string | null, string | null,
  ]; // biome-ignore format: the columns in their order
  return {
    position,
    at,
    resource,
    record: id,
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    by,
    cause,
    ...(request === null ? {} : { request }),
    ...(trace === null ? {} : { trace }),
    ...(due === null ? {} : { due }),
    ...(event === null ? {} : { event }),
    ...(received === null ? {} : { received }),
    ...(data === null ? {} : { data: JSON.parse(data) as Row }),
  };
}

export const keyColumns = 'id, credential, hash, hint, "user", roles, created, expires, revoked';

export function keyValues(key: Key): (string | number | null)[] {
  const { created, credential, expires = null, hash, hint, id, revoked = null, roles, user } = key;
  return [id, credential, hash, hint, user, JSON.stringify(roles), created, expires, revoked];
}

/** Returns a key from the columns of `keyColumns`. */
export function keyOf(row: SqlRow): Key {
  const [id, credential, hash, hint, user, roles, created, expires, revoked] = row as [
    string, string, string, string, string, string, number, number | null, number | null,
  ]; // biome-ignore format: the columns in their order
  return {
    id,
    credential,
    hash,
    hint,
    user,
    roles: JSON.parse(roles) as string[],
    created,
    ...(expires === null ? {} : { expires }),
    ...(revoked === null ? {} : { revoked }),
  };
}

export const tokenColumns = 'hash, session, credential, resource, "user", use, hint, created, expires, replaced';

export function tokenValues(token: SessionToken): (string | number | null)[] {
  const { created, credential, expires = null, hash, hint, replaced = null, resource, session, use, user } = token;
  return [hash, session, credential, resource, user, use, hint, created, expires, replaced];
}

/** Returns a token from the columns of `tokenColumns`. */
export function tokenOf(row: SqlRow): SessionToken {
  const [hash, session, credential, resource, user, use, hint, created, expires, replaced] = row as [
    string, string, string, string, string, "access" | "renew", string, number, number | null, number | null,
  ]; // biome-ignore format: the columns in their order
  return {
    hash,
    session,
    credential,
    resource,
    user,
    use,
    hint,
    created,
    ...(expires === null ? {} : { expires }),
    ...(replaced === null ? {} : { replaced }),
  };
}

/** Returns a stored response from the columns `fingerprint, status, headers, body, expires`. */
export function responseOf(row: SqlRow): StoredResponse {
  const [fingerprint, status, headers, body, expires] = row as [string, number, string, string, number];
  return { fingerprint, status, headers: JSON.parse(headers) as StoredResponse["headers"], body, expires };
}
