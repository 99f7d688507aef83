/** Somebody who may list what they may not read. */
import { allowedTo } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { nameOf } from "../grants.ts";

export const check: Check = {
  code: "authentication/list-wider-than-read",
  severity: "warning",
  why: "A list shows the same fields, so refusing the single record protects nothing.",
  *run(facts) {
    for (const [resource, endpoints] of facts.endpointsOf) {
      const reads = endpoints.filter(({ deed }) => deed === "read");
      if (reads.length === 0) continue;
      const readers = new Set(reads.flatMap(({ operation }) => allowedTo(facts, operation)).map(nameOf));
      if (readers.has("anyone")) continue;
      for (const { deed, operation, endpoint } of endpoints) {
        if (deed !== "list" || endpoint.gives !== undefined) continue;
        for (const [index, grant] of allowedTo(facts, operation).entries()) {
          const who = nameOf(grant);
          if (readers.has(who) || (readers.has("signed-in") && who !== "anyone")) continue;
          yield {
            at: `authentication/allow/${operation}/${index}`,
            message: `\`${who}\` may list ${resource} records and not read one`,
            help: `allow \`${who}\` to run \`${reads[0]?.operation}\` as well`,
          };
        }
      }
    }
  },
};
