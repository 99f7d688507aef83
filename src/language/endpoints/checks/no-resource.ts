/** A path from which the operation's resource cannot be derived. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/no-resource",
  severity: "error",
  why: "The resource determines what an operation takes, does and returns.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    yield* unclearEndpoints(documentIndex, "resource", ({ endpoint, operation }) => {
      return `write \`${operation}: { at: ${endpoint.method} ${endpoint.path}, of: Resource }\`, or \`does: handler\``;
    });
  },
};
