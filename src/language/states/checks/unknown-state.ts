/** A move, a start or an end in a state that is not among the states. */
import type { Check } from "../../analysis/finding.ts";
import { transitionName } from "../model.ts";

export const check: Check = {
  code: "states/unknown-state",
  severity: "error",
  why: "A record could never be in it.",
  *run({ lives, places }) {
    for (const { resource, lifecycle, states } of lives) {
      const named = [
        ...(lifecycle.start === undefined ? [] : [{ name: lifecycle.start, at: `states/${resource}/start#value` }]),
        ...(lifecycle.final ?? []).map((name) => ({ name, at: `states/${resource}/final/${name}` })),
        ...lifecycle.moves.flatMap((transition) => {
          const at = `states/${resource}/moves/${transitionName(transition)}`;
          const from =
            transition.from === "any" ? [] : transition.from.map((name) => ({ name, at: `${at}/from/${name}` }));
          return [...from, { name: transition.to, at: `${at}/to` }];
        }),
      ];
      const known = new Set(states);
      for (const { name, at } of named) {
        if (known.has(name) || places.has(`states/${resource}/states/${name}`)) continue;
        yield { at, message: `${resource} has no state \`${name}\``, unknown: { name, known } };
      }
    }
  },
};
