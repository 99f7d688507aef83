/**
 * Checks the operations of transitions: reports an operation that nobody may run, that is about another resource, or that acts
 * on no record.
 */
import { withArticle } from "../../../base/case.ts";
import { satisfiable } from "../../../expression/prove.ts";
import type { TypedExpression } from "../../../expression/typed.ts";
import {
  type DocumentIndex,
  type TriggeredTransition,
  allowedTo,
  isWritten,
  declares,
} from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isCreation, type ResolvedEndpoint } from "../../endpoints/resolve.ts";

/** Reports a transition if no caller who may run its operation can satisfy its guard. */
const transitionNobodyMayRun: Check = {
  code: "states/move-nobody-may-run",
  severity: "warning",
  why: "No request can ever trigger this transition.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    for (const [operation, transitions] of documentIndex.transitionsBy) {
      const path = `authentication/allow/${operation}`;
      // Part 5 has its own error for an operation that no line allows.
      if (!isWritten(documentIndex, path)) continue;
      for (const transition of transitions) {
        if (
          allowedTo(documentIndex, operation).some((_, index) =>
            canRun(documentIndex, transition, `${path}/${index}/if`),
          )
        )
          continue;
        yield {
          at: `${transition.at}/by`,
          message: `No caller who may run \`${operation}\` can trigger this transition`,
          help: "compare the guard with the conditions of `allow` in part 5: they exclude each other",
        };
      }
    }
  },
};

/** Whether the source states of the transition, its guard and the condition of a grant can be true for one record at once. */
function canRun(documentIndex: DocumentIndex, { from, guard }: TriggeredTransition, path: string): boolean {
  const condition = documentIndex.typed.get(path);
  const conditions = [condition, guard].filter((one) => one !== undefined);
  return from.length === 0 || from.some((state) => satisfiable(all([isState(state), ...conditions])));
}

const at = { start: 0, end: 0 };

function isState(state: string): TypedExpression {
  const type = { kind: "string" } as const;
  const common = { at, nullable: false } as const;
  const left: TypedExpression = { kind: "field", name: "state", type, ...common };
  const right: TypedExpression = { kind: "constant", value: state, type, ...common };
  return { kind: "compare", operator: "==", left, right, type: { kind: "bool" }, ...common };
}

function all(conditions: readonly TypedExpression[]): TypedExpression {
  return conditions.reduce((left, right) => {
    return { kind: "logical", operator: "&&", left, right, at, nullable: false, type: { kind: "bool" } };
  });
}

/** Reports a transition by an operation that is about another resource. */
const operationOfOtherResource: Check = {
  code: "states/operation-of-other-resource",
  severity: "error",
  why: "An operation changes the state of the record in its path; other records follow by an event.",
  *run({ transitionsBy, endpoints }) {
    for (const [operation, transitions] of transitionsBy) {
      const resolved = endpoints.get(operation);
      if (resolved === undefined || resolved.kind === "unclear") continue;
      if (resolved.key === undefined && !isCreation(resolved)) continue;
      for (const { resource, at } of transitions) {
        if (resource === resolved.resource) continue;
        yield {
          at: `${at}/by`,
          message: `\`${operation}\` is about ${resolved.resource}, so it cannot change the state of ${withArticle(resource)}`,
          help: `change the ${resource} with \`when\` and an event of the ${resolved.resource}`,
        };
      }
    }
  },
};

/** Reports a transition by an operation that transitions no record. */
const operationOnNoRecord: Check = {
  code: "states/operation-moves-no-record",
  severity: "error",
  why: "The transition would never happen.",
  *run({ transitionsBy, endpoints, lifeOf }) {
    for (const [operation, transitions] of transitionsBy) {
      const resolved = endpoints.get(operation);
      if (isCreation(resolved)) {
        for (const { at, from, resource } of transitions) {
          const start = lifeOf.get(resource)?.start;
          if (start === undefined || from.length === 0 || from.includes(start)) continue;
          yield {
            at: `${at}/by`,
            message: `\`${operation}\` creates ${withArticle(resource)} in \`${start}\`, so this transition never happens`,
            help: `begin it in \`${start}\`: a creation makes only transitions from the start state`,
          };
        }
        continue;
      }
      const reason = reasonOf(resolved);
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
  // Another check reports a GET that changes data.
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

export const checks: readonly Check[] = [transitionNobodyMayRun, operationOfOtherResource, operationOnNoRecord];
