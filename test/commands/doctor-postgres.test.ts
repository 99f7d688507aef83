/** `nonet doctor` on a real PostgreSQL server: its findings about each error and about pending work, there and in a file. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { type Server, serverFindings } from "../../src/cli/doctor-postgres.ts";
import { run as command } from "../../src/cli/run.ts";
import { processTerminal } from "../../src/server/terminal.ts";
import { deliveryResource } from "../../src/language/events/decide.ts";
import { postgresForFile } from "../postgres/for-file.ts";
import { createClient } from "../serve/client.ts";
import { createReceiver } from "../serve/receiver.ts";
import { run } from "../serve/running.ts";
import { addressOf, finishedHere, nonet, root, temporaryFolder } from "./process.ts";

const locker = join(root, "examples", "parcel-lockers.md");
const environment = { DOOR_SECRET: "0123456789abcdef0123" };

/** One for all: each listens to what becomes of this process's own output. */
const terminal = processTerminal();

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly found: string;
  readonly fix?: string;
}

const { server, admin } = await postgresForFile();

async function findingsOf(data: string, document: string = locker): Promise<readonly Finding[]> {
  let output = "";
  const write = (text: string): void => void (output += text);
  const given = { ...process.env, ...environment, NONET_DATA: data };
  // In this process, since there are many rows.
  await command(["doctor", document, "--port", "0", "--format", "json"], {
    ...terminal,
    environment: given,
    out: write,
    err: write,
  });
  assert.doesNotMatch(output, /hunter22/);
  return (JSON.parse(output) as { findings: readonly Finding[] }).findings;
}

function assertFound(findings: readonly Finding[], check: string, status: string, found: RegExp): void {
  const all = JSON.stringify(findings, null, 1);
  const [one] = findings.filter((each) => each.check === check);
  assert(one !== undefined, all);
  assert.equal(one.status, status, all);
  assert.match(one.found, found);
  assert.equal(one.fix === undefined, status === "pass", all);
}

async function servedOnce(t: TestContext, data: string): Promise<void> {
  const running = nonet(t, ["serve", locker, "--port", "0"], { folder: temporaryFolder(t), environment: { ...environment, NONET_DATA: data } }); // biome-ignore format: short
  await addressOf(running);
  running.signal("SIGTERM");
  assert.equal(await running.ended, 0);
}

function as(role: string, query: string): string {
  return `${server.address.replace("postgres@", `${role}@`)}?${query}`;
}

test("each fault of a server is found, with what to do", async (t) => {
  for (const sql of [
    "CREATE ROLE plain LOGIN",
    "CREATE ROLE still LOGIN",
    "ALTER ROLE still SET default_transaction_read_only = on",
    "CREATE SCHEMA closed",
    'CREATE SCHEMA "Open-1" AUTHORIZATION plain',
    "CREATE SCHEMA others",
    "CREATE TABLE others.invoices (id int)",
    "CREATE SCHEMA half AUTHORIZATION plain",
    "CREATE TABLE half.things (id int)",
    "CREATE ROLE few LOGIN CONNECTION LIMIT 9",
    "CREATE ROLE locked LOGIN PASSWORD 'correct'",
  ])
    await admin.query(sql);
  const { rows: files } = await admin.query<{ hba_file: string }>("SHOW hba_file");
  const [{ hba_file: file } = assert.fail()] = files;
  writeFileSync(file, `host all locked all scram-sha-256\n${readFileSync(file, "utf8")}`);
  await admin.query("SELECT pg_reload_conf()");
  const rows: readonly (readonly [data: string, check: string, status: string, found: RegExp])[] = [
    [as("plain", "schema=Open-1"), "PostgreSQL", "pass", /^version \d\d$/],
    [as("plain", "schema=Open-1"), "clocks", "pass", /ms apart/],
    [as("plain", "schema=Open-1"), "rights", "pass", /can be used/],
    [as("plain", "schema=Open-1"), "migration", "pass", /^nothing in Open-1 of postgres on .* yet$/],
    [as("postgres", "schema=new"), "schema", "pass", /created at the first start/],
    [as("postgres", "schema=new"), "role", "warn", /superuser/],
    [
      as("postgres", "schema=new"),
      "row-level security",
      "pass",
      /^nonet_reads_postgres_new is created at the next start$/,
    ],
    [as("postgres", "schema=new&row_security=off"), "row-level security", "warn", /^off: /],
    [
      as("plain", "schema=Open-1"),
      "row-level security",
      "warn",
      /only the statements enforce permissions: there is no role nonet_reads_postgres_Open-1, and plain may not/,
    ],
    [as("plain", "schema=Open-1&row_security=required"), "row-level security", "fail", /there is no role/],
    [as("plain", "schema=new"), "schema", "fail", /missing, and this role may not create it/],
    [as("plain", "schema=closed"), "rights", "fail", /may not use the schema/],
    [as("plain", "schema=half"), "rights", "fail", /may not read and write 1 of its tables/],
    [as("still", "schema=closed"), "server", "fail", /read-only by default/],
    [as("postgres", "schema=others"), "migration", "fail", /something else made: invoices/],
    [as("postgres", "schema=pg_x"), "data", "fail", /cannot be the name of a schema/],
    [as("locked:hunter22", "schema=x"), "data", "fail", /does not let this user in: password authentication failed/],
    [
      as("plain", "schema=half"),
      "connections",
      "pass",
      /^at most \d+, of which \d+ are free; a process uses up to 15$/,
    ],
    [as("few", "schema=half"), "connections", "warn", /^at most 9, of which 8 are free; a process uses up to 15$/],
    [as("few", "schema=half&connections=5"), "connections", "pass", /a process uses up to 8$/],
    [as("nobody:hunter22", "schema=x"), "data", "fail", /does not let this user in: role "nobody" does not exist/],
    [server.address.replace(/\/postgres$/, "/nowhere"), "data", "fail", /there is no such database/],
    ["postgres://a:hunter22@127.0.0.1:1/x", "data", "fail", /cannot be reached: .*ECONNREFUSED/],
  ];
  for (const [data, check, status, found] of rows) assertFound(await findingsOf(data), check, status, found);
  // A role that is given a schema, and no right to make one, can serve in it.
  await servedOnce(t, as("plain", "schema=Open-1"));
  assertFound(await findingsOf(as("plain", "schema=Open-1")), "migration", "pass", /fits the document/);
});

