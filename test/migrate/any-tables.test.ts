/** Any table with any records migrates to any other: retained values stay the same, and the new table's constraints hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { followingOf } from "../../src/server/open-store.ts";
import type { Value } from "../../src/expression/evaluate.ts";
import type { Column, ColumnType, Table } from "../../src/plan/resources/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { MigrationRejected } from "../../src/store/migration/migration.ts";
import type { Row } from "../../src/store/port/store.ts";
import { contentOf, copiesOf, fill, newFile, openBy, planOfParts } from "./data.ts";

const empty = planOfParts({ resources: "Note:\n  id: id" });

const kinds: Readonly<Record<ColumnType, { readonly schema: JsonObject; readonly values: fc.Arbitrary<Value> }>> = {
  text: {
    schema: { type: "string" },
    values: fc.constantFrom("", "x", "y", "7", "-3", "007", "1.5", "true", "2026-01-02T03:04:05.006Z", "it's", "ü\n"),
  },
  integer: { schema: { type: "integer" }, values: fc.constantFrom(0, 1, -3, 7, Number.MAX_SAFE_INTEGER) },
  number: { schema: { type: "number" }, values: fc.constantFrom(0, 1, -3, 1.5, 1 / 3, 1e300, 5e-324) },
  boolean: { schema: { type: "boolean" }, values: fc.boolean() },
  timestamp: {
    schema: { type: "string", format: "date-time" },
    values: fc.constantFrom("2026-01-02T03:04:05.006Z", "1999-12-31T00:00:00.000Z"),
  },
  json: {
    schema: { type: "array", items: { type: "string" } },
    values: fc.array(fc.constantFrom("x", "7"), { maxLength: 2 }),
  },
};

/** A column of any type that may be closed, bounded, unique or have a default. */
const columns: fc.Arbitrary<Omit<Column, "name">> = fc
  .constantFrom(...(Object.keys(kinds) as ColumnType[]))
  .chain((type) =>
    fc.record({
      nullable: fc.boolean(),
      absent: fc.constantFrom("left out", "null"),
      closed: type === "text" ? fc.option(fc.subarray(["", "x", "y", "7"], { minLength: 2 }), { nil: undefined }) : fc.constant(undefined),
      least: type === "integer" ? fc.constantFrom(undefined, undefined, 0) : fc.constant(undefined),
      unique: fc.nat(5).map((n) => n === 0 && type !== "json"),
      default: fc.option(kinds[type].values, { nil: undefined, freq: 3 }),
    }).map(({ nullable, absent, closed, least, unique, default: made }) => {
      const fits = made !== undefined && closed?.includes(made as string) !== false && !(Number(made) < (least ?? -Infinity));
      return {
        type,
        nullable,
        absent,
        schema: { ...kinds[type].schema, ...(closed && { enum: closed }), ...(least === undefined ? {} : { minimum: least }) },
        marks: unique ? ["unique"] : [],
        ...(closed === undefined ? {} : { values: closed }),
        ...(fits ? { default: { kind: "literal", text: "", value: made } } : {}),
      } satisfies Omit<Column, "name">;
    }),
  ); // biome-ignore format: each line is a choice

const id: Column = {
  name: "id",
  type: "text",
  nullable: false,
  absent: "left out",
  marks: [],
  schema: { type: "string" },
};

function tableOf(made: readonly Omit<Column, "name">[]): Table {
  const named = made.map((column, index): Column => ({ ...column, name: `c${index}` }));
  const indexes = named.filter(({ type }) => type === "integer").map(({ name }) => [name]);
  return { ...(empty.tables[0] as Table), id: { made: "client" }, columns: [id, ...named], indexes };
}

function planOf(table: Table, history: Plan["history"] = []): Plan {
  return { ...empty, tables: [table], history };
}

interface Pair {
  readonly before: Table;
  readonly after: Table;
  /** From a column's name afterwards to what it was called. */
  readonly former: ReadonlyMap<string, string>;
  readonly history: Plan["history"];
  readonly rows: readonly Row[];
}

