/** A transition by an operation that moves no record. */
import { withArticle } from "../../../base/case.ts";
import type { EndpointMeaning } from "../../endpoints/meaning.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/operation-moves-no-record",
  severity: "error",
  why: "The transition would never happen.",
  *run({ movesBy, endpoints }) {
    for (const [operation, transitions] of movesBy) {
      const reason = reasonOf(endpoints.get(operation));
      if (reason === undefined) continue;
      for (const { at, resource } of transitions) {
        yield {
          at: `${at}/by`,
          message: `\`${operation}\` ${reason.what}, so it cannot move ${withArticle(resource)}`,
          help: reason.help,
        };
      }
    }
  },
};

interface Reason {
  readonly what: string;
  readonly help: string;
}

function reasonOf(meaning: EndpointMeaning | undefined): Reason | undefined {
  // A GET has a finding of its own.
  if (meaning === undefined || meaning.kind === "unclear" || meaning.endpoint.method === "GET") return undefined;
  if (meaning.kind === "resource") {
    if (meaning.deed === "move") return undefined;
    return {
      what: `is ${withArticle(meaning.deed)}`,
      help:
        meaning.endpoint.does === undefined
          ? "name an operation on one record, such as `POST /things/{id}/close`"
          : `leave \`does: ${meaning.endpoint.does}\` out of part 4, or name another operation`,
    };
  }
  if (meaning.key !== undefined) return undefined;
  return {
    what: "names no record in its path",
    help: "let the path name the record, such as `POST /things/{id}/close`",
  };
}
