/** SECURITY.md names for each threat the test of its defence: each of these tests exists and has the named title. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("SECURITY.md", root), "utf8");
const rows = text.split("\n").filter((line) => /^\| [STRIDE]\d+ \|/.test(line));

test("every threat of every letter of STRIDE has a number, what holds it, and tests that are there", () => {
  assert(rows.length > 30, `${rows.length} threats`);
  const seen = new Set<string>();
  for (const row of rows) {
    const [, id = "", threat = "", held = "", shown = ""] = row.split("|").map((cell) => cell.trim());
    assert(!seen.has(id), `${id} stands twice`);
    seen.add(id);
    assert(threat.length > 10 && held.length > 10, row);
    const tests = [...shown.matchAll(/`([\w./-]+)`/g)].map(([, path = ""]) => path);
    assert(tests.length > 0, `${id} names a test`);
    for (const path of tests) {
      const full = path.includes("/") ? path : `test/security/${path}`;
      assert(existsSync(new URL(full, root)), `${id}: ${full} is there`);
      assert.match(readFileSync(new URL(full, root), "utf8"), /\btest\(/, `${id}: ${full} has tests`);
    }
  }
  for (const letter of "STRIDE") {
    const numbers = [...seen].filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(1)));
    assert.deepEqual(numbers, numbers.map((_, index) => index + 1), `the numbers of ${letter}`); // biome-ignore format: short
  }
});

test("every test of security is named there", () => {
  const files = globSync("test/security/*.test.ts", { cwd: root }).map((path) => basename(path));
  assert.deepEqual(files.filter((file) => !text.includes(`\`${file}\``)), []); // biome-ignore format: short
});
