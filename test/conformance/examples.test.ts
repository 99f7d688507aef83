/** Each example, served as it is on SQLite, breaks nothing at any of its versions. `mutants/main.ts --of accept` tries more seeds. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acceptances, serveAcceptance } from "./mutants/accept.ts";
import { isNightly, sampled } from "../nightly.ts";
import { examples } from "./mutants/served.ts";
import { testRunning } from "./served.ts";

// The flagship takes longer than all others together, so only the nightly run tests it here.
const usual = sampled(
  examples.filter(({ name }) => isNightly || name !== "parcel-lockers"),
  2,
);

// They wait for time and for events more than they compute.
void describe("nothing is broken", { concurrency: true }, () => {
  for (const one of acceptances(usual, [{ store: "sqlite", replicas: 1 }])) {
    const { document, version } = one;
    void test([document.name, version].join(" ").trim(), async () => {
      await using running = await serveAcceptance(one);
      const secrets = document.environment;
      const report = await testRunning(document.text, running, {
        ...{ secrets, budgetMilliseconds: 600_000 },
        ...(version === undefined ? {} : { version }),
      });
      const broken = report.cases.flatMap((result) =>
        result.kind === "broken" ? [`${result.id}: expected ${result.expected}, got ${result.got}`] : [],
      );
      assert.deepEqual(broken, []);
      // A test that tries nothing finds nothing.
      const held = report.statements.filter(({ kind }) => kind === "holds").length;
      assert.ok(held > report.statements.length / 2, `${held} of ${report.statements.length} statements hold`);
    });
  }
});
