/** Tables of altered services: each serves a document with one statement altered, and a test by the true document reports it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Report } from "../../src/conformance/result.ts";
import { check } from "../../src/language/check.ts";
import { sampled } from "../nightly.ts";
import { testServed } from "./served.ts";

export interface Altered {
  readonly what: string;
  /** The true document, and the one that is served. */
  readonly true: string;
  readonly served: string;
  /** The path of the broken statement. */
  readonly broken: string;
}

/**
 * Tests that each altered service breaks the statement, and that the true one breaks none of those of the same document. A usual run
 * tries a sample.
 */
export async function expectBroken(context: TestContext, rows: readonly Altered[]): Promise<void> {
  for (const [text, some] of Map.groupBy(sampled(rows, 3), (row) => row.true)) {
    await context.test(`the same: ${some.map(({ what }) => what).join("; ")}`, async () => {
      const lines = some.map(({ broken }) => lineOf(text, broken));
      assert.deepEqual(findings(await testServed(text, { only: [...new Set(lines)] })), []);
    });
    for (const { broken, served, what } of some) {
      await context.test(what, async () => {
        const found = findings(await testServed(text, { served, only: [lineOf(text, broken)] }));
        assert(
          found.some((path) => path === broken || path.startsWith(`${broken}/`)),
          `broken: ${found.join(", ")}`,
        );
      });
    }
  }
}

function lineOf(text: string, path: string): string {
  const { diagnostics, places, summary } = check("altered.md", text);
  assert.equal(summary.errors, 0, JSON.stringify(diagnostics));
  let at = path;
  while (!places.has(at) && at.includes("/")) at = at.slice(0, at.lastIndexOf("/"));
  return String(places.get(at)?.start.line);
}

/** Returns the paths of broken statements, and the mistakes of the test itself. */
function findings({ cases }: Report): readonly string[] {
  return cases.flatMap((one) => {
    if (one.kind === "broken") return one.aspects.map(({ path }) => path);
    return one.kind === "not tried" && one.reason.startsWith("a mistake") ? [one.reason] : [];
  });
}
