/** A status of an operation for what is neither an outcome nor an error. */
import type { Check } from "../../analysis/finding.ts";
import { protocolErrors, standardErrors } from "../../errors/model.ts";
import { outcomes } from "../operation-members.ts";

export const check: Check = {
  code: "endpoints/unknown-outcome",
  severity: "error",
  why: "It would never be the status of an answer.",
  *run({ endpoints, model }) {
    const known = new Set([
      ...outcomes,
      ...Object.keys(standardErrors),
      ...Object.keys(protocolErrors),
      ...Object.keys(model.errors.errors),
    ]);
    for (const { operation, endpoint } of endpoints.values()) {
      for (const code of Object.keys(endpoint.statuses?.errors ?? {})) {
        if (known.has(code)) continue;
        yield {
          at: `endpoints/endpoints/${operation}/status/errors/${code}#key`,
          message: `\`${code}\` is neither an outcome nor an error`,
          unknown: { name: code, known },
        };
      }
    }
  },
};
