/** A rate that is counted per record of a resource that the operation does not have at hand. */
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "limits/unknown-per",
  severity: "error",
  why: "There would be no record to count for.",
  *run(facts) {
    if (!says(facts, "resources")) return;
    const { resources } = facts.model.resources;
    for (const kind of ["rate", "quota"] as const) {
      for (const [target, limits] of Object.entries(facts.model.limits[kind] ?? {})) {
        for (const [index, { per }] of limits.entries()) {
          if (per === "user" || per === "ip" || facts.places.has(`resources/${per}`)) continue;
          yield {
            at: `limits/${kind}/${target}/${index}`,
            message: `There is no resource \`${per}\` to count for`,
            unknown: { name: per, known: [...Object.keys(resources), "user", "ip"] },
          };
        }
      }
    }
  },
};
