/** A service uses the tables that another program has made, in place, in SQLite and PostgreSQL. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import pg from "pg";
import { postgresForFile } from "../postgres/for-file.ts";
import { addressOf, finishedHere, nonet, type Running, streamsHere, temporaryFolder } from "./process.ts";

const { admin, server } = await postgresForFile();
let schemas = 0;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A database that another program uses. */
interface Other {
  readonly folder: string;
  /** The value of `--data`. */
  readonly data: string;
  readonly run: (sql: string) => Promise<Rows>;
}

async function inSqlite(t: TestContext, sql: string): Promise<Other> {
  const folder = temporaryFolder(t);
  const database = new DatabaseSync(join(folder, "clinic.db"), { timeout: 5_000 });
  t.after(() => database.close());
  database.exec(sql);
  return { folder, data: "clinic.db", run: async (text) => database.prepare(text).all() };
}

async function inPostgres(t: TestContext, sql: string): Promise<Other> {
  schemas += 1;
  const schema = `clinic_${schemas}`;
  await admin.query(`CREATE SCHEMA ${schema}`);
  const client = new pg.Client({ connectionString: server.address, options: `-c search_path=${schema}` });
  await client.connect();
  t.after(() => client.end());
  await client.query(sql);
  return {
    folder: temporaryFolder(t),
    data: `${server.address}?schema=${schema}&connections=4`,
    run: async (text) => (await client.query(text)).rows as Rows,
  };
}

const sqliteSql = `
  CREATE TABLE owners (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, email TEXT UNIQUE,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE pets ("pet code" TEXT PRIMARY KEY NOT NULL, owner_id INTEGER NOT NULL REFERENCES owners ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('cat', 'dog')), weight REAL, born DATE, chip BOOLEAN NOT NULL DEFAULT 0, tags JSON);
  CREATE TABLE visits (pet TEXT NOT NULL REFERENCES pets, day DATE NOT NULL, note TEXT, PRIMARY KEY (pet, day));
  INSERT INTO owners (id, name, email, created_at) VALUES (7, 'Ann', 'ann@x.example', '2026-01-02 03:04:05');
  INSERT INTO pets VALUES ('p1', 7, 'cat', 3.5, '2020-01-02', 1, '["a"]');
  INSERT INTO visits VALUES ('p1', '2026-03-04', 'fine')`;

const postgresSql = `
  CREATE TYPE kind AS ENUM ('cat', 'dog');
  CREATE TABLE owners (id int GENERATED ALWAYS AS IDENTITY (START WITH 7) PRIMARY KEY, name varchar(40) NOT NULL, email text UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE pets ("pet code" text PRIMARY KEY, owner_id int NOT NULL REFERENCES owners ON DELETE CASCADE,
    kind kind NOT NULL, weight numeric(6,2), born date, chip boolean NOT NULL DEFAULT false, tags jsonb);
  CREATE TABLE visits (pet text REFERENCES pets, day date, note text, PRIMARY KEY (pet, day));
  INSERT INTO owners (name, email, created_at) VALUES ('Ann', 'ann@x.example', '2026-01-02T03:04:05.000789Z');
  INSERT INTO pets VALUES ('p1', 7, 'cat', 3.5, '2020-01-02', true, '["a"]');
  INSERT INTO visits VALUES ('p1', '2026-03-04', 'fine')`;

interface Served {
  readonly running: Running;
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    more?: Record<string, string>,
  ) => Promise<{ status: number; body: unknown; etag: string | null }>;
}

async function serve(t: TestContext, { data, folder }: Other): Promise<Served> {
  const key = await finishedHere(
    ["key", "create", "clinic.md", "--user", "ann", "--role", "operator", "--data", data],
    { folder },
  );
  const token = /\bkey_[^\s_]{20,}$/m.exec(key.output)?.[0];
  assert.ok(token, key.output);
  const running = nonet(t, ["serve", "clinic.md", "--data", data, "--port", "0"], { folder });
  const address = await addressOf(running);
  const call: Served["call"] = async (method, path, body, more = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...more };
    const response = await fetch(address + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? undefined : JSON.parse(text),
      etag: response.headers.get("etag"),
    };
  };
  return { running, call };
}

