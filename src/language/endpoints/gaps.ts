/** The questions of part 4 in the completeness questionnaire. */
import type { DocumentIndex } from "../analysis/document-index.ts";
import { each, declaredAnswer, declaredOrNone, none, type Question, definedAt, taken } from "../analysis/question.ts";
import type { ResourceEndpoint } from "./resolve.ts";

export const questions: readonly Question[] = [
  {
    id: "endpoints/base",
    text: "At which address do callers reach the service?",
    answer: (documentIndex) =>
      declaredAnswer(documentIndex, "endpoints/base", taken("`{base_url}`, which the server fills in when it starts")),
  },
  {
    id: "endpoints/paths",
    text: "Which method and path has each operation?",
    answer: (documentIndex) => {
      const names = [...documentIndex.operations].map((name) => ({
        at: `endpoints/endpoints/${name}`,
        declared:
          Object.hasOwn(documentIndex.model.endpoints.endpoints, name) ||
          documentIndex.places.has(`endpoints/endpoints/${name}`),
      }));
      const lacking = names.find(({ declared }) => !declared);
      if (lacking !== undefined)
        return { status: "silent", at: lacking.at.replace("endpoints/endpoints", "purpose/operations") };
      return each(documentIndex, names);
    },
  },
  {
    id: "endpoints/requests",
    text: "What does each operation take?",
    answer: (documentIndex) =>
      members(documentIndex, "takes", "by its method: the fields that callers may set, or nothing"),
  },
  {
    id: "endpoints/answers",
    text: "What does each operation return, with which status?",
    answer: (documentIndex) =>
      members(documentIndex, "gives", "the record with 200 or 201, a page of records, or 204 after a deletion"),
  },
  {
    id: "endpoints/lists",
    text: "How are lists split into pages, and how large is a page?",
    answer: (documentIndex) => {
      const lists = endpointsThat(documentIndex, "list");
      const otherwise = taken("cursor, 20 per page, at most 100");
      if (lists.length === 0 && documentIndex.model.endpoints.lists === undefined) return none;
      if (lists.length > 0 && lists.every(({ endpoint }) => endpoint.lists !== undefined)) {
        return definedAt(`endpoints/endpoints/${lists[0]?.operation}/lists`);
      }
      return declaredAnswer(documentIndex, "endpoints/lists", otherwise);
    },
  },
  {
    id: "endpoints/repeats",
    text: "Which requests can be retried safely?",
    answer: (documentIndex) => {
      const writes = endpointsThat(documentIndex, "create", "update", "replace", "delete", "move");
      if (writes.length === 0 && documentIndex.model.endpoints.repeats === undefined) return none;
      const otherwise = taken("every write, with `Idempotency-Key`, kept 24h");
      return declaredOrNone(documentIndex, "endpoints/repeats", otherwise);
    },
  },
  {
    id: "endpoints/edits",
    text: "What prevents concurrent edits from overwriting each other?",
    answer: (documentIndex) => {
      const edits = endpointsThat(documentIndex, "update", "replace", "delete");
      if (edits.length === 0 && documentIndex.model.endpoints.edits === undefined) return none;
      return declaredOrNone(documentIndex, "endpoints/edits", taken("`If-Match` is optional"));
    },
  },
  {
    id: "endpoints/media",
    text: "Which media type is accepted, and what happens to unknown fields?",
    answer: (documentIndex) =>
      declaredAnswer(documentIndex, "endpoints/requests", taken("`application/json`; unknown fields are rejected")),
  },
];

function endpointsThat(
  { endpoints }: DocumentIndex,
  ...actions: readonly ResourceEndpoint["action"][]
): readonly ResourceEndpoint[] {
  return [...endpoints.values()].filter(
    (resolved): resolved is ResourceEndpoint => resolved.kind === "resource" && actions.includes(resolved.action),
  );
}

/** A handler or a login defines its own input and response, so the language has no default for them. */
function members(documentIndex: DocumentIndex, member: "takes" | "gives", usual: string): ReturnType<typeof definedAt> {
  const { endpoints } = documentIndex.model.endpoints;
  return each(
    documentIndex,
    Object.entries(endpoints).map(([operation, endpoint]) => {
      const at = `endpoints/endpoints/${operation}/${member}`;
      const free = documentIndex.endpoints.get(operation)?.kind === "free";
      const { shape, wire } = endpoint;
      // A wire is a complete contract: if it declares no body, the operation has no body.
      const isInContract = wire !== undefined && (member === "takes" || wire.answers !== undefined);
      const declared = isInContract || endpoint[member] !== undefined || (member === "gives" && shape !== undefined);
      return {
        at: isInContract ? `endpoints/endpoints/${operation}/wire` : at,
        declared,
        ...(free ? {} : { otherwise: taken(usual) }),
      };
    }),
  );
}
