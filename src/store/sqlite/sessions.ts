/** Stores sessions in the table `nonet_sessions`, one row per token. */
import { tokenValues, tokenColumns, tokenOf } from "../sql/row-values.ts";
import type { Sessions, SessionStore, SessionToken } from "../port/sessions.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";

export const sessionsSql = `
  CREATE TABLE nonet_sessions (
    _seq INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    credential TEXT NOT NULL,
    resource TEXT NOT NULL,
    user TEXT NOT NULL,
    use TEXT NOT NULL CHECK (use IN ('access', 'renew')),
    hint TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,
    replaced INTEGER
  ) STRICT;
  CREATE INDEX nonet_sessions_by_session ON nonet_sessions (session);
  CREATE INDEX nonet_sessions_by_user ON nonet_sessions (user, resource);
  CREATE INDEX nonet_sessions_by_expires ON nonet_sessions (expires);
`;

const byHashSql = `SELECT ${tokenColumns} FROM nonet_sessions WHERE hash = ?`;

export function sessionStore(reader: Connection, writer: Pick<Writer, "write">): SessionStore {
  const byHash = reader.getter(byHashSql);
  return {
    find(hash) {
      const found = byHash(hash);
      return found && tokenOf(found);
    },
    list: () =>
      reader.all(`SELECT ${tokenColumns} FROM nonet_sessions WHERE use = 'access' ORDER BY _seq`).map(tokenOf),
    end: (session, at) => writer.write(({ connection }) => endSessions(connection, { session }, at) > 0),
  };
}

export function findSession(connection: Connection, hash: string): SessionToken | undefined {
  const found = connection.get(byHashSql, hash);
  return found && tokenOf(found);
}

export function addSession(connection: Connection, token: SessionToken): void {
  const sql = `INSERT INTO nonet_sessions (${tokenColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  connection.run(sql, ...tokenValues(token));
}

export function replaceSession(connection: Connection, hash: string, at: number): void {
  connection.run("UPDATE nonet_sessions SET replaced = ? WHERE hash = ?", at, hash);
}

/** Makes tokens expire at `at`; returns their number. */
export function endSessions(connection: Connection, which: Sessions, at: number): number {
  const [condition, values] =
    "session" in which
      ? ["session = ?", [which.session]]
      : ["user = ? AND credential = ? AND session <> ?", [which.user, which.credential, which.except ?? ""]];
  const sql = `UPDATE nonet_sessions SET expires = min(coalesce(expires, ?), ?) WHERE ${condition}`;
  return connection.change(sql, at, at, ...values);
}

/** Deletes the sessions of a deleted record. */
export function forgetSessions(connection: Connection, resource: string, user: string): void {
  connection.run("DELETE FROM nonet_sessions WHERE user = ? AND resource = ?", user, resource);
}
