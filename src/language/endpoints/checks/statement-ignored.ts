/** Reports a statement about an operation that has no effect for its action. */
import { withArticle } from "../../../base/case.ts";
import type { Model } from "../../model.ts";
import type { FreeEndpoint, ResourceEndpoint } from "../resolve.ts";
import type { Check } from "../../analysis/finding.ts";
import { creates } from "../input.ts";
import { bodilessActions, listingActions, readingActions, sessionActions } from "../model.ts";

export const check: Check = {
  code: "endpoints/statement-ignored",
  severity: "error",
  why: "The service enforces every statement, and it cannot enforce this one.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind === "unclear") continue;
      const ignored = resolved.kind === "resource" ? ignoredMembers(model, resolved) : ignoredByHandler(resolved);
      for (const [member, reason] of ignored) {
        yield {
          at: `endpoints/endpoints/${resolved.operation}/${member}`,
          message: `\`${resolved.operation}\` ${reason}`,
        };
      }
    }
  },
};

/** Members that only Nonet's own actions implement; a handler's function has to implement them itself. */
const notOfHandlers = [
  "also",
  "choose",
  "where",
  "filters",
  "the",
  "link",
  "unlink",
  "lists",
  "group",
  "order",
  "headers",
  "expand",
  "fields",
] as const;

function ignoredByHandler({ action, endpoint }: FreeEndpoint): readonly (readonly [member: string, reason: string])[] {
  if (action !== "handler") return [];
  const { errors: _, ...outcomes } = endpoint.statuses ?? {};
  const members = [
    ...notOfHandlers.filter((member) => endpoint[member] !== undefined),
    ...Object.keys(outcomes).map((outcome) => `status/${outcome}`),
  ];
  const isFixed = endpoint.wire !== undefined && endpoint.requests !== undefined;
  const isBodiless = endpoint.method === "GET" && Object.keys(endpoint.takes ?? {}).length > 0;
  return [
    ...(isBodiless ? [["takes", "is a GET, which takes no body"] as const] : []),
    ...(isFixed ? [["requests", "has a `wire`, which describes its requests completely"] as const] : []),
    ...members.map((member) => [member, `runs a handler, which does not use \`${member}\``] as const),
  ];
}

function ignoredMembers(
  model: Model,
  resolved: ResourceEndpoint,
): readonly (readonly [member: string, reason: string])[] {
  const { action, endpoint, key } = resolved;
  const hasBody = !readingActions.has(action) && !bodilessActions.has(action) && endpoint.method !== "DELETE";
  const list = listingActions.has(action);
  return [
    ...(!hasBody && (endpoint.takesView !== undefined || Object.keys(endpoint.takes ?? {}).length > 0)
      ? [["takes", `is ${withArticle(action === "unlink" ? endpoint.method : action)}, which takes no body`] as const]
      : []),
    ...(!list && action !== "clear" && endpoint.where !== undefined
      ? [
          [
            "where",
            "returns no list that `where` could filter: write `if` and `else`, or a condition in `allow` of part 5",
          ] as const,
        ]
      : []),
    ...(!list && endpoint.filters !== undefined ? [["filters", "returns no list to filter"] as const] : []),
    ...(endpoint.the !== undefined && !ofOne(action, key !== undefined)
      ? [["the", "does not act on one record whose path leaves it open"] as const]
      : []),
    ...(endpoint.link !== undefined && endpoint.unlink !== undefined
      ? [["unlink", "creates a link and cannot remove it"] as const]
      : []),
    ...(endpoint.also !== undefined && (readingActions.has(action) || sessionActions.has(action))
      ? [["also", `is ${withArticle(action)}, which writes no record`] as const]
      : []),
    ...ignoredOutcomes(resolved, action === "create" || action === "link" || creates(model, resolved)),
    ...(!list && endpoint.lists !== undefined ? [["lists", "returns no list that could have pages"] as const] : []),
    ...(action !== "summary" && endpoint.group !== undefined
      ? [["group", "is no summary, so it has no groups"] as const]
      : []),
    ...(!list && endpoint.order !== undefined ? [["order", "returns no list to sort"] as const] : []),
    ...(action === "history" && endpoint.headers !== undefined
      ? [["headers", "returns the history of a record, whose header fields are fixed"] as const]
      : []),
    ...(["expand", "fields"] as const)
      .filter((member) => endpoint[member] !== undefined && !returnsRecords(resolved))
      .map((member) => [member, "returns no records whose members a request could select"] as const),
    ...(endpoint.edits !== undefined && !isEdit(action)
      ? [["edits", "changes no record that a client has read, so it needs no precondition"] as const]
      : []),
    ...(endpoint.repeats !== undefined && readingActions.has(action)
      ? [["repeats", "changes nothing, so it can always be repeated"] as const]
      : []),
    ...(action === "history" && endpoint.gives !== undefined
      ? [["gives", "returns the history of a record, whose members are fixed"] as const]
      : []),
    ...(action !== "create" && action !== "move" && endpoint.choose !== undefined
      ? [["choose", "neither creates a record nor changes its state, so `choose` has no use"] as const]
      : []),
  ];
}

function returnsRecords({ action, endpoint }: ResourceEndpoint): boolean {
  if (endpoint.gives === "none" || action === "history" || action === "clear" || sessionActions.has(action))
    return false;
  return action !== "delete" || endpoint.gives !== undefined;
}

function isEdit(action: ResourceEndpoint["action"]): boolean {
  return action === "update" || action === "replace" || action === "delete" || action === "move";
}

function ofOne(action: ResourceEndpoint["action"], isKeyed: boolean): boolean {
  return !isKeyed && action !== "create" && action !== "clear" && !listingActions.has(action);
}

/** `makes`: whether the operation can create a record. */
function ignoredOutcomes(
  { action, endpoint: { statuses = {} } }: ResourceEndpoint,
  makes: boolean,
): readonly (readonly [member: string, reason: string])[] {
  const isIdempotent = makes || action === "replace" || action === "update" || action === "unlink";
  const gives = !readingActions.has(action) && action !== "delete" && action !== "clear";
  return [
    ...(statuses.created !== undefined && !makes ? [["status/created", "creates no record"] as const] : []),
    ...(statuses.same !== undefined && !isIdempotent ? [["status/same", "always has something to do"] as const] : []),
    ...(statuses.accepted !== undefined && !gives
      ? [["status/accepted", "has no record whose processing could continue"] as const]
      : []),
    ...(statuses.differs !== undefined && action !== "replace" && !(action === "create" && statuses.same !== undefined)
      ? [["status/differs", "never compares the request with an existing record"] as const]
      : []),
  ];
}
