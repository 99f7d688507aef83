/** Callers who may list records that they may not read. */
import { allowedTo } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { nameOf } from "../grants.ts";

export const check: Check = {
  code: "authentication/list-wider-than-read",
  severity: "warning",
  why: "A list returns the same fields, so denying the read of one record protects nothing.",
  *run(documentIndex) {
    for (const [resource, endpoints] of documentIndex.endpointsOf) {
      const reads = endpoints.filter(({ action }) => action === "read");
      if (reads.length === 0) continue;
      const readers = new Set(reads.flatMap(({ operation }) => allowedTo(documentIndex, operation)).map(nameOf));
      if (readers.has("anyone")) continue;
      for (const { action, operation, endpoint } of endpoints) {
        if (action !== "list" || endpoint.gives !== undefined) continue;
        for (const [index, grant] of allowedTo(documentIndex, operation).entries()) {
          const who = nameOf(grant);
          if (readers.has(who) || (readers.has("signed-in") && who !== "anyone")) continue;
          yield {
            at: `authentication/allow/${operation}/${index}`,
            message: `\`${who}\` may list ${resource} records but not read one`,
            help: `allow \`${who}\` to run \`${reads[0]?.operation}\` as well`,
          };
        }
      }
    }
  },
};
