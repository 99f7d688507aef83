/** A guard that every record satisfies. */
import { always } from "../../../expression/prove.ts";
import type { Check } from "../../analysis/finding.ts";
import { rangesOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/guard-always-holds",
  severity: "warning",
  why: "The guard has no effect, and its error is never returned.",
  *run({ transitions, model }) {
    for (const { guard, at, resource } of transitions) {
      if (guard === undefined || !always(guard, rangesOf(model, resource))) continue;
      yield {
        at: `${at}/if#value`,
        message: "This is always true",
        help: "leave `if` out, or write the intended condition",
      };
    }
  },
};
