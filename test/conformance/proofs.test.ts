/** Each document of a proof is served and tested by itself, and breaks nothing: all of them in `npm run nightly`, else a sample. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { proofs } from "../enforced/proofs.ts";
import { sampled } from "../nightly.ts";
import { testServed } from "./served.ts";

/** Proofs that are in every run. */
const always: readonly string[] = [
  "states/moves/triggers/also/else",
  "endpoints/endpoints/manyRecords",
  "authentication/set/if",
  "authentication/credentials/scheme",
  "errors/bodies",
  "limits/size/operation",
];

const some = sampled(proofs, 97);
const chosen = proofs.filter((proof) => some.includes(proof) || proof.of.some((one) => always.includes(one)));

void describe("the document of a proof, served and tested", () => {
  for (const proof of chosen) {
    void test(proof.of.join(", "), async () => {
      const { environment, functions } = proof;
      const { cases } = await testServed(proof.with, {
        options: {
          ...(functions === undefined ? {} : { functions }),
          ...(environment === undefined ? {} : { environment }),
        },
        ...(environment === undefined ? {} : { secrets: environment }),
      });
      assert.deepEqual(
        cases.filter(({ kind }) => kind === "broken").map(({ id }) => id),
        [],
      );
    });
  }
});
