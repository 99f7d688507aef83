/**
 * Unusual schemas of other programs, each on SQLite and PostgreSQL. After the import they are served in place, or every obstacle is
 * reported before any change.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import pg from "pg";
import { postgresForFile } from "../postgres/for-file.ts";
import { run, type Running } from "../serve/running.ts";
import { finishedHere, temporaryFolder } from "./process.ts";

const { admin, server } = await postgresForFile();
let schemas = 0;

type System = "SQLite" | "PostgreSQL";
const systems = ["SQLite", "PostgreSQL"] as const;

interface Database {
  readonly system: System;
  readonly folder: string;
  readonly data: string;
  /** Runs statements of the other program. */
  readonly exec: (sql: string) => Promise<unknown>;
}

const open: Readonly<Record<System, (t: TestContext) => Promise<Database>>> = {
  SQLite: async (t) => {
    const folder = temporaryFolder(t);
    const data = join(folder, "other.db");
    const database = new DatabaseSync(data, { timeout: 5_000 });
    t.after(() => database.close());
    return { system: "SQLite", folder, data, exec: async (sql) => database.exec(sql) };
  },
  PostgreSQL: async (t) => {
    schemas += 1;
    await admin.query(`CREATE SCHEMA other_${schemas}`);
    const client = new pg.Client({ connectionString: server.address, options: `-c search_path=other_${schemas}` });
    await client.connect();
    t.after(() => client.end());
    const data = `${server.address}?schema=other_${schemas}&connections=4`;
    return { system: "PostgreSQL", folder: temporaryFolder(t), data, exec: (sql) => client.query(sql) };
  },
};

const command = (database: Database, ...args: readonly string[]) => finishedHere(args, { folder: database.folder });

/** Imports the database, and returns the document. */
async function imported(database: Database, edit: (text: string) => string = (text) => text): Promise<string> {
  const { code, output } = await command(database, "import", database.data, "--out", "other.md");
  assert.equal(code, 0, output);
  const path = join(database.folder, "other.md");
  const text = edit(readFileSync(path, "utf8"));
  writeFileSync(path, text);
  const checked = await command(database, "check", "other.md");
  assert.equal(checked.code, 0, checked.output);
  return text;
}

interface Response {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | null;
}

type Call = (method: string, path: string, body?: unknown, ifMatch?: string | null) => Promise<Response>;

async function serve({ data, system }: Database, document: string): Promise<{ running: Running; call: Call }> {
  const place = system === "SQLite" ? ({ store: "sqlite-only", file: data } as const) : ({ store: "postgres", address: data } as const); // biome-ignore format: one
  const running = await run(document, place);
  const key = await running.key("me", "operator");
  const call: Call = async (method, path, body, ifMatch) => {
    const response = await fetch(running.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(typeof ifMatch === "string" ? { "if-match": ifMatch } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text), etag: response.headers.get("etag") }; // biome-ignore format: one
  };
  return { running, call };
}

type Sql = Readonly<Partial<Record<System, string>>>;

type Step = readonly [call: string, body: unknown, status: number, response?: unknown];

interface ServedCase {
  readonly sql: Sql;
  readonly steps: readonly Step[];
  /** What the other program writes then, and what callers get after it. */
  readonly then?: string;
  readonly after?: readonly Step[];
  readonly edit?: (text: string) => string;
}

/** 63 bytes, the most of PostgreSQL, which differ only at their end. */
const [long, longer] = ["x", "y"].map((end) => `${"a".repeat(40)}${"é".repeat(11)}${end}`) as [string, string];
const longPath = `/${"a".repeat(40)}${"e".repeat(11)}`;
const hostileSql = (key: string): string => `
  CREATE TABLE "order" ("group" ${key}, "from" text);
  CREATE TABLE "we ""ird' t;able" (id ${key}, "se""lect" text, "a, b" text NOT NULL UNIQUE, "größe%s$1?" text DEFAULT 'x',
    "order" integer REFERENCES "order", UNIQUE ("se""lect", "order"));
  CREATE TABLE "顧客" ("名前" text PRIMARY KEY NOT NULL, "年齢" integer);
  CREATE TABLE "${long}" (id ${key}, "${long}" text UNIQUE);
  CREATE TABLE "${longer}" (a integer NOT NULL, b integer NOT NULL, "${long}" text, PRIMARY KEY (a, b));
  CREATE TABLE users (id ${key}, "constructor" text, "__proto__" text, "toString" text)`;
