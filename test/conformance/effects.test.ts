/** Which records and errors the tester expects of the guards and further writes (`also`) of an operation. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { furtherEffects, furtherErrors } from "../../src/conformance/effects.ts";
import { isRejectedByGuard } from "../../src/conformance/errors/expected.ts";
import type { Response } from "../../src/conformance/interaction.ts";
import { type Block, documentOf } from "../enforced/document.ts";
import { documentsOfWrites } from "./mutants/further-writes.ts";
import { testServed } from "./served.ts";
import { contractFrom } from "./values-contract.ts";

const cases: readonly {
  readonly what: string;
  readonly document: string;
  readonly operation: string;
  readonly resources: readonly string[];
  readonly errors: readonly string[];
}[] = [
  {
    what: "a transition of the new record",
    document: "card-payments",
    operation: "addRefund",
    resources: ["Charge"],
    errors: ["already-exists", "card-declined", "invalid-request", "quota-exceeded", "refund-too-large"],
  },
  {
    what: "a creation without further writes",
    document: "card-payments",
    operation: "addProduct",
    resources: [],
    errors: [],
  },
];

for (const { document, errors, operation, resources, what } of cases) {
  test(`further writes of ${what}`, () => {
    const contract = contractFrom("effects.md", read(document));
    const called = contract.operations.get(operation);
    assert(called !== undefined);
    assert.deepEqual([...furtherEffects(contract, called).resources], resources);
    assert.deepEqual([...new Set(furtherErrors(contract, called))].toSorted(), errors.toSorted());
  });
}

/** Boxes that count their filled slots; the creation of a slot with a label fills it. */
function boxes(also: Block): string {
  return documentOf({
    resources: {
      Box: { id: "id(box)", filled: "integer = 0, read-only" },
      Slot: { id: "id(slo)", box: "Box", "label?": "string(1..9)" },
    },
    states: {
      Slot: {
        states: ["free", "full"],
        start: "free",
        moves: { "free -> full": { by: "addSlot", if: "label != null", ...also } },
      },
    },
    endpoints: {
      endpoints: {
        ...{ addBox: "POST /boxes", getBox: "GET /boxes/{id}", listBoxes: "GET /boxes" },
        ...{ addSlot: "POST /slots", getSlot: "GET /slots/{id}" },
      },
    },
  });
}

const counts: Block = { also: [{ change: "Box", where: "id == this.box", set: { filled: "filled + 1" } }] };
const path = "states/Slot/moves/free -> full/0/also/0";

for (const [what, served, expected] of [
  ["that happens", counts, "holds"],
  ["that is left out", {}, "broken"],
] as const) {
  test(`a further write of a creation's transition ${what}`, async () => {
    const { cases } = await testServed(boxes(counts), { served: boxes(served), only: ["addSlot"] });
    const found = cases.find(({ id }) => id === `${path}: happens`);
    assert.equal(found?.kind, expected);
  });
}

const guarded = documentOf({
  endpoints: { endpoints: { addThing: { at: "POST /things", if: "input.name != 'no'", else: "not-so" } } },
  errors: { errors: { "not-so": "409 Not so", other: "409 Other" }, body: { error: "{code}" } },
});

const rejections: readonly (readonly [what: string, document: string, ...[string, number, string, boolean]])[] = [
  ["a body without the code", read("issue-tracker"), "addRepo", 404, '{ "message": "No account" }', true],
  ["another status", read("issue-tracker"), "addRepo", 409, '{ "message": "No account" }', false],
  ["an empty body", read("service-broker"), "deprovision", 410, "{}", true],
  ["a body with the code", guarded, "addThing", 409, '{ "error": "not-so" }', true],
  ["a body with another code", guarded, "addThing", 409, '{ "error": "other" }', false],
];

for (const [what, document, operation, status, text, expected] of rejections) {
  test(`the error of a guard: ${what}`, () => {
    const contract = contractFrom("guard.md", document);
    const called = contract.operations.get(operation);
    assert(called !== undefined);
    const response: Response = { status, headers: {}, text, json: JSON.parse(text) as Json };
    assert.equal(isRejectedByGuard(contract, response, called), expected);
  });
}

function read(name: string): string {
  return readFileSync(`examples/${name}.md`, "utf8");
}

test("a default is tried although an event may move the new record, unless that sets the field again", async () => {
  const { queue = "" } = documentsOfWrites;
  const setting = queue.replace("first: 1,", "first: 1, set: { priority: priority + 1 },");
  const other = (text: string): string => text.replace("integer(0..9) = 0", "integer(0..9) = 1");
  for (const [text, served, expected] of [
    [queue, queue, "holds"],
    [queue, other(queue), "broken"],
    [setting, other(setting), "not tried"],
  ] as const) {
    const { cases } = await testServed(text, { served, only: ["join"] });
    assert.equal(cases.find(({ id }) => id === "resources/Seat/priority: default in join")?.kind, expected);
  }
});
