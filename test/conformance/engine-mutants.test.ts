/**
 * The mutants of the engine: the service does otherwise than the document says, and without the mistake it does not. A normal run
 * tries every seventh, `npm run nightly` all of them.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isNightly } from "../nightly.ts";
import { engineMutants } from "./mutants/engine.ts";
import { difference } from "./mutants/engine/play.ts";

void describe("engine", () => {
  void test("there are enough, with names of their own", () => {
    assert(engineMutants.filter(({ reason }) => reason === undefined).length >= 60);
    assert.equal(new Set(engineMutants.map(({ name }) => name)).size, engineMutants.length);
  });

  for (const mutant of engineMutants.filter((_, index) => isNightly || index % 7 === 0))
    void test(mutant.name, async () => {
      assert.equal(await difference(mutant, "correct"), undefined);
      assert.notEqual(await difference(mutant, "mistaken"), undefined, "everything is as it has to be");
    });
});
