/** A statement about an operation that what it does has no use for. */
import { withArticle } from "../../../base/case.ts";
import type { FreeEndpoint, ResourceEndpoint } from "../meaning.ts";
import type { Check } from "../../finding.ts";
import { bodilessDeeds, type Endpoint, readingDeeds } from "../model.ts";

export const check: Check = {
  code: "endpoints/statement-ignored",
  severity: "error",
  why: "Every statement is enforced, and this one cannot be.",
  *run({ endpoints }) {
    for (const meaning of endpoints.values()) {
      if (meaning.kind === "unclear") continue;
      const faults = meaning.kind === "resource" ? faultsOf(meaning) : handlerFaults(meaning);
      for (const [member, fault] of faults) {
        yield {
          at: `endpoints/endpoints/${meaning.operation}/${member}`,
          message: `\`${meaning.operation}\` ${fault}`,
        };
      }
    }
  },
};

/** What only Nonet's own operations do: a handler's function has to do it by itself. */
const notOfHandlers = ["choose", "where", "filters", "the", "link", "unlink", "lists"] as const;

function handlerFaults({ deed, endpoint }: FreeEndpoint): readonly (readonly [member: string, fault: string])[] {
  if (deed !== "handler") return [];
  const { errors: _, ...outcomes } = endpoint.statuses ?? {};
  const said = [
    ...notOfHandlers.filter((member) => endpoint[member] !== undefined),
    ...Object.keys(outcomes).map((outcome) => `status/${outcome}`),
  ];
  const isBodiless = endpoint.method === "GET" && Object.keys(endpoint.takes ?? {}).length > 0;
  return [
    ...(isBodiless ? [["takes", "is a GET, which takes no body"] as const] : []),
    ...said.map((member) => [member, `is done by a handler, which does not use \`${member}\``] as const),
  ];
}

function faultsOf({ deed, endpoint, key }: ResourceEndpoint): readonly (readonly [member: string, fault: string])[] {
  const takesBody = !readingDeeds.has(deed) && !bodilessDeeds.has(deed) && endpoint.method !== "DELETE";
  const list = deed === "list";
  return [
    ...(!takesBody && (endpoint.takesView !== undefined || Object.keys(endpoint.takes ?? {}).length > 0)
      ? [["takes", `is ${withArticle(deed === "unlink" ? endpoint.method : deed)}, which takes no body`] as const]
      : []),
    ...(endpoint.wire === undefined ? [] : [["wire", "is done by Nonet, which has a wire of its own"] as const]),
    ...(!list && deed !== "clear" && endpoint.where !== undefined
      ? [["where", "gives no list that `where` could narrow"] as const]
      : []),
    ...(!list && endpoint.filters !== undefined ? [["filters", "gives no list that could be cut down"] as const] : []),
    ...(endpoint.the !== undefined && !ofOne(deed, key !== undefined)
      ? [["the", "is not about one record that the path leaves open"] as const]
      : []),
    ...(endpoint.link !== undefined && endpoint.unlink !== undefined
      ? [["unlink", "links, and cannot take away what it makes"] as const]
      : []),
    ...outcomeFaults(deed, endpoint),
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

function ofOne(deed: ResourceEndpoint["deed"], isKeyed: boolean): boolean {
  return !isKeyed && deed !== "create" && deed !== "list" && deed !== "clear";
}

function outcomeFaults(
  deed: ResourceEndpoint["deed"],
  { statuses = {} }: Endpoint,
): readonly (readonly [member: string, fault: string])[] {
  const makes = deed === "create" || deed === "replace" || deed === "link";
  const repeats = makes || deed === "update" || deed === "unlink";
  const gives = !readingDeeds.has(deed) && deed !== "delete" && deed !== "clear";
  return [
    ...(statuses.created !== undefined && !makes ? [["status/created", "creates nothing"] as const] : []),
    ...(statuses.same !== undefined && !repeats
      ? [["status/same", "never finds that nothing has to be done"] as const]
      : []),
    ...(statuses.accepted !== undefined && !gives
      ? [["status/accepted", "leaves no record that could go on"] as const]
      : []),
    ...(statuses.differs !== undefined && deed !== "replace" && !(deed === "create" && statuses.same !== undefined)
      ? [["status/differs", "never finds a record that would have to change"] as const]
      : []),
  ];
}
