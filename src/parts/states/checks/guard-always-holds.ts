/** A guard that every record satisfies. */
import { always } from "../../../expression/prove.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/guard-always-holds",
  severity: "warning",
  why: "It guards nothing, and its error is never the answer.",
  *run({ transitions }) {
    for (const { guard, at } of transitions) {
      if (guard === undefined || !always(guard)) continue;
      yield { at: `${at}/if#value`, message: "This is always true", help: "leave `if` out, or write what was meant" };
    }
  },
};
