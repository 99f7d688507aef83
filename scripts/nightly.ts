/** Runs `npm run nightly`: tests too slow for every change. The last line lists the failed steps. */
import { spawnSync } from "node:child_process";
import process from "node:process";

const steps: Readonly<Record<string, readonly string[]>> = {
  tests: ["scripts/test.ts", "sqlite"],
  "tests on PostgreSQL": ["scripts/test.ts", "postgres"],
  simulation: ["test/simulation/main.ts", "--seeds", "10000"],
  "rules, simulated": ["test/simulation/main.ts", "--rules", "--minutes", "10"],
  "a test of the flagship": ["bench/conformance.ts", "--most-seconds", "60", "--most-megabytes", "300"],
};

const failed: string[] = [];
for (const [name, args] of Object.entries(steps)) {
  process.stdout.write(`\n== ${name}\n`);
  const env = { ...process.env, NONET_NIGHTLY: "1" };
  const { status } = spawnSync(process.execPath, args, { cwd: `${import.meta.dirname}/..`, stdio: "inherit", env });
  if (status !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? "\nAll of it holds.\n" : `\nFailed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
