/** A transition that copies a hidden field into a field that more callers see. */
import { fieldsReadIn, isHidden } from "../../authentication/hidden.ts";
import { lifecycleOf } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";
import { transitionName } from "../model.ts";

export const check: Check = {
  code: "states/hidden-field-leaves",
  severity: "warning",
  why: "`show` and the marks hide a field, but not a copy of its value.",
  *run(documentIndex) {
    for (const resource of Object.keys(documentIndex.model.states)) {
      for (const transition of lifecycleOf(documentIndex.model, resource)?.moves ?? []) {
        for (const [index, { set = {} }] of transition.triggers.entries()) {
          for (const name of Object.keys(set)) {
            const at = `states/${resource}/moves/${transitionName(transition)}/${index}/set/${name}`;
            const typed = documentIndex.typed.get(at);
            if (typed === undefined || isHidden(documentIndex, `${resource}.${name}`)) continue;
            const hidden = fieldsReadIn(typed, resource).find((field) => isHidden(documentIndex, field));
            if (hidden === undefined) continue;
            yield {
              at,
              message: `\`${name}\` is set from \`${hidden}\`, which not everybody sees`,
              help: `write in \`show\` of part 5 who sees \`${resource}.${name}\``,
            };
          }
        }
      }
    }
  },
};
