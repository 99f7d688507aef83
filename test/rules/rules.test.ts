/**
 * Every rule is true of every record after any write: generated documents with generated rules, written in every possible way,
 * and compared with a model that knows only the rules. `npm run simulate -- --rules` runs more of them, up to a time limit.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isNightly, runs } from "../nightly.ts";
import { onPostgres } from "../postgres/service-schema.ts";
import { mutants } from "./mutants.ts";
import { noCounts, play, shrunk } from "./play.ts";

const store = onPostgres ? "postgres" : "sqlite";
const seeds = runs(10, onPostgres ? 10 : 40);
/** Seeds that a mistake may take. */
const patience = 20;

void test(`all rules are true after every write, and nothing is refused for less (${store})`, async () => {
  const total = noCounts();
  for (let seed = 0; seed < seeds; seed += 1) {
    const played = await play({ seed, store });
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += played.counts[name];
    if (played.fault === undefined) continue;
    const { document, fault, lines } = await shrunk({ seed, store }, played);
    assert.fail(`seed ${seed}: ${fault}\n${document}\n${lines.join("\n")}\n  npm run simulate -- --rules --store ${store} --from ${seed} --seeds 1`); // biome-ignore format: short
  }
  // What was judged is of every kind.
  assert(total.accepted > seeds * 10, JSON.stringify(total));
  assert(total.refused > seeds * 3 && total.bursts > seeds && total.timed > seeds, JSON.stringify(total));
  assert(total.skipped > 0 && total.unexplained === 0, JSON.stringify(total));
});

void describe("a mistake is found", { skip: onPostgres && "the store makes no difference to what is asked" }, () => {
  // One in four of them; all in the nightly run.
  for (const [name, mutant] of Object.entries(mutants).filter((_, index) => isNightly || index % 4 === 0)) {
    void test(name, async () => {
      const { from = 0 } = mutant;
      for (let seed = from; seed < from + patience; seed += 1)
        if ((await play({ ...mutant, seed, store })).fault !== undefined) return;
      assert.fail(`it is not found in ${patience} seeds`);
    });
  }
});
