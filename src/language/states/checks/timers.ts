/** Reports timed transitions whose field has no time. */
import { withArticle } from "../../../base/case.ts";
import type { DocumentIndex, Life } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import type { ResourceEndpoint } from "../../endpoints/resolve.ts";
import { boundFields } from "../../endpoints/input.ts";
import { bareType, fieldsOf, lookup, isNullable, isServerSet } from "../../resources/fields.ts";

/** Reports a timed transition at a field of a type that is no time. */
const notATime: Check = {
  code: "states/not-a-time",
  severity: "error",
  why: "A timer needs an instant to wait for.",
  *run({ model, transitions }) {
    for (const { resource, trigger, at } of transitions) {
      if (trigger.on.kind !== "at") continue;
      const field = lookup(fieldsOf(model, resource), trigger.on.field);
      if (field === undefined) continue;
      const type = bareType(field.type);
      if (type.kind === "scalar" && type.name === "datetime") continue;
      yield {
        at: `${at}/at`,
        message: `\`${trigger.on.field}\` is not a \`datetime\``,
        help: "name a field of type `datetime`, or wait with `after 72h`",
      };
    }
  },
};

/** Reports a timer on a field that is still absent when the record enters the state. */
const timerNeverSet: Check = {
  code: "states/timer-never-set",
  severity: "warning",
  why: "A timer without a time never fires, and the record stays in its state.",
  *run(documentIndex) {
    for (const life of documentIndex.lives) {
      for (const { trigger, from, at } of life.transitions) {
        if (trigger.on.kind !== "at") continue;
        const { field: name } = trigger.on;
        const field = lookup(fieldsOf(documentIndex.model, life.resource), name);
        // An optional field that callers set is not reported: they decide whether the timer runs.
        if (field === undefined || !isNullable(field) || !isServerSet(field) || field.default !== undefined) continue;
        const set = statesWithValue(documentIndex, life, name);
        const empty = from.find((state) => life.reachable.has(state) && !set.has(state));
        if (empty === undefined) continue;
        yield {
          at: `${at}/at`,
          message: `\`${name}\` can still be empty when ${withArticle(life.resource)} is \`${empty}\``,
          help: `\`set\` it in every transition to \`${empty}\``,
        };
      }
    }
  },
};

/** Returns the states in which the field always has a value, by whatever transitions a record reached the state. */
function statesWithValue(
  documentIndex: DocumentIndex,
  { resource, states, start, transitions }: Life,
  name: string,
): ReadonlySet<string> {
  const creating = (documentIndex.endpointsOf.get(resource) ?? []).filter(({ action }) => action === "create");
  const fromCreation =
    creating.length > 0 &&
    creating.every((one) => boundFields(documentIndex.model, one).includes(name) || setsOfItself(one, name));
  const set = new Set(states.filter((state) => state !== start || fromCreation));
  // Starts with all states and removes those that a record can enter without a value, until nothing changes.
  for (let before = -1; before !== set.size; ) {
    before = set.size;
    for (const { from, to, trigger } of transitions) {
      if (trigger.set !== undefined && Object.hasOwn(trigger.set, name)) continue;
      if (from.some((state) => !set.has(state))) set.delete(to);
    }
  }
  return set;
}

/** Whether a creating operation always sets the field of the new record by `also`. */
function setsOfItself({ endpoint, resource }: ResourceEndpoint, name: string): boolean {
  return (endpoint.also ?? []).some(
    (write) =>
      write.resource === resource &&
      write.if === undefined &&
      write.each === undefined &&
      /^\s*(?:id\s*==\s*this\.id|this\.id\s*==\s*id)\s*$/.test(write.where ?? "") &&
      Object.hasOwn(write.set ?? {}, name),
  );
}

export const checks: readonly Check[] = [notATime, timerNeverSet];
