/** The tables that a service makes are imported, and give its resources again as far as tables have them. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { importCatalogue, type ImportedDatabase } from "../../src/import/database/import.ts";
import { readSqlite } from "../../src/import/database/sqlite.ts";
import { check, soundModel } from "../../src/language/check.ts";
import type { Model } from "../../src/language/model.ts";
import { buildPlan } from "../../src/plan/build.ts";
import type { Table } from "../../src/plan/resources/types.ts";
import { uniquesOf } from "../../src/store/sql/columns.ts";
import { isUniqueByDigest } from "../../src/store/postgres/schema.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../commands/process.ts";
import { postgresForFile } from "../postgres/for-file.ts";
import { errorsIn, importedSchema } from "./databases.ts";

const examples = globSync(join(import.meta.dirname, "../../examples/*.md")).toSorted();
const { admin, server } = await postgresForFile();
const clock = (): number => Date.parse("2026-06-01T12:00:00.000Z");

for (const [index, file] of examples.entries()) {
  const name = basename(file, ".md");
  const result = check(file, readFileSync(file, "utf8"));
  const sound = soundModel(result);
  assert.ok(sound);
  const { tables } = buildPlan(sound, result.places, result.expressions);

  test(`${name} in SQLite`, async (t) => {
    const data = join(temporaryFolder(t), "data.db");
    await (await openSqliteStore({ file: data, tables, clock })).close();
    const database = new DatabaseSync(data, { readOnly: true });
    const catalogue = await readSqlite(async (sql, values = []) => database.prepare(sql).all(...values), name);
    database.close();
    sameResources(importCatalogue(catalogue), tables, "SQLite");
  });

  test(`${name} in PostgreSQL`, async () => {
    const schema = `made_${index}`;
    await (await openPostgresStore({ address: `${server.address}?schema=${schema}`, tables, clock })).close();
    sameResources(await importedSchema(admin, schema), tables, "PostgreSQL");
  });
}

function sameResources(imported: ImportedDatabase, tables: readonly Table[], system: string): void {
  assert.deepEqual(errorsIn(imported), []);
  const { resources, rules } = imported.model.resources;
  assert.deepEqual(Object.keys(resources).toSorted(), tables.map(({ resource }) => resource).toSorted());
  for (const table of tables) assert.deepEqual(shapeOf(resources, rules, table.resource), shapeOfTable(table, system));
}

/** Fields with what a table has of them; `unique` sets as texts. */
function shapeOf(
  { ...resources }: Model["resources"]["resources"],
  rules: Model["resources"]["rules"],
  resource: string,
): unknown {
  const fields = Object.entries(resources[resource]?.fields ?? {});
  const sets = (rules[resource] ?? []).flatMap((rule) => (rule.kind === "unique" ? [rule.fields.join()] : []));
  return {
    fields: Object.fromEntries(
      fields.map(([name, { optional, type }]) => [
        name,
        {
          optional,
          ...(type.kind === "named" ? { refers: type.name } : {}),
          ...(type.kind === "one-of" ? { values: type.values } : {}),
        },
      ]),
    ),
    unique: [...fields.flatMap(([name, { marks }]) => (marks.includes("unique") ? [name] : [])), ...sets].toSorted(),
  };
}

function shapeOfTable(table: Table, system: string): unknown {
  // PostgreSQL has the uniqueness of a long text by its digest, which is an expression.
  const isExpression = (name: string): boolean => system === "PostgreSQL" && isUniqueByDigest(table, name);
  return {
    fields: Object.fromEntries(
      table.columns.map(({ name, nullable, references, type, values }) => [
        name,
        {
          optional: nullable,
          ...(references === undefined ? {} : { refers: references.resource }),
          ...(values === undefined || type !== "text" ? {} : { values }),
        },
      ]),
    ),
    unique: uniquesOf(table)
      .filter((set) => set.join() !== "id" && !set.some(isExpression))
      .map((set) => set.join())
      .toSorted(),
  };
}
