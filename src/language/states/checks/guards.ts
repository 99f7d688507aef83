/** Checks guards: reports those that are always or never true, have no error, or can be true at the same time. */
import { always, satisfiable, exclusive } from "../../../expression/prove.ts";
import type { TriggeredTransition } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isCreation } from "../../endpoints/resolve.ts";
import { rangesOf } from "../../resources/fields.ts";

/** Reports a guard that is true for every record. */
const guardAlwaysHolds: Check = {
  code: "states/guard-always-holds",
  severity: "warning",
  why: "The guard has no effect, and its error is never returned.",
  *run({ transitions, model }) {
    for (const { guard, at, resource } of transitions) {
      if (guard === undefined || !always(guard, rangesOf(model, resource))) continue;
      yield {
        at: `${at}/if#value`,
        message: "This is always true",
        help: "leave `if` out, or write the intended condition",
      };
    }
  },
};

/** Reports a guard that is true for no record. */
const guardNeverHolds: Check = {
  code: "states/guard-never-holds",
  severity: "warning",
  why: "The transition never happens.",
  *run({ transitions, model }) {
    for (const { guard, at, resource } of transitions) {
      if (guard === undefined || satisfiable(guard, rangesOf(model, resource))) continue;
      yield { at: `${at}/if#value`, message: "This can never be true" };
    }
  },
};

/** Reports a guard without `else`: the operation can fail without a declared error. */
const guardWithoutError: Check = {
  code: "states/guard-without-error",
  severity: "error",
  why: "The caller needs to know why the service rejected the request.",
  *run({ endpoints, transitions, gaps }) {
    for (const { trigger, at } of transitions) {
      if (trigger.on.kind !== "by" || trigger.if === undefined || trigger.else !== undefined) continue;
      // A new record for which the guard is false stays in the start state.
      if (isCreation(endpoints.get(trigger.on.operation))) continue;
      // A gap of a transition's only trigger has a path without the trigger's index.
      if (gaps.has(`${at}/else`) || gaps.has(`${at.replace(/\/\d+$/, "")}/else`)) continue;
      yield {
        at: `${at}/if`,
        message: `\`${trigger.on.operation}\` has no error for the case that this is false`,
        help: "add `else:` with the name of an error of part 7",
      };
    }
  },
};

/** Reports two transitions from one state to different states with the same trigger, if both guards can be true. */
const guardsOverlap: Check = {
  code: "states/guards-overlap",
  severity: "warning",
  why: "The first transition in the document would win, which readers overlook and an edit can change.",
  *run({ lives, endpoints }) {
    /** Whether the second is the rest, for new records: the first of their transitions whose guard is true happens. */
    const isRest = ({ trigger }: TriggeredTransition, last: boolean): boolean =>
      last && trigger.if === undefined && trigger.on.kind === "by" && isCreation(endpoints.get(trigger.on.operation));
    for (const { states, out } of lives) {
      const reported = new Set<TriggeredTransition>();
      for (const state of states) {
        const byTrigger = Map.groupBy(out.get(state) ?? [], triggerKey);
        for (const [trigger, alternatives] of byTrigger) {
          if (trigger === undefined) continue;
          for (const [index, second] of alternatives.entries()) {
            const before = alternatives.slice(0, index);
            const first = before.find((one) => overlaps(one, second));
            if (first === undefined || reported.has(second)) continue;
            const isGuarded = before.every(({ trigger: { if: guard } }) => guard !== undefined);
            if (isGuarded && isRest(second, index === alternatives.length - 1)) continue;
            reported.add(second);
            yield {
              at: second.at.replace(/\/\d+$/, "#key"),
              message: `From \`${state}\`, \`${trigger}\` leads to \`${first.to}\` and to \`${second.to}\` at once`,
              help: "guard both with `if` conditions that exclude each other",
            };
          }
        }
      }
    }
  },
};

/**
 * Returns a text that is equal for triggers that can fire at the same moment. Timers run one after the other, so two timers do
 * not overlap.
 */
function triggerKey({ trigger: { on } }: TriggeredTransition): string | undefined {
  if (on.kind === "by") return on.operation;
  return on.kind === "when" ? on.events.join(" | ") : undefined;
}

function overlaps(first: TriggeredTransition, second: TriggeredTransition): boolean {
  if (first.where !== undefined && second.where !== undefined && exclusive(first.where, second.where)) return false;
  if (first.guard === undefined || second.guard === undefined) {
    // An invalid guard (another check reports it) is assumed not to overlap; a transition without a guard always does.
    return first.trigger.if === undefined || second.trigger.if === undefined;
  }
  return !exclusive(first.guard, second.guard);
}

export const checks: readonly Check[] = [guardAlwaysHolds, guardNeverHolds, guardWithoutError, guardsOverlap];
