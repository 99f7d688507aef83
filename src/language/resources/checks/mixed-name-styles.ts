/** Fields whose names are written in two ways. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "resources/mixed-name-styles",
  severity: "hint",
  why: "Callers have to look up each name, because they cannot guess its spelling.",
  *run({ model }) {
    let first: { readonly style: "camelCase" | "snake_case"; readonly name: string } | undefined;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const name of Object.keys(fields)) {
        const style = /[a-z][A-Z]/.test(name) ? "camelCase" : /[a-z]_[a-z]/.test(name) ? "snake_case" : undefined;
        if (style === undefined) continue;
        first ??= { style, name };
        if (first.style === style) continue;
        yield {
          at: `resources/${resource}/${name}#key`,
          message: `\`${name}\` is written in ${style}, \`${first.name}\` in ${first.style}`,
        };
        return;
      }
    }
  },
};
