/** Results of cases become results of statements, and results with one root cause become one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interaction } from "../../src/conformance/interaction.ts";
import type { CaseResult } from "../../src/conformance/result.ts";
import { groupByCause, statementResults } from "../../src/conformance/results.ts";
import { statementsOf } from "../../src/conformance/statement.ts";
import { check } from "../../src/language/check.ts";
import { flagshipText } from "../export/documents.ts";

const { model, places } = check("parcel-lockers.md", flagshipText);
const statements = statementsOf(model, places);

function about(...paths: readonly string[]): Pick<CaseResult, "aspects"> {
  return { aspects: paths.map((path) => ({ path, expects: `${path} is so` })) };
}

function interaction(operation?: string): Interaction {
  return {
    request: { method: "GET", url: "http://127.0.0.1/", headers: {} },
    response: { problem: "no response within 10 s" },
    startedAt: 0,
    milliseconds: 1,
    caller: "operator",
    ...(operation === undefined ? {} : { operation }),
  };
}

function holds(id: string, ...paths: readonly string[]): CaseResult {
  return { kind: "holds", id, ...about(...paths), interactions: [] };
}

function broken(id: string, path: string, [operation, expected, got]: readonly [string | undefined, string, string]) {
  return {
    kind: "broken" as const,
    id,
    ...about(path),
    expected,
    got,
    interactions: [interaction("addSite"), interaction(operation)],
    also: [],
  };
}

function notTried(id: string, path: string): CaseResult {
  return { kind: "not tried", id, ...about(path), reason: "no credential for the role operator" };
}

const because = ["addSite", "422", "201"] as const;

const rows: readonly (readonly [what: string, results: readonly CaseResult[], path: string, kind: string, ids: readonly string[]])[] = [
  ["nothing", [], "resources/Site/name", "not tried", ["resources/Site/name"]],
  ["one that holds", [holds("a", "resources/Site/name/type")], "resources/Site/name", "holds", ["a"]],
  ["not of another one", [holds("a", "resources/Site/name")], "resources/Site/id", "not tried", ["resources/Site/id"]],
  ["one that holds and one that is not tried", [notTried("a", "resources/Site/name"), holds("b", "resources/Site/name")], "resources/Site/name", "holds", ["b", "a"]],
  [
    "one of each",
    [notTried("a", "resources/Site/name"), holds("b", "resources/Site/name"), broken("c", "resources/Site/name", because), broken("d", "resources/Site/name/type", because)],
    "resources/Site/name", "broken", ["c", "d", "b", "a"],
  ],
  ["one with two aspects of it", [holds("a", "authentication/allow/addSite/0", "authentication/allow/addLocker")], "authentication/allow/addSite", "holds", ["a"]],
  ["the second name of a line", [notTried("a", "authentication/allow/takeBack/0")], "authentication/allow/getParcel", "not tried", ["a"]],
  ["a path that is no statement", [broken("a", "resources/Site", because)], "resources/Site/id", "not tried", ["resources/Site/id"]],
]; // biome-ignore format: a table
for (const [what, results, path, kind, ids] of rows) {
  test(`the result of a statement: ${what}`, () => {
    const found = statementResults(statements, results);
    assert.equal(found.length, statements.length);
    const result = found.find(({ statement }) => statement.path === path);
    assert.deepEqual([result?.kind, result?.cases.map(({ id }) => id)], [kind, ids]);
  });
}

test("a statement that no case is about says why it is not tried", () => {
  for (const { cases } of statementResults(statements, []))
    assert.deepEqual(cases.map((one) => one.kind === "not tried" && one.reason), ["no client can observe it"]); // biome-ignore format: one line
});

test("the results are in the order of the statements", () => {
  assert.deepEqual(
    statementResults(statements, [holds("a", "errors/standard")]).map(({ statement }) => statement),
    statements,
  );
});

const grouped: readonly (readonly [what: string, results: readonly CaseResult[], expected: readonly (readonly string[])[]])[] = [
  ["nothing", [], []],
  ["the same operation, expected and got", [broken("a", "p/a", because), holds("b", "p/b"), broken("c", "p/c", because), broken("d", "p/d", because)], [["a", "c", "d"], ["b"]]],
  ["another operation", [broken("a", "p/a", because), broken("b", "p/b", ["addLocker", "422", "201"])], [["a"], ["b"]]],
  ["something else expected", [broken("a", "p/a", because), broken("b", "p/b", ["addSite", "409", "201"])], [["a"], ["b"]]],
  ["the same but for ids", [broken("a", "p/a", ["addSite", "422", "500 at req_01m8c5ye23fnet28s7am84e1b1"]), broken("b", "p/b", ["addSite", "422", "500 at req_01m8c5yd70f15vpxjjynwjtdz2"])], [["a", "b"]]],
  ["another code", [broken("a", "p/a", ["addSite", "201", "409 no-free-locker-here"]), broken("b", "p/b", ["addSite", "201", "409 no-more-extensions"])], [["a"], ["b"]]],
  ["something else got", [broken("a", "p/a", because), broken("b", "p/b", ["addSite", "422", "500"])], [["a"], ["b"]]],
  ["requests to no operation", [broken("a", "p/a", [undefined, "404", "500"]), broken("b", "p/b", [undefined, "404", "500"])], [["a"], ["b"]]],
  ["results that hold or are not tried", [holds("a", "p/a"), holds("b", "p/a"), notTried("c", "p/a"), notTried("d", "p/a")], [["a"], ["b"], ["c"], ["d"]]],
  ["a result that is one of several already", [{ ...broken("a", "p/a", because), also: ["b"] }, { ...broken("c", "p/c", because), also: ["d"] }], [["a", "b", "c", "d"]]],
]; // biome-ignore format: a table
for (const [what, results, expected] of grouped) {
  test(`results with one root cause: ${what}`, () => {
    const found = groupByCause(results);
    assert.deepEqual(found.map((one) => [one.id, ...(one.kind === "broken" ? one.also : [])]), expected); // biome-ignore format: one line
    assert.deepEqual(
      new Set(found.flatMap(({ aspects }) => aspects.map(({ path }) => path))),
      new Set(results.flatMap(({ aspects }) => aspects.map(({ path }) => path))),
      "no statement is lost",
    );
  });
}
