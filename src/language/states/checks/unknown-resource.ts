/** States of a resource that does not exist. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/unknown-resource",
  severity: "error",
  why: "States belong to the records of a resource.",
  *run(documentIndex) {
    if (!declares(documentIndex, "resources")) return;
    const known = Object.keys(documentIndex.model.resources.resources);
    for (const name of Object.keys(documentIndex.model.states)) {
      if (Object.hasOwn(documentIndex.model.resources.resources, name) || isWritten(documentIndex, `resources/${name}`))
        continue;
      yield { at: `states/${name}#key`, message: `There is no resource \`${name}\``, unknown: { name, known } };
    }
  },
};
