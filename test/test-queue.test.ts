/** The queue of `npm test`: every file of it is run and reported, whatever a test of an earlier file waits for. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const queue = new URL("../scripts/test-queue.ts", import.meta.url).href;

/** Node treats a process as ended while a test waits only for such a signal: its timer keeps no process alive. */
const waits = `import { once } from "node:events";
import { test } from "node:test";
test("waits", () => once(AbortSignal.timeout(300), "abort"));`;
const follows = `import { test } from "node:test";
test("follows", () => {});`;

test("a test that waits only for the time limit of a signal does not end the queue", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-queue-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.entries({ "waits.mjs": waits, "follows.mjs": follows }).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  writeFileSync(join(folder, "files"), files.join("\n"));
  writeFileSync(join(folder, "taker.test.mjs"), `await (await import(${JSON.stringify(queue)})).runQueue();`);
  // Inside a test run, Node's runner would report to that run.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const args = ["--test", "--test-reporter=tap", join(folder, "taker.test.mjs")];
  const report = execFileSync(process.execPath, args, {
    env: { ...environment, NONET_TEST_QUEUE: folder },
    encoding: "utf8",
  });
  assert.match(report, /ok \d+ - waits\b/);
  assert.match(report, /ok \d+ - follows\b/);
});
