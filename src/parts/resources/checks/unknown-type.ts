/** A type that is neither a resource nor an entry of `types:`. */
import { isWritten } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { scalarNames } from "../model.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unknown-type",
  severity: "error",
  why: "Without its type the field can be neither checked nor stored.",
  *run(facts) {
    const { resources, types } = facts.model.resources;
    const known = [...Object.keys(resources), ...Object.keys(types), ...scalarNames];
    for (const { name, at } of namedTypes(facts.model)) {
      if (Object.hasOwn(resources, name) || Object.hasOwn(types, name)) continue;
      if (isWritten(facts, `resources/${name}`) || isWritten(facts, `resources/types/${name}`)) continue;
      yield { at, message: `There is no type \`${name}\``, unknown: { name, known } };
    }
  },
};