const rowid = "INTEGER PRIMARY KEY";
const serial = "serial PRIMARY KEY";
const identity = "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
/** The same for both, but for the key. */
const both = (sql: (key: string) => string): Sql => ({ SQLite: sql(rowid), PostgreSQL: sql(serial) });
const withoutLines = (pattern: RegExp) => (text: string) =>
  text.split("\n").filter((line) => !pattern.test(line)).join("\n"); // biome-ignore format: one

const unformed = [["r", "NaN"], ["n", "Infinity"], ["n", "NaN"], ["ts", "infinity"], ["tt", "0044-03-15 BC"], ["d", "12026-01-01"], ["ti", "24:00"]] as const; // biome-ignore format: a table

const served: Readonly<Record<string, ServedCase>> = {
  "hostile names": {
    sql: { SQLite: hostileSql(rowid), PostgreSQL: hostileSql(identity) },
    steps: [
      ["POST /orders", { from: "a" }, 201, { id: 1, from: "a" }],
      ["POST /we-ird-t-ables", { se_lect: "s", a_b: "u", order: 1 }, 201, { id: 1, se_lect: "s", a_b: "u", gro_e_s_1: "x", order: 1 }],
      ["POST /we-ird-t-ables", { a_b: "u" }, 409],
      ["POST /we-ird-t-ables", { se_lect: "s", a_b: "v", order: 1 }, 409],
      ["GET /we-ird-t-ables?order=1", undefined, 200],
      ["DELETE /orders/1", undefined, 409],
      ["POST /tables", { id: "山", column: 7 }, 201],
      ["PATCH /tables/%E5%B1%B1", { column: 8 }, 200, { id: "山", column: 8 }],
      [`POST ${longPath}xes`, {}, 201, { id: 1 }],
      [`POST ${longPath}ys`, { a: 1, b: 2 }, 201],
      [`GET ${longPath}ys/1/2`, undefined, 200],
      ["POST /users", { column_constructor: "c", proto: "p", column_toString: "t" }, 201, { id: 1, column_constructor: "c", proto: "p", column_toString: "t" }],
    ],
  },
  "a key that the database counts by a sequence of its own": {
    sql: { PostgreSQL: `CREATE SEQUENCE "the 'seq'" START 7; CREATE TABLE pets (id integer PRIMARY KEY DEFAULT nextval('"the ''seq''"'), no serial, name text)` },
    steps: [
      ["POST /pets", { name: "Ada" }, 201, { id: 7, no: 1, name: "Ada" }],
      ["GET /pets/7", undefined, 200, { id: 7, no: 1, name: "Ada" }],
    ],
  },
  "keys of uuids, numbers and padded texts": {
    sql: { PostgreSQL: "CREATE TABLE a (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int); CREATE TABLE b (id numeric(10) PRIMARY KEY); CREATE TABLE c (id char(5) PRIMARY KEY, n int); CREATE TABLE d (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)" },
    steps: [
      ["POST /as", { n: 1 }, 201],
      ["POST /bs", { id: 12 }, 201, { id: 12 }],
      ["GET /bs/12", undefined, 200],
      ["POST /cs", { id: "ab ", n: 1 }, 201, { id: "ab", n: 1 }],
      ["GET /cs/ab", undefined, 200, { id: "ab", n: 1 }],
      ["POST /ds", {}, 201, { id: 1 }],
    ],
  },
  "keys that SQLite does not count or compares without regard to case": {
    sql: { SQLite: "CREATE TABLE a (id INTEGER PRIMARY KEY DESC NOT NULL, n INT); CREATE TABLE b (id TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, n TEXT COLLATE NOCASE)" },
    edit: (text) => text.replace("n?: text }", 'n?: "text, filter" }'),
    steps: [
      ["POST /as", { id: 5, n: 1 }, 201, { id: 5, n: 1 }],
      ["GET /as", undefined, 200, { items: [{ id: 5, n: 1 }], next: null }],
      ["POST /bs", { id: "Ann", n: "X" }, 201],
      ["GET /bs/ANN", undefined, 404],
      ["GET /bs?n=x", undefined, 200, { items: [], next: null }],
      ["POST /bs", { id: "ANN" }, 409],
    ],
  },
  "generated columns, defaults, columns that the document does not have": {
    sql: both((key) => `CREATE TABLE pets (id ${key}, a integer NOT NULL, b integer NOT NULL, s integer GENERATED ALWAYS AS (a + b) STORED, kind text NOT NULL DEFAULT 'cat', gone integer NOT NULL DEFAULT 7)`),
    edit: (text) => withoutLines(/^ {2}gone: /)(text).replace(/, gone: [^,}]*(?= \})/, ""),
    steps: [
      ["POST /pets", { a: 1, b: 2 }, 201, { id: 1, a: 1, b: 2, s: 3, kind: "cat" }],
      ["PATCH /pets/1", { a: 7 }, 200, { id: 1, a: 7, b: 2, s: 9, kind: "cat" }],
      ["PATCH /pets/1", { s: 8 }, 422],
    ],
  },
  "nulls that are equal, and nulls that are not": {
    sql: { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, a int, b int, c text, UNIQUE NULLS NOT DISTINCT (a, b), UNIQUE (b, c))" },
    steps: [
      ["POST /pets", { c: "x" }, 201],
      ["POST /pets", { c: "x" }, 409],
      ["POST /pets", { a: 1, c: "x" }, 201],
      ["POST /pets", { a: 2, b: 2, c: "x" }, 201],
      ["POST /pets", { a: 3, b: 2, c: "x" }, 409],
    ],
  },
  "foreign keys that the document does not have only reject": {
    sql: both((key) => `CREATE TABLE a (id ${key}, code text NOT NULL UNIQUE); CREATE TABLE b (id ${key}, code text REFERENCES a (code));
      CREATE TABLE c (x integer NOT NULL, y integer NOT NULL, PRIMARY KEY (x, y));
      CREATE TABLE d (id ${key}, x integer, y integer, FOREIGN KEY (x, y) REFERENCES c ON DELETE RESTRICT);
      CREATE TABLE e (id ${key}, n integer); CREATE TABLE strays (e integer REFERENCES e DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO a (code) VALUES ('x'); INSERT INTO b (code) VALUES ('x'); INSERT INTO c VALUES (1, 2); INSERT INTO d (x, y) VALUES (1, 2);
      INSERT INTO e (n) VALUES (1); INSERT INTO strays VALUES (1)`),
    // The second time PostgreSQL runs the statements in its optimistic way.
    steps: [1, 2].flatMap((): Step[] => [
      ["POST /bs", { code: "none" }, 422],
      ["PATCH /as/1", { code: "z" }, 422],
      ["DELETE /as/1", undefined, 409],
      ["POST /ds", { x: 7, y: 7 }, 422],
      ["DELETE /cs/1/2", undefined, 409],
      ["DELETE /es/1", undefined, 409],
      ["GET /es/1", undefined, 200, { id: 1, n: 1 }],
    ]),
  },
  "a foreign key to a table of another schema": {
    sql: { PostgreSQL: "DROP SCHEMA IF EXISTS far CASCADE; CREATE SCHEMA far; CREATE TABLE far.c (id int PRIMARY KEY); INSERT INTO far.c VALUES (1); CREATE TABLE pets (id serial PRIMARY KEY, c int REFERENCES far.c ON DELETE CASCADE)" },
    steps: [
      ["POST /pets", { c: 1 }, 201, { id: 1, c: 1 }],
      ["POST /pets", { c: 2 }, 422],
    ],
    then: "DELETE FROM far.c",
    after: [["GET /pets", undefined, 200, { items: [], next: null }]],
  },
  "references in circles, to itself and with every action": {
    sql: both((key) => `CREATE TABLE a (id ${key}, n integer, up integer REFERENCES a ON DELETE CASCADE);
      CREATE TABLE b (id ${key}, a integer NOT NULL REFERENCES a ON DELETE CASCADE, c integer REFERENCES a ON DELETE SET NULL)`),
    steps: [
      ["POST /as", { n: 1 }, 201, { id: 1, n: 1 }],
      ["POST /as", { n: 2, up: 1 }, 201, { id: 2, n: 2, up: 1 }],
      ["POST /as", { n: 3 }, 201],
      ["POST /bs", { a: 2, c: 3 }, 201],
      ["POST /bs", { a: 3, c: 1 }, 201],
      ["DELETE /as/1", undefined, 204],
      ["GET /bs", undefined, 200, { items: [{ id: 2, a: 3 }], next: null }],
    ],
  },
  "the values that the types of PostgreSQL have": {
    sql: { PostgreSQL: `CREATE TYPE mood AS ENUM ('a b', 'it''s'); CREATE DOMAIN age AS smallint CHECK (VALUE >= 0);
      CREATE TABLE o (id serial PRIMARY KEY, r real, n numeric, n2 numeric(8,2), ts timestamp(0), tt timestamptz, ti time, c char(3), m mood, age age, j jsonb, b bytea, d date)` },
    steps: [
      ["POST /os", { r: 0.1234567891, n: 12.25, n2: 1.239, ts: "2026-01-01T00:00:00.999Z", tt: "2026-01-01T00:00:00.999Z", ti: "10:11", c: "a", m: "it's", age: 3, j: { b: 1, a: [null] }, b: "AQI=", d: "2026-02-03" }, 201,
        { id: 1, r: 0.12345679, n: 12.25, n2: 1.24, ts: "2026-01-01T00:00:01.000Z", tt: "2026-01-01T00:00:00.999Z", ti: "10:11:00", c: "a", m: "it's", age: 3, j: { b: 1, a: [null] }, b: "AQI=", d: "2026-02-03" }],
      ["PATCH /os/1", { n2: 2.001, r: 1e-7 }, 200],
      ["POST /os", { age: -1 }, 422],
      ["POST /os", { n2: 123456789 }, 422],
    ],
    // Values without a form in JSON: such a row is no record.
    then: `INSERT INTO o (id, n) VALUES (90, 0.33333333333333333333);
      ${unformed.map(([column, value], index) => `INSERT INTO o (id, ${column}) VALUES (${91 + index}, '${value}');`).join("")}`,
    after: [
      ["GET /os/90", undefined, 200, { id: 90, n: 0.3333333333333333 }],
      ...unformed.map((_, index): Step => [`GET /os/${91 + index}`, undefined, 404]),
    ],
  },
  "integers that no number of JSON has": {
    sql: { PostgreSQL: "CREATE TABLE o (id serial PRIMARY KEY, b bigint)" },
    steps: [["POST /os", { b: Number.MAX_SAFE_INTEGER }, 201]],
    then: "INSERT INTO o (b) VALUES (9007199254740993)",
    after: [["GET /os/2", undefined, 404]],
  },
  "times of day in SQLite": {
    sql: { SQLite: "CREATE TABLE o (id INTEGER PRIMARY KEY, a TIME, b DATE)" },
    steps: [["POST /os", { a: "10:11:12", b: "2026-01-02" }, 201, { id: 1, a: "10:11:12", b: "2026-01-02" }]],
  },
  "rows that another program writes while the service runs": {
    sql: both((key) => `CREATE TABLE pets (id ${key}, name text, n integer); CREATE TABLE logs (pet integer);
      INSERT INTO pets (name, n) VALUES ('Ada', 1)`),
    steps: [
      ["GET /pets/1", undefined, 200, { id: 1, name: "Ada", n: 1 }],
      ["GET /pets", undefined, 200, { items: [{ id: 1, name: "Ada", n: 1 }], next: null }],
      ["POST /pets", { name: "Bo" }, 201],
    ],
    then: "UPDATE pets SET n = n + 1 WHERE id = 1; DELETE FROM pets WHERE id = 2; INSERT INTO pets (id, name) VALUES (3, 'Cy')",
    after: [
      ["PATCH /pets/1", { n: 5 }, 412],
      ["GET /pets", undefined, 200, { items: [{ id: 3, name: "Cy" }, { id: 1, name: "Ada", n: 2 }], next: null }],
      ["PATCH /pets/2", { n: 1 }, 404],
      ["DELETE /pets/2", undefined, 404],
      ["PATCH /pets/3", { n: 1 }, 200, { id: 3, name: "Cy", n: 1 }],
    ],
  },
  "a trigger of another table that changes rows": {
    sql: {
      SQLite: "CREATE TABLE pets (id INTEGER PRIMARY KEY, n INTEGER); CREATE TABLE logs (pet INTEGER); CREATE TRIGGER tr AFTER INSERT ON logs BEGIN UPDATE pets SET n = n + 1 WHERE id = NEW.pet; END; INSERT INTO pets VALUES (1, 1)",
      PostgreSQL: `CREATE TABLE pets (id serial PRIMARY KEY, n integer); CREATE TABLE logs (pet integer); INSERT INTO pets (n) VALUES (1);
        CREATE FUNCTION tr() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE pets SET n = n + 1 WHERE id = NEW.pet; RETURN NEW; END $$;
        CREATE TRIGGER tr AFTER INSERT ON logs FOR EACH ROW EXECUTE FUNCTION tr()`,
    },
    steps: [["GET /pets/1", undefined, 200, { id: 1, n: 1 }]],
    then: "INSERT INTO logs VALUES (1)",
    after: [["PATCH /pets/1", { n: 9 }, 412], ["GET /pets/1", undefined, 200, { id: 1, n: 2 }]],
  },
}; // biome-ignore format: a table

