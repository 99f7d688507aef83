/** The same meaning in PostgreSQL: generated expressions and rows, function against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { postgresForFile } from "../../test/postgres/for-file.ts";
import { checkExpression } from "./check.ts";
import { compileFunction, type Row, type Value } from "./evaluate.ts";
import {
  anyExpression,
  anyInput,
  anyOthers,
  anyRecord,
  env,
  type Kind,
  other,
  sampleFields,
} from "../../test/expression/arbitrary.ts";
import { parseExpression } from "./parse.ts";
import { compileSql, parameterGetter } from "./sql.ts";
import { postgresType } from "./sql-text.ts";
import type { FieldType } from "./types.ts";

const { admin: client } = await postgresForFile();
// Neither may matter: a time of day far from UTC, and a collation that is a language's.
await client.query("SET timezone = 'Asia/Tokyo'");
await client.query("SET client_min_messages = error");

const kinds: readonly Kind[] = ["bool", "int", "double", "string", "timestamp", "duration", "texts"];

/** One expression asked of all rows: the query, and what the function says. */
interface Question {
  readonly text: string;
  readonly kind: Kind;
  readonly query: string;
  readonly wanted: readonly Value[];
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return `'${`${value as string | number | boolean}`.replaceAll("'", "''")}'`;
}

function stored(value: unknown, { type }: FieldType): string {
  const isJson = postgresType(type) === "jsonb" && value !== null && value !== undefined;
  return `${literal(isJson ? JSON.stringify(value) : value)}::${postgresType(type)}`;
}

function tableOf(name: string, fields: Readonly<Record<string, FieldType>>, rows: readonly Row[]): string {
  const columns = Object.entries(fields).map(([field, { type }]) => `"${field}" ${postgresType(type)}`);
  const values = rows.map(
    (row, place) =>
      `(${Object.entries(fields)
        .map(([field, type]) => stored(row[field], type))
        .join(", ")}, ${place})`,
  );
  return `DROP TABLE IF EXISTS ${name};\nCREATE TABLE ${name} (${columns.join(", ")}, _seq bigint);\nINSERT INTO ${name} VALUES ${values.join(", ")};\n`;
}

function questionOf(
  text: string,
  kind: Kind,
  things: readonly Row[],
  others: readonly Row[],
  input: Row,
): Question | undefined {
  const { expression } = parseExpression(text);
  const typed = expression && checkExpression(expression, env).typed;
  if (!typed) return undefined;
  const variables = { input, now: "2026-02-01T00:00:00.000Z" };
  const tables: Readonly<Record<string, readonly Row[]>> = { Thing: things, Other: others };
  const ask = compileFunction(typed);
  const wanted = things.map((record) => {
    const reference = (resource: string, id: string | number): Row | undefined =>
      tables[resource]?.find((row) => row["id"] === id);
    return ask({ record, variables, reference, records: (resource) => tables[resource] ?? [] });
  });
  const context = {
    resource: "Thing",
    alias: "r",
    column: (_: string, field: string) => `"${field}"`,
    table: (name: string) => name.toLowerCase(),
  };
  const compiled = compileSql(typed, "postgres", { ...context, use: "select" });
  assert.ok("sql" in compiled, `${text}: ${JSON.stringify(compiled)}`);
  const values = compiled.parameters.map((one) => parameterGetter(one, "postgres")(variables));
  const query = compiled.sql.replace(/\$(\d+)::/g, (_, number: string) => `${literal(values[Number(number) - 1])}::`);
  return { text, kind, query, wanted };
}

function shown({ query, kind }: Question): string {
  return kind === "timestamp"
    ? `to_char((${query}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `(${query})::text`;
}

/** What the server says to each question, a JSON array; or the error. */
async function answers(setup: string, questions: readonly Question[]): Promise<readonly string[]> {
  await client.query(setup);
  const given: string[] = [];
  for (const question of questions) {
    const asked = `SELECT json_agg(${shown(question)} ORDER BY id)::text AS answer FROM thing AS r`;
    const answer = client.query<{ answer: string }>(asked).then(({ rows }) => rows[0]?.answer ?? "no row", String);
    given.push(await answer);
  }
  return given;
}

function isSame(given: string | null | undefined, wanted: Value, kind: Kind): boolean {
  if (given === undefined) return false;
  if (given === null || wanted === null) return given === wanted;
  if (kind === "texts") return isDeepStrictEqual(JSON.parse(given), wanted);
  if (kind !== "double") return given === `${wanted as string | number | boolean}`;
  return Math.abs(Number(given) - Number(wanted)) <= Math.abs(Number(wanted)) * 1e-14;
}

/** Where a result is within a millionth of the largest double PostgreSQL's arithmetic may give null; those are left out. */
function withoutExtremes(row: Row): Row {
  const tame = (value: unknown): unknown => (typeof value === "number" && Math.abs(value) > 1e300 ? 1e300 : value);
  return { ...row, d: tame(row["d"]), dn: tame(row["dn"]) };
}

for (const kind of kinds) {
  test(`property: function and PostgreSQL agree on ${kind}`, async () => {
    const seed = Math.trunc(Math.random() * 2 ** 31);
    const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] => fc.sample(arbitrary, { seed, numRuns });
    const things = sample(anyRecord, 5).map((row, i) => ({ id: `t${i + 1}`, ...withoutExtremes(row) }));
    const [others = []] = sample(anyOthers, 1);
    const [input = {}] = sample(anyInput, 1);
    const questions = sample(anyExpression(kind), 400)
      .map((text) => questionOf(text, kind, things, others, input))
      .filter((question) => question !== undefined);
    const setup = tableOf("thing", sampleFields, things) + tableOf("other", other, others);
    const given = await answers(setup, questions);
    questions.forEach((question, i) => {
      const line = given[i] ?? "";
      assert.ok(line.startsWith("["), `seed ${seed}, ${question.text}: ${line}`);
      const values = JSON.parse(line) as (string | null)[];
      const same = question.wanted.every((wanted, j) => isSame(values[j], wanted, kind));
      assert.ok(same, `seed ${seed}, ${question.text}: ${line}, function ${JSON.stringify(question.wanted)}`);
    });
  });
}
