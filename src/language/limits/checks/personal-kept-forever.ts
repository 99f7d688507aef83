/** Personal fields that no retention ever erases. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";
import type { Model } from "../../model.ts";
import { bareType, fieldsOf, lifecycleOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "limits/personal-kept-forever",
  severity: "warning",
  why: "Personal data may be stored only as long as it is needed.",
  *run({ model, endpointsOf }) {
    const { keep } = model.limits;
    // Without any statement about retention, the open question is reported elsewhere.
    if (keep === undefined) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      if (Object.hasOwn(keep, resource)) continue;
      if ((endpointsOf.get(resource) ?? []).some(({ action }) => action === "delete")) continue;
      const personal = Object.keys(fields).find((name) => fields[name]?.marks.includes("personal"));
      if (personal === undefined) continue;
      yield {
        at: `resources/${resource}/${personal}`,
        message: `\`${personal}\` is personal, but ${withArticle(resource)} is never deleted`,
        help: helpFor(model, resource),
      };
    }
  },
};

/** A resource without states has no `final`, so its retention must start at a field of type datetime. */
function helpFor(model: Model, resource: string): string {
  if (lifecycleOf(model, resource) !== undefined)
    return `write \`${resource}: 90d after final\` below \`keep\` of part 8`;
  const moment = Object.entries(fieldsOf(model, resource)).find(([, field]) => {
    const type = bareType(field.type);
    return type.kind === "scalar" && type.name === "datetime";
  });
  return moment === undefined
    ? `let an operation delete ${withArticle(resource)}, or write \`# ok personal-kept-forever\` with a reason after the field`
    : `let an operation delete ${withArticle(resource)}, or write \`${resource}: 2y after ${moment[0]}\` below \`keep\` of part 8`;
}
