/** The catalogue of SQLite files as documents: each construct with the line of the document that has it, or its notice. */
import assert from "node:assert/strict";
import test from "node:test";
import { errorsIn, importedSqlite, noticesOf } from "./databases.ts";

const id = "id INTEGER PRIMARY KEY";

const lines: readonly (readonly [what: string, sql: string, document: RegExp])[] = [
  ["a counted key", `CREATE TABLE pets (${id})`, /Pet: \{ id: id\(counter\) \}/],
  ["a key that clients choose", "CREATE TABLE pets (id VARCHAR(20) PRIMARY KEY)", /Pet: \{ id: string\(\.\.20\) \}/],
  ["a key without row numbers", "CREATE TABLE pets (id INT PRIMARY KEY) WITHOUT ROWID", /Pet: \{ id: integer \}/],
  ["a key by another name", "CREATE TABLE film (film_id INTEGER PRIMARY KEY, name TEXT)", /Film: \{ id: id\(counter\), name\?: text \}/],
  ["a singular table", `CREATE TABLE person (${id})`, /createPerson: \{ at: POST \/people, of: Person \}/],
  ["an irregular plural", `CREATE TABLE categories (${id})`, /Category: \{/],
  ["a type", `CREATE TABLE t (${id}, a VARCHAR(9), b REAL NOT NULL, c BOOLEAN, d DATETIME, e DECIMAL(6,2), f BLOB, g JSON, h DATE, i UUID)`, /a\?: string\(\.\.9\)\n {2}b: number\n {2}c\?: boolean\n {2}d\?: datetime\n {2}e\?: decimal\(-9999\.99\.\.9999\.99\)\n {2}f\?: bytes\n {2}g\?: json\n {2}h\?: date\n {2}i\?: uuid/],
  ["a range", `CREATE TABLE t (${id}, a INT CHECK (a BETWEEN 1 AND 9))`, /a\?: integer\(1\.\.9\)/],
  ["a range of its own", `CREATE TABLE t (${id}, a INT, CHECK (a >= 1), CHECK (10 > a))`, /a\?: integer\(1\.\.9\)/],
  ["a length", `CREATE TABLE t (${id}, a TEXT NOT NULL CHECK (length(a) > 0 AND length(a) <= 80))`, /a: text\(1\.\.80\)/],
  ["no empty text", `CREATE TABLE t (${id}, a TEXT CHECK (a <> ''))`, /a\?: text\(1\.\.\)/],
  ["a closed list", `CREATE TABLE t (${id}, a TEXT DEFAULT 'b c' CHECK (a IN ('b c', 'now', 'it''s')))`, /a\?: "\\"b c\\" \| now \| \\"it's\\" = b c"/],
  ["a boolean by its CHECK", `CREATE TABLE t (${id}, a INTEGER DEFAULT 1 CHECK ("a" IN (0, 1)))`, /a\?: boolean = true/],
  ["the CHECK of a boolean", `CREATE TABLE t (${id}, a BOOLEAN NOT NULL CHECK (a IN (0, 1)), b BOOLEAN NOT NULL CHECK (b IN (1)))`, /a: boolean,? [\s\S]*rules: \{ T: "b in \[true\] else t-check-broken/],
  ["a run of numbers", `CREATE TABLE t (${id}, a INT CHECK (a IN (3, 1, 2)))`, /a\?: integer\(1\.\.3\)/],
  ["some numbers", `CREATE TABLE t (${id}, a INT NOT NULL CONSTRAINT odd CHECK (a IN (1, 3)))`, /T: "a in \[1, 3\] else odd-broken"/],
  ["JSON", `CREATE TABLE t (${id}, a TEXT CHECK (json_valid(a)))`, /a\?: json/],
  ["a rule", `CREATE TABLE t (${id}, a INT NOT NULL, b INT, CHECK (a < b OR b = 0))`, /T: b == null \|\| \(a < b\) \|\| \(b == 0\) else t-check-broken/],
  ["a rule about null", `CREATE TABLE t (${id}, a INT, b INT, CHECK ((a IS NULL) = (b IS NULL)))`, /T: \(a == null\) == \(b == null\)/],
  ["a bound beside a rule", `CREATE TABLE t (${id}, a INT NOT NULL, b INT NOT NULL, CHECK (a > 0 AND a <> b))`, /a: integer\(1\.\.\)\n? *,? ?b: integer[\s\S]*T: a != b else/],
  ["uniqueness", `CREATE TABLE t (${id}, a TEXT UNIQUE, b INT NOT NULL, c INT, UNIQUE (b, c))`, /a\?: "text, unique"[\s\S]*T: "unique b \+ c, absent distinct"/],
  ["a reference", `CREATE TABLE a (${id}); CREATE TABLE b (${id}, x INT NOT NULL REFERENCES a ON DELETE CASCADE, y INT REFERENCES A(ID) ON DELETE SET NULL, z INT REFERENCES a)`, /x: "A, delete with, filter", y\?: "A, clear, filter", z\?: "A, filter"/],
  ["references in the rule of a join table", `CREATE TABLE a (${id}); CREATE TABLE a_a (l INT REFERENCES a, r INT REFERENCES a, PRIMARY KEY (l, r), CHECK (l <> r))`, /unique l \+ r[\s\S]*l != r else/],
  ["a join table", `CREATE TABLE a (${id}); CREATE TABLE b (${id}); CREATE TABLE a_b (a INT REFERENCES a, b INT REFERENCES b, PRIMARY KEY (a, b))`, /AB: \{ id: id, a: "A, filter, create-only", b: "B, filter, create-only" \}[\s\S]*GET \/a-bs\/\{a\}\/\{b\}/],
  ["a key that is a reference", `CREATE TABLE a (${id}); CREATE TABLE b (a INTEGER PRIMARY KEY REFERENCES a)`, /B: \{ id: id, a: "A, filter, create-only, unique" \}[\s\S]*GET \/bs\/\{a\}/],
  ["times", `CREATE TABLE t (${id}, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT (strftime('%Y', 'now')))`, /created_at\?: datetime = now, read-only\n {2}updated_at\?: datetime = now on change, read-only/],
  ["defaults", `CREATE TABLE t (${id}, a INT DEFAULT -3, b TEXT DEFAULT 'now', c TEXT NOT NULL DEFAULT '', d REAL DEFAULT 1.50, e BOOLEAN DEFAULT FALSE)`, /a\?: integer = -3[\s\S]*b\?: text = "now"[\s\S]*c: text = ""[\s\S]*d\?: number = 1\.50[\s\S]*e\?: boolean = false/],
  ["a computed column", `CREATE TABLE t (${id}, a INT NOT NULL, b INT NOT NULL, c INT AS (a * b + 1) STORED)`, /c: integer := \(\(a \* b\) \+ 1\)/],
  ["an index", `CREATE TABLE t (${id}, a INT, b TEXT); CREATE INDEX x ON t (a); CREATE INDEX y ON t (b, a)`, /a\?: integer, filter, sort|a\?: "integer, filter, sort"/],
  ["a secret", `CREATE TABLE t (${id}, password_hash TEXT NOT NULL)`, /password_hash: text, write-only|password_hash: "text, write-only"/],
  ["a key of a table without one", "CREATE TABLE t (a TEXT NOT NULL UNIQUE, b INT)", /T: \{ id: text, b\?: integer \}/],
  ["two tables with one name", `CREATE TABLE person (${id}); CREATE TABLE people (${id})`, /Person2?: \{[\s\S]*Person2?: \{/],
  ["another column named id", "CREATE TABLE t (id INT, key INTEGER PRIMARY KEY)", /T: \{ id: id\(counter\), id_2\?: integer \}/],
  ["nothing", "SELECT 1", /## Resources and their fields\nThis part is not shown/],
]; // biome-ignore format: a table

for (const [what, sql, document] of lines) {
  test(what, async () => {
    const imported = await importedSqlite(sql);
    assert.match(imported.document, document);
    assert.deepEqual(errorsIn(imported), []);
  });
}

const notices: readonly (readonly [notice: string, sql: string])[] = [
  ["lost: a view, which is no table of records /v", "CREATE VIEW v AS SELECT 1 AS a"],
  ["lost: a virtual table, which is no table of records /f", "CREATE VIRTUAL TABLE f USING fts5(a)"],
  ["lost: a table without a key /t", "CREATE TABLE t (a, b)"],
  ["lost: a trigger /t", `CREATE TABLE t (${id}); CREATE TRIGGER x AFTER DELETE ON t BEGIN SELECT 1; END`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a TEXT CHECK (a GLOB 'x*'))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a DATE, CHECK (a IN ('2026-01-01')))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a REAL, CHECK (a < 1e300))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a TEXT CHECK (a > 'x'))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, package INT NOT NULL, b INT NOT NULL, CHECK (package < b))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, "now" INT NOT NULL, b INT NOT NULL, CHECK ("now" < b))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, "if" INT NOT NULL, CHECK ("if" IN (1, 3)))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a INT, b INT, CHECK (NOT (a IS NULL AND a > 3) AND (a IS NOT NULL AND a > b)))`],
  ["lost: uniqueness of only some rows /t/a", `CREATE TABLE t (${id}, a INT); CREATE UNIQUE INDEX x ON t (a) WHERE a > 1`],
  ["lost: uniqueness of an expression /t", `CREATE TABLE t (${id}, a TEXT); CREATE UNIQUE INDEX x ON t (lower(a))`],
  ["lost: a reference of several columns /u/a", "CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)); CREATE TABLE u (id INTEGER PRIMARY KEY, a INT, b INT, FOREIGN KEY (a, b) REFERENCES t)"],
  ["lost: a reference to something else than the id of a resource /u/a", `CREATE TABLE t (${id}, b INT UNIQUE); CREATE TABLE u (${id}, a INT REFERENCES t(b))`],
  ["lost: what a deletion does to a reference: SET NULL /u/a", `CREATE TABLE t (${id}); CREATE TABLE u (${id}, a INT NOT NULL REFERENCES t ON DELETE SET NULL)`],
  ["lost: what a changed key does to its references: an id never changes /u/a", `CREATE TABLE t (${id}); CREATE TABLE u (${id}, a INT REFERENCES t ON UPDATE CASCADE)`],
  ["lost: a default that the language does not have /t/a", `CREATE TABLE t (${id}, a TEXT DEFAULT (hex(randomblob(4))))`],
  ["lost: a generated column, whose expression the language does not have /t/b", `CREATE TABLE t (${id}, a TEXT, b TEXT AS (upper(a)))`],
  ["lost: that a column has no type /t/a", `CREATE TABLE t (${id}, a)`],
  ["lost: that a reference in a circle of references is required /b/a", `CREATE TABLE a (${id}, b INT NOT NULL REFERENCES b DEFERRABLE INITIALLY DEFERRED); CREATE TABLE b (${id}, a INT NOT NULL REFERENCES a)`],
  ["renamed: a column by a name that a field cannot have /t/first name", `CREATE TABLE t (${id}, "first name" TEXT)`],
  ["renamed: a key that is the field id /t/no", "CREATE TABLE t (no INTEGER PRIMARY KEY)"],
  ["guessed: one role, operator, for all operations: a database does not say who may call them ", `CREATE TABLE t (${id})`],
  ["guessed: that a column is a secret, by its name, so that no response has it /t/api_key", `CREATE TABLE t (${id}, api_key TEXT)`],
]; // biome-ignore format: a table

for (const [notice, sql] of notices) {
  test(notice, async () => {
    const imported = await importedSqlite(sql);
    assert.ok(noticesOf(imported).includes(notice), noticesOf(imported).join("\n"));
    assert.deepEqual(errorsIn(imported), []);
  });
}

test("hostile names and SQL", async () => {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const names = [
    'a"b', "select", "from where", "ünïcödé", "日本", "'; DROP TABLE x; --", "constructor", "__proto__", "toString", "_seq",
    "_REV", "[a]", "a,b", "a)b", "-- c", "/* d", "state", "id ", "ID2", "123", "$x", "now", "not shown", "none", "a\nb", "`e`",
  ]; // biome-ignore format: a list
  const columns = names.map((name) => `${quoted(name)} TEXT DEFAULT ')' CHECK (${quoted(name)} <> ')(')`).join(", ");
  const sql = names
    .filter((name) => name !== "none")
    .map(
      (name) =>
        `CREATE TABLE ${quoted(name)} (${id}, ${columns} /* ) CHECK (1 = 0 */, UNIQUE (${quoted('a"b')}, "日本"))`,
    )
    .join(";");
  const imported = await importedSqlite(sql);
  assert.deepEqual(errorsIn(imported), []);
  assert.equal(Object.keys(imported.model.resources.resources).length, names.length - 1);
});

test("2,000 columns, which is the most of SQLite, and 1,000 tables", async () => {
  const many = Array.from({ length: 1_999 }, (_, index) => `c${index} INT`).join(", ");
  const tables = Array.from(
    { length: 1_000 },
    (_, index) => `CREATE TABLE t${index} (${id}, t INT REFERENCES t${(index * 7) % 1_000})`,
  );
  const imported = await importedSqlite(`CREATE TABLE wide (${id}, ${many}); ${tables.join(";")}`);
  assert.equal(Object.keys(imported.model.resources.resources["Wide"]?.fields ?? {}).length, 2_000);
  assert.deepEqual(errorsIn(imported), []);
});