const pairs: fc.Arbitrary<Pair> = fc
  .tuple(fc.array(columns, { minLength: 1, maxLength: 4 }), fc.array(columns, { maxLength: 4 }), fc.array(fc.nat(9), { minLength: 4, maxLength: 4 }), fc.boolean())
  .chain(([one, other, dice, renames]) => {
    const before = tableOf(one);
    // Half of the columns stay what they were, or nearly.
    const next = tableOf(one.map((column, index) => ((dice[index] ?? 0) < 5 ? { ...column, absent: "null" } : (other[index] ?? column))));
    const fresh = other[0] && (dice[3] ?? 0) > 6 ? [{ ...other[0], name: "fresh" }] : [];
    const name = (old: string): string => (renames && old === "c0" ? "renamed" : old);
    const after: Table = {
      ...next,
      columns: [...next.columns.map((column) => ({ ...column, name: name(column.name) })), ...fresh],
      indexes: [],
    };
    const history: Plan["history"] = renames
      ? [{ version: "2026-01-01", changes: [{ kind: "rename-field", resource: "Note", from: "c0", to: "renamed" }] }]
      : [];
    const former = new Map(before.columns.map((column) => [name(column.name), column.name]));
    return rowsOf(before).map((rows): Pair => ({ before, after, former, history, rows }));
  }); // biome-ignore format: each line is a step

/** Records that the table takes. */
function rowsOf({ columns: all }: Table): fc.Arbitrary<readonly Row[]> {
  const cells = all.slice(1).map(({ name, nullable, schema, type, values }) => {
    const one = values === undefined ? kinds[type].values : fc.constantFrom(...values);
    const least = schema["minimum"];
    const fitting = typeof least === "number" ? one.filter((value) => Number(value) >= least) : one;
    return [name, nullable ? fc.option(fitting) : fitting] as const;
  });
  return fc
    .array(fc.record(Object.fromEntries(cells)), { minLength: 1, maxLength: 8 })
    .map((rows) => rows.map((row, index): Row => ({ ...row, id: `n${index}` })))
    .filter((rows) => all.filter(isUnique).every(({ name }) => isDistinct(rows, name)));
}

function isUnique({ marks }: Column): boolean {
  return marks.includes("unique");
}

function isDistinct(rows: readonly Row[], name: string): boolean {
  const values = rows.map((row) => row[name] ?? null).filter((value) => value !== null);
  return new Set(values).size === values.length;
}

async function read(plan: Plan, file: string): Promise<readonly Row[]> {
  const store = await openBy(plan, file);
  const rows: Row[] = [];
  await store.transaction(async (tx) => {
    for (let n = 0; ; n += 1) {
      const row = await tx.get("Note", "id", `n${n}`);
      if (row === undefined) return;
      rows.push(row);
    }
  });
  await store.close();
  return rows;
}

/** What a value says, whatever type it has. */
function meaning(value: Value | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.length === 1 ? meaning(value[0] as Value) : JSON.stringify(value);
  return typeof value === "string" && /^-?\d+\.\d+$/.test(value) ? String(Number(value)) : String(value as string);
}

test("what is kept is what it was and the new table holds; what is refused is left as it was", async (t) => {
  const { validate } = await followingOf(empty);
  await fc.assert(
    fc.asyncProperty(pairs, fc.boolean(), async ({ before, after, former, history, rows }, allowLoss) => {
      const file = newFile(t);
      const [first, second] = [planOf(before), planOf(after, history)];
      await fill(first, file, { Note: rows });
      const content = contentOf(file);
      const originals = await read(first, file);
      try {
        const store = await openBy(second, file, { allowLoss });
        await store.close();
      } catch (thrown) {
        assert.ok(thrown instanceof MigrationRejected, String(thrown));
        assert.ok(thrown.differences.length > 0);
        for (const { obstacle } of thrown.plan.steps) assert.ok(obstacle === undefined || obstacle.ids.length > 0);
        assert.deepEqual(contentOf(file), content);
        assert.deepEqual(copiesOf(file), []);
        return;
      }
      const found = await read(second, file);
      assert.deepEqual(found.map((row) => row["_rev"]), originals.map((row) => row["_rev"])); // biome-ignore format: a row
      for (const column of after.columns) {
        if (isUnique(column)) assert.ok(isDistinct(found, column.name));
        const fits = validate(column.schema);
        const source = before.columns.find(({ name }) => name === former.get(column.name));
        for (const [index, row] of found.entries()) {
          const value = row[column.name] ?? null;
          assert.ok(
            value === null ? column.nullable : fits(value as never),
            `${column.name}: ${JSON.stringify(value)}`,
          );
          const old = (source && originals[index]?.[source.name]) ?? null;
          if (old !== null && !allowLoss) assert.equal(meaning(value), meaning(old));
          if (old !== null && source?.type === column.type && fits(old as never)) assert.deepEqual(value, old);
        }
      }
      assert.deepEqual(await read(second, file), found);
    }),
    { numRuns: 120 },
  );
});
