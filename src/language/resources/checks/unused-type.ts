/** An entry of `types:` that no field has. */
import type { Check } from "../../analysis/finding.ts";
import { namedTypes } from "../type-names.ts";

export const check: Check = {
  code: "resources/unused-type",
  severity: "warning",
  why: "A definition that nothing uses is mostly one that somebody forgot to use.",
  *run({ model }) {
    // A type that only names itself is unused too.
    const used = new Set(namedTypes(model).flatMap(({ name, enclosing }) => (name === enclosing ? [] : [name])));
    for (const name of Object.keys(model.resources.types)) {
      if (used.has(name)) continue;
      yield {
        at: `resources/types/${name}#key`,
        message: `No field is of type \`${name}\``,
        help: "give it to a field, or remove it",
      };
    }
  },
};
