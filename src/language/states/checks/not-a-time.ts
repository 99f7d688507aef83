/** A move at a field that holds no time. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/not-a-time",
  severity: "error",
  why: "A timer needs an instant to wait for.",
  *run({ model, transitions }) {
    for (const { resource, trigger, at } of transitions) {
      if (trigger.on.kind !== "at") continue;
      const field = lookup(fieldsOf(model, resource), trigger.on.field);
      if (field === undefined) continue;
      const type = bareType(field.type);
      if (type.kind === "scalar" && type.name === "datetime") continue;
      yield {
        at: `${at}/at`,
        message: `\`${trigger.on.field}\` is not a \`datetime\``,
        help: "name a field of type `datetime`, or wait with `after 72h`",
      };
    }
  },
};
