/** The bench runs, and Nonet and the service by hand do the same work in it, down to each header field. No figure is judged. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { isNightly } from "../test/nightly.ts";

const small = ["--rounds", "1", "--seconds", "0.2", "--starts", "1", "--rows", "100", "--couriers", "2", "--writes", "100", "--connections", "4"]; // biome-ignore format: a table

const skip = !isNightly && "npm run nightly runs the bench";

test("every scenario is done by both, and both do all of the work", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-bench-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "figures.json");
  const run = [join(import.meta.dirname, "run.ts"), "--of", "nonet,handwritten", ...small, "--strict", "--json", file];
  // It ends with 1 where one of them leaves something out.
  await promisify(execFile)(process.execPath, run);
  const { contestants } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly contestants: readonly {
      readonly name: string;
      readonly notDone: readonly string[];
      readonly measured: object;
    }[];
  };
  assert.deepEqual(
    contestants.map(({ name, notDone }) => [name, notDone]),
    [
      ["nonet", []],
      ["handwritten", []],
    ],
  );
  const measured = contestants.map(({ measured }) => Object.entries(measured).map(([scenario, { length }]) => `${scenario} ${length}`)); // biome-ignore format: short
  const scenarios = ["read", "list", "old", "create", "move", "mixed", "handler", "webhook"];
  for (const all of measured) assert.deepEqual(all.toSorted(), scenarios.map((scenario) => `${scenario} 1`).toSorted());
});
