/** A PostgreSQL server whose process is killed under load: it recovers, and so does the service; nothing accepted is lost. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import { temporaryFolder } from "../commands/process.ts";
import { shelf } from "../commands/shelf.ts";
import { startPostgres } from "../postgres/server.ts";
import { until } from "../until.ts";
import { serve } from "./service.ts";

test("R7.4 R1.8 a server that crashes twice under load: 503 and never 500, and each write is there once", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "shelf.md"), shelf());
  // With what keeps commits over a crash, which other tests do without.
  await using server = await startPostgres({ settings: ["shared_buffers=32MB", "max_connections=50"] });
  const address = `${server.address}?schema=shelf&connections=6`;
  const service = await serve(t, ["shelf.md", "--data", address], { folder });
  const asked: string[] = [];
  const answered: string[] = [];
  const refused = new Map<string, number>();
  let isOver = false;
  /** Asks again with the same key until there is an answer. */
  const add = async (title: string): Promise<void> => {
    asked.push(title);
    for (;;) {
      const { json, status, text } = await service.send("POST", "/books", { title }, { "Idempotency-Key": title });
      if (status === 201) break;
      assert.equal(status, 503, text);
      refused.set(String(json["code"]), (refused.get(String(json["code"])) ?? 0) + 1);
      await pass(50);
    }
    answered.push(title);
  };
  const workers = Array.from({ length: 6 }, async (_, worker) => {
    for (let number = 0; !isOver; number += 1) await add(`w${worker}-${number}`);
  });
  for (let crash = 1; crash <= 2; crash += 1) {
    const before = answered.length;
    await until(() => answered.length > before + 30, "nothing is written");
    const client = new pg.Client({ connectionString: server.address });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'nonet' ORDER BY pid",
    );
    // One process that is killed makes the server end all others and go through its log.
    process.kill((rows as { pid: number }[])[0]?.pid ?? assert.fail("nobody is connected"), "SIGKILL");
    await client.end().catch(() => undefined);
    const [mark] = [answered.length];
    await until(() => answered.length > mark + 12, "it does not go on");
  }
  isOver = true;
  await Promise.all(workers);
  assert.equal((await service.send("GET", "/readyz")).status, 200);
  await service.stop();
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  const { rows } = await client.query("SELECT title FROM shelf.books");
  await client.end();
  const titles = (rows as { title: string }[]).map(({ title }) => title);
  assert.deepEqual(titles.toSorted(), asked.toSorted(), "none lost, none twice");
  assert.doesNotMatch(service.output, /"status":500/);
  if (process.env["NONET_FIGURES"] !== undefined)
    console.log(`${titles.length} written, refused ${JSON.stringify([...refused])}`);
});
