/** `npm run serve:postgres`: the printed commands work, the data survives a restart, and the server ends with the script. */
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { addressOf, finished, nonet, root, temporaryFolder } from "./process.ts";

test("the flagship is served from a PostgreSQL of npm, which keeps its data and ends with it", async (t) => {
  const folder = temporaryFolder(t);
  // The server may run as somebody else, who has to get in.
  chmodSync(folder, 0o755);
  const environment = { NONET_POSTGRES_FOLDER: join(folder, "postgres") };
  const command = join(root, "scripts", "serve-postgres.ts");
  const serving = nonet(t, ["--port", "0"], { folder, environment, command });
  const [, server = ""] = await serving.says(/^ {2}psql '(\S+)'/m);
  const [, line = ""] = await serving.says(/^ {2}npm run nonet -- (key create .*)$/m);
  const address = await addressOf(serving);
  const made = await finished(t, line.replaceAll("'", "").split(" "), { folder });
  const headers = { Authorization: `Bearer ${/^pl_\w+$/m.exec(made.output)?.[0]}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ name: "Harbour", address: { street: "Quay 1", postcode: "0150", country: "NO" } });
  assert.equal((await fetch(`${address}/sites`, { method: "POST", headers, body })).status, 201);
  const sites = await (await fetch(`${address}/sites`, { headers })).text();
  assert.match(sites, /"name":"Harbour"/);
  serving.signal("SIGTERM");
  assert.equal(await serving.ended, 0);
  await assert.rejects(new pg.Client({ connectionString: server }).connect(), { code: "ECONNREFUSED" });

  const again = nonet(t, ["--port", "0"], { folder, environment, command });
  assert.equal(await (await fetch(`${await addressOf(again)}/sites`, { headers })).text(), sites);
  again.signal("SIGTERM");
  assert.equal(await again.ended, 0);
});