test("what no server can be brought to here is found of what one would say", () => {
  const good: Server = { version: 180_004, most: 97, free: 97, now: 0, durable: "on", readOnly: false, standby: false, super: false, there: true, makes: false, uses: true, creates: true, foreign: 0 }; // biome-ignore format: a row
  const rows: readonly (readonly [change: Partial<Server>, check: string, status: string, found: RegExp])[] = [
    [{ standby: true, readOnly: false }, "server", "fail", /^a standby, which accepts no writes$/],
    [{ version: 130_011 }, "PostgreSQL", "fail", /^version 13$/],
    [{ version: 140_000 }, "PostgreSQL", "pass", /^version 14$/],
    [{ now: 1001 }, "clocks", "warn", /^1001 ms apart$/],
    [{ now: -1000 }, "clocks", "pass", /^1000 ms apart$/],
    [{ free: 14 }, "connections", "warn", /^at most 97, of which 14 are free; a process uses up to 15$/],
    [{ free: 15 }, "connections", "pass", /15 are free/],
    [{ durable: "off" }, "durability", "warn", /off/],
    [{ durable: "remote_apply" }, "durability", "pass", /remote_apply/],
    [{ there: false, makes: true }, "schema", "pass", /created at the first start/],
    [{ creates: false }, "rights", "fail", /may not create tables/],
  ];
  for (const [change, check, status, found] of rows) {
    const findings = serverFindings({ ...good, ...change }, 0, 15);
    assertFound(findings, check, status, found);
    const others = findings.filter((each) => each.check !== check && each.status !== "pass");
    assert.deepEqual(others, []);
  }
});

test("looking for keys makes no schema, and the first key may come before the first start", async (t) => {
  const data = `${server.address}?schema=looked_for`;
  const key = (...args: readonly string[]) =>
    finishedHere(["key", ...args], { folder: temporaryFolder(t), environment: { ...environment, NONET_DATA: data } });
  const schemas = async () => (await admin.query("SELECT 1 FROM pg_namespace WHERE nspname = 'looked_for'")).rowCount;
  for (const args of [
    ["list", locker],
    ["revoke", locker, "--user", "ann"],
  ]) {
    const { code, output } = await key(...args);
    assert.equal(code, 2);
    assert.match(output, /^nonet key \w+: there is no data in postgres:\/\/\S+ yet\n$/);
    assert.equal(await schemas(), 0);
  }
  assert.equal((await key("create", locker, "--user", "ann", "--role", "operator")).code, 0);
  assert.match((await key("list", locker)).output, / ann +operator +valid until /);
});

const orders = join(root, "test", "serve", "documents", "orders.md");

for (const store of ["sqlite", "postgres"] as const) {
  test(`what waits is told as it is, and a table that is not there yet holds nothing (${store})`, async (t) => {
    const folder = temporaryFolder(t);
    const data = store === "sqlite" ? join(folder, "a.db") : `${server.address}?schema=waiting`;
    const ask = () => findingsOf(data, orders);
    await using receiver = await createReceiver();
    receiver.answer = () => ({ status: 500 });
    let name: string;
    {
      await using running = await run(
        readFileSync(orders, "utf8"),
        store === "sqlite" ? { store: "sqlite-only", file: data } : { store, address: data },
      );
      using client = createClient(running.port, () => {});
      const headers = { Authorization: `Bearer ${await running.key("mia", "shop")}` };
      assert.equal(
        (await client.send({ method: "POST", path: "/webhooks", headers, body: { url: receiver.url } })).status,
        201,
      );
      for (const each of [1, 2]) {
        const body = { email: `a${each}@shop.example`, margin: 7, note: "x" };
        assert.equal((await client.send({ method: "POST", path: "/orders", headers, body })).status, 201);
      }
      await receiver.until(2);
      name = running.plan.tables.find(({ resource }) => resource === deliveryResource)?.name ?? assert.fail();
    }
    const waits = await ask();
    assertFound(waits, "deliveries", "pass", /^2 wait, the oldest since 20/);
    assertFound(waits, "timers", "pass", /^none is late$/);
    assertFound(waits, "migration", "pass", /fits the document/);
    const change = async (sql: string): Promise<void> => {
      if (store === "postgres") return void (await admin.query(`SET search_path = waiting; ${sql}`));
      const database = new DatabaseSync(data);
      database.exec(sql);
      database.close();
    };
    await change(`UPDATE "${name}" SET "createdAt" = '2026-01-02T03:04:05.678Z', _due = 1000`);
    const late = await ask();
    assertFound(late, "deliveries", "warn", /^2 wait, the oldest since 2026-01-02T03:04:05.678Z$/);
    assertFound(late, "timers", "warn", /^the first has been due for \d{10} s$/);
    await change(`ALTER TABLE "${name}" RENAME TO away`);
    assertFound(await ask(), "deliveries", "pass", /^none wait$/);
  });
}
