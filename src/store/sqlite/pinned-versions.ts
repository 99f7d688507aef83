/** Stores pinned versions in the table `nonet_pins`. */
import { defined } from "../../base/defined.ts";
import type { PinStore } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";

export const pinsSql = `CREATE TABLE nonet_pins (
  credential TEXT NOT NULL,
  user TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (credential, user)
) STRICT, WITHOUT ROWID`;

const find = "SELECT version FROM nonet_pins WHERE credential = ? AND user = ?";

export function pinStore(reader: Connection, writer: Writer): PinStore {
  const found = reader.getter(find);
  return {
    find: (credential, user) => found(credential, user)?.[0] as string | undefined,
    pin: (credential, user, version) =>
      writer.write(({ connection }) => {
        connection.run("INSERT INTO nonet_pins VALUES (?, ?, ?) ON CONFLICT DO NOTHING", credential, user, version);
        const [pinned] = defined(connection.get(find, credential, user), "what was pinned");
        return String(pinned);
      }),
  };
}
