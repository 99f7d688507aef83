/** Lists that are given whole, however long. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "endpoints/list-without-pages",
  severity: "warning",
  why: "Every list grows, and one day its answer is too large for everybody.",
  *run({ endpoints, model }) {
    for (const meaning of endpoints.values()) {
      if (meaning.kind !== "resource" || meaning.deed !== "list") continue;
      const style = meaning.endpoint.lists ?? model.endpoints.lists;
      if (style?.kind !== "none") continue;
      yield {
        at: meaning.endpoint.lists === undefined ? "endpoints/lists" : `endpoints/endpoints/${meaning.operation}/lists`,
        message: `\`${meaning.operation}\` gives all records at once`,
        help: "write `lists: cursor, 50 per page, at most 200`",
      };
      if (meaning.endpoint.lists === undefined) return;
    }
  },
};
