/** Cases of part 3 on a document whose transitions cause others, and whose guards read what other transitions set. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { testServed } from "./served.ts";

const relay = readFileSync(new URL("../serve/documents/relay.md", import.meta.url), "utf8");

void test("a guard that reads the record is made true before its transition is tried", async () => {
  for (const seed of [1, 2, 3]) {
    const { cases } = await testServed(relay, { only: ["finishJob", "failJob"], seed });
    assert.deepEqual(
      cases.flatMap((one) => (one.kind === "holds" ? [] : [[one.id, one.kind]])),
      [],
    );
  }
});

void test("a guard that is never false is found", async () => {
  const served = relay.replace("by: finishJob, if: steps > 0, else: nothing-done", "by: finishJob");
  const { cases } = await testServed(relay, { served, only: ["finishJob"] });
  const broken = cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : []));
  assert.deepEqual(broken, ["states/Job/moves/running | rushed -> done/0/if"]);
});
