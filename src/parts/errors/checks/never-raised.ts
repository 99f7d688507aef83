/** An error that is declared and never the answer. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { standardErrors } from "../model.ts";

export const check: Check = {
  code: "errors/never-raised",
  severity: "warning",
  why: "Callers write code for an answer that never comes.",
  *run(facts) {
    // A handler raises what it likes.
    if (facts.hasHandlers || !says(facts, "resources", "states", "endpoints")) return;
    const raised = new Set(facts.raised.map(({ code }) => code));
    for (const code of Object.keys(facts.model.errors.errors)) {
      if (raised.has(code) || Object.hasOwn(standardErrors, code)) continue;
      yield {
        at: `errors/errors/${code}#key`,
        message: `Nothing raises \`${code}\``,
        help: "name it in `else` of a move, a rule or a `choose`, or remove it",
      };
    }
  },
};
