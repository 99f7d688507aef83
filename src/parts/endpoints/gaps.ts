/** What part 4 has to answer. */
import type { Facts } from "../facts.ts";
import { each, given, givenOrNone, none, type Question, shown, taken } from "../question.ts";
import type { ResourceEndpoint } from "./meaning.ts";

export const questions: readonly Question[] = [
  {
    id: "endpoints/base",
    text: "At which address is it reached?",
    answer: (facts) =>
      given(
        facts,
        "endpoints/base",
        facts.model.endpoints.base,
        taken("`{base_url}`, which is filled in when it runs"),
      ),
  },
  {
    id: "endpoints/paths",
    text: "Which method and path has each operation?",
    answer: (facts) => {
      const names = [...facts.operations].map((name) => ({
        at: `endpoints/endpoints/${name}`,
        said: Object.hasOwn(facts.model.endpoints.endpoints, name) || facts.places.has(`endpoints/endpoints/${name}`),
      }));
      const lacking = names.find(({ said }) => !said);
      if (lacking !== undefined)
        return { status: "silent", at: lacking.at.replace("endpoints/endpoints", "purpose/operations") };
      return each(facts, names);
    },
  },
  {
    id: "endpoints/requests",
    text: "What does each operation take?",
    answer: (facts) => members(facts, "takes", "what its method says: the fields that callers may set, or nothing"),
  },
  {
    id: "endpoints/answers",
    text: "What does each operation answer, with which status?",
    answer: (facts) =>
      members(facts, "gives", "the record with 200 or 201, a page of records, or 204 after a deletion"),
  },
  {
    id: "endpoints/lists",
    text: "How are lists cut into pages, and how large is one?",
    answer: (facts) => {
      const lists = endpointsThat(facts, "list");
      const otherwise = taken("cursor, 20 per page, at most 100");
      if (lists.length === 0 && facts.model.endpoints.lists === undefined) return none;
      if (lists.length > 0 && lists.every(({ endpoint }) => endpoint.lists !== undefined)) {
        return shown(`endpoints/endpoints/${lists[0]?.operation}/lists`);
      }
      return given(facts, "endpoints/lists", facts.model.endpoints.lists, otherwise);
    },
  },
  {
    id: "endpoints/repeats",
    text: "Which requests can safely be sent again?",
    answer: (facts) => {
      const writes = endpointsThat(facts, "create", "update", "replace", "delete", "move");
      if (writes.length === 0 && facts.model.endpoints.repeats === undefined) return none;
      const otherwise = taken("every write, with `Idempotency-Key`, kept 24h");
      return givenOrNone(facts, "endpoints/repeats", facts.model.endpoints.repeats, otherwise);
    },
  },
  {
    id: "endpoints/edits",
    text: "What keeps two edits at once from undoing each other?",
    answer: (facts) => {
      const edits = endpointsThat(facts, "update", "replace", "delete");
      if (edits.length === 0 && facts.model.endpoints.edits === undefined) return none;
      return givenOrNone(facts, "endpoints/edits", facts.model.endpoints.edits, taken("`If-Match` is optional"));
    },
  },
  {
    id: "endpoints/media",
    text: "Which media type is taken, and what happens to unknown fields?",
    answer: () => taken("`application/json`; unknown fields are refused"),
  },
];

function endpointsThat(
  { endpoints }: Facts,
  ...deeds: readonly ResourceEndpoint["deed"][]
): readonly ResourceEndpoint[] {
  return [...endpoints.values()].filter(
    (meaning): meaning is ResourceEndpoint => meaning.kind === "resource" && deeds.includes(meaning.deed),
  );
}

/** A handler or a login is the document's own business, so there is no default for what it takes and gives. */
function members(facts: Facts, member: "takes" | "gives", usual: string): ReturnType<typeof shown> {
  const { endpoints } = facts.model.endpoints;
  return each(
    facts,
    Object.entries(endpoints).map(([operation, endpoint]) => {
      const at = `endpoints/endpoints/${operation}/${member}`;
      const free = facts.endpoints.get(operation)?.kind === "free";
      const { shape, wire } = endpoint;
      // A wire says all that goes over it; without a body it takes none.
      const inWire = wire !== undefined && (member === "takes" || wire.answers !== undefined);
      const said = inWire || endpoint[member] !== undefined || (member === "gives" && shape !== undefined);
      return {
        at: inWire ? `endpoints/endpoints/${operation}/wire` : at,
        said,
        ...(free ? {} : { otherwise: taken(usual) }),
      };
    }),
  );
}
