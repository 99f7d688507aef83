/** An error of the catalogue, declared with another status. */
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../../resources/fields.ts";
import { standardErrors } from "../model.ts";

export const check: Check = {
  code: "errors/standard-changed",
  severity: "warning",
  why: "One code would have two meanings: the standard one and this one.",
  *run({ model }) {
    for (const [code, { status }] of Object.entries(model.errors.errors)) {
      const usual = lookup(standardErrors, code);
      if (usual === undefined || usual.status === status) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `\`${code}\` is ${usual.status} in the catalogue, and ${status} here`,
        help: "give your error another name",
      };
    }
  },
};
