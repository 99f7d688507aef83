/** A GET that changes something. */
import type { Check } from "../../finding.ts";
import { readingDeeds } from "../model.ts";

export const check: Check = {
  code: "endpoints/get-changes",
  severity: "error",
  why: "Browsers, caches and crawlers send a GET whenever they like (RFC 9110, section 9.2.1).",
  *run({ endpoints, movesBy }) {
    for (const { operation, endpoint } of endpoints.values()) {
      if (endpoint.method !== "GET") continue;
      const deed = endpoint.does;
      const changes = deed !== undefined && !readingDeeds.has(deed) && deed !== "handler";
      if (!changes && !movesBy.has(operation)) continue;
      yield {
        at: `endpoints/endpoints/${operation}/at`,
        message: `\`${operation}\` is a GET and ${changes ? `would ${deed}` : "moves a record"}`,
        help: `write \`POST ${endpoint.path}\``,
      };
    }
  },
};
