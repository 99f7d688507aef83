/** Tests `ancestors`: the function and SQLite find the same records above one, in the same order. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import { reachOf } from "./reach.ts";
import { compileSql, parameterGetter } from "./sql.ts";
import type { TypedExpression } from "./typed.ts";
import type { FieldType } from "./types.ts";

const folder = { kind: "record", resource: "Folder" } as const;
const fields: Readonly<Record<string, FieldType>> = {
  id: { type: folder, nullable: false },
  parent: { type: folder, nullable: true, tree: true },
  other: { type: folder, nullable: true },
  n: { type: { kind: "int" }, nullable: true },
};

function checked(text: string): { readonly typed?: TypedExpression; readonly codes: readonly string[] } {
  const { expression } = parseExpression(text);
  assert.ok(expression, text);
  const { problems, typed } = checkExpression(expression, { names: fields, resources: { Folder: fields } });
  return { ...(typed === undefined ? {} : { typed }), codes: problems.map(({ code }) => code) };
}

const examples = [
  "ancestors(parent).exists(f, f.n == n)",
  "ancestors(parent).all(f, f.n != n)",
  "!ancestors(parent).exists(f, f.n > 2)",
  "ancestors(parent).size()",
  "ancestors(parent).map(f, f.n)",
  "ancestors(parent).reverse().map(f, f.id)",
  "ancestors(parent).filter(f, f.n != null).first()",
  "ancestors(parent).sortBy(f, f.n).map(f, f.n).sum()",
  "ancestors(parent.parent).size()",
  "ancestors(other.parent).size()",
  "ancestors(other).map(f, f.id)",
  "ancestors(Folder.filter(f, f.n == 1).first()).size()",
  "Folder.filter(f, ancestors(f.parent).exists(g, g.id == id)).size()",
];

/** A folder is below any folder, also itself, or below none: data from elsewhere may have circles. */
const forests = fc
  .array(fc.record({ above: fc.nat(), other: fc.nat(), n: fc.option(fc.integer({ min: 0, max: 4 })) }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((rows) =>
    rows.map(({ above, other, n }, index): Row => {
      const idOf = (number: number): string | null => (number === 0 ? null : `f${number}`);
      return {
        id: `f${index + 1}`,
        parent: idOf(above % (rows.length + 1)),
        other: idOf(other % (rows.length + 1)),
        n,
      };
    }),
  );

test("property: the function and SQLite agree on ancestors", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE folder (id TEXT, parent TEXT, other TEXT, n INTEGER, _seq INTEGER PRIMARY KEY)");
  const insert = database.prepare("INSERT INTO folder VALUES (?, ?, ?, ?, NULL)");
  fc.assert(
    fc.property(fc.constantFrom(...examples), forests, (text, rows) => {
      const { typed } = checked(text);
      assert.ok(typed, text);
      database.exec("DELETE FROM folder");
      for (const { id, parent, other, n } of rows as readonly Record<string, string | number | null>[])
        insert.run(id as string, parent as string | null, other as string | null, n as number | null);
      const run = compileFunction(typed);
      const reference = (_: string, id: string | number): Row | undefined => rows.find((row) => row["id"] === id);
      const wanted = rows.map((record) => run({ record, variables: {}, reference, records: () => rows }));
      const compiled = compileSql(typed, "sqlite", {
        resource: "Folder",
        alias: "r",
        column: (_, field) => `"${field}"`,
        table: (resource) => resource.toLowerCase(),
        use: "select",
      });
      assert.ok("sql" in compiled, JSON.stringify(compiled));
      const values = compiled.parameters.map((one) => parameterGetter(one, "sqlite")({})) as (string | number | null)[];
      const found = database.prepare(`SELECT ${compiled.sql} AS v FROM folder AS r ORDER BY _seq`).all(...values);
      const plain = wanted.map((one) => (typeof one === "boolean" ? Number(one) : one));
      assert.deepEqual(
        found.map(({ v }) => v),
        plain.map((one) => (Array.isArray(one) ? JSON.stringify(one) : one)),
        `${text}\n${JSON.stringify(rows)}`,
      );
    }),
    { numRuns: 1000 },
  );
});

test("only a reference to the parent in a tree has ancestors", () => {
  for (const [text, code] of [
    ["Folder.exists(f, ancestors(f).size() > 1)", "no-tree"],
    ["ancestors(id).size()", "no-tree"],
    ["ancestors(n).size()", "no-tree"],
    ["ancestors(parent)", "records-as-value"],
    ["ancestors().size()", "wrong-arguments"],
  ] as const)
    assert.deepEqual(checked(text).codes, [code], text);
});

test("a write of an ancestor affects the records below it", () => {
  const { typed } = checked("ancestors(parent).exists(f, f.n == n)");
  const [other, ...more] = reachOf(typed as TypedExpression).others;
  assert.deepEqual(
    [other?.resource, other?.columns, other?.affected?.column, more],
    ["Folder", ["parent", "n"], "id", []],
  );
  const where = other?.affected?.where as TypedExpression;
  const rows: readonly Row[] = [
    { id: "a", parent: null },
    { id: "b", parent: "a" },
    { id: "c", parent: "b" },
    { id: "d", parent: null },
  ];
  const reference = (_: string, id: string | number): Row | undefined => rows.find((row) => row["id"] === id);
  const below = (value: string): unknown[] => {
    const run = compileFunction(where);
    return rows.filter((record) => run({ record, variables: { reach: { value } }, reference })).map(({ id }) => id);
  };
  assert.deepEqual([below("a"), below("b"), below("c"), below("d")], [["b", "c"], ["c"], [], []]);
});
