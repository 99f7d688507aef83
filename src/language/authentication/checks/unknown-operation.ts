/** A permission for an operation that does not exist. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/unknown-operation",
  severity: "error",
  why: "The operation that was meant may be left without its permission.",
  *run(documentIndex) {
    if (!declares(documentIndex, "purpose", "endpoints")) return;
    for (const operation of Object.keys(documentIndex.model.authentication.allow)) {
      if (documentIndex.operations.has(operation) || documentIndex.places.has(`endpoints/endpoints/${operation}`))
        continue;
      if (documentIndex.places.has(`purpose/operations/${operation}`)) continue;
      yield {
        at: `authentication/allow/${operation}#key`,
        message: `There is no operation \`${operation}\``,
        unknown: { name: operation, known: documentIndex.operations },
      };
    }
  },
};
