/** Money, dates and times in a zone, and the other functions that databases do not have: one meaning in all three forms. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { postgresForFile } from "../../test/postgres/for-file.ts";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row, type Value } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import { compileSql, type Dialect, parameterGetter } from "./sql.ts";
import { postgresType } from "./sql-text.ts";
import { sqliteFunctions } from "./sqlite-functions.ts";
import type { TypedExpression } from "./typed.ts";
import { type FieldType, money, type TypeEnvironment, type ValueType } from "./types.ts";
import { offsetAt } from "./zones.ts";

const must = (type: ValueType): FieldType => ({ type, nullable: false });
const may = (type: ValueType): FieldType => ({ type, nullable: true });
const fields: Readonly<Record<string, FieldType>> = {
  id: must({ kind: "record", resource: "Thing" }),
  m: may(money),
  other: may(money),
  n: may({ kind: "int" }),
  d: may({ kind: "double" }),
  s: may({ kind: "string" }),
  t: may({ kind: "timestamp" }),
  zone: may({ kind: "string", form: "timezone" }),
  day: may({ kind: "string", form: "date" }),
  hour: may({ kind: "string", form: "time" }),
  b: may({ kind: "string", form: "bytes" }),
  prices: may({ kind: "list", of: money }),
  nums: may({ kind: "list", of: { kind: "int" } }),
  words: may({ kind: "list", of: { kind: "string" } }),
};
const env: TypeEnvironment = {
  names: { ...fields, now: must({ kind: "timestamp" }) },
  resources: { Thing: fields },
};
const variables = { now: "2026-03-28T23:30:00.000Z" };

function checked(text: string): { readonly typed?: TypedExpression; readonly codes: readonly string[] } {
  const { expression } = parseExpression(text);
  assert.ok(expression, text);
  const { typed, problems } = checkExpression(expression, env);
  return { ...(typed && { typed }), codes: problems.map(({ code }) => code) };
}

function typed(text: string): TypedExpression {
  const found = checked(text);
  assert.ok(found.typed, `${text}: ${found.codes.join()}`);
  return found.typed;
}

function valuesOf(text: string, rows: readonly Row[]): readonly Value[] {
  const run = compileFunction(typed(text));
  const reference = (_: string, id: string | number): Row | undefined => rows.find((row) => row["id"] === id);
  return rows.map((record) => run({ record, variables, reference, records: () => rows }));
}

const eur = (amount: string) => ({ amount, currency: "EUR" });

test("the values of functions", () => {
  const row = {
    id: "t1", m: eur("12.50"), other: { amount: "3", currency: "NOK" }, n: 3, d: 0.25, s: "a", t: "2026-03-29T00:59:59.999Z",
    zone: "Europe/Oslo", day: "2026-03-29", hour: "02:30", b: "YWJjZA==", prices: [eur("0.1"), eur("0.20"), eur("-1")], nums: [3, 1, 2],
    words: ["b", "a"],
  }; // biome-ignore format: one record
  const rows: readonly (readonly [text: string, value: unknown])[] = [
    ["m + m", eur("25.00")],
    ["m - money('12.505', 'EUR')", eur("-0.005")],
    ["m + other", null],
    ["m * 3", eur("37.50")],
    ["0.25 * m", eur("3.13")],
    ["-m * d", eur("-3.13")],
    ["other * 0.333", { amount: "1.00", currency: "NOK" }],
    ["money('100', 'JPY') * 0.105", { amount: "11", currency: "JPY" }],
    ["money('999999999999999', 'EUR') + money('1', 'EUR')", null],
    ["money('0.1', 'EUR') + money('0.2', 'EUR') == money('0.30', 'EUR')", true],
    ["m > money('9', 'EUR')", true],
    ["m > other", false],
    ["m <= other", false],
    ["m != other", true],
    ["m == null", false],
    ["prices.sum()", eur("-0.70")],
    ["(prices + [other]).sum()", null],
    ["[m].filter(x, x.amount == '').sum()", null],
    ["(m * 2).currency", "EUR"],
    ["date(t, zone)", "2026-03-29"],
    ["time(t, zone)", "01:59:59"],
    ["month(t, zone)", "2026-03"],
    ["week(t, zone)", "2026-W13"],
    ["week(timestamp('2027-01-03T12:00:00Z'), 'UTC')", "2026-W53"],
    ["week(timestamp('2024-12-30T12:00:00Z'), 'UTC')", "2025-W01"],
    ["date(now, 'Europe/Oslo')", "2026-03-29"],
    ["date(now, 'America/New_York')", "2026-03-28"],
    ["t.getHours(zone)", 1],
    ["t.getHours()", 0],
    ["t.getDayOfWeek(zone)", 0],
    ["t.getFullYear() * 10000 + (t.getMonth() + 1) * 100 + t.getDate()", 20260329],
    ["t.getDayOfMonth()", 28],
    ["t.getDayOfYear()", 87],
    ["t.getMilliseconds()", 999],
    // The clocks go from 02:00 to 03:00, and in October from 03:00 back to 02:00.
    ["timestamp(day, hour, zone)", "2026-03-29T01:30:00.000Z"],
    ["timestamp('2026-10-25', hour, zone)", "2026-10-25T00:30:00.000Z"],
    ["timestamp('2026-10-25', '03:00:01', zone)", "2026-10-25T02:00:01.000Z"],
    ["timestamp(day, '00:00', 'America/Los_Angeles')", "2026-03-29T07:00:00.000Z"],
    ["timestamp(date(t, zone), '00:00', zone) <= t", true],
    ["timestamp('0001-01-01', '00:00', 'Asia/Tokyo')", null],
    ["(date(now, 'Europe/Oslo') - day).getHours() / 24", 0],
    ["(day - date(timestamp('2026-02-27T12:00:00Z'), 'UTC')).getHours() / 24", 30],
    ["(date(timestamp('2026-02-27T12:00:00Z'), 'UTC') - day).getHours() / 24", -30],
    ["(timestamp('2026-03-29T03:00:00Z') - t).getHours()", 2],
    ["(timestamp('2026-03-29T03:00:00Z') - t).getMinutes()", 120],
    ["(t - timestamp('2026-03-29T03:00:00Z')).getMinutes()", -120],
    ["(timestamp('2026-03-29T03:00:00Z') - t).getSeconds()", 7200],
    ["duration('1m') * n == duration('3m')", true],
    ["t + n * duration('1h')", "2026-03-29T03:59:59.999Z"],
    ["b.size()", 4],
    ["size(b == null ? b : b)", 4],
    ["Thing.map(x, x.b.size()).sum()", 4],
    ["min(n, 2)", 2],
    ["max(n, 2, 7)", 7],
    [`min(${Array.from({ length: 30 }, (_, index) => 30 - index).join(", ")})`, 1],
    ["max(d, 1)", 1],
    ["min('b', s)", "a"],
    ["max(t, now)", "2026-03-29T00:59:59.999Z"],
    ["nums.min()", 1],
    ["nums.max()", 3],
    ["nums.filter(x, x > 9).max()", null],
    ["words.min()", "a"],
    ["words.first()", "b"],
    ["nums.sort().first()", 1],
    ["nums.filter(x, x > 9).first()", null],
    ["Thing.filter(x, x.n > 2).first().s", "a"],
    ["hash('')", Number.parseInt(createHash("sha256").update("").digest("hex").slice(0, 12), 16)],
    ["hash(s) % 100 < 100", true],
  ];
  for (const [text, value] of rows) assert.deepEqual(valuesOf(text, [row])[0], value, text);
});

test("absent values, and what is rejected", () => {
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, name === "id" ? "t1" : null]));
  const absent = [
    "m + m",
    "m * 2",
    "2.0 * m",
    "date(t, zone)",
    "timestamp(day, hour, zone)",
    "min(n, 1)",
    "hash(s)",
    "b.size()",
  ];
  for (const text of [...absent, "prices.sum()", "nums.max()", "t.getHours('UTC')", "words.first()"])
    assert.equal(valuesOf(text, [nothing])[0], null, text);
  assert.equal(valuesOf("m < m || m > m", [nothing])[0], false);
  assert.equal(valuesOf("m == other", [nothing])[0], true);
  const rejected: readonly (readonly [text: string, code: string])[] = [
    ["m + 1", "wrong-type"],
    ["int(day)", "wrong-type"],
    ["int(hour)", "wrong-type"],
    ["duration('1h').getHours('UTC')", "wrong-type"],
    ["duration('1h').getDate()", "wrong-type"],
    ["duration('1h') * d", "wrong-type"],
    ["duration(s)", "wrong-arguments"],
    ["m * m", "wrong-type"],
    ["m / 2", "wrong-type"],
    ["m < 2", "no-order"],
    ["m == 2", "never-equal"],
    ["money('1,5', 'EUR')", "wrong-arguments"],
    ["money('1.5', 'EURO')", "wrong-arguments"],
    ["date(t)", "wrong-arguments"],
    ["date(t, 'Europe/Olso')", "bad-timezone"],
    ["date(t, s)", "bad-timezone"],
    ["date(day, zone)", "wrong-type"],
    ["timestamp(s, hour, zone)", "bad-date"],
    ["timestamp('2026-02-30', hour, zone)", "bad-date"],
    ["timestamp(day, '24:00', zone)", "bad-time"],
    ["min(n)", "wrong-arguments"],
    ["min(n, s)", "wrong-type"],
    ["words.map(w, [w]).first()", "wrong-type"],
    ["Thing.min()", "records-as-value"],
    ["hash(n)", "wrong-type"],
  ];
  for (const [text, code] of rejected) assert.deepEqual(checked(text).codes, [code], text);
});

test("the spellings of a zone's name share its cache", (t) => {
  const formats = t.mock.method(Intl, "DateTimeFormat");
  const spellings = ["Antarctica/Troll", "antarctica/troll", "ANTARCTICA/TROLL", "Antarctica/troll"];
  for (const zone of [...spellings, ...spellings]) assert.equal(offsetAt(0, zone), 0);
  assert.equal(formats.mock.callCount(), 1);
  assert.equal(offsetAt(0, "Antarctica/Trolls"), undefined);
});

const zones = [
  "Europe/Oslo",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "UTC",
  "america/sao_paulo",
];
const amounts = ["0", "1", "-0.01", "12.50", "0.1", "99999999999999.99", "-999999999999999", "7.005"];
const anyMoney = fc.record({
  amount: fc.constantFrom(...amounts),
  currency: fc.constantFrom("EUR", "EUR", "JPY", "BHD"),
});
// Time zone data before 1970 differs between ICU and PostgreSQL, and so do forecasts.
const anyMoment = fc.oneof(
  fc.date({ min: new Date("1970-01-02"), max: new Date("2036-12-31"), noInvalidDate: true }),
  fc.integer({ min: -180, max: 180 }).map((minutes) => new Date(Date.parse("2026-03-29T01:00:00Z") + minutes * 60_000)),
  fc.integer({ min: -180, max: 180 }).map((minutes) => new Date(Date.parse("2026-10-25T01:00:00Z") + minutes * 60_000)),
);
const anyRow = fc.record({
  m: fc.option(anyMoney),
  other: fc.option(anyMoney),
  n: fc.option(fc.integer({ min: -9, max: 9 })),
  d: fc.option(fc.constantFrom(0, 0.5, 1.005, -2.5, 1e-7, 3, 1e15)),
  s: fc.option(fc.constantFrom("", "a", "é", "\u{1f600}", "\uffff")),
  t: fc.option(anyMoment.map((date) => date.toISOString())),
  zone: fc.option(fc.constantFrom(...zones)),
  day: fc.option(anyMoment.map((date) => date.toISOString().slice(0, 10))),
  hour: fc.option(fc.constantFrom("00:00", "02:30", "02:59:59", "03:00", "23:59:59", "12:00:01")),
  b: fc.option(fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"))),
  prices: fc.option(fc.array(anyMoney, { maxLength: 3 })),
  nums: fc.option(fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 3 })),
  words: fc.option(fc.array(fc.constantFrom("", "a", "é", "\u{1f600}", "\uffff"), { maxLength: 3 })),
});
const somes = fc.array(anyRow, { minLength: 1, maxLength: 5 });

const expressions = [
  "m + other", "m - other", "m * n", "m * d", "-m", "(m + other) * 2 - m", "(m + other).amount", "m == other", "m != other",
  "m < other", "m <= other", "m > other", "!(m >= other)", "m < other || m == other", "prices.sum()",
  "prices.map(p, p * 2).sum()", "Thing.map(x, x.m).sum()", "Thing.filter(x, x.m > other).size()",
  "prices.exists(p, p == m)", "m != null && m * 3 > money('10', m.currency)", "(n > 0 ? m : other) * 2",
  "month(t, zone)", "week(t, zone)", "date(t, zone)", "time(t, zone)", "date(t, 'Europe/Oslo')", "t.getFullYear(zone)", "t.getMonth(zone)", "t.getDate(zone)",
  "t.getDayOfMonth(zone)", "t.getDayOfWeek(zone)", "t.getDayOfYear(zone)", "t.getHours(zone)", "t.getMinutes(zone)",
  "t.getSeconds(zone)", "t.getMilliseconds(zone)", "t.getHours()", "timestamp(day, hour, zone)",
  "timestamp(date(t, zone), time(t, zone), zone)", "timestamp(day, '02:30', zone) - t", "date(t, zone) == day",
  "(day - date(t, zone)).getHours() / 24", "(timestamp(day, hour, zone) - t).getMinutes()", "t + duration('1m') * n",
  "min(n, 3)", "max(n, n * 2)", "min(d, 0.25)", "max(s, 'b')", "min(t, now)", "nums.min()", "nums.max()", "words.max()",
  "words.min()", "nums.first()", "words.first()", "nums.sort().reverse().first()", "Thing.map(x, x.n).max()",
  "Thing.filter(x, x.n > n).first()", "Thing.filter(x, x.n > n).sortBy(x, x.n).first().s", "hash(s)", "hash(s) % 100",
  "b.size()", "Thing.map(x, x.b.size()).sum()",
]; // biome-ignore format: a list

const context = {
  resource: "Thing",
  alias: "r",
  column: (_: string, field: string) => `"${field}"`,
  table: () => "thing",
};

/** A query whose parameters are written into its text, and what the function returns. */
function questionOf(text: string, rows: readonly Row[], dialect: Dialect) {
  const compiled = compileSql(typed(text), dialect, { ...context, use: "select" });
  assert.ok("sql" in compiled, `${text}: ${JSON.stringify(compiled)}`);
  const values = compiled.parameters.map((one) => parameterGetter(one, dialect)(variables));
  return { sql: compiled.sql, values, wanted: valuesOf(text, rows) };
}

