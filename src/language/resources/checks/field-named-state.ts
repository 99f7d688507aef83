/** A field with the name that the state of a record has. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../fields.ts";

export const check: Check = {
  code: "resources/field-named-state",
  severity: "error",
  why: "The service stores the state of a record (part 3) as `state`, and only transitions may change it.",
  *run({ model, lives }) {
    for (const { resource } of lives) {
      if (!Object.hasOwn(fieldsOf(model, resource), "state")) continue;
      yield {
        at: `resources/${resource}/state`,
        message: `${resource} has states and also declares a field \`state\``,
        help: "remove the field: the state is a read-only, filterable member anyway",
      };
    }
  },
};
