/** An operation that changes records and is open to anyone. */
import { withArticle } from "../../../base/case.ts";
import { allowedTo, type Facts } from "../../facts.ts";
import { readingDeeds, sessionDeeds } from "../../endpoints/model.ts";
import type { Check } from "../../finding.ts";
import type { ResourceEndpoint } from "../../endpoints/meaning.ts";
import { readsInput } from "../input-guard.ts";

export const check: Check = {
  code: "authentication/anyone-may-write",
  severity: "warning",
  why: "Whoever finds the address can change what others rely on, and nobody is named.",
  *run(facts) {
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource" || readingDeeds.has(meaning.deed)) continue;
      // Who logs in says who it is, and changes nothing.
      if (sessionDeeds.has(meaning.deed)) continue;
      const grants = allowedTo(facts, meaning.operation);
      const index = grants.findIndex(({ who, if: condition }) => who.kind === "anyone" && condition === undefined);
      if (index < 0 || isGuarded(facts, meaning)) continue;
      yield {
        at: `authentication/allow/${meaning.operation}/${index}`,
        message: `Anyone may ${meaning.deed} ${withArticle(meaning.resource)} with \`${meaning.operation}\``,
        help: "name a role, add a condition with `if`, or silence this with the reason",
      };
    }
  },
};

/** A code that the caller has to send is a proof of its own. */
function isGuarded({ movesBy }: Facts, { deed, operation }: ResourceEndpoint): boolean {
  return (
    deed === "move" && (movesBy.get(operation) ?? []).every(({ guard }) => guard !== undefined && readsInput(guard))
  );
}
