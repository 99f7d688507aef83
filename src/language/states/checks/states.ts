/** Reports states that no record reaches or leaves. */
import { capital, withArticle } from "../../../base/case.ts";
import type { TriggeredTransition } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isCreation } from "../../endpoints/resolve.ts";

/** Reports a lifecycle without states. */
const noStates: Check = {
  code: "states/no-states",
  severity: "error",
  why: "A record has to start in a state.",
  *run({ lives, gaps }) {
    for (const { resource, states } of lives) {
      if (states.length > 0 || gaps.has(`states/${resource}/states`)) continue;
      yield {
        at: `states/${resource}#key`,
        message: `${resource} has a lifecycle but no states`,
        help: `list them below \`states:\`, or write \`${resource}: none\``,
      };
    }
  },
};

/** Reports a state that no record can ever be in. */
const unreachableState: Check = {
  code: "states/unreachable-state",
  severity: "warning",
  why: "No statement about this state has an effect.",
  *run({ lives }) {
    for (const { resource, states, start, reachable, closed } of lives) {
      // A transition that is `not shown` may lead to any state.
      if (!closed) continue;
      for (const state of states) {
        if (reachable.has(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `No ${resource} ever becomes \`${state}\`: no transition leads there from \`${start}\``,
          help: `add a transition such as \`${start} -> ${state}\`, or remove the state`,
        };
      }
    }
  },
};

/** Reports a state that records enter and never leave, without being final. */
const deadEnd: Check = {
  code: "states/dead-end",
  severity: "warning",
  why: "Quotas and retention would count a record in this state as unfinished for ever.",
  *run({ endpoints, lives }) {
    // Such a transition is only for new records: others stay in the start state. Without a guard no record is ever there.
    const isOfSomeNew = ({ trigger }: TriggeredTransition): boolean =>
      trigger.on.kind === "by" && trigger.if !== undefined && isCreation(endpoints.get(trigger.on.operation));
    for (const { resource, lifecycle, reachable, final, out, closed } of lives) {
      // If the document does not declare `final`, the questionnaire reports it.
      if (lifecycle.final === undefined || !closed) continue;
      for (const state of reachable) {
        const leaves = out.get(state)?.some((one) => one.to !== state && !isOfSomeNew(one)) ?? true;
        if (leaves || final.includes(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `${capital(withArticle(resource))} never leaves \`${state}\`, which is not final`,
          help: `add \`${state}\` to \`final\`, or a transition out of it`,
        };
      }
    }
  },
};

/** Reports a final state from which a transition leads. */
const finalWithExit: Check = {
  code: "states/final-with-exit",
  severity: "error",
  why: "Retention and quotas treat a final record as finished, so it must not leave that state.",
  *run({ lives }) {
    for (const { resource, final, transitions } of lives) {
      const ends = new Set(final);
      for (const { from, to, at } of transitions) {
        const left = from.find((state) => ends.has(state));
        if (left === undefined) continue;
        yield {
          at: at.replace(/\/\d+$/, "#key"),
          message: `\`${left}\` is final, but this transition leads ${withArticle(resource)} from there to \`${to}\``,
          help: `take \`${left}\` out of \`final\`, or remove the transition`,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [noStates, unreachableState, deadEnd, finalWithExit];
