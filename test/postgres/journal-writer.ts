/** A process that changes records and writes to the event log, four transactions at a time, until it is killed. */
import { parseDatabaseUrl } from "../../src/store/postgres/database-url.ts";
import { openConnections } from "../../src/store/postgres/connection.ts";
import { record } from "../../src/store/postgres/journal.ts";
import { openSequencer } from "../../src/store/postgres/sequencer.ts";

const connections = openConnections(parseDatabaseUrl(process.argv[2] ?? ""));
const sequencer = openSequencer(connections, () => process.exit(1));

async function write(seed: number): Promise<never> {
  for (let turn = seed; ; turn += 7) {
    const id = `r${turn % 13}`;
    await connections.transaction(async (work) => {
      const [row] = await work.rows<[number]>(
        "INSERT INTO things VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = things.n + 1 RETURNING n",
        [id],
      );
      record(work, { at: turn, resource: "Thing", record: id, by: "ann", cause: `${row?.[0]}`, event: "e" });
    });
    sequencer.written();
  }
}

await Promise.all([1, 2, 3, 4].map(write));
