/** Two marks of one field that cannot both hold. */
import type { Check } from "../../analysis/finding.ts";
import type { Modifier } from "../model.ts";

const contradictions: readonly (readonly [one: Modifier, other: Modifier, why: string])[] = [
  ["read-only", "create-only", "no caller may set it, and callers who create may"],
  ["read-only", "write-only", "callers could neither set nor see it"],
  ["write-only", "filter", "a filter would reveal a value that is never returned"],
  ["write-only", "sort", "sorting would reveal a value that is never returned"],
  ["write-only", "search", "a search would reveal a value that is never returned"],
  ["secret", "filter", "a filter would reveal a value that is never returned"],
  ["secret", "sort", "sorting would reveal a value that is never returned"],
  ["secret", "search", "a search would reveal a value that is never returned"],
  ["delete with", "clear", "the record cannot be both deleted and retained"],
];

export const check: Check = {
  code: "resources/marks-contradict",
  severity: "error",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, { marks }] of Object.entries(fields)) {
        const found = contradictions.find(([one, other]) => marks.includes(one) && marks.includes(other));
        if (found === undefined) continue;
        const [one, other, why] = found;
        yield {
          at: `resources/${resource}/${name}/marks/${other}`,
          message: `\`${name}\` is \`${one}\` and \`${other}\`: ${why}`,
          help: "leave one of the two out",
        };
      }
    }
  },
};
