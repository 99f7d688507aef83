/**
 * The simulation passes for the seeds of every run, and runs a seed twice alike. `NONET_SIMULATED_SEEDS` runs this many
 * consecutive seeds, in place of the default few of many worlds.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { runs } from "../nightly.ts";
import { documentText } from "./document.ts";
import { runFleet } from "./fleet.ts";
import { simulate } from "./run.ts";
import { worldOf } from "./world.ts";

const given = process.env["NONET_SIMULATED_SEEDS"];
// Odd, so that each kind of store has its part of them.
const [seeds, every] = given === undefined ? [runs(150, 700), 5] : [Number(given), 1];

void test(`nothing is lost, doubled, shown or broken in ${seeds} seeds`, async () => {
  const { answers, findings } = await runFleet({ from: 0, seeds, every });
  const told = findings.map(
    ({ seed, violation }) => `seed ${seed}: ${violation}\n  npm run simulate -- --seed ${seed}`,
  );
  assert.equal(told.join("\n"), "");
  assert(answers > 20 * seeds, `only ${answers} answers`);
});

void test("a seed is played twice alike, also after others", async () => {
  const once = await Promise.resolve(simulate(4711));
  await simulate(12);
  const again = await simulate(4711);
  assert.equal(again.trace.join("\n"), once.trace.join("\n"));
  assert(once.trace.length > 100);
});

void test("a seed that makes no progress is a finding, and the others are played", async () => {
  const { findings } = await runFleet({ from: 7, seeds: 2, threads: 1, timeoutMilliseconds: 1 });
  assert.deepEqual(findings, [
    { seed: 7, violation: "it made no progress within 0.001 s" },
    { seed: 8, violation: "it made no progress within 0.001 s" },
  ]);
});

void test("the documents of worlds are sound", () => {
  for (let number = 0; number < 40; number += 1) {
    const text = documentText(worldOf(number));
    const wrong = check("world.md", text).diagnostics.filter(({ severity }) => severity === "error");
    assert.deepEqual(wrong.map(({ message }) => message), [], text); // biome-ignore format: short
  }
});
