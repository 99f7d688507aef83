/** A move by an operation that does not exist. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/unknown-operation",
  severity: "error",
  why: "Nobody could make the move.",
  *run(documentIndex) {
    if (!declares(documentIndex, "purpose", "endpoints")) return;
    for (const [operation, transitions] of documentIndex.transitionsBy) {
      if (documentIndex.operations.has(operation) || isWritten(documentIndex, `endpoints/endpoints/${operation}`))
        continue;
      if (isWritten(documentIndex, `purpose/operations/${operation}`)) continue;
      for (const { at } of transitions) {
        yield {
          at: `${at}/by`,
          message: `There is no operation \`${operation}\``,
          unknown: { name: operation, known: documentIndex.operations },
        };
      }
    }
  },
};
