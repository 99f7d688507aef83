/** The catalogue of a real PostgreSQL server as documents; what SQLite has too is tested there. */
import assert from "node:assert/strict";
import test from "node:test";
import { postgresForFile } from "../postgres/for-file.ts";
import { errorsIn, importedPostgres, noticesOf } from "./databases.ts";

const { admin } = await postgresForFile();
const id = "id serial PRIMARY KEY";

const lines: readonly (readonly [what: string, sql: string, document: RegExp])[] = [
  ["serial", "CREATE TABLE pets (id bigserial PRIMARY KEY)", /Pet: \{ id: id\(counter\) \}/],
  ["an identity", "CREATE TABLE pets (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY)", /Pet: \{ id: id\(counter\) \}/],
  ["a sequence", "CREATE SEQUENCE s; CREATE TABLE pets (id int PRIMARY KEY DEFAULT nextval('s')); ALTER SEQUENCE s OWNED BY pets.id", /Pet: \{ id: id\(counter\) \}/],
  ["a random uuid", "CREATE TABLE pets (id uuid PRIMARY KEY DEFAULT gen_random_uuid())", /Pet: \{ id: uuid = uuid \}/],
  ["a sequence that belongs to no column", "CREATE SEQUENCE s; CREATE TABLE pets (id int PRIMARY KEY DEFAULT nextval('s'))", /Pet: \{ id: id\(counter\) \}/],
  ["a uuid of clients", "CREATE TABLE pets (id uuid PRIMARY KEY)", /Pet: \{ id: uuid \}/],
  ["texts", `CREATE TABLE t (${id}, a varchar(9) NOT NULL, b char(3), c text, d varchar)`, /a: string\(\.\.9\), b\?: string\(\.\.3\), c\?: text, d\?: text/],
  ["numbers", `CREATE TABLE t (${id}, a smallint, b int, c bigint, d real, e numeric(6,2), f numeric(4))`, /a\?: integer\(-32768\.\.32767\)\n {2}b\?: integer\(-2147483648\.\.2147483647\)\n {2}c\?: integer\n {2}d\?: number\n {2}e\?: decimal\(-9999\.99\.\.9999\.99\)\n {2}f\?: integer\(-9999\.\.9999\)/],
  ["other types", `CREATE TABLE t (${id}, a boolean, b date, c time, d timestamptz, e json, f jsonb, g bytea, h int[], i text[] NOT NULL)`, /a\?: boolean\n {2}b\?: date\n {2}c\?: time\n {2}d\?: datetime\n {2}e\?: json\n {2}f\?: json\n {2}g\?: bytes\n {2}h\?: integer\(-2147483648\.\.2147483647\)\[\]\n {2}i: text\[\]/],
  ["an enum", `CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy'); CREATE TABLE t (${id}, a mood NOT NULL DEFAULT 'so so')`, /a: sad \| "so so" \| happy = so so/],
  ["a domain", `CREATE DOMAIN code AS varchar(5) NOT NULL CHECK (VALUE ~ '^[A-Z]+$'); CREATE TABLE t (${id}, a code)`, /a: "string\(\.\.5\) \/\^\[A-Z\]\+\$\/"|a: string\(\.\.5\) \/\^\[A-Z\]\+\$\//],
  ["a domain of a domain", `CREATE DOMAIN a AS int CHECK (VALUE > 0); CREATE DOMAIN b AS a CHECK (VALUE < 9); CREATE TABLE t (${id}, a b)`, /a\?: integer\(1\.\.8\)/],
  ["a range", `CREATE TABLE t (${id}, a numeric(5,2) CHECK (a BETWEEN 0 AND 100), b int CHECK (b > 0), c bigint CHECK (c >= 1))`, /a\?: decimal\(0\.\.100\)[\s\S]*b\?: integer\(1\.\.2147483647\)[\s\S]*c\?: integer\(1\.\.\)/],
  ["a closed list", `CREATE TABLE t (${id}, a varchar(9) CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('p', 'q')))`, /a\?: x \| y, b: p \| q/],
  ["a length", `CREATE TABLE t (${id}, a varchar(80) NOT NULL CHECK (length(a) > 0), b text CHECK (char_length(b) <= 5))`, /a: string\(1\.\.80\), b\?: text\(\.\.5\)/],
  ["a rule", `CREATE TABLE t (${id}, a timestamptz NOT NULL, b timestamptz, CONSTRAINT "in order" CHECK (b >= a))`, /T: b == null \|\| b >= a else in-order-broken/],
  ["a rule about an enum", `CREATE TYPE mood AS ENUM ('a', 'b'); CREATE TABLE t (${id}, a mood NOT NULL, b int, CHECK (a <> 'b'::mood OR b IS NOT NULL))`, /a != 'b'\) \|\| \(!\(b == null\)\) else/],
  ["equal absent values", `CREATE TABLE t (${id}, a int, b int, UNIQUE NULLS NOT DISTINCT (a, b))`, /unique a \+ b, absent equal/],
  ["a unique index", `CREATE TABLE t (${id}, a int); CREATE UNIQUE INDEX ON t (a) INCLUDE (id)`, /a\?: "integer\(-2147483648\.\.2147483647\), unique"/],
  ["references", `CREATE TABLE a (${id}); CREATE TABLE b (${id}, x int NOT NULL REFERENCES a ON DELETE CASCADE, y int REFERENCES a ON DELETE SET NULL, z int REFERENCES a)`, /x: "A, delete with, filter", y\?: "A, clear, filter", z\?: "A, filter"/],
  ["defaults", `CREATE TABLE t (${id}, a int NOT NULL DEFAULT -1, b varchar(9) DEFAULT 'it''s', c boolean DEFAULT true, d timestamptz NOT NULL DEFAULT now(), e uuid DEFAULT gen_random_uuid(), f numeric(4,1) DEFAULT 1.5)`, /a: integer\(-2147483648\.\.2147483647\) = -1\n {2}b\?: string\(\.\.9\) = "it's"\n {2}c\?: boolean = true\n {2}d: datetime = now, read-only\n {2}e\?: uuid = uuid\n {2}f\?: decimal\(-999\.9\.\.999\.9\) = 1\.5/],
  ["a generated column", `CREATE TABLE t (${id}, a text NOT NULL, b text GENERATED ALWAYS AS (a || '!') STORED)`, /b: text := \(a \+ '!'\)|b: "text := \(a \+ '!'\)"/],
  ["comments", `CREATE TABLE t (${id}, a int); COMMENT ON TABLE t IS E'All of it.\n## Endpoints'; COMMENT ON COLUMN t.a IS 'How many'`, /note: How many[\s\S]*#### T\n\n> All of it\.\n> ## Endpoints/],
  ["a partitioned table", "CREATE TABLE t (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (9)", /T: \{ id: integer\(-2147483648\.\.2147483647\) \}\ntables: \{ T: t \}\n```\n\nNot imported: t1 \(partition\)/],
]; // biome-ignore format: a table

for (const [what, sql, document] of lines) {
  test(what, async () => {
    const imported = await importedPostgres(admin, "shop", sql);
    assert.match(imported.document, document);
    assert.deepEqual(errorsIn(imported), []);
  });
}

const notices: readonly (readonly [notice: string, sql: string])[] = [
  ["lost: a view, which is no table of records /v", "CREATE VIEW v AS SELECT 1 AS a"],
  ["lost: a view, which is no table of records /v", "CREATE MATERIALIZED VIEW v AS SELECT 1 AS a"],
  ["lost: a partition, whose rows are those of its table /t1", "CREATE TABLE t (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (9)"],
  ["lost: a policy of row-level security /t", `CREATE TABLE t (${id}); CREATE POLICY p ON t USING (id > 1)`],
  ["lost: an exclusion constraint /t", `CREATE TABLE t (${id}, a int4range, EXCLUDE USING gist (a WITH &&))`],
  ["lost: an inherited table /u", `CREATE TABLE t (${id}); CREATE TABLE u (PRIMARY KEY (id)) INHERITS (t)`],
  ["lost: a trigger /t", `CREATE TABLE t (${id}); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()`],
  ["lost: the type interval, which becomes text /t/a", `CREATE TABLE t (${id}, a interval)`],
  ["lost: the type of a column, which becomes text /t/a", `CREATE TYPE pair AS (a int, b int); CREATE TABLE t (${id}, a pair)`],
  ["lost: digits of a number beyond 15 /t/a", `CREATE TABLE t (${id}, a numeric)`],
  ["lost: a default that the language does not have /t/a", `CREATE TABLE t (${id}, a text DEFAULT md5(random()::text))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a text CHECK (lower(a) = a))`],
  ["lost: a CHECK /t", `CREATE TABLE t (${id}, a text CHECK (a ~* 'x'))`],
  ["lost: uniqueness of only some rows /t/a", `CREATE TABLE t (${id}, a int); CREATE UNIQUE INDEX ON t (a) WHERE a > 0`],
  ["lost: a reference to something else than the id of a resource /t/a", `CREATE SCHEMA IF NOT EXISTS other; CREATE TABLE IF NOT EXISTS other.x (id int PRIMARY KEY); CREATE TABLE t (${id}, a int REFERENCES other.x)`],
  ["guessed: that a timestamp without a time zone is in UTC /t/a", `CREATE TABLE t (${id}, a timestamp)`],
  ["guessed: that a time is the time of the last change, by its name /t/updated_at", `CREATE TABLE t (${id}, updated_at timestamptz DEFAULT now())`],
]; // biome-ignore format: a table

for (const [notice, sql] of notices) {
  test(notice, async () => {
    const imported = await importedPostgres(admin, "shop", sql);
    assert.ok(noticesOf(imported).includes(notice), noticesOf(imported).join("\n"));
    assert.deepEqual(errorsIn(imported), []);
  });
}

test("hostile names", async () => {
  const names = [
    'a"b',
    "select",
    "ünïcödé",
    "'; DROP TABLE x; --",
    "__proto__",
    "_seq",
    "$1",
    "A",
    "a",
    "x".repeat(63),
    "/* d",
    "E'\\",
  ];
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const columns = names
    .map((name) => `${quoted(name)} text DEFAULT E'\\')' CHECK (${quoted(name)} <> 'a)(')`)
    .join(", ");
  const imported = await importedPostgres(
    admin,
    "shop",
    names.map((name) => `CREATE TABLE ${quoted(name)} (${id}, ${columns})`).join(";"),
  );
  assert.deepEqual(errorsIn(imported), []);
  assert.equal(Object.keys(imported.model.resources.resources).length, names.length);
});

test("1,599 columns, nearly the most of PostgreSQL", async () => {
  const many = Array.from({ length: 1_598 }, (_, index) => `c${index} int`).join(", ");
  const imported = await importedPostgres(admin, "shop", `CREATE TABLE wide (${id}, ${many})`);
  assert.equal(Object.keys(imported.model.resources.resources["Wide"]?.fields ?? {}).length, 1_599);
  assert.deepEqual(errorsIn(imported), []);
});
