/** A statement about an operation that what it does has no use for. */
import { withArticle } from "../../../base/case.ts";
import type { ResourceEndpoint } from "../meaning.ts";
import type { Check } from "../../finding.ts";
import { readingDeeds } from "../model.ts";

export const check: Check = {
  code: "endpoints/statement-ignored",
  severity: "error",
  why: "Every statement is enforced, and this one cannot be.",
  *run({ endpoints }) {
    for (const meaning of endpoints.values()) {
      if (meaning.kind !== "resource") continue;
      for (const [member, fault] of faultsOf(meaning)) {
        yield {
          at: `endpoints/endpoints/${meaning.operation}/${member}`,
          message: `\`${meaning.operation}\` ${fault}`,
        };
      }
    }
  },
};

function faultsOf({ deed, endpoint }: ResourceEndpoint): readonly (readonly [member: string, fault: string])[] {
  const takesBody = !readingDeeds.has(deed) && deed !== "delete";
  const list = deed === "list";
  return [
    ...(!takesBody && (endpoint.takesView !== undefined || Object.keys(endpoint.takes ?? {}).length > 0)
      ? [["takes", `is ${withArticle(deed)}, which takes no body`] as const]
      : []),
    ...(endpoint.wire === undefined ? [] : [["wire", "is done by Nonet, which has a wire of its own"] as const]),
    ...(!list && endpoint.where !== undefined ? [["where", "gives no list that `where` could narrow"] as const] : []),
    ...(!list && endpoint.lists !== undefined
      ? [["lists", "gives no list that could be cut into pages"] as const]
      : []),
    ...(deed === "history" && endpoint.gives !== undefined
      ? [["gives", "gives the moves of a record, which have members of their own"] as const]
      : []),
    ...(deed !== "create" && deed !== "move" && endpoint.choose !== undefined
      ? [["choose", "creates and moves nothing that `choose` could find something for"] as const]
      : []),
  ];
}
