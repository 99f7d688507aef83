/** The database of compose.yaml: its setup creates a role for the service that row-level security applies to. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { addressOf, finishedHere, nonet, root, temporaryFolder } from "../commands/process.ts";
import { startPostgres } from "../postgres/server.ts";

const locker = join(root, "examples", "parcel-lockers.md");

test("the service's role is no superuser, owns its database, and reads for callers as another", async (t) => {
  await using server = await startPostgres();
  const connected = async (address: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: address });
    // The server ends before they do.
    client.on("error", () => undefined);
    await client.connect();
    t.after(() => client.end().catch(() => undefined));
    return client;
  };
  const at = (role: string): string =>
    server.address.replace("postgres@", `${role}:made-with@`).replace(/\/postgres$/, "/nonet");
  // As the image does: a superuser with the password that is given, the database, then the script.
  const maker = await connected(server.address);
  await maker.query("ALTER ROLE postgres PASSWORD 'made-with'");
  await maker.query("CREATE DATABASE nonet");
  const { rows } = await maker.query<{ hba_file: string }>("SHOW hba_file");
  const file = rows[0]?.hba_file ?? assert.fail();
  const admin = await connected(at("postgres"));
  writeFileSync(file, "host all all all scram-sha-256\n");
  await maker.query("SELECT pg_reload_conf()");
  await admin.query(readFileSync(join(root, "deploy", "postgres", "init.sql"), "utf8"));
  await assert.rejects(connected(at("postgres")), { code: "28P01" }, "the superuser has no password any more");

  const environment = { DOOR_SECRET: "0123456789abcdef0123", NONET_DATA: `${at("nonet")}?row_security=required` };
  const folder = temporaryFolder(t);
  const doctor = async (): Promise<void> => {
    const { output } = await finishedHere(["doctor", locker, "--port", "0"], { folder, environment });
    assert.match(output, /^pass {2}role: no superuser$/m);
    assert.match(output, /^pass {2}row-level security: reads of callers run as nonet_reads_nonet_public$/m);
    assert.match(output, /^0 failures/m);
    assert(!output.includes("made-with"));
  };
  await doctor();
  const running = nonet(t, ["serve", locker, "--port", "0", "--log", "info"], { folder, environment });
  await running.says(/row-level security: callers' reads are run as nonet_reads_nonet_public\n/);
  const address = await addressOf(running);
  const secured = "SELECT count(*)::int AS tables FROM pg_class WHERE relrowsecurity AND relname = 'parcels'";
  assert.deepEqual((await admin.query(secured)).rows, [{ tables: 1 }]);
  const made = await finishedHere(["key", "create", locker, "--user", "ann", "--role", "operator"], { folder, environment }); // biome-ignore format: short
  assert.equal(made.code, 0, made.output);
  const headers = { Authorization: `Bearer ${/^pl_\S+$/m.exec(made.output)?.[0]}` };
  assert.equal((await fetch(`${address}/parcels`, { headers })).status, 200);
  await doctor();
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
});
