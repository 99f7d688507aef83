/**
 * Checks what an operation does: reports a method, a missing transition or a missing idempotency key that contradicts its
 * action.
 */
import { withArticle } from "../../../base/case.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { readingActions } from "../model.ts";

/** Reports a GET that changes data. */
const getChanges: Check = {
  code: "endpoints/get-changes",
  severity: "error",
  why: "Browsers, caches and crawlers may send a GET at any time (RFC 9110, section 9.2.1).",
  *run({ endpoints, transitionsBy }) {
    for (const { operation, endpoint } of endpoints.values()) {
      if (endpoint.method !== "GET") continue;
      const action = endpoint.does;
      const changes = action !== undefined && !readingActions.has(action) && action !== "handler" && action !== "none";
      if (!changes && !transitionsBy.has(operation)) continue;
      yield {
        at: `endpoints/endpoints/${operation}/at`,
        message: `\`${operation}\` is a GET and ${changes ? `would ${action}` : "changes the state of a record"}`,
        help: `write \`POST ${endpoint.path}\``,
      };
    }
  },
};

/** Reports an operation on a record that triggers none of its transitions. */
const actionWithoutTransition: Check = {
  code: "endpoints/action-without-move",
  severity: "error",
  why: "Without a transition the operation has nothing to do.",
  *run(documentIndex) {
    if (!declares(documentIndex, "states")) return;
    for (const resolved of documentIndex.endpoints.values()) {
      if (
        resolved.kind !== "resource" ||
        resolved.action !== "move" ||
        documentIndex.transitionsBy.has(resolved.operation)
      )
        continue;
      // A transition that is `not shown` may be the missing one.
      if (documentIndex.model.gaps.some((path) => path.startsWith(`states/${resolved.resource}`))) continue;
      yield {
        at: `endpoints/endpoints/${resolved.operation}/at`,
        message: `\`${resolved.operation}\` triggers no transition of ${withArticle(resolved.resource)}`,
        help: `write \`from -> to: by ${resolved.operation}\` in part 3, or declare here what it \`does\``,
      };
    }
  },
};

/** Reports operations that create records and that a client cannot safely retry after a lost response. */
const unsafeRetries: Check = {
  code: "endpoints/unsafe-repeats",
  severity: "hint",
  why: "A caller who did not receive the response cannot retry without risking a second record.",
  *run({ endpointsOf, model }) {
    if (model.endpoints.repeats !== "none") return;
    // An operation with its own `repeats` has it on purpose.
    const creating = [...endpointsOf.values()]
      .flat()
      .find(({ action, endpoint }) => action === "create" && endpoint.repeats === undefined);
    if (creating === undefined) return;
    yield {
      at: "endpoints/repeats",
      message: `\`${creating.operation}\` cannot be retried safely`,
      help: "write `repeats: Idempotency-Key on every POST, kept 24h`",
    };
  },
};

export const checks: readonly Check[] = [getChanges, actionWithoutTransition, unsafeRetries];
