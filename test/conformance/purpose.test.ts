/** Cases of part 1: an operation that the document lists and the service does not have is found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crud, documentOf } from "../enforced/document.ts";
import { testServed } from "./served.ts";

/** The usual operations of things, and of their parts, which alone a PUT makes. */
const operations = {
  ...crud,
  putPart: "PUT /things/{thing}/parts/{id}",
  removePart: "DELETE /things/{thing}/parts/{id}",
};
const resources = {
  Thing: { id: "id(thi)", name: "string(1..40)" },
  Part: { id: "string(1..9)", thing: "Thing, create-only, delete with" },
};

function withOperations(names: readonly string[]): string {
  const endpoints = Object.fromEntries(Object.entries(operations).filter(([name]) => names.includes(name)));
  return documentOf({ resources, endpoints: { endpoints } });
}

const names = Object.keys(operations);

for (const missing of names) {
  void test(`found: a service without ${missing}`, async () => {
    const served = withOperations(names.filter((name) => name !== missing));
    const { cases } = await testServed(withOperations(names), { served, only: ["purpose"] });
    const result = (name: string): string | undefined =>
      cases.find(({ id }) => id.startsWith(`purpose/operations/${name}:`))?.kind;
    assert.equal(result(missing), "broken");
    for (const name of names.filter((one) => one !== missing)) assert.notEqual(result(name), "broken", name);
  });
}

void test("a service with all operations has no broken statement, and prose is not tried", async () => {
  const { cases, statements } = await testServed(withOperations(names), { only: ["purpose"] });
  assert.deepEqual(
    cases.filter(({ kind }) => kind === "broken"),
    [],
  );
  const prose = statements.filter(({ statement: { path } }) => /^purpose\/(?!operations)/.test(path));
  assert.deepEqual([...new Set(prose.map(({ kind }) => kind))], ["not tried"]);
});
