/**
 * The score of the tester: it catches each mutant that somebody can notice, but for those of `mutants/missed.ts`. A normal run tries
 * a sample, `npm run nightly` all mutants of the engine and of the proofs, and more of the documents.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { seeded } from "../../src/conformance/random.ts";
import { isNightly } from "../nightly.ts";
import { missed, whyMayBeMissed } from "./mutants/missed.ts";
import { type Mutant, ofDocument, ofEngine, ofProofs, score } from "./mutants/score.ts";
import { examples } from "./mutants/served.ts";
import { tester } from "./mutants/tester.ts";

/** How many mutants of the engine a normal run tries. */
const sampleSize = 2;
const seed = 17;

const engine = ofEngine();
const all: readonly Mutant[] = isNightly
  ? [...engine, ...ofProofs(), ...examples.flatMap((document) => ofDocument(document, { limit: 40 }))]
  : sampled(engine.filter((one) => !Object.hasOwn(missed, nameOf(one)) && one.group !== "parcel-lockers"));

function nameOf({ group, id }: Mutant): string {
  return `${group}: ${id}`;
}

/** A sample that is the same in each run. */
function sampled(mutants: readonly Mutant[]): readonly Mutant[] {
  const random = seeded(seed);
  const rest = mutants.filter((one) => one.observable);
  return Array.from({ length: Math.min(sampleSize, rest.length) }, () =>
    rest.splice(random.integer(0, rest.length - 1), 1),
  ).flat();
}

void describe("the tester", () => {
  for (const mutant of all.filter(({ observable }) => observable))
    void test(`catches ${nameOf(mutant)}`, async () => {
      const [scored] = await score([mutant], tester, { isPartial: true });
      const reason = missed[nameOf(mutant)];
      const expected = reason === undefined ? "caught" : "missed";
      if (scored?.outcome.kind === "missed" && whyMayBeMissed(nameOf(mutant)) !== undefined) return;
      assert.equal(scored?.outcome.kind, expected, JSON.stringify(scored?.outcome));
    });

  void test("misses only mutants of the engine that there are", {
    skip: isNightly && "the nightly run tries each",
  }, () => {
    const names = new Set([...engine, ...ofProofs()].map(nameOf));
    const unknown = Object.keys(missed).filter((name) => !names.has(name) && !isOfExample(name));
    assert.deepEqual(unknown, []);
  });
});

function isOfExample(name: string): boolean {
  return examples.some((one) => name.startsWith(`${one.name}: `));
}
