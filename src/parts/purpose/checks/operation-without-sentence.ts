/** An operation that part 1 only names. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "purpose/operation-without-sentence",
  severity: "hint",
  why: "The sentence is what callers read first: on the service's page, in OpenAPI, in generated clients.",
  *run({ model }) {
    for (const [operation, sentence] of Object.entries(model.purpose.operations)) {
      if (sentence !== "") continue;
      yield {
        at: `purpose/operations/${operation}`,
        message: `Nothing says what \`${operation}\` is for`,
        help: `write \`${operation}: what a caller gets from it\``,
      };
    }
  },
};
