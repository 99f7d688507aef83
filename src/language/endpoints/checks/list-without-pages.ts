/** Lists that are given whole, however long. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/list-without-pages",
  severity: "warning",
  why: "A list grows over time, and its response becomes too large for clients.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || resolved.action !== "list") continue;
      const style = resolved.endpoint.lists ?? model.endpoints.lists;
      if (style?.kind !== "none") continue;
      yield {
        at:
          resolved.endpoint.lists === undefined ? "endpoints/lists" : `endpoints/endpoints/${resolved.operation}/lists`,
        message: `\`${resolved.operation}\` returns all records at once`,
        help: "write `lists: cursor, 50 per page, at most 200`",
      };
      if (resolved.endpoint.lists === undefined) return;
    }
  },
};
