/** Reports fields whose type allows too much: text for a point in time, or any length. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, isServerSet } from "../fields.ts";

/** Reports a point in time stored as text. */
const timeAsText: Check = {
  code: "resources/time-as-text",
  severity: "hint",
  why: "The service neither validates nor sorts text as a time, and text cannot trigger a transition.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, field] of Object.entries(fields)) {
        const bare = bareType(field.type);
        if (bare.kind !== "scalar" || bare.name !== "string" || bare.pattern !== undefined) continue;
        const date = /(?:^d|[a-z_]D|_d)ate$/.test(name);
        if (!date && !/(?:[a-z]At|_at|[tT]imestamp|[a-z]Time|_time)$/.test(name)) continue;
        yield {
          at: `resources/${resource}/${name}/type`,
          message: `\`${name}\` looks like a time but is text`,
          help: `write \`${date ? "date" : "datetime"}\``,
        };
      }
    }
  },
};

/** Reports text or a list without a maximum length. */
const unbounded: Check = {
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

export const checks: readonly Check[] = [timeAsText, unbounded];
