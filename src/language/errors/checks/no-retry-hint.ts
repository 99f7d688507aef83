/** An error that says "try later" and not when. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "errors/no-retry-hint",
  severity: "warning",
  why: "Without `Retry-After` callers come back at once, all together.",
  *run({ model }) {
    for (const [code, { status, retryAfter }] of Object.entries(model.errors.errors)) {
      if ((status !== 429 && status !== 503) || retryAfter !== undefined) continue;
      yield {
        at: `errors/errors/${code}`,
        message: `\`${code}\` asks callers to try again, and does not say when`,
        help: "add `, retry after 1m` behind the sentence",
      };
    }
  },
};
