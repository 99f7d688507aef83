/** Resources that need one another before the first of them can be created. */
import { reachableFrom } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { isNullable, isServerSet, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/create-cycle",
  severity: "error",
  why: "Each needs the other to be there first, so none of them can ever be created.",
  *run({ model }) {
    const needs = new Map<string, { readonly field: string; readonly target: string }[]>();
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const references = Object.entries(fields).flatMap(([name, field]) => {
        const target = referenceOf(model, field.type);
        const needed = target !== undefined && !isNullable(field) && !isServerSet(field) && field.default === undefined;
        return needed ? [{ field: name, target }] : [];
      });
      needs.set(resource, references);
    }
    for (const [resource, references] of needs) {
      for (const { field, target } of references) {
        const below = reachableFrom(target, (node) => (needs.get(node) ?? []).map((reference) => reference.target));
        if (!below.has(resource)) continue;
        const round = target === resource ? `another ${resource}` : `a ${target}, which needs a ${resource}`;
        yield {
          at: `resources/${resource}/${field}`,
          message: `A ${resource} needs ${round}, before it can be created`,
          help: `write \`${field}?\` so that the first one can do without`,
        };
      }
    }
  },
};