for (const [name, { after = [], edit, sql, steps, then }] of Object.entries(served))
  for (const system of systems.filter((one) => sql[one] !== undefined))
    test(`${system}: ${name}`, async (t) => {
      const database = await open[system](t);
      await database.exec(sql[system] ?? "");
      const document = await imported(database, edit);
      const { call, running } = await serve(database, document);
      await using _ = running;
      const tags = new Map<string, string | null>();
      const take = async ([line, body, status, expected]: Step): Promise<void> => {
        const [method = "", path = ""] = line.split(" ");
        // A step that expects 412 has the entity tag that the record had before the other program changed it.
        const response = await call(method, path, body, status === 412 ? tags.get(path) : undefined);
        assert.equal(response.status, status, `${line} ${JSON.stringify(response.body)}`);
        if (expected !== undefined) assert.deepEqual(response.body, expected, line);
        if (status === 412) return;
        // What a response says is what the table has.
        tags.set(path, response.etag);
        if (method !== "PATCH" && method !== "POST") return;
        const id = (response.body as { id?: string | number }).id;
        const again = method === "PATCH" ? path : `${path}/${encodeURIComponent(String(id))}`;
        if (status >= 300 || path.startsWith(longPath)) return;
        const read = await call("GET", again);
        assert.deepEqual([read.status, read.body, read.etag], [200, response.body, response.etag], again);
      };
      for (const step of steps) await take(step);
      if (then !== undefined) await database.exec(then);
      for (const step of after) await take(step);
      assert.deepEqual(running.failures, []);
    });

