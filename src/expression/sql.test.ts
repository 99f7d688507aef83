/**
 * The SQL of an expression in both dialects: values are parameters, what SQL cannot say is refused, and nothing grows
 * without a bound.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { checkExpression } from "./check.ts";
import { parseExpression } from "./parse.ts";
import { compileSql, type Dialect, expressibleInSql, type SqlContext, sqlProblems, parameterGetter } from "./sql.ts";
import type { TypedExpression } from "./typed.ts";
import type { FieldType, TypeEnvironment } from "./types.ts";

const recipe: Record<string, FieldType> = {
  id: { type: { kind: "record", resource: "Recipe" }, nullable: false },
  author: { type: { kind: "record", resource: "User" }, nullable: false },
  editor: { type: { kind: "record", resource: "User" }, nullable: true },
  title: { type: { kind: "string" }, nullable: false },
  servings: { type: { kind: "int" }, nullable: false },
  draft: { type: { kind: "bool" }, nullable: true },
  labels: { type: { kind: "list", of: { kind: "string" } }, nullable: true },
  updatedAt: { type: { kind: "timestamp" }, nullable: false },
  extra: { type: { kind: "any" }, nullable: true },
};
const env: TypeEnvironment = {
  names: {
    ...recipe,
    caller: {
      type: { kind: "object", members: { id: { type: { kind: "record", resource: "User" }, nullable: true } } },
      nullable: false,
    },
    value: { type: { kind: "string" }, nullable: false },
    now: { type: { kind: "timestamp" }, nullable: false },
  },
  resources: {
    Recipe: recipe,
    User: {
      id: { type: { kind: "record", resource: "User" }, nullable: false },
      handle: { type: { kind: "string" }, nullable: false },
    },
    Like: {
      id: { type: { kind: "record", resource: "Like" }, nullable: false },
      recipe: { type: { kind: "record", resource: "Recipe" }, nullable: false },
      by: { type: { kind: "record", resource: "User" }, nullable: false },
    },
  },
};

function typed(text: string): TypedExpression {
  const { expression } = parseExpression(text);
  const checked = expression && checkExpression(expression, env);
  assert.ok(checked?.typed, `${text}: ${JSON.stringify(checked?.problems)}`);
  return checked.typed;
}

function compiled(
  text: string,
  dialect: Dialect,
  context: Partial<SqlContext> = {},
): { sql: string; parameters: readonly unknown[] } {
  const names: SqlContext = {
    resource: "Recipe",
    alias: "r",
    column: (_, field) => `"${field}"`,
    table: (resource) => `"${resource}"`,
    ...context,
  };
  const result = compileSql(typed(text), dialect, names);
  assert.ok("sql" in result, `${text}: ${JSON.stringify(result)}`);
  const variables = { caller: { id: "u1" }, value: "ann", now: "2026-02-01T00:00:00.000Z" };
  return { sql: result.sql, parameters: result.parameters.map((one) => parameterGetter(one, dialect)(variables)) };
}

test("an expression is written for each dialect", () => {
  const examples: readonly [text: string, sqlite: string, postgres: string, parameters: unknown[]][] = [
    ["author == caller.id", '(r."author" = ?)', '(r."author" = $1::text)', ["u1"]],
    ["editor == caller.id", '(r."editor" IS ?)', '(r."editor" IS NOT DISTINCT FROM $1::text)', ["u1"]],
    ["editor != 'u2'", '(r."editor" IS NOT ?)', '(r."editor" IS DISTINCT FROM $1::text)', ["u2"]],
    ["editor == null", '(r."editor" IS NULL)', '(r."editor" IS NULL)', []],
    ["!(editor == author)", '((r."editor" = r."author") IS NOT TRUE)', '((r."editor" = r."author") IS NOT TRUE)', []],
    ["title < 'm'", '(r."title" < ?)', '(r."title" COLLATE "C" < $1::text)', ["m"]],
    ["servings > 2 && draft", '((r."servings" > 2) AND r."draft")', '((r."servings" > 2) AND r."draft")', []],
    ["title.contains('%')", '(instr(r."title", ?) > 0)', '(strpos(r."title", $1::text) > 0)', ["%"]],
    ["title in ['a', 'b']", '(r."title" IN (?, ?))', '(r."title" IN ($1::text, $2::text))', ["a", "b"]],
    [
      "author.handle == value",
      '((SELECT _1."handle" FROM "User" AS _1 WHERE _1."id" = r."author") = ?)',
      '((SELECT _1."handle" FROM "User" AS _1 WHERE _1."id" = r."author") = $1::text)',
      ["ann"],
    ],
    [
      "value in labels",
      '(? IN (SELECT _1.value FROM json_each(r."labels") AS _1))',
      "($1::text IN (SELECT (_1.value #>> '{}') FROM jsonb_array_elements(r.\"labels\") AS _1(value)))",
      ["ann"],
    ],
    [
      "Like.exists(l, l.recipe == id && l.by == caller.id)",
      'EXISTS (SELECT 1 FROM "Like" AS _1 WHERE ((_1."recipe" = r."id") AND (_1."by" = ?)))',
      'EXISTS (SELECT 1 FROM "Like" AS _1 WHERE ((_1."recipe" = r."id") AND (_1."by" = $1::text)))',
      ["u1"],
    ],
    [
      "Like.filter(l, l.recipe == id).size()",
      '(SELECT COUNT(*) FROM "Like" AS _1 WHERE (_1."recipe" = r."id"))',
      '(SELECT COUNT(*) FROM "Like" AS _1 WHERE (_1."recipe" = r."id"))',
      [],
    ],
    // What asks nothing of a record is worked out before.
    [
      "updatedAt > now - duration('72h')",
      '(r."updatedAt" > ?)',
      '(r."updatedAt" > $1::timestamptz)',
      ["2026-01-29T00:00:00.000Z"],
    ],
    ["value.matches('^a') && draft", '(? AND r."draft")', '($1::boolean AND r."draft")', [1]],
    ["slugify(value) == title", '(? = r."title")', '($1::text = r."title")', ["ann"]],
  ];
  for (const [text, sqlite, postgres, parameters] of examples) {
    const one = compiled(text, "sqlite");
    assert.equal(one.sql, sqlite, text);
    assert.deepEqual(one.parameters, parameters, text);
    const other = compiled(text, "postgres");
    assert.equal(other.sql, postgres, text);
    assert.equal(other.parameters.length, parameters.length, text);
  }
});

test("the place in a statement is the caller's to say", () => {
  assert.equal(compiled("title == value", "postgres", { firstPlaceholder: 4 }).sql, '(r."title" = $4::text)');
  assert.equal(compiled("title == value", "sqlite", { alias: "" }).sql, '("title" = ?)');
  // Below another table's rows a bare column would be that table's.
  assert.match(
    compiled("Like.exists(l, l.recipe == id)", "sqlite", { alias: "" }).sql,
    /_1\."recipe" = "Recipe"\."id"/,
  );
  assert.equal(compiled("editor == author", "sqlite", { use: "select" }).sql, '((r."editor" = r."author") IS TRUE)');
  assert.match(compiled("double(servings + 1) > 2.5", "postgres", { use: "select" }).sql, /IS TRUE\)$/);
});

test("what SQL cannot say is a problem, with its place", () => {
  const examples: readonly [text: string, faulty: string][] = [
    ["title.matches('^a')", "title.matches('^a')"],
    ["draft && slugify(title) == 'x'", "slugify(title)"],
    ["[extra] == [extra]", "[extra] == [extra]"],
    ["extra == extra", "extra == extra"],
    ["extra.size() > 1", "extra.size()"],
  ];
  for (const [text, faulty] of examples) {
    const [problem, more] = sqlProblems(typed(text));
    assert.equal(problem?.code, "not-in-sql", text);
    assert.equal(text.slice(problem?.start, problem?.end), faulty, text);
    assert.equal(more, undefined, text);
    assert.equal(expressibleInSql(typed(text)), false);
  }
  assert.equal(expressibleInSql(typed("value.matches('^a') && author == caller.id")), true);
});

test("a condition can be answered from an index", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(
    'CREATE TABLE "Recipe" (id TEXT PRIMARY KEY, author TEXT, editor TEXT, servings INTEGER, draft INTEGER)',
  );
  for (const column of ["author", "editor", "servings"])
    database.exec(`CREATE INDEX by_${column} ON "Recipe" (${column})`);
  for (const [text, index] of [
    ["author == caller.id && !draft", "by_author"],
    ["editor == caller.id", "by_editor"],
    ["servings > value.size()", "by_servings"],
    ["author in ['u1', 'u2']", "by_author"],
  ] as const) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN SELECT id FROM "Recipe" AS r WHERE ${compiled(text, "sqlite").sql}`)
      .all("u1", ...(text.includes("['") ? ["u2"] : []));
    assert.match(String(plan[0]?.["detail"]), new RegExp(`USING (?:COVERING )?INDEX ${index}`), text);
  }
});

test("deep expressions stay as long in SQL as they are", () => {
  const deep: readonly ((inner: string) => string)[] = [
    (inner) => `(${inner} + servings)`,
    (inner) => `(${inner} in [servings, 2] ? 1 : servings)`,
    (inner) => `(title.endsWith(${inner} == 1 ? title : 'x') ? servings : 2)`,
    (inner) => `(labels.exists(l, l == title) && extra == ${inner} ? servings : 2)`,
  ];
  for (const wrap of deep) {
    for (const dialect of ["sqlite", "postgres"] as const) {
      let text = "servings";
      const lengths = [10, 20].map((levels) => {
        for (let level = 0; level < 10; level += 1) text = wrap(text);
        return compiled(text, dialect, { use: "select" }).sql.length / levels;
      });
      assert.ok((lengths[1] ?? 0) < (lengths[0] ?? 0) * 1.1, `${dialect}: ${text}`);
    }
  }
});
