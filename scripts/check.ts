/**
 * Runs `npm run check`: all checks of the code besides its tests, one step each. `npm run check -- format lint` runs only these
 * steps; `npm run check -- --fix` first lets the formatter rewrite files.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { styleText } from "node:util";
import { reportResults } from "./results.ts";

const steps: Readonly<Record<string, readonly string[]>> = {
  types: ["tsc", "--noEmit", "-p", "tsconfig.json"],
  // Folders that also run in a browser, compiled without Node's and the browser's globals.
  "core-types": ["tsc", "--noEmit", "-p", "tsconfig.core.json"],
  "browser-types": ["tsc", "--noEmit", "-p", "tsconfig.browser.json"],
  lint: ["oxlint"],
  format: ["biome", "format", "--no-errors-on-unmatched", "--max-diagnostics=200", "."],
  // The YAML of documents, in the style that `nonet fmt` writes.
  documents: ["node", "src/cli.mjs", "fmt", "--check", ...documents()],
  unused: ["knip", "--no-progress", "--treat-config-hints-as-errors"],
  architecture: ["node", "--test", "--test-reporter=dot", "test/architecture.test.ts"],
};

const wanted = process.argv.slice(2);
if (wanted.includes("--help")) {
  process.stdout.write(`npm run check -- [--fix] [${Object.keys(steps).join("|")} …]
  All checks, or those that are named; with --fix the formatter rewrites files first.
`);
  process.exit();
}
const unknown = wanted.filter((word) => word !== "--fix" && !Object.hasOwn(steps, word));
if (unknown.length > 0) {
  process.stderr.write(`no such check: ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}\n`);
  process.exit(2);
}
if (wanted.includes("--fix")) {
  runTool(["biome", "format", "--write", "."]);
  runTool(["node", "src/cli.mjs", "fmt", ...documents()]);
}

const chosen = Object.keys(steps).filter((name) => wanted.every((word) => word === "--fix") || wanted.includes(name));
const failed = chosen.filter((name) => !passes(name));
reportResults({ passed: chosen.length - failed.length, failed: failed.length, failures: failed });
process.stdout.write(`\n${chosen.length - failed.length} passed, ${failed.length} failed\n`);
process.exitCode = failed.length > 0 ? 1 : 0;

function passes(name: string): boolean {
  const began = performance.now();
  const { ok, output } = runTool(steps[name] ?? []);
  const mark = ok ? styleText("green", "✓") : styleText("red", "✗");
  process.stdout.write(`${mark} ${name} ${styleText("dim", `${((performance.now() - began) / 1000).toFixed(1)} s`)}\n`);
  if (!ok) process.stdout.write(`${output}\n`);
  return ok;
}

function documents(): readonly string[] {
  return globSync(["README.md", "{docs,examples}/**/*.md"]).toSorted();
}

/** Runs a program of node_modules/.bin, which scripts/run.mjs adds to PATH. */
function runTool([program = "", ...args]: readonly string[]): { readonly ok: boolean; readonly output: string } {
  const result = spawnSync(program, args, { encoding: "utf8", shell: process.platform === "win32" });
  return { ok: result.status === 0, output: `${result.stdout}${result.stderr}${result.error?.message ?? ""}` };
}
