/** Creations that a client cannot safely retry after a lost response. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/unsafe-repeats",
  severity: "hint",
  why: "A caller who did not receive the response cannot retry without risking a second record.",
  *run({ endpointsOf, model }) {
    if (model.endpoints.repeats !== "none") return;
    const creating = [...endpointsOf.values()].flat().find(({ action }) => action === "create");
    if (creating === undefined) return;
    yield {
      at: "endpoints/repeats",
      message: `\`${creating.operation}\` cannot be retried safely`,
      help: "write `repeats: Idempotency-Key on every POST, kept 24h`",
    };
  },
};
