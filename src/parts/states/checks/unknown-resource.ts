/** States of a resource that does not exist. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/unknown-resource",
  severity: "error",
  why: "States belong to the records of a resource.",
  *run(facts) {
    if (!says(facts, "resources")) return;
    const known = Object.keys(facts.model.resources.resources);
    for (const name of Object.keys(facts.model.states)) {
      if (Object.hasOwn(facts.model.resources.resources, name) || isWritten(facts, `resources/${name}`)) continue;
      yield { at: `states/${name}#key`, message: `There is no resource \`${name}\``, unknown: { name, known } };
    }
  },
};
