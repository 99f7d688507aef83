/** Resources that need one another before the first of them can be created. */
import { capital, withArticle } from "../../../base/case.ts";
import { onCircles } from "../../analysis/circles.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable, isServerSet, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/create-cycle",
  severity: "error",
  why: "Each record needs the other to exist first, so no caller can create any of them.",
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
    const targets = [...needs].map(([name, references]) => [name, references.map(({ target }) => target)] as const);
    const circles = onCircles(new Map(targets));
    for (const [resource, references] of needs) {
      for (const { field, target } of references) {
        if (!circles.has(target) || circles.get(resource) !== circles.get(target)) continue;
        const round =
          target === resource ? `another ${resource}` : `${withArticle(target)}, which needs ${withArticle(resource)}`;
        yield {
          at: `resources/${resource}/${field}`,
          message: `${capital(withArticle(resource))} needs ${round}, before it can be created`,
          help: `write \`${field}?\` so that the first record can be created without it`,
        };
      }
    }
  },
};
