/** A computed field that reveals a hidden field to callers who may not see it. */
import { fieldsReadIn, isHidden } from "../../authentication/hidden.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "resources/hidden-field-leaves",
  severity: "warning",
  why: "Everybody would see the computed value of a hidden field.",
  *run(documentIndex) {
    const { model, typed } = documentIndex;
    const { show } = model.authentication;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const name of Object.keys(fields)) {
        const at = `resources/${resource}/${name}`;
        const expression = typed.get(`${at}/computed`);
        if (expression === undefined || Object.hasOwn(show, `${resource}.${name}`)) continue;
        const hidden = fieldsReadIn(expression, resource).find((field) => isHidden(documentIndex, field));
        if (hidden === undefined) continue;
        yield {
          at: `${at}#key`,
          message: `\`${name}\` is computed from \`${hidden}\`, which not everybody sees`,
          help: `write in \`show\` of part 5 who sees \`${resource}.${name}\``,
        };
      }
    }
  },
};
