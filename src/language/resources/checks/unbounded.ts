/** Text or a list that callers may make as long as they like. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, isServerSet } from "../fields.ts";

export const check: Check = {
  code: "resources/unbounded",
  severity: "hint",
  why: "Only the size limit of requests bounds it, and every reader of the records has to handle such sizes.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, field] of Object.entries(fields)) {
        if (isServerSet(field)) continue;
        const bare = bareType(field.type);
        const text =
          bare.kind === "scalar" && bare.name === "string" && bare.max === undefined && bare.pattern === undefined;
        const list = bare.kind === "list" && bare.max === undefined;
        if (!text && !list) continue;
        yield {
          at: `resources/${resource}/${name}/type`,
          message: `\`${name}\` can be of any length`,
          help: text ? "write a range: `string(1..200)`; use `text` for long texts" : "write a range: `T[](0..20)`",
        };
      }
    }
  },
};
