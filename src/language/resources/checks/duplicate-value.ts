/** Reports a list of values with a duplicate. */
import type { Check } from "../../analysis/finding.ts";
import { bareType } from "../fields.ts";
import type { FieldType } from "../model.ts";

export const check: Check = {
  code: "resources/duplicate-value",
  severity: "error",
  why: "One of the two is redundant or was meant to be another value.",
  *run({ model: { resources, endpoints } }) {
    const groups = [
      ...Object.entries(resources.resources).map(([name, { fields }]) => [`resources/${name}`, fields] as const),
      ...Object.entries(resources.types).map(([name, fields]) => [`resources/types/${name}`, fields] as const),
      ...Object.entries(endpoints.endpoints).map(
        ([name, { takes = {} }]) => [`endpoints/endpoints/${name}/takes`, takes] as const,
      ),
    ];
    for (const [path, fields] of groups) {
      for (const [name, field] of Object.entries(fields)) {
        const values = valuesOf(field.type);
        const distinct = new Set<string>();
        const twice = new Set(values.filter((value) => distinct.size === distinct.add(value).size));
        for (const value of twice) {
          yield {
            at: `${path}/${name}/type`,
            message: `\`${name}\` lists \`${value}\` twice`,
            help: "leave one of them out, or write the value that was meant",
          };
        }
      }
    }
  },
};

function valuesOf(type: FieldType): readonly string[] {
  const bare = bareType(type);
  if (bare.kind === "list" || bare.kind === "map") return valuesOf(bare.of);
  return bare.kind === "one-of" ? bare.values : [];
}
