/** An operation that part 1 only names. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "purpose/operation-without-sentence",
  severity: "hint",
  why: "Callers read the description first: on the service's page, in OpenAPI, in generated clients.",
  *run({ model }) {
    for (const [operation, description] of Object.entries(model.purpose.operations)) {
      if (description !== "") continue;
      yield {
        at: `purpose/operations/${operation}`,
        message: `\`${operation}\` has no description`,
        help: `write \`${operation}: what a caller gets from it\``,
      };
    }
  },
};
