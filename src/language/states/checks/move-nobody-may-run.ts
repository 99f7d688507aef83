/** A transition whose operation no caller may run who could satisfy the guard. */
import { satisfiable } from "../../../expression/prove.ts";
import type { TypedExpression } from "../../../expression/typed.ts";
import {
  allowedTo,
  type DocumentIndex,
  isWritten,
  declares,
  type TriggeredTransition,
} from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/move-nobody-may-run",
  severity: "warning",
  why: "No request can ever trigger this transition.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication")) return;
    for (const [operation, transitions] of documentIndex.transitionsBy) {
      const path = `authentication/allow/${operation}`;
      // That no line allows it at all is an error of part 5.
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

/** Whether one state of the move, its guard and the condition of a grant can hold of one record at once. */
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