function plain(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

test("property: SQLite has the same meaning", () => {
  const database = new DatabaseSync(":memory:");
  database.function("nonet_number", (value) => (value === null ? null : JSON.stringify(value)));
  for (const [name, run] of Object.entries(sqliteFunctions)) database.function(name, { varargs: true }, run);
  database.exec(
    `CREATE TABLE thing (${Object.keys(fields)
      .map((name) => `"${name}"`)
      .join()}, _seq INTEGER PRIMARY KEY)`,
  );
  const insert = database.prepare(
    `INSERT INTO thing VALUES (${Object.keys(fields)
      .map(() => "?")
      .join()}, NULL)`,
  );
  fc.assert(
    fc.property(somes, (drawn) => {
      const rows = drawn.map((row, index): Row => ({ id: `t${index}`, ...row }));
      database.exec("DELETE FROM thing");
      for (const row of rows) {
        const values = Object.keys(fields).map((name) => row[name] as string | number | null);
        insert.run(
          ...values.map((value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value)),
        );
      }
      for (const text of expressions) {
        const { sql, values, wanted } = questionOf(text, rows, "sqlite");
        const found = database
          .prepare(`SELECT ${sql} AS value FROM thing AS r ORDER BY r._seq`)
          .all(...(values as string[]));
        const read = found.map(({ value }) =>
          typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value,
        );
        assert.deepEqual(read, wanted.map(plain), text);
      }
    }),
    { numRuns: 40 },
  );
});

test("property: PostgreSQL has the same meaning", async () => {
  const { admin } = await postgresForFile();
  await admin.query("SET timezone = 'Asia/Tokyo'");
  const columns = Object.entries(fields).map(([name, { type }]) => `"${name}" ${postgresType(type)}`);
  await admin.query(`CREATE TEMPORARY TABLE thing (${columns.join()}, _seq bigint)`);
  const names = Object.keys(fields);
  for (const drawn of fc.sample(somes, 12)) {
    const rows = drawn.map((row, index): Row => ({ id: `t${index}`, ...row }));
    await admin.query("DELETE FROM thing");
    for (const [index, row] of rows.entries()) {
      const values = names.map((name) =>
        typeof row[name] === "object" && row[name] !== null ? JSON.stringify(row[name]) : row[name],
      );
      await admin.query(
        `INSERT INTO thing VALUES (${names.map((_, place) => `$${place + 1}`).join()}, ${index})`,
        values,
      );
    }
    for (const text of expressions) {
      const { sql, values, wanted } = questionOf(text, rows, "postgres");
      const isMoment = typed(text).type.kind === "timestamp";
      const value = isMoment ? `to_char((${sql}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `(${sql})`;
      const { rows: found } = await admin.query<{ value: unknown }>({
        text: `SELECT to_jsonb(${value}) AS value FROM thing AS r ORDER BY r._seq`,
        values,
      });
      assert.deepEqual(
        found.map((one) => one.value),
        wanted,
        `${text} ${JSON.stringify(rows)}`,
      );
    }
  }
});
