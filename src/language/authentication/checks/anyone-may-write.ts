/** An operation that changes records and is open to anyone. */
import { withArticle } from "../../../base/case.ts";
import { allowedTo, type DocumentIndex } from "../../analysis/document-index.ts";
import { readingActions, sessionActions } from "../../endpoints/model.ts";
import type { Check } from "../../analysis/finding.ts";
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import { readsInput } from "../input-guard.ts";

export const check: Check = {
  code: "authentication/anyone-may-write",
  severity: "warning",
  why: "Anyone who finds the address can change data that others rely on, and the service cannot tell who did it.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource" || readingActions.has(resolved.action)) continue;
      // A login changes no record.
      if (sessionActions.has(resolved.action)) continue;
      const grants = allowedTo(documentIndex, resolved.operation);
      const index = grants.findIndex(({ who, if: condition }) => who.kind === "anyone" && condition === undefined);
      if (index < 0 || isGuarded(documentIndex, resolved)) continue;
      yield {
        at: `authentication/allow/${resolved.operation}/${index}`,
        message: `Anyone may ${resolved.action} ${withArticle(resolved.resource)} with \`${resolved.operation}\``,
        help: "name a role, add a condition with `if`, or suppress this finding with a reason",
      };
    }
  },
};

/** A code that the caller has to send restricts who can succeed. */
function isGuarded({ transitionsBy }: DocumentIndex, { action, operation }: ResourceEndpoint): boolean {
  return (
    action === "move" &&
    (transitionsBy.get(operation) ?? []).every(({ guard }) => guard !== undefined && readsInput(guard))
  );
}
