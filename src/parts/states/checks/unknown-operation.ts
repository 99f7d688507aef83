/** A move by an operation that does not exist. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/unknown-operation",
  severity: "error",
  why: "Nobody could make the move.",
  *run(facts) {
    if (!says(facts, "purpose", "endpoints")) return;
    for (const [operation, transitions] of facts.movesBy) {
      if (facts.operations.has(operation) || isWritten(facts, `endpoints/endpoints/${operation}`)) continue;
      if (isWritten(facts, `purpose/operations/${operation}`)) continue;
      for (const { at } of transitions) {
        yield {
          at: `${at}/by`,
          message: `There is no operation \`${operation}\``,
          unknown: { name: operation, known: facts.operations },
        };
      }
    }
  },
};
