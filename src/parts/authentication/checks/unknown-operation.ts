/** A permission for an operation that does not exist. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/unknown-operation",
  severity: "error",
  why: "The operation that was meant may be left without its permission.",
  *run(facts) {
    if (!says(facts, "purpose", "endpoints")) return;
    for (const operation of Object.keys(facts.model.authentication.allow)) {
      if (facts.operations.has(operation) || facts.places.has(`endpoints/endpoints/${operation}`)) continue;
      if (facts.places.has(`purpose/operations/${operation}`)) continue;
      yield {
        at: `authentication/allow/${operation}#key`,
        message: `There is no operation \`${operation}\``,
        unknown: { name: operation, known: facts.operations },
      };
    }
  },
};
