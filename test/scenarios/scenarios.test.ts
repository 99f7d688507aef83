/** Runs each `.scenario` file: command lines in this process, other lines in a shell. `UPDATE=1` rewrites the expected output. */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { suite, test } from "node:test";
import {
  isAsShown,
  play,
  readScenario,
  type RunStep,
  type Scenario,
  type Step,
  writeScenario,
  writeStep,
} from "./scenario.ts";

suite("scenarios", { concurrency: 2 }, () => {
  for (const file of globSync(join(import.meta.dirname, "*.scenario")).sort()) {
    test(basename(file, ".scenario"), { timeout: 120_000 }, async () => {
      const expected = readScenario(readFileSync(file, "utf8"));
      const played = merged(expected, await play(expected));
      if (process.env["UPDATE"] === "1") writeFileSync(file, writeScenario(played));
      else for (const [at, step] of played.steps.entries()) assertStep(step, expected.steps[at]);
    });
  }
});

function assertStep(actual: Step, expected: Step | undefined): void {
  if (expected !== undefined) assert.equal(writeStep(actual), writeStep(expected));
}

/** What went as shown stays as it is shown, with its `…`. */
function merged(expected: Scenario, played: Scenario): Scenario {
  const steps = played.steps.map((step, at) => {
    const shown = expected.steps[at];
    return step.kind === "run" && shown?.kind === "run" ? mergedRun(shown, step) : step;
  });
  return { ...played, steps };
}

function mergedRun({ result: shown }: RunStep, step: RunStep): RunStep {
  const { stdout, stderr, exit } = step.result;
  return {
    ...step,
    result: {
      stdout: isAsShown(shown.stdout, stdout) ? shown.stdout : stdout,
      stderr: isAsShown(shown.stderr, stderr) ? shown.stderr : stderr,
      exit,
    },
  };
}