for (const [system, open, sql] of [
  ["SQLite", inSqlite, sqliteSql],
  ["PostgreSQL", inPostgres, postgresSql],
] as const) {
  test(`${system}: rows that were there are served, and both programs write`, async (t) => {
    const other = await open(t, sql);
    const { data, folder, run } = other;
    const columns = await run("SELECT * FROM pets");
    assert.equal((await finishedHere(["import", data, "--out", "clinic.md"], { folder })).code, 0);
    const planned = await streamsHere(["migrate", "clinic.md", "--data", data, "--plan"], { folder });
    assert.equal(planned.code, 0, planned.stderr + planned.stdout);
    assert.match(planned.stdout, /Owner uses the table owners in place, which gets _rev and triggers\n/);
    assert.match(planned.stdout, /Visit uses the table visits in place, which gets (_seq, )?_rev, _id and triggers\n/);
    assert.deepEqual(await run("SELECT * FROM pets"), columns);
    const migrated = await finishedHere(["migrate", "clinic.md", "--data", data], { folder });
    assert.equal(migrated.code, 0, migrated.output);

    const { call, running } = await serve(t, other);
    const ann = { id: 7, name: "Ann", email: "ann@x.example", created_at: "2026-01-02T03:04:05.000Z" };
    const cat = { id: "p1", owner_id: 7, kind: "cat", weight: 3.5, born: "2020-01-02", chip: true, tags: ["a"] };
    assert.deepEqual((await call("GET", "/owners/7")).body, ann);
    const first = await call("GET", "/pets/p1");
    assert.deepEqual(first.body, cat);
    const { id: visit, ...rest } = (await call("GET", "/visits/p1/2026-03-04")).body as { id: string };
    assert.deepEqual(rest, { pet: "p1", day: "2026-03-04", note: "fine" });
    assert.match(visit, /^[0-9a-f]{26}$/);

    const changed = await call(
      "PATCH",
      "/pets/p1",
      { weight: 4.25, kind: "dog", tags: ["b", "c"] },
      { "if-match": first.etag ?? "" },
    );
    assert.deepEqual([changed.status, changed.body], [200, { ...cat, weight: 4.25, kind: "dog", tags: ["b", "c"] }]);
    const [row] = await run(`SELECT kind, weight, tags FROM pets WHERE "pet code" = 'p1'`);
    assert.deepEqual(
      [row?.["kind"], Number(row?.["weight"]), String(row?.["tags"]).replaceAll(/["[\]]/g, "")],
      ["dog", 4.25, "b,c"],
    );

    const made = await call("POST", "/owners", { name: "Bo", email: "bo@x.example" });
    assert.deepEqual([made.status, (made.body as { id: number }).id], [201, 8]);
    assert.equal((await call("POST", "/owners", { name: "Cy", email: "bo@x.example" })).status, 409);
    assert.equal((await call("PATCH", "/owners/8", { email: "ann@x.example" })).status, 409);
    assert.equal((await call("POST", "/pets", { id: "p2", owner_id: 99, kind: "cat" })).status, 422);
    assert.equal((await call("POST", "/pets", { id: "p2", owner_id: 8, kind: "cat" })).status, 201);
    assert.equal((await call("POST", "/visits", { pet: "p2", day: "2026-05-06" })).status, 201);
    assert.equal((await call("POST", "/visits", { pet: "p2", day: "2026-05-06" })).status, 409);
    assert.equal((await call("DELETE", "/owners/8")).status, 409);

    // The other program writes: the entity tag that a caller has does not fit any more.
    await run("INSERT INTO owners (name) VALUES ('Dee')");
    await run(`UPDATE pets SET weight = 5 WHERE "pet code" = 'p1'`);
    const stale = await call("PATCH", "/pets/p1", { weight: 6 }, { "if-match": changed.etag ?? "" });
    assert.equal(stale.status, 412);
    assert.deepEqual((await call("GET", "/pets/p1")).body, { ...cat, weight: 5, kind: "dog", tags: ["b", "c"] });
    const { items } = (await call("GET", "/owners")).body as { items: { name: string }[] };
    assert.deepEqual(
      items.map(({ name }) => name),
      ["Dee", "Bo", "Ann"],
    );
    const pets = (await call("GET", "/pets?owner_id=7")).body as { items: unknown[] };
    assert.equal(pets.items.length, 1);

    assert.equal((await call("DELETE", "/visits/p2/2026-05-06")).status, 204);
    assert.equal((await call("DELETE", "/owners/8")).status, 204);
    assert.deepEqual(await run("SELECT count(*) AS n FROM pets").then(([one]) => Number(one?.["n"])), 1);
    running.signal("SIGTERM");
    assert.equal(await running.ended, 0);
    // A second start finds all as it is, and so does a second import.
    assert.equal((await finishedHere(["migrate", "clinic.md", "--data", data], { folder })).code, 0);
    const before = readFileSync(join(folder, "clinic.md"), "utf8");
    await finishedHere(["import", data, "--out", "clinic.md"], { folder });
    assert.equal(readFileSync(join(folder, "clinic.md"), "utf8"), before);
  });
}

/** A document with a resource `Pet` in the table `pets`, and whatever else. */
function documentOf(pet: string, more: { tables?: string; rules?: string; others?: string } = {}): string {
  const { others = "", rules = "", tables = "{ Pet: pets }" } = more;
  return `title: Clinic
purpose: { nonet: 1, service: clinic, operations: [getPet, listPets, createPet, deletePet] }
resources:
  Pet: { ${pet} }
${others}
  tables: ${tables}
${rules}
states: none
endpoints:
  endpoints: { getPet: "GET /pets/{id}", listPets: GET /pets, createPet: POST /pets, deletePet: "DELETE /pets/{id}" }
authentication: { credentials: { key: { kind: api-key, roles: [operator] } }, roles: [operator], allow: { "getPet, listPets, createPet, deletePet": operator } }
events: none
errors: not shown
limits: not shown
versioning: none
`;
}

const sqlite: readonly (readonly [obstacle: RegExp, sql: string, document: string])[] = [
  [/pets\.name may be null, and the field name is required: write `name\?`/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)", documentOf("id: id(counter), name: text")],
  [/pets\.name is NOT NULL, and the field name is optional/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL)", documentOf("id: id(counter), name?: text")],
  [/the table pets has no column age/, "CREATE TABLE pets (id INTEGER PRIMARY KEY)", documentOf("id: id(counter), age?: integer")],
  [/pets\.age is of the type TEXT, and the field age is of another/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, age TEXT)", documentOf("id: id(counter), age?: integer")],
  [/pets\.name is of the type INT, and the field name/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name INT)", documentOf("id: id(counter), name?: text")],
  [/pets\.scan is of the type BLOB/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, scan BLOB)", documentOf("id: id(counter), scan?: bytes")],
  [/pets\.kind needs a value, and the document does not have it/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, kind TEXT NOT NULL)", documentOf("id: id(counter)")],
  [/pets\.n is a generated column/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, n INT AS (1))", documentOf("id: id(counter), n?: integer")],
  [/the trigger log of pets may change what the service writes/, "CREATE TABLE pets (id INTEGER PRIMARY KEY); CREATE TRIGGER log AFTER INSERT ON pets BEGIN SELECT 1; END", documentOf("id: id(counter)")],
  [/the document says that name is unique, and pets has no such constraint/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)", documentOf('id: id(counter), name?: "text, unique"')],
  [/name of pets is unique, and the document does not say so/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT UNIQUE)", documentOf("id: id(counter), name?: text")],
  [/the unique index x of pets is of some rows or of an expression/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT); CREATE UNIQUE INDEX x ON pets (lower(name))", documentOf("id: id(counter), name?: text")],
  [/pets is a view/, "CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW pets AS SELECT * FROM t", documentOf("id: id(counter)")],
  [/the rows of pets have no numbers \(WITHOUT ROWID\)/, "CREATE TABLE pets (id TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID", documentOf("id: string(1..9)")],
  [/pets\.born has 1 values that the field born cannot have, in the rows 2/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, born DATE); INSERT INTO pets VALUES (1, '2026-01-02'), (2, 'May')", documentOf("id: id(counter), born?: date")],
  [/pets\.kind has 2 values that the field kind cannot have, in the rows 1, 3/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, kind TEXT); INSERT INTO pets VALUES (1, 'cow'), (2, 'cat'), (3, x'00')", documentOf("id: id(counter), kind?: cat | dog")],
  [/pets\.age has 1 values/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, age INT); INSERT INTO pets VALUES (1, 'old')", documentOf("id: id(counter), age?: integer")],
  [/pets\.tags has 1 values/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, tags JSON); INSERT INTO pets VALUES (1, '{')", documentOf("id: id(counter), tags?: json")],
  [/Owner: the database has a table owners that this service has not made; write `tables: \{ Owner: owners \}`/, "CREATE TABLE pets (id INTEGER PRIMARY KEY); CREATE TABLE owners (id INTEGER PRIMARY KEY)", documentOf("id: id(counter)", { others: "  Owner: { id: id(own) }" })],
  [/pets\.owner refers to owners ON DELETE SET NULL, and the document does not say so/, "CREATE TABLE owners (id INTEGER PRIMARY KEY); CREATE TABLE pets (id INTEGER PRIMARY KEY, owner INT REFERENCES owners ON DELETE SET NULL)", documentOf("id: id(counter), owner?: integer", { others: "  Owner: { id: id(counter) }", tables: "{ Pet: pets, Owner: owners }" })],
  [/it has timers or retention/, "CREATE TABLE pets (id INTEGER PRIMARY KEY, at DATETIME)", documentOf("id: id(counter), at?: datetime").replace("limits: not shown", "limits: { keep: { Pet: 90d after at } }")],
]; // biome-ignore format: a table

const postgres: readonly (readonly [obstacle: RegExp, sql: string, document: string])[] = [
  [/pets\.age is integer, from -2147483648 to 2147483647, and the field age may be beyond/, "CREATE TABLE pets (id serial PRIMARY KEY, age int)", documentOf("id: id(counter), age?: integer")],
  [/pets\.name has at most 9 characters, and the field name may have more/, "CREATE TABLE pets (id serial PRIMARY KEY, name varchar(9))", documentOf("id: id(counter), name?: text")],
  [/pets\.kind is the enum cat \| dog, and the field kind has other values/, "CREATE TYPE kind AS ENUM ('cat', 'dog'); CREATE TABLE pets (id serial PRIMARY KEY, kind kind)", documentOf("id: id(counter), kind?: cat | cow")],
  [/pets\.stay is interval, and the field stay is of another type/, "CREATE TABLE pets (id serial PRIMARY KEY, stay interval)", documentOf("id: id(counter), stay?: text")],
  [/pets\.tags is text\[\], and the field tags is of another type/, "CREATE TABLE pets (id serial PRIMARY KEY, tags text[])", documentOf('id: id(counter), "tags?": "string(..9)[]"')],
  [/pets is a partitioned table/, "CREATE TABLE pets (id int PRIMARY KEY) PARTITION BY RANGE (id)", documentOf("id: integer")],
  [/pets has a policy of row-level security, p/, "CREATE TABLE pets (id serial PRIMARY KEY); CREATE POLICY p ON pets USING (true)", documentOf("id: id(counter)")],
  [/pets\.name has 1 values that the field name cannot have, with the ids 2/, "CREATE TABLE pets (id serial PRIMARY KEY, name text); INSERT INTO pets (name) VALUES ('Ada'), ('123')", documentOf('id: id(counter), "name?": "string(1..9) /^[A-Z]/"')],
  [/pets\.owner is not ON DELETE CASCADE, and the document says `delete with`/, "CREATE TABLE owners (id serial PRIMARY KEY); CREATE TABLE pets (id serial PRIMARY KEY, owner int REFERENCES owners)", documentOf('id: id(counter), owner?: "Owner, delete with"', { others: "  Owner: { id: id(counter) }", tables: "{ Pet: pets, Owner: owners }" })],
]; // biome-ignore format: a table

for (const [system, open, rows] of [
  ["SQLite", inSqlite, sqlite],
  ["PostgreSQL", inPostgres, postgres],
] as const) {
  for (const [obstacle, sql, document] of rows) {
    test(`${system}: ${obstacle.source}`, async (t) => {
      const other = await open(t, sql);
      const { data, folder } = other;
      writeFileSync(join(folder, "clinic.yaml"), document);
      const before = await contentOf(other);
      const { code, output } = await finishedHere(["serve", "clinic.yaml", "--data", data, "--port", "0"], { folder });
      assert.notEqual(code, 0);
      assert.match(output, obstacle);
      assert.deepEqual(await contentOf(other), before);
    });
  }
}

/** The tables, columns, triggers and views of a database, and the bytes of a file. */
async function contentOf({ data, folder, run }: Other): Promise<unknown> {
  if (!data.startsWith("postgres:")) return [readFileSync(join(folder, data)), readdirSync(folder)];
  return run(`SELECT relname, relkind, relnatts, relhastriggers FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace ORDER BY relname`);
}

test("all obstacles are listed at once, and the plan has them too", async (t) => {
  const other = await inSqlite(t, "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, age TEXT, x INT NOT NULL)");
  const { data, folder } = other;
  writeFileSync(join(folder, "clinic.yaml"), documentOf("id: id(counter), name: text, age?: integer"));
  for (const args of [
    ["migrate", "clinic.yaml", "--data", data],
    ["migrate", "clinic.yaml", "--data", data, "--plan"],
  ]) {
    const { code, output } = await finishedHere(args, { folder });
    assert.equal(code, 1, output);
    for (const place of ["pets.name", "pets.age", "pets.x"]) assert.ok(output.includes(place), output);
  }
});

test("a backup, which would not be of one program's data, is refused", async (t) => {
  const other = await inSqlite(t, "CREATE TABLE pets (id INTEGER PRIMARY KEY)");
  const { data, folder } = other;
  writeFileSync(join(folder, "clinic.yaml"), documentOf("id: id(counter)"));
  assert.equal((await finishedHere(["migrate", "clinic.yaml", "--data", data], { folder })).code, 0);
  const { code, output } = await finishedHere(["backup", "copy.nonet", "--data", data], { folder });
  assert.notEqual(code, 0);
  assert.match(output, /has tables that other programs use too \(pets\): back up the database with its own tools/);
});

test("SQLite: a row whose values no field can have is no record, and others are served", async (t) => {
  const columns = "id INTEGER PRIMARY KEY, name TEXT, age INT, at DATETIME, tags JSON, tame BOOLEAN, weight REAL";
  const other = await inSqlite(t, `CREATE TABLE pets (${columns})`);
  const { data, folder, run } = other;
  writeFileSync(join(folder, "clinic.md"), "");
  await finishedHere(["import", data, "--out", "clinic.md"], { folder });
  assert.equal((await finishedHere(["migrate", "clinic.md", "--data", data], { folder })).code, 0);
  const { call } = await serve(t, other);
  const made = await call("POST", "/pets", {
    name: "Ada",
    age: 3,
    at: "2026-01-02T03:04:05Z",
    tags: [1],
    tame: true,
    weight: 2.5,
  });
  assert.equal(made.status, 201);
  const wrong = { name: "x'00'", age: "'old'", at: "'May'", tags: "'{'", tame: "2", weight: "'heavy'" };
  for (const [column, value] of Object.entries(wrong)) await run(`INSERT INTO pets (${column}) VALUES (${value})`);
  await run("INSERT INTO pets (age) VALUES (9007199254740993)");
  await run("INSERT INTO pets (at) VALUES ('2026-01-02 03:04')");
  const { items } = (await call("GET", "/pets")).body as { items: unknown[] };
  assert.deepEqual(items, [{ id: 9, at: "2026-01-02T03:04:00.000Z" }, made.body]);
  assert.equal((await call("GET", "/pets/2")).status, 404);
});

for (const [system, open] of [
  ["SQLite", inSqlite],
  ["PostgreSQL", inPostgres],
] as const) {
  test(`${system}: the service's own tables refer to existing ones, before and after a change of the document`, async (t) => {
    const sql = "CREATE TABLE a (x int NOT NULL, y int NOT NULL, PRIMARY KEY (x, y)); INSERT INTO a VALUES (1, 2)";
    const other = await open(t, sql);
    const { data, folder } = other;
    const path = join(folder, "clinic.md");
    await finishedHere(["import", data, "--out", "clinic.md"], { folder });
    const imported = readFileSync(path, "utf8");
    const more = imported
      .replace("```yaml\nA:", "```yaml\nNote: { id: id(note), a: A, text: string(1..9) }\nA:")
      .replace("operations: {", "operations: { createNote: Note it,")
      .replace("operations:\n", "operations:\n  createNote: Note it\n")
      .replace("endpoints:\n  ", "endpoints:\n  createNote: POST /notes\n  ")
      .replace("allow: { ", "allow: { createNote: operator, ")
      .replace("allow:\n", "allow:\n  createNote: operator\n");
    for (const document of system === "SQLite" ? [more] : [imported, more]) {
      writeFileSync(path, document);
      const { code, output } = await finishedHere(["migrate", "clinic.md", "--data", data], { folder });
      assert.equal(code, 0, output);
    }
    const { call } = await serve(t, other);
    const { items } = (await call("GET", "/as")).body as { items: { id: string }[] };
    assert.equal((await call("POST", "/notes", { a: items[0]?.id, text: "first" })).status, 201);
    assert.equal((await call("DELETE", "/as/1/2")).status, 409);
    assert.equal((await call("POST", "/notes", { a: "none", text: "second" })).status, 422);
  });
}

for (const [system, open, key] of [
  ["SQLite", inSqlite, "INTEGER"],
  ["PostgreSQL", inPostgres, "serial"],
] as const) {
  test(`${system}: constraints that the document does not have reject a request, and nothing is written`, async (t) => {
    const other = await open(
      t,
      `CREATE TABLE pets (id ${key} PRIMARY KEY, name text CHECK (lower(name) = name));
       CREATE TABLE strays (pet int NOT NULL REFERENCES pets (id));
       INSERT INTO pets (name) VALUES ('ada');
       INSERT INTO strays VALUES (1)`,
    );
    const { data, folder, run } = other;
    await finishedHere(["import", data, "--out", "clinic.md"], { folder });
    await finishedHere(["migrate", "clinic.md", "--data", data], { folder });
    const { call } = await serve(t, other);
    // The second time PostgreSQL runs the statements in its optimistic way.
    for (const _ of [1, 2]) {
      assert.equal((await call("POST", "/pets", { name: "Bo" })).status, 422);
      assert.equal((await call("PATCH", "/pets/1", { name: "Ada" })).status, 422);
      assert.equal((await call("DELETE", "/pets/1")).status, 409);
    }
    assert.equal((await call("POST", "/pets", { name: "bo" })).status, 201);
    assert.deepEqual(
      (await run("SELECT name FROM pets ORDER BY id")).map(({ name }) => name),
      ["ada", "bo"],
    );
  });
}

test("PostgreSQL: two processes serve the tables, and rows of the other program conflict with no write", async (t) => {
  const other = await inPostgres(t, "CREATE TABLE pets (id serial PRIMARY KEY, name text, n int NOT NULL DEFAULT 0)");
  const { data, folder, run } = other;
  await finishedHere(["import", data, "--out", "clinic.md"], { folder });
  await finishedHere(["migrate", "clinic.md", "--data", data], { folder });
  const [one, two] = [await serve(t, other), await serve(t, other)];
  assert.equal((await one.call("POST", "/pets", { name: "Ada" })).status, 201);
  assert.deepEqual((await two.call("GET", "/pets/1")).body, { id: 1, name: "Ada", n: 0 });
  // Each process and the other program write at once: the revision of the row decides, and no write is lost.
  const writes = Array.from({ length: 30 }, async (_, index) => {
    if (index % 3 === 0) return void (await run("UPDATE pets SET n = n + 1 WHERE id = 1"));
    const made = await (index % 3 === 1 ? one : two).call("PATCH", "/pets/1", { name: `Ada ${index}` });
    assert.equal(made.status, 200);
  });
  await Promise.all(writes);
  const { etag, body } = await one.call("GET", "/pets/1");
  assert.equal((body as { n: number }).n, 10);
  assert.deepEqual(await two.call("GET", "/pets/1"), { status: 200, etag, body });
});
