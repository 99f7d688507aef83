/** Rates for some operations, and none for the rest. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/no-general-rate",
  severity: "hint",
  why: "The operation without a rate is the one that is abused.",
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
    yield { at: "limits/rate#key", message: `No rate holds for \`${free}\``, help: "add `all: 600/min per user`" };
  },
};
