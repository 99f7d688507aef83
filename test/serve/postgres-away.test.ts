/** A service on PostgreSQL whose connections break, and whose server is unavailable for a while (R1.2, R7.4). */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { doesNotTell } from "../does-not-tell.ts";
import { startPostgres } from "../postgres/server.ts";
import { documentOf } from "../enforced/document.ts";
import { serve } from "./scenario.ts";

test("R1.2 R7.4 while the server is away nothing is ready and all is 503; when it is back all goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-postgres-away-"));
  let server = await startPostgres({ folder });
  try {
    const { port } = new URL(server.address);
    await using subject = await serve(documentOf({}), { store: "postgres", address: server.address });
    const { client } = subject;
    const add = () => client.send({ method: "POST", path: "/things", body: { name: "a" } });
    const list = () => client.send({ method: "GET", path: "/things" });
    const ready = async (): Promise<number> => (await client.send({ method: "GET", path: "/readyz" })).status;
    assert.equal((await add()).status, 201);

    const other = new pg.Client({ connectionString: server.address });
    await other.connect();
    await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nonet'");
    await other.end();
    assert.deepEqual([(await list()).status, (await add()).status, await ready()], [200, 201, 200]);

    await server[Symbol.asyncDispose]();
    for (const reply of [await list(), await add()]) {
      assert.equal(reply.status, 503);
      assert.match(String(reply.headers["retry-after"]), /^\d+$/);
      doesNotTell(reply.text, /ECONN|postgres|terminat|connection/i);
    }
    assert.equal(await ready(), 503);
    assert.equal((await client.send({ method: "GET", path: "/livez" })).status, 200);

    server = await startPostgres({ folder, port: Number(port) });
    assert.equal(await ready(), 200);
    assert.equal((await add()).status, 201);
    assert.equal(((await list()).json as { items: unknown[] }).items.length, 3);
  } finally {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
