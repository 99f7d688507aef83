/** A test of any document ends soon, even if no record can be made without another one of the same resource. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeIsOver } from "../../src/conformance/trial/world.ts";
import { proofMutants } from "./mutants/proofs.ts";
import { testServed } from "./served.ts";

for (const id of ["endpoints/endpoints/choose/else"]) {
  void test(`bounded: ${id}`, async () => {
    const { truth } = proofMutants().find((one) => one.id === id) ?? assert.fail(`no proof of ${id}`);
    const { cases } = await testServed(truth, { budgetMilliseconds: 20_000 });
    assert.deepEqual(
      cases.flatMap((one) => (one.kind === "not tried" && one.reason === timeIsOver ? [one.id] : [])),
      [],
    );
    assert.ok(cases.some(({ kind }) => kind === "holds"));
  });
}
