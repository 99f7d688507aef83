/**
 * `node bench/micro/postgres-protocol.ts`: processor time of a statement by `src/store/postgres/protocol.ts` and by the pipeline of `pg`, in turn;
 * and what a pipeline keeps of three statements of which the second fails.
 */
import process from "node:process";
import pg from "pg";
import { PgConnection } from "../../src/store/postgres/protocol.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { median } from "../median.ts";

const batches = 800;
const statements = 10;
const text = "SELECT id, n, body FROM t WHERE id = $1";

await using server = await startPostgres();
const connected = async (options: object = {}): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: server.address, ...options });
  await client.connect();
  return client;
};
const pipeline = await connected({ pipeline: true });
await pipeline.query("CREATE TABLE t (id text PRIMARY KEY, n int, body text)");
await pipeline.query("INSERT INTO t SELECT 'k' || g, g, repeat('x', 300) FROM generate_series(0, 999) g");
const client = await connected();
const own = new PgConnection(client);

const contestants: Readonly<Record<string, (values: readonly string[]) => Promise<unknown>>> = {
  own: (values) => Promise.all([...values.map((id) => own.execute(text, [id])), own.end()]),
  pipeline: (values) =>
    Promise.all(values.map((id) => pipeline.query({ name: "read", text, values: [id], rowMode: "array" }))),
};
const times = new Map(Object.keys(contestants).map((name) => [name, [] as number[]]));
for (let round = 0; round < 8; round += 1) {
  for (const [name, run] of Object.entries(contestants)) {
    const began = process.cpuUsage();
    for (let batch = 0; batch < batches; batch += 1)
      await run(Array.from({ length: statements }, (_, index) => `k${(batch * 7 + index) % 1000}`));
    const { system, user } = process.cpuUsage(began);
    // The first round warms up.
    if (round > 0) times.get(name)?.push((user + system) / (batches * statements));
  }
}
for (const [name, some] of times) console.log(`${name}: ${median(some).toFixed(1)} µs of processor time a statement`);

await pipeline.query("CREATE TABLE u (n int PRIMARY KEY)");
await Promise.allSettled([1, 1, 2].map((n) => pipeline.query("INSERT INTO u VALUES ($1)", [n])));
console.log(
  `a pipeline of three statements whose second fails keeps ${(await pipeline.query("SELECT FROM u")).rowCount} rows`,
);
await pipeline.end();
await client.end();
