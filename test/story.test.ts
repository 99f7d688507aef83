/**
 * The story of the flagship: it runs to its end, and `docs/story.md` shows its output. Only values that differ in each run are
 * replaced: `par_…1` is one parcel throughout, `…2` one code.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { fencesOf, root } from "./docs/fences.ts";

test("the story is told as its page shows it", { timeout: 60_000 }, async () => {
  const program = join(root, "examples", "story", "story.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  assert.equal(stderr, "");
  const [shown] = fencesOf("docs/story.md", "console");
  assert.equal(labelled(`$ npm run story\n${stdout}`), shown?.text);
});

/** What differs from run to run, behind what tells that it does. */
const differing =
  /(?<before>\b(?:site|lok|whk|par|evt)_|\b(?:c|pickupC)ode |If-Match: |127\.0\.0\.1:)(?<value>[0-9a-z]{26}|\d{4,6}|"[^"]+")/g;

function labelled(text: string): string {
  const labels = new Map<string, number>();
  return text.replaceAll(differing, (...found) => {
    const { before = "", value = "" } = found.at(-1) as Readonly<Record<string, string>>;
    if (!labels.has(value)) labels.set(value, labels.size + 1);
    return `${before}…${labels.get(value)}`;
  });
}
