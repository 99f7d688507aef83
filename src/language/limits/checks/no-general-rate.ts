/** Rates for some operations, and none for the rest. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/no-general-rate",
  severity: "hint",
  why: "Attackers use the operation that has no rate.",
  *run(documentIndex) {
    const { rate } = documentIndex.model.limits;
    if (
      !declares(documentIndex, "endpoints") ||
      rate === undefined ||
      Object.hasOwn(rate, "all") ||
      Object.keys(rate).length === 0
    )
      return;
    const free = [...documentIndex.endpoints.keys()].find((operation) => !Object.hasOwn(rate, operation));
    if (free === undefined) return;
    yield { at: "limits/rate#key", message: `\`${free}\` has no rate limit`, help: "add `all: 600/min per user`" };
  },
};
