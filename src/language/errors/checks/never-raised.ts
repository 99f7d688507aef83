/** An error that is declared and never the answer. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { standardErrors } from "../model.ts";

export const check: Check = {
  code: "errors/never-raised",
  severity: "warning",
  why: "Callers write code for an answer that never comes.",
  *run(documentIndex) {
    // A handler raises what it likes.
    if (documentIndex.hasHandlers || !declares(documentIndex, "resources", "states", "endpoints")) return;
    const returned = new Set(documentIndex.returned.map(({ code }) => code));
    for (const code of Object.keys(documentIndex.model.errors.errors)) {
      if (returned.has(code) || Object.hasOwn(standardErrors, code)) continue;
      yield {
        at: `errors/errors/${code}#key`,
        message: `Nothing raises \`${code}\``,
        help: "name it in `else` of a move, a rule or a `choose`, or remove it",
      };
    }
  },
};
