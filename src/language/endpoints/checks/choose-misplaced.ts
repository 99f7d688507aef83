/** Reports a `choose` for a field that cannot refer to the chosen record. */
import { kebabCase, withArticle } from "../../../base/case.ts";
import { fieldsOf, hasUnknownType, isNullable, lookup, referenceOf } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/choose-misplaced",
  severity: "error",
  why: "`choose` finds a record and stores a reference to it in the field.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const fields = fieldsOf(model, resolved.resource);
      for (const [name, { else: otherwise, from }] of Object.entries(resolved.endpoint.choose ?? {})) {
        if (!Object.hasOwn(model.resources.resources, from)) continue;
        const at = `endpoints/endpoints/${resolved.operation}/choose/${name}#key`;
        const field = lookup(fields, name);
        if (field === undefined) {
          yield {
            at,
            message: `${resolved.resource} has no field \`${name}\``,
            unknown: { name, known: Object.keys(fields) },
          };
        } else if (referenceOf(model, field.type) !== from && !hasUnknownType(model, resolved.resource, name)) {
          yield {
            at,
            message: `\`${name}\` does not refer to ${withArticle(from)}`,
            help: `write \`${name}: ${from}\` in part 2`,
          };
        } else if (otherwise === undefined && !isNullable(field)) {
          yield {
            at,
            message: `\`${name}\` does not say which error to return when there is no ${from}`,
            help: `write \`else: no-${kebabCase(from)}\`, or \`${name}?\` in part 2`,
          };
        }
      }
    }
  },
};