/** What stands in the way; of the document that the import writes unless `edit` changes it. */
const hindered: readonly (readonly [obstacle: RegExp, sql: Sql, edit?: (text: string) => string])[] = [
  [/pets\._rev has the name of a column that the service adds: rename it/, both((key) => `CREATE TABLE pets (id ${key}, _rev text)`)],
  [/pets\._ID has the name of a column that the service adds/, both((key) => `CREATE TABLE pets (id ${key}, "_ID" text)`)],
  [/pets is a table that a service has made for its own data/, both((key) => `CREATE TABLE pets (id ${key}, _seq integer, _rev integer)`)],
  [/B: the database has no table bee/, both((key) => `CREATE TABLE a (id ${key}); CREATE TABLE b (id ${key})`), (text) => text.replace("B: b", "B: bee")],
  [/pets\.id is not counted by the database, and the document says that id is/, { SQLite: "CREATE TABLE pets (id INT PRIMARY KEY NOT NULL)", PostgreSQL: "CREATE TABLE pets (id int PRIMARY KEY)" }, (text) => text.replace(/id: integer[^,} ]*/, "id: id(counter)")],
  [/D: d\.x \+ y refers to c ON DELETE CASCADE, and the document does not say so/, both((key) => `CREATE TABLE c (x integer NOT NULL, y integer NOT NULL, PRIMARY KEY (x, y)); CREATE TABLE d (id ${key}, x integer, y integer, FOREIGN KEY (x, y) REFERENCES c ON DELETE CASCADE)`)],
  [/B: b\.code refers to a ON UPDATE CASCADE, and the document does not say so/, both((key) => `CREATE TABLE a (id ${key}, code text NOT NULL UNIQUE); CREATE TABLE b (id ${key}, code text REFERENCES a (code) ON UPDATE CASCADE)`)],
  [/a \+ b of pets is unique with two nulls different, and the document says that they are equal/, both((key) => `CREATE TABLE pets (id ${key}, a integer, b integer, UNIQUE (b, a))`), (text) => text.replace(/unique b \+ a, absent distinct/, "unique a + b, absent equal")],
  [/a \+ b of pets is unique with two nulls equal, and the document says that they are different/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, a int, b int, UNIQUE NULLS NOT DISTINCT (a, b))" }, (text) => text.replace("absent equal", "absent distinct")],
  [/pets has a deferrable unique constraint, one/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, n int CONSTRAINT one UNIQUE DEFERRABLE)" }],
  [/pets has a policy of row-level security, FORCE/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY); ALTER TABLE pets ENABLE ROW LEVEL SECURITY; ALTER TABLE pets FORCE ROW LEVEL SECURITY" }],
  [/pets has a rule, never/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY); CREATE RULE never AS ON DELETE TO pets DO INSTEAD NOTHING" }],
  [/pets has a table that inherits from it, cats/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY); CREATE TABLE cats (x int) INHERITS (pets)" }],
  [/the unique index one of pets is of some rows or of an expression/, both((key) => `CREATE TABLE pets (id ${key}, n text); CREATE UNIQUE INDEX one ON pets (n) WHERE n <> ''`)],
  [/pets\.tags is text\[\], and the field tags is of another type/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, tags text[])" }],
  [/the trigger stamp of pets may change what the service writes/, { PostgreSQL: "CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TABLE pets (id serial PRIMARY KEY); CREATE TRIGGER stamp BEFORE UPDATE ON pets FOR EACH ROW EXECUTE FUNCTION stamp()" }],
  [/pets\.n has 2 values that the field n cannot have, with the ids 2, 3/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, n numeric); INSERT INTO pets (n) VALUES (1.5), ('NaN'), ('-Infinity')" }],
  [/pets\.b has 1 values that the field b cannot have, with the ids 1/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, b bigint); INSERT INTO pets (b) VALUES (9007199254740993)" }],
  [/pets\.at has 1 values that the field at cannot have, with the ids 1/, { PostgreSQL: "CREATE TABLE pets (id serial PRIMARY KEY, at timestamptz); INSERT INTO pets (at) VALUES ('infinity')" }],
  [/pets\.d has 1 values that the field d cannot have, with the rows with the ctid \(0,1\)/, { PostgreSQL: "CREATE TABLE pets (x int, y int, d date, PRIMARY KEY (x, y)); INSERT INTO pets VALUES (1, 2, '0044-03-15 BC')" }],
]; // biome-ignore format: a table

