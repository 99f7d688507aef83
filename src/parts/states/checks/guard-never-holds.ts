/** A guard that no record can satisfy. */
import { satisfiable } from "../../../expression/prove.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/guard-never-holds",
  severity: "warning",
  why: "The move is never made.",
  *run({ transitions }) {
    for (const { guard, at } of transitions) {
      if (guard === undefined || satisfiable(guard)) continue;
      yield { at: `${at}/if#value`, message: "This can never be true" };
    }
  },
};
