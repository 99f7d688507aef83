/** Rates for some operations, and none for the rest. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "limits/no-general-rate",
  severity: "hint",
  why: "The operation without a rate is the one that is abused.",
  *run(facts) {
    const { rate } = facts.model.limits;
    if (!says(facts, "endpoints") || rate === undefined || Object.hasOwn(rate, "all") || Object.keys(rate).length === 0)
      return;
    const free = [...facts.endpoints.keys()].find((operation) => !Object.hasOwn(rate, operation));
    if (free === undefined) return;
    yield { at: "limits/rate#key", message: `No rate holds for \`${free}\``, help: "add `all: 600/min per user`" };
  },
};
