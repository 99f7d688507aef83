/** Stores pinned versions in the table `nonet_pins`. */
import { defined } from "../../base/defined.ts";
import type { PinStore } from "../port/store.ts";
import type { Session } from "./connection.ts";

export const pinsSql: readonly string[] = [
  `CREATE TABLE nonet_pins (
    credential text COLLATE "C" NOT NULL,
    "user" text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    PRIMARY KEY (credential, "user")
  )`,
];

export function pinStore(session: Session): PinStore {
  const version = async (sql: string, ...values: readonly string[]): Promise<string | undefined> =>
    (await session.rows<[string]>(sql, values))[0]?.[0];
  return {
    find: (credential, user) =>
      version('SELECT version FROM nonet_pins WHERE credential = $1 AND "user" = $2', credential, user),
    pin: async (credential, user, wanted) => {
      // DO UPDATE instead of DO NOTHING, whose RETURNING would return no row if the pin exists.
      const pinned = await version(
        `INSERT INTO nonet_pins (credential, "user", version) VALUES ($1, $2, $3)
         ON CONFLICT (credential, "user") DO UPDATE SET version = nonet_pins.version RETURNING version`,
        credential,
        user,
        wanted,
      );
      return defined(pinned, "what was pinned");
    },
  };
}
