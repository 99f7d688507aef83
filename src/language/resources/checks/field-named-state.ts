/** A field with the name that the state of a record has. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../fields.ts";

export const check: Check = {
  code: "resources/field-named-state",
  severity: "error",
  why: "`state` is where part 3 keeps the state of a record, which only moves may change.",
  *run({ model, lives }) {
    for (const { resource } of lives) {
      if (!Object.hasOwn(fieldsOf(model, resource), "state")) continue;
      yield {
        at: `resources/${resource}/state`,
        message: `${resource} has states, and a field \`state\` of its own`,
        help: "remove the field: the state is there without it, read-only and filterable",
      };
    }
  },
};