for (const [obstacle, sql, edit] of hindered)
  for (const system of systems.filter((one) => sql[one] !== undefined))
    test(`${system}: ${obstacle.source}`, async (t) => {
      const database = await open[system](t);
      await database.exec(sql[system] ?? "");
      await imported(database, edit);
      // The plan says what the migration says, and neither changes anything.
      for (const more of [["--plan"], []]) {
        const { code, output } = await command(database, "migrate", "other.md", "--data", database.data, ...more);
        assert.equal(code, 1, output);
        assert.match(output, obstacle);
      }
      const { code, output } = await command(database, "import", database.data, "--out", "again.md");
      assert.equal(code, 0, output);
      assert.doesNotMatch(output, /nonet_/);
    });

test("PostgreSQL: a table of another role", async (t) => {
  const database = await open.PostgreSQL(t);
  const name = `other_${schemas}`;
  await database.exec(`CREATE TABLE pets (id serial PRIMARY KEY); CREATE ROLE guest LOGIN; GRANT ALL ON SCHEMA ${name} TO guest;
    GRANT ALL ON ALL TABLES IN SCHEMA ${name} TO guest`);
  const guest = { ...database, data: database.data.replace("postgres@", "guest@") };
  await imported(guest);
  const { code, output } = await command(guest, "migrate", "other.md", "--data", guest.data, "--plan");
  assert.equal(code, 1, output);
  assert.match(output, /pets belongs to the role postgres, and only its owner can add columns and triggers/);
});
