/**
 * One meaning in every form: for generated expressions and rows, what the function says, what SQLite says, and, where the
 * two languages coincide, what another implementation of CEL says.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { isCelError, isCelList, run } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import fc from "fast-check";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row, type Scope, type Value } from "./evaluate.ts";
import {
  anyExpression,
  anyInput,
  anyOthers,
  anyRecord,
  env,
  type Kind,
  other,
  plainRecord,
  sampleFields,
} from "../../test/expression/arbitrary.ts";
import { parseExpression } from "./parse.ts";
import { compileSql, type SqlContext, parameterGetter } from "./sql.ts";
import { type TypedExpression } from "./typed.ts";
import type { FieldType } from "./types.ts";

const kinds: readonly Kind[] = ["bool", "int", "double", "string", "timestamp", "duration", "texts"];

/** Undefined when the type check refuses it, as it may: generated texts compare literals that are never equal. */
function typed(text: string): TypedExpression | undefined {
  const { expression, problems } = parseExpression(text);
  assert.deepEqual(problems, [], text);
  return expression && checkExpression(expression, env).typed;
}

const columnTypes: Readonly<Record<string, string>> = {
  bool: "INTEGER",
  int: "INTEGER",
  duration: "INTEGER",
  double: "REAL",
};

function open(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.function("nonet_number", (value) => (value === null ? null : JSON.stringify(value)));
  for (const [table, fields] of [
    ["thing", sampleFields],
    ["other", other],
  ] as const) {
    const columns = Object.entries(fields).map(([name, { type }]) => `"${name}" ${columnTypes[type.kind] ?? "TEXT"}`);
    database.exec(`CREATE TABLE ${table} (${columns.join(", ")}, _seq INTEGER PRIMARY KEY)`);
  }
  return database;
}

function stored(value: unknown, { type }: FieldType): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" && type.kind === "bool") return Number(value);
  if (typeof value === "object" || type.kind === "any") return JSON.stringify(value);
  return value as string | number;
}

