/** A path that does not say which resource its operation is about. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { unclearEndpoints } from "../unclear.ts";

export const check: Check = {
  code: "endpoints/no-resource",
  severity: "error",
  why: "What an operation takes, does and gives follows from its resource.",
  *run(facts) {
    if (!says(facts, "resources")) return;
    yield* unclearEndpoints(facts, "resource", ({ endpoint, operation }) => {
      return `write \`${operation}: { at: ${endpoint.method} ${endpoint.path}, of: Resource }\`, or \`does: handler\``;
    });
  },
};
