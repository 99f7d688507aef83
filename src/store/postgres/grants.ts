/** Stores grants in the table `nonet_grants`. */
import type { Grant, GrantStore } from "../port/grants.ts";
import type { Bindable, Session } from "./connection.ts";

export const grantsSql: readonly string[] = [
  `CREATE TABLE nonet_grants (
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    expires bigint NOT NULL,
    PRIMARY KEY (kind, id)
  )`,
  "CREATE INDEX nonet_grants_by_family ON nonet_grants (family)",
  "CREATE INDEX nonet_grants_by_expires ON nonet_grants (expires)",
];

export function grantStore(session: Session): GrantStore {
  const some = async (sql: string, ...values: readonly Bindable[]): Promise<boolean> =>
    (await session.rows(`${sql} RETURNING 1`, values)).length > 0;
  return {
    put: async ({ kind, id, group, text, expires }) => {
      await session.rows(
        `INSERT INTO nonet_grants (kind, id, family, text, expires) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (kind, id) DO UPDATE SET family = excluded.family, text = excluded.text, expires = excluded.expires`,
        [kind, id, group, text, expires],
      );
    },
    find: async (kind, id) => {
      const sql = "SELECT family, text, expires FROM nonet_grants WHERE kind = $1 AND id = $2";
      const [found] = await session.rows<[string, string, number]>(sql, [kind, id]);
      if (found === undefined) return undefined;
      const [group, text, expires] = found;
      return { kind, id, group, text, expires } satisfies Grant;
    },
    // Of two concurrent updates the second waits for the first, and then finds a different text.
    replace: ({ kind, id, text: before }, { text, expires }) =>
      some(
        "UPDATE nonet_grants SET text = $1, expires = $2 WHERE kind = $3 AND id = $4 AND text = $5",
        text,
        expires,
        kind,
        id,
        before,
      ),
    end: (kind, id) => some("DELETE FROM nonet_grants WHERE kind = $1 AND id = $2", kind, id),
    endGroup: async (group) => {
      await session.rows("DELETE FROM nonet_grants WHERE family = $1", [group]);
    },
  };
}
