/** Which records and errors the tester expects of the further writes (`also`) of an operation. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { furtherEffects, furtherErrors } from "../../src/conformance/effects.ts";
import { type Block, documentOf } from "../enforced/document.ts";
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
    document: "examples/card-payments.md",
    operation: "addRefund",
    resources: ["Charge"],
    errors: ["already-exists", "card-declined", "invalid-request", "quota-exceeded", "refund-too-large"],
  },
  {
    what: "a creation without further writes",
    document: "examples/card-payments.md",
    operation: "addProduct",
    resources: [],
    errors: [],
  },
];

for (const { document, errors, operation, resources, what } of cases) {
  test(`further writes of ${what}`, () => {
    const contract = contractFrom(document, readFileSync(document, "utf8"));
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
