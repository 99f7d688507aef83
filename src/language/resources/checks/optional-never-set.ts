/** An optional field that callers cannot set and the server never does: it is always absent. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable, isServerSet } from "../fields.ts";

export const check: Check = {
  code: "resources/optional-never-set",
  severity: "warning",
  why: "The field would be absent from every record.",
  *run(documentIndex) {
    const { model, endpointsOf, hasHandlers, lifeOf } = documentIndex;
    if (hasHandlers || !declares(documentIndex, "states", "endpoints")) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const set = new Set(
        (lifeOf.get(resource)?.transitions ?? []).flatMap(({ trigger }) => Object.keys(trigger.set ?? {})),
      );
      for (const { endpoint, parents } of endpointsOf.get(resource) ?? []) {
        for (const name of [...Object.keys(endpoint.choose ?? {}), ...parents.map((parent) => parent.field)])
          set.add(name);
      }
      for (const [name, field] of Object.entries(fields)) {
        const isSet = field.default !== undefined || field.computed !== undefined || set.has(name);
        if (!isServerSet(field) || isSet || !isNullable(field)) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `Nothing sets \`${name}\``,
          help: `\`set\` it in a transition of part 3, give it a default, or drop \`read-only\``,
        };
      }
    }
  },
};
