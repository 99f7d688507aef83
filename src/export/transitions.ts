/** Describes transitions for exports: their triggers in words, and which states a record can reach from each state. */
import { withArticle } from "../base/case.ts";
import type { Selection } from "../language/states/further-writes.ts";
import type { FurtherWrite, Trigger } from "../language/states/model.ts";
import { everyOperation } from "../plan/events/events.ts";
import type { EffectPlan, TransitionPlan } from "../plan/states/types.ts";
import type { EndpointsPart } from "../plan/endpoints/types.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";

/** Returns a trigger in words, such as `dropOff`, `after 48h` or `when a | b`. */
export function triggerText(on: Trigger["on"]): string {
  switch (on.kind) {
    case "by":
      return on.operation;
    case "after":
      return `after ${on.duration}`;
    case "at":
      return `at ${on.field}`;
    case "when":
      return `when ${on.events.join(" | ")}${on.field === undefined ? "" : ` at ${on.field}`}`;
  }
}

/** Returns a further write in words, such as `creates a Part` or `changes each Account where …`. */
export function furtherWriteText({ kind, resource, ...selection }: FurtherWrite): string {
  const verb = { create: "creates", change: "changes", delete: "deletes" }[kind];
  return `${verb} ${kind === "create" ? withArticle(resource) : selectionText(resource, selection)}`;
}

/** Returns the selected records in words. */
export function selectionText(resource: string, { first, sort, where }: Selection): string {
  const order = sort === undefined ? "" : ` by ${sort}`;
  const which = first === undefined ? `each ${resource}` : `the first ${first} ${resource}${order}`;
  return where === undefined ? which : `${which} where ${where}`;
}

/** Returns, for each state, all states that can follow it, in the document's order. Assumes that all guards hold. */
export function reachable(
  plan: ResourcesPart & EndpointsPart & EventsPart,
  resource: string,
): Readonly<Record<string, readonly string[]>> {
  const states = plan.tables.find((table) => table.resource === resource)?.lifecycle?.states ?? [];
  const moves = transitionsOf(plan, resource);
  return Object.fromEntries(
    states.map((state) => {
      const found = new Set<string>();
      const walk = (from: string): void => {
        for (const transition of moves) {
          if (!transition.from.includes(from) || found.has(transition.to)) continue;
          found.add(transition.to);
          walk(transition.to);
        }
      };
      walk(state);
      return [state, states.filter((one) => found.has(one))];
    }),
  );
}

/** Returns the transitions by operations, by timers and as effects of other records' transitions. */
function transitionsOf(plan: ResourcesPart & EndpointsPart & EventsPart, resource: string): readonly TransitionPlan[] {
  const caused = (effects: readonly EffectPlan[]): readonly TransitionPlan[] =>
    effects.flatMap((effect) => [
      ...(effect.resource === resource ? effect.moves : []),
      ...caused(effect.effects),
      ...also(effect.moves),
    ]);
  const also = (moves: readonly Pick<TransitionPlan, "also">[]): readonly TransitionPlan[] =>
    moves.flatMap((transition) => (transition.also ?? []).flatMap(({ effects }) => caused(effects)));
  const operations = everyOperation(plan).flatMap((operation) => [
    ...(operation.resource === resource ? operation.moves : []),
    ...caused(operation.effects),
    ...also([operation, ...operation.moves]),
  ]);
  const timed = plan.tables.flatMap((table) =>
    (table.timed ?? []).flatMap(({ action }) =>
      action.kind === "move"
        ? [...(table.resource === resource ? action.moves : []), ...caused(action.effects), ...also(action.moves)]
        : [],
    ),
  );
  return [...operations, ...timed];
}
