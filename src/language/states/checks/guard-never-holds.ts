/** A guard that no record can satisfy. */
import { satisfiable } from "../../../expression/prove.ts";
import type { Check } from "../../analysis/finding.ts";
import { rangesOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/guard-never-holds",
  severity: "warning",
  why: "The transition never happens.",
  *run({ transitions, model }) {
    for (const { guard, at, resource } of transitions) {
      if (guard === undefined || satisfiable(guard, rangesOf(model, resource))) continue;
      yield { at: `${at}/if#value`, message: "This can never be true" };
    }
  },
};
