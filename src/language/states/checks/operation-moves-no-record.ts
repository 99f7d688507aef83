/** A transition by an operation that moves no record. */
import { withArticle } from "../../../base/case.ts";
import type { ResolvedEndpoint } from "../../endpoints/resolve.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/operation-moves-no-record",
  severity: "error",
  why: "The transition would never happen.",
  *run({ transitionsBy, endpoints }) {
    for (const [operation, transitions] of transitionsBy) {
      const reason = reasonOf(endpoints.get(operation));
      if (reason === undefined) continue;
      for (const { at, resource } of transitions) {
        yield {
          at: `${at}/by`,
          message: `\`${operation}\` ${reason.what}, so it cannot change the state of ${withArticle(resource)}`,
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

function reasonOf(resolved: ResolvedEndpoint | undefined): Reason | undefined {
  // Another check reports a GET.
  if (resolved === undefined || resolved.kind === "unclear" || resolved.endpoint.method === "GET") return undefined;
  if (resolved.kind === "resource") {
    if (resolved.action === "move") return undefined;
    return {
      what: `is ${withArticle(resolved.action)}`,
      help:
        resolved.endpoint.does === undefined
          ? "name an operation with a path to one record, such as `POST /things/{id}/close`"
          : `leave \`does: ${resolved.endpoint.does}\` out of part 4, or name another operation`,
    };
  }
  if (resolved.key !== undefined) return undefined;
  return {
    what: "names no record in its path",
    help: "let the path name the record, such as `POST /things/{id}/close`",
  };
}
