/** Two marks of one field that cannot both hold. */
import type { Check } from "../../analysis/finding.ts";
import type { Modifier } from "../model.ts";

const contradictions: readonly (readonly [one: Modifier, other: Modifier, why: string])[] = [
  ["read-only", "create-only", "nobody may set it, and whoever creates may"],
  ["read-only", "write-only", "callers could neither set nor see it"],
  ["write-only", "filter", "a filter tells what is never given back"],
  ["write-only", "sort", "an order tells what is never given back"],
  ["write-only", "search", "a search tells what is never given back"],
  ["secret", "filter", "a filter tells what is never given back"],
  ["secret", "sort", "an order tells what is never given back"],
  ["secret", "search", "a search tells what is never given back"],
  ["delete with", "clear", "the record cannot both go and stay"],
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
