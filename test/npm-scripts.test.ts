/** Every script of package.json has a help text, and does nothing else when asked for it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

for (const name of Object.keys(scripts)) {
  test(`npm run ${name} -- --help`, async () => {
    const run = [join("scripts", "run.mjs"), name, "--help"];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, run, { cwd: root });
    // Two of them are commands of Nonet's own.
    assert.match(stdout, /^nonet(?: start)?\b|^npm (?:test|run)\b/);
    assert(stdout.startsWith("nonet") || stdout.includes(name), stdout);
    assert.equal(stderr, "");
  });
}
