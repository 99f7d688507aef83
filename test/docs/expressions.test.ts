/** The page on expressions: every expression in its tables has the value or the error next to it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readDocument } from "../../src/document/read.ts";
import { checkExpression } from "../../src/expression/check.ts";
import { compileFunction, mostSteps, type Row, type Scope } from "../../src/expression/evaluate.ts";
import { parseExpression } from "../../src/expression/parse.ts";
import { limits } from "../../src/expression/syntax.ts";
import type { FieldType, NamedType, TypeEnvironment } from "../../src/expression/types.ts";
import { readModel } from "../../src/language/read.ts";
import { recordMembers } from "../../src/language/resources/value-type.ts";
import { fencesOf, readPage, root, tableRows } from "./fences.ts";

const page = "docs/reference/expressions.md";
const example = readFileSync(join(root, "examples", "parcel-lockers.md"), "utf8");
const { model } = readModel(readDocument("example.md", example).document);

const text: FieldType = { type: { kind: "string" }, nullable: false };
const variables: Readonly<Record<string, NamedType>> = {
  now: { type: { kind: "timestamp" }, nullable: false },
  caller: {
    nullable: false,
    type: {
      kind: "object",
      members: {
        id: { ...text, nullable: true },
        roles: { type: { kind: "list", of: text.type }, nullable: false },
        claims: { type: { kind: "map", of: { kind: "any" } }, nullable: false },
      },
    },
  },
  input: { nullable: false, type: { kind: "object", members: { code: text, note: { ...text, nullable: true } } } },
};
const env: TypeEnvironment = {
  names: { ...recordMembers(model, "Parcel"), ...variables },
  resources: Object.fromEntries(
    Object.keys(model.resources.resources).map((name) => [name, recordMembers(model, name)]),
  ),
};

const [record, shownVariables, records] = ["record", "variables", "records"].map((name) => {
  const fence = fencesOf(page, "json").find(({ meta }) => meta[name] !== undefined);
  assert(fence !== undefined, name);
  return JSON.parse(fence.text) as Row;
}) as [Row, Row, Readonly<Record<string, readonly Row[]>>];
const scope: Scope = {
  record,
  variables: shownVariables,
  reference: (resource, id) => records[resource]?.find((row) => row["id"] === id),
  records: (resource) => records[resource] ?? [],
};

for (const heading of ["Values and names", "Operators", "Null", "Functions", "Lists and records"]) {
  test(`the expressions below ${heading} have the values that are shown`, () => {
    const rows = tableRows(page, heading).map((row) => row.map((cell) => cell.replace(/^`(.*)`$/, "$1")));
    const shown = rows.filter(([expression = "", value = ""]) => isExpression(expression) && value !== "");
    for (const [expression = "", value = ""] of shown) {
      assert.deepEqual(evaluated(expression), JSON.parse(value), expression);
    }
    assert(shown.length > 6);
  });
}

/** The table of places has a cell of words in its first column. */
function isExpression(cell: string): boolean {
  return parseExpression(cell).expression !== undefined && !placeRows.has(cell);
}

const placeRows = new Set(["rules", "choose", "gives"]);

function evaluated(expression: string): unknown {
  const parsed = parseExpression(expression);
  assert(parsed.expression !== undefined, `${expression}: ${JSON.stringify(parsed.problems)}`);
  const { typed, problems } = checkExpression(parsed.expression, env);
  assert(typed !== undefined, `${expression}: ${JSON.stringify(problems)}`);
  return compileFunction(typed)(scope);
}

test("rejected expressions have the codes that the page shows", () => {
  const rows = tableRows(page, "Rejected expressions");
  const given = rows.map(([cell = ""]) => {
    const parsed = parseExpression(cell.slice(1, -1));
    const problems =
      parsed.expression === undefined ? parsed.problems : checkExpression(parsed.expression, env).problems;
    return [cell, problems.map((problem) => `\`${problem.code}\``).join()];
  });
  assert.deepEqual(given, rows);
});

test("the bounds are the code's", () => {
  const shown = tableRows(page, "Bounds").map(([, number = ""]) => Number(number.replaceAll(",", "")));
  assert.deepEqual(shown, [...Object.values(limits), mostSteps]);
});

test("every function is shown", () => {
  const source = readFileSync(join(root, "src/expression/check.ts"), "utf8");
  const table = /^const functions: [^\n]*\{\n([\s\S]*?)^\};/m.exec(source)?.[1] ?? "";
  const names = [...table.matchAll(/^  (\w+): check/gm)].map(([, name]) => name);
  assert(names.length > 5);
  assert.deepEqual(
    names.filter((name) => !readPage(page).includes(`${name}(`)),
    [],
  );
});
