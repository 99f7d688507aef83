/** `nonet import` of databases: the document that it prints is served, and the import writes nothing into the database. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { postgresForFile } from "../postgres/for-file.ts";
import { addressOf, finishedHere, nonet, streamsHere, temporaryFolder } from "./process.ts";

const { admin, server } = await postgresForFile();
const sql = `CREATE TABLE pets (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
  INSERT INTO pets (id, name) VALUES (1, 'Ada')`;

for (const mode of ["WAL", "DELETE"]) {
  test(`a SQLite file in ${mode} mode stays as it is`, async (t) => {
    const folder = temporaryFolder(t);
    const database = new DatabaseSync(join(folder, "shop.db"));
    database.exec(`PRAGMA journal_mode = ${mode}; ${sql}`);
    database.close();
    const before = readFileSync(join(folder, "shop.db"));
    const { code, stderr, stdout } = await streamsHere(["import", "shop.db"], { folder });
    assert.equal(code, 0);
    assert.match(stdout, /^# Shop\n[\s\S]*Pet: \{ id: id\(counter\), name: string\(\.\.40\) \}/);
    assert.match(stderr, /^shop\.db is SQLite 3\.\S+: 1 resource, 5 operations\n {2}guessed {2}1× /);
    assert.deepEqual(readFileSync(join(folder, "shop.db")), before);
    assert.deepEqual(readdirSync(folder), ["shop.db"]);
  });
}

test("PostgreSQL runs no transaction that writes, and the password is in no message", async (t) => {
  const folder = temporaryFolder(t);
  await admin.query(`CREATE SCHEMA shop; SET search_path = shop; ${sql}; RESET search_path`);
  const address = `${server.address.replace("postgres@", "postgres:hush@")}?schema=shop`;
  const next = async (): Promise<unknown> =>
    (await admin.query("SELECT pg_snapshot_xmax(pg_current_snapshot()) AS x")).rows;
  const before = await next();
  const { code, stderr, stdout } = await streamsHere(["import", address, "--report"], { folder });
  assert.deepEqual(await next(), before);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /is PostgreSQL 18\S* ?.*: 1 resource, 5 operations\n/);
  assert.match(stdout, /\nguessed: one role, operator, .*\n {2}the database\n/);
  assert.doesNotMatch(stdout + stderr, /hush/);
});

test("errors", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "broken.db"), Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(4_080, 7)]));
  writeFileSync(join(folder, "text.txt"), "hello");
  const rows: readonly (readonly [operand: string, message: RegExp])[] = [
    ["sqlite:none.db", /there is no file none\.db/],
    ["broken.db", /broken\.db cannot be read: file is not a database/],
    ["sqlite:text.txt", /text\.txt cannot be read: file is not a database/],
    [`${server.address}?schema=none`, /cannot be read: it has no schema none/],
    ["postgres://u:hush@127.0.0.1:1/x", /^(?!.*hush).*127\.0\.0\.1:1\S* cannot be read: /],
    ["postgres://", /it is no address of a database|cannot be read/],
  ];
  for (const [operand, message] of rows) {
    const { code, output } = await finishedHere(["import", operand], { folder });
    assert.equal(code, 2, operand);
    assert.match(output, message);
  }
});

test("the document is served at once, with data of its own", async (t) => {
  const folder = temporaryFolder(t);
  const database = new DatabaseSync(join(folder, "shop.db"));
  database.exec(sql);
  database.close();
  await finishedHere(["import", "shop.db", "--out", "shop.md"], { folder });
  const key = await finishedHere(
    ["key", "create", "shop.md", "--user", "ann", "--role", "operator", "--data", "new.db"],
    { folder },
  );
  const token = /\bkey_\S{20,}$/m.exec(key.output)?.[0];
  const address = await addressOf(nonet(t, ["serve", "shop.md", "--data", "new.db", "--port", "0"], { folder }));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const created = await fetch(`${address}/pets`, { method: "POST", headers, body: '{"name":"Bo"}' });
  assert.equal(created.status, 201);
  const read = await fetch(`${address}/pets/1`, { headers });
  assert.deepEqual([read.status, await read.json()], [200, { id: 1, name: "Bo" }]);
  assert.equal((await fetch(`${address}/pets`)).status, 401);
});
