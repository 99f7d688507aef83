/** An error that asks the client to retry later, without `retry after`. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "errors/no-retry-hint",
  severity: "warning",
  why: "Without `Retry-After` all callers retry immediately and at the same time.",
  *run({ model }) {
    for (const [code, { status, retryAfter }] of Object.entries(model.errors.errors)) {
      if ((status !== 429 && status !== 503) || retryAfter !== undefined) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `\`${code}\` tells callers to retry but not when`,
        help: "add `, retry after 1m` after the description",
      };
    }
  },
};
