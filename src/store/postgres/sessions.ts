/** Stores sessions in the table `nonet_sessions`, one row per token. */
import { tokenValues, tokenColumns, tokenOf } from "../sql/row-values.ts";
import type { Sessions, SessionStore, SessionToken } from "../port/sessions.ts";
import type { Connections, Session, PgSession } from "./connection.ts";

export const sessionsSql: readonly string[] = [
  `CREATE TABLE nonet_sessions (
    seq bigint GENERATED ALWAYS AS IDENTITY,
    hash text COLLATE "C" PRIMARY KEY,
    session text COLLATE "C" NOT NULL,
    credential text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    use text COLLATE "C" NOT NULL CHECK (use IN ('access', 'renew')),
    hint text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    expires bigint,
    replaced bigint
  )`,
  "CREATE INDEX nonet_sessions_by_session ON nonet_sessions (session)",
  'CREATE INDEX nonet_sessions_by_user ON nonet_sessions ("user", resource)',
  "CREATE INDEX nonet_sessions_by_expires ON nonet_sessions (expires)",
];

export function sessionStore(session: Session & Pick<Connections, "transaction">): SessionStore {
  return {
    find: (hash) => findSession(session, hash),
    list: async () => {
      const sql = `SELECT ${tokenColumns} FROM nonet_sessions WHERE use = 'access' ORDER BY seq`;
      return (await session.rows(sql)).map(tokenOf);
    },
    end: async (which, at) =>
      (await session.transaction((session) => endSessions(session, { session: which }, at))) > 0,
  };
}

async function findSession(session: Session, hash: string, held = ""): Promise<SessionToken | undefined> {
  const [found] = await session.rows(`SELECT ${tokenColumns} FROM nonet_sessions WHERE hash = $1${held}`, [hash]);
  return found && tokenOf(found);
}

/**
 * Locks the token's session as `PgSession.hold` does: until the transaction ends no other one renews or ends it. Locking its
 * tokens is not enough: a transaction that ends the session would miss new tokens that are not committed yet.
 */
const holdOf =
  "SELECT pg_advisory_xact_lock('nonet_sessions'::regclass::oid::integer, hashtext(session)) FROM nonet_sessions WHERE hash = $1";

/**
 * Returns a token and locks its session. If two transactions replace a token, the second one finds it replaced; ending all
 * sessions of a user waits for both.
 */
export function heldSession(session: PgSession, hash: string): Promise<SessionToken | undefined> {
  session.send(holdOf, [hash]);
  return findSession(session, hash, " FOR UPDATE");
}

export function addSession(session: PgSession, token: SessionToken): void {
  const sql = `INSERT INTO nonet_sessions (${tokenColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  session.send(sql, tokenValues(token));
}

export function replaceSession(session: PgSession, hash: string, at: number): void {
  session.send("UPDATE nonet_sessions SET replaced = $1 WHERE hash = $2", [at, hash]);
}

/** Makes tokens expire at `at`; returns their number. */
export async function endSessions(session: PgSession, which: Sessions, at: number): Promise<number> {
  if ("session" in which) session.hold("nonet_sessions", which.session);
  const [condition, values] =
    "session" in which
      ? ["session = $2", [which.session]]
      : ['"user" = $2 AND credential = $3 AND session <> $4', [which.user, which.credential, which.except ?? ""]];
  // LEAST ignores nulls, so a token without an expiry expires at `$1`.
  const sql = `UPDATE nonet_sessions SET expires = least(expires, $1) WHERE ${condition} RETURNING hash`;
  return (await session.rows(sql, [at, ...values])).length;
}

/** Deletes the sessions of a deleted record. */
export function forgetSessions(session: PgSession, resource: string, user: string): void {
  session.send('DELETE FROM nonet_sessions WHERE "user" = $1 AND resource = $2', [user, resource]);
}