function fill(
  database: DatabaseSync,
  table: string,
  fields: Readonly<Record<string, FieldType>>,
  rows: readonly Row[],
): void {
  database.exec(`DELETE FROM ${table}`);
  const names = Object.keys(fields);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (${names.map(() => "?").join(", ")}, NULL)`);
  for (const row of rows) insert.run(...names.map((name) => stored(row[name], fields[name] as FieldType)));
}

const context: SqlContext = {
  resource: "Thing",
  alias: "r",
  column: (_, field) => `"${field}"`,
  table: (resource) => resource.toLowerCase(),
};

function assertSame(given: Value, wanted: Value, text: string): void {
  const plain = typeof wanted === "boolean" ? Number(wanted) : wanted;
  if (typeof given === "number" && typeof plain === "number" && !Number.isInteger(given)) {
    assert.ok(Math.abs(given - plain) <= Math.abs(given) * 1e-15, `${text}: SQL ${given}, function ${plain}`);
  } else if (typeof given === "string" && Array.isArray(plain)) assert.equal(given, JSON.stringify(plain), text);
  else assert.ok(given === plain, `${text}: SQL ${JSON.stringify(given)}, function ${JSON.stringify(plain)}`);
}

const database = open();

function compareWithSqlite(text: string, things: readonly Row[], others: readonly Row[], variables: Row): boolean {
  const expression = typed(text);
  if (!expression) return false;
  fill(database, "thing", sampleFields, things);
  fill(database, "other", other, others);
  const tables: Readonly<Record<string, readonly Row[]>> = { Thing: things, Other: others };
  const ask = compileFunction(expression);
  const wanted = things.map((record) => {
    const scope: Scope = {
      record,
      variables,
      reference: (resource, id) => tables[resource]?.find((row) => row["id"] === id),
      records: (resource) => tables[resource] ?? [],
    };
    return ask(scope);
  });
  const selected = compileSql(expression, "sqlite", { ...context, use: "select" });
  assert.ok("sql" in selected, `${text}: ${JSON.stringify(selected)}`);
  const values = selected.parameters.map((one) => parameterGetter(one, "sqlite")(variables)) as (
    | string
    | number
    | null
  )[];
  const rows = database.prepare(`SELECT ${selected.sql} AS value FROM thing AS r ORDER BY r.id`).all(...values);
  rows.forEach((row, i) => assertSame(row["value"] as Value, wanted[i] ?? null, text));
  if (expression.type.kind === "bool")
    assertFiltered(
      text,
      expression,
      variables,
      things.filter((_, i) => wanted[i] === true),
    );
  return true;
}

function assertFiltered(text: string, expression: TypedExpression, variables: Row, wanted: readonly Row[]): void {
  for (const alias of ["r", ""]) {
    const where = compileSql(expression, "sqlite", { ...context, alias });
    assert.ok("sql" in where);
    const values = where.parameters.map((one) => parameterGetter(one, "sqlite")(variables)) as (
      | string
      | number
      | null
    )[];
    const from = alias === "" ? "thing" : `thing AS ${alias}`;
    const rows = database.prepare(`SELECT id FROM ${from} WHERE ${where.sql} ORDER BY id`).all(...values);
    assert.deepEqual(
      rows.map((row) => row["id"]),
      wanted.map((row) => row["id"]),
      `${text}: WHERE ${where.sql}`,
    );
  }
}

const things = fc
  .array(anyRecord, { minLength: 1, maxLength: 4 })
  .map((rows) => rows.map((row, i) => ({ id: `t${i + 1}`, ...row })));

for (const kind of kinds) {
  test(`property: function and SQLite agree on ${kind}`, () => {
    let compared = 0;
    const runs = kind === "bool" ? 1500 : 400;
    fc.assert(
      fc.property(anyExpression(kind), things, anyOthers, anyInput, (text, rows, others, input) => {
        const variables = { input, now: "2026-02-01T00:00:00.000Z" };
        if (compareWithSqlite(text, rows, others, variables)) compared += 1;
      }),
      { numRuns: runs },
    );
    assert.ok(compared > runs * 0.7, `only ${compared} of ${runs} expressions passed the type check`);
  });
}

test("property: function and SQLite agree on lists of every type, and on long walks", () => {
  const examples = [
    "boxes",
    "boxes.filter(x, x.n > 0)",
    "boxes.map(x, x.d)",
    "boxes.map(x, x.d * 2.0).distinct().sort()",
    "boxes.map(x, x.b)",
    "boxes.map(x, x.b).distinct()",
    "boxes.map(x, x.inner)",
    "boxes.sortBy(x, x.d).reverse()",
    "[t, tn, now].sort()",
    "[l, ln].sort().reverse()",
    "[d, dn, 0.5] == [0.5, d, dn].reverse()",
    "[nums, nums].flatten().sort()",
    "[[tags], [tagsn]].flatten().flatten()",
    "Other.map(o, o)",
    "Other.filter(o, o.thing != null).map(o, o.thing).distinct()",
    "other.thing.othern.name",
    "other.thing.othern.thing.s",
    "Other.exists(o, o.thing.other.kn == other.kn && o.thing.tags.size() > 0)",
    "int(t)",
    "int(d)",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...examples), things, anyOthers, anyInput, (text, rows, others, input) => {
      assert.ok(compareWithSqlite(text, rows, others, { input, now: "2026-02-01T00:00:00.000Z" }), text);
    }),
    { numRuns: 400 },
  );
});

test("numbers that leave their range, and lists of which a part is not there", () => {
  const most = Number.MAX_SAFE_INTEGER;
  const row = {
    id: "t1", b: true, bn: true, i: most, inn: null, d: 1.5, dn: null, s: "x", sn: null, t: "2026-01-31T12:00:00.000Z",
    tn: null, l: 0, ln: null, tags: ["x"], tagsn: null, nums: [most, most], box: null, boxes: [], map: null, any: null,
    other: "o1", othern: null,
  }; // biome-ignore format: one record
  const examples = [
    "any == string(nums.sum())",
    "string(nums.sum()) != sn",
    "double(i + 1) > 0.5",
    "!(string(nums.sum() + 1) == s)",
    "s in (tagsn + tags)",
    "!(s in (tags + tagsn))",
    "(tagsn + tags).exists(x, x == s)",
    "!(tags + tagsn).exists(x, x == s)",
    "(tags + tags).exists(x, x == s)",
    "s in (tags + tags)",
  ];
  for (const text of examples) {
    const asked = compareWithSqlite(text, [row], [{ id: "o1", k: 0, kn: null, name: "n", thing: null }], {
      input: {},
    });
    assert.ok(asked, text);
  }
});

test("property: function and SQLite agree behind a question for null", () => {
  const absent = ["bn", "inn", "dn", "sn", "tn", "ln"];
  const forms = fc.constantFrom<(name: string, inner: string) => string>(
    (name, inner) => `${name} != null && (${inner})`,
    (name, inner) => `!(${name} != null && (${inner}))`,
    (name, inner) => `${name} == null ? false : (${inner})`,
    (name, inner) => `!(${name} == null) && !(${name} != null && !(${inner}))`,
  );
  let compared = 0;
  fc.assert(
    fc.property(
      forms,
      fc.constantFrom(...absent),
      anyExpression("bool"),
      things,
      anyOthers,
      anyInput,
      (form, name, inner, rows, others, input) => {
        const variables = { input, now: "2026-02-01T00:00:00.000Z" };
        // The inner expression asks for the very name, so that it matters.
        const asked = `${name} == ${name} && (${inner})`;
        if (compareWithSqlite(form(name, asked), rows, others, variables)) compared += 1;
      },
    ),
    { numRuns: 600 },
  );
  assert.ok(compared > 300, `only ${compared} expressions passed the type check`);
});

/** CEL's ints are bigints there, and the two compare as JSON once they are numbers again. */
function fromCel(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isCelList(value)) return [...value];
  return typeof value === "number" ? value + 0 : value;
}

for (const kind of ["bool", "int", "double", "string", "texts"] as const) {
  test(`property: function and @bufbuild/cel agree on ${kind}`, () => {
    let compared = 0;
    const runs = 300;
    fc.assert(
      fc.property(anyExpression(kind, true), plainRecord, (text, record) => {
        const expression = typed(text);
        if (!expression) return;
        const bindings = { ...record, i: BigInt(record.i), nums: record.nums.map(BigInt) };
        const theirs = run(text, bindings, { funcs: strings });
        // Division by zero, an error there, is null here.
        if (isCelError(theirs)) return;
        const ours = compileFunction(expression)({ record, variables: {} });
        assert.deepEqual(ours === null ? null : fromCel(ours), fromCel(theirs), text);
        compared += 1;
      }),
      { numRuns: runs },
    );
    assert.ok(compared > runs * 0.5, `only ${compared} of ${runs} expressions compared`);
  });
}
