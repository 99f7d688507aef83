/** A GET that changes something. */
import type { Check } from "../../analysis/finding.ts";
import { readingActions } from "../model.ts";

export const check: Check = {
  code: "endpoints/get-changes",
  severity: "error",
  why: "Browsers, caches and crawlers may send a GET at any time (RFC 9110, section 9.2.1).",
  *run({ endpoints, transitionsBy }) {
    for (const { operation, endpoint } of endpoints.values()) {
      if (endpoint.method !== "GET") continue;
      const action = endpoint.does;
      const changes = action !== undefined && !readingActions.has(action) && action !== "handler";
      if (!changes && !transitionsBy.has(operation)) continue;
      yield {
        at: `endpoints/endpoints/${operation}/at`,
        message: `\`${operation}\` is a GET and ${changes ? `would ${action}` : "changes the state of a record"}`,
        help: `write \`POST ${endpoint.path}\``,
      };
    }
  },
};
