/**
 * `wire` beside an operation that Nonet performs changes nothing of what the operation does and of how it is described: the
 * plan, the OpenAPI description and the cases of `nonet test` are those of the document without it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { casesOf } from "../../src/conformance/cases.ts";
import { contractOf } from "../../src/conformance/contract.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { check, soundModel } from "../../src/language/check.ts";
import { printModel } from "../../src/language/print.ts";
import { buildPlan } from "../../src/plan/build.ts";

/** The operations of a pet shop, each with its `wire`. `Pet` is the name of a resource and of a schema. */
const known: Readonly<Record<string, readonly [address: string, wire: string]>> = {
  addPet: ["POST /pets", "{ header: { X-Trace?: string }, body: Pet, answers: { 201: Pet, 422: Failure } }"],
  getPet: [
    "GET /pets/{id}",
    '{ path: { id: string }, answers: { 200: Pet, default: { schema: { $ref: "#/schemas/Failure" } } } }',
  ],
  listPets: [
    "GET /pets",
    "{ query: { limit?: integer }, answers: { 200: { type: 'Pet[]', media: application/json } } }",
  ],
  removePet: ["DELETE /pets/{id}", "{ answers: { 204: none } }"],
};
const names = Object.keys(known);
const handler = "{ at: GET /report, does: handler, wire: { answers: { 200: Report } } }";

function documentOf(withContract: readonly string[], schemas: string): string {
  const lines = names.map((name) => {
    const [address, wire] = known[name] as readonly [string, string];
    return `    ${name}: ${withContract.includes(name) ? `{ at: "${address}", wire: ${wire} }` : `"${address}"`}`;
  });
  return `purpose: { service: pets, operations: { ${[...names, "report"].map((name) => `${name}: Does it`).join(", ")} } }
resources:
  Pet: { id: id(pet), name: string(1..80), tag?: string(1..20) }
  schemas: ${schemas}
endpoints:
  endpoints:
${lines.join("\n")}
    report: ${handler}
authentication: { allow: { "${[...names, "report"].join(", ")}": anyone } }
${["states", "events", "errors", "limits", "versioning"].map((part) => `${part}: none\n`).join("")}`;
}

const kept = "Report: { type: object, properties: { first: { $ref: '#/schemas/Line' } } }, Line: { type: string }";
const plain = documentOf([], `{ ${kept} }`);
const ofCallers = { Pet: "{ type: object, properties: { name: { type: string } } }", Failure: "{ type: object }" };

/** The document with the contracts of some operations, and with the schemas that these contracts name. */
function withContracts(operations: readonly string[]): string {
  const wires = operations.map((name) => known[name]?.[1]).join(" ");
  const used = Object.entries(ofCallers).filter(([name]) => wires.includes(name));
  return documentOf(operations, `{ ${[kept, ...used.map(([name, schema]) => `${name}: ${schema}`)].join(", ")} }`);
}

function planOf(text: string) {
  const result = check("pets.yaml", text);
  const model = soundModel(result);
  assert.ok(
    model,
    JSON.stringify(
      result.diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => [code, message]),
    ),
  );
  const { places, expressions } = result;
  const { cases, unobservable } = casesOf(contractOf(model, places));
  // A schema that only callers know is a statement without a case.
  const open = unobservable.filter(({ path }) => !path.startsWith("resources/schemas/"));
  return { result, plan: buildPlan(model, places, expressions), cases: JSON.parse(JSON.stringify([cases, open])) };
}

const expected = planOf(plain);

for (const withContract of [...names.map((name) => [name]), names]) {
  test(`the service is the same with a \`wire\` of ${withContract.join(", ")}`, () => {
    const { plan, cases } = planOf(withContracts(withContract));
    assert.deepEqual(openapi(plan, "http://a.example"), openapi(expected.plan, "http://a.example"));
    assert.deepEqual(withoutLines(plan), withoutLines(expected.plan));
    assert.deepEqual(cases, expected.cases);
  });
}

/** The lines of the statements differ, since the documents do. */
function withoutLines(plan: object): unknown {
  return JSON.parse(JSON.stringify(plan, (key, value: unknown) => (key === "line" ? undefined : value)));
}

test("its types are read, checked and printed", () => {
  const { result } = planOf(withContracts(names));
  const again = check("again.md", printModel(result.model));
  assert.deepEqual(again.model.endpoints, result.model.endpoints);
  const wrong = check("wrong.yaml", documentOf(names, `{ ${kept} }`))
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);
  assert.deepEqual([...new Set(wrong)], ["resources/unknown-type", "resources/bad-schema"]);
});
