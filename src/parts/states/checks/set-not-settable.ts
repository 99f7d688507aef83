/** A move that sets what cannot be set. */
import type { Check } from "../../finding.ts";
import { fieldsOf, own } from "../../resources/fields.ts";

export const check: Check = {
  code: "states/set-not-settable",
  severity: "error",
  why: "An id stays for ever, and a computed field always has the value of its expression.",
  *run({ model, transitions }) {
    for (const { resource, trigger, at } of transitions) {
      for (const name of Object.keys(trigger.set ?? {})) {
        const field = own(fieldsOf(model, resource), name);
        if (field === undefined || (name !== "id" && field.computed === undefined)) continue;
        const what = name === "id" ? "the id of a record never changes" : `\`${name}\` is computed`;
        yield { at: `${at}/set/${name}#key`, message: `A move cannot set this: ${what}` };
      }
    }
  },
};
