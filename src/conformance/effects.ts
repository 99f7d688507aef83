/** Which records an operation may change besides its own: the events of part 6 make transitions of part 3. */
import { parseClockDuration } from "../base/duration.ts";
import { onceFor } from "../base/once.ts";
import { lookup } from "../language/resources/fields.ts";
import { type FurtherWrite, transitionName, type Transition, type Trigger } from "../language/states/model.ts";
import type { Contract, Operation } from "./contract.ts";

export interface TriggeredTransition {
  readonly resource: string;
  readonly transition: Transition;
  readonly trigger: Trigger;
  /** The path of the trigger, as in `SourceLocations`. */
  readonly path: string;
  /** The states that the transition leaves; for `any`, all non-final states but the target. */
  readonly from: readonly string[];
  readonly to: string;
}

/** Returns all transitions of existing records, once for each of their triggers. */
export const transitionsOf: (contract: Contract) => readonly TriggeredTransition[] = onceFor((contract: Contract) =>
  allTransitions(contract).filter((one) => !isOfNewRecord(contract, one)),
);

/** Returns the transitions of new records by the operation that creates them, in the order in which their guards decide. */
export function transitionsOfNew(contract: Contract, operation: string): readonly TriggeredTransition[] {
  if (contract.operations.get(operation)?.action !== "create") return [];
  return allTransitions(contract).filter(({ trigger: { on } }) => on.kind === "by" && on.operation === operation);
}

function isOfNewRecord({ operations }: Contract, { trigger: { on } }: TriggeredTransition): boolean {
  return on.kind === "by" && operations.get(on.operation)?.action === "create";
}

const allTransitions: (contract: Contract) => readonly TriggeredTransition[] = onceFor(({ model }: Contract) =>
  Object.entries(model.states).flatMap(([resource, lifecycle]) => {
    if (lifecycle === "none") return [];
    const { final = [], moves, states } = lifecycle;
    return moves.flatMap((transition) =>
      transition.triggers.map((trigger, index): TriggeredTransition => {
        const from =
          transition.from === "any"
            ? Object.keys(states).filter((state) => state !== transition.to && !final.includes(state))
            : transition.from;
        const path = `states/${resource}/moves/${transitionName(transition)}/${index}`;
        return { resource, transition, trigger, path, from, to: transition.to };
      }),
    );
  }),
);

/** Returns the transitions that an operation makes. */
export function transitionsBy(contract: Contract, operation: string): readonly TriggeredTransition[] {
  return transitionsOf(contract).filter(({ trigger: { on } }) => on.kind === "by" && on.operation === operation);
}

/** Returns the start state of a resource. */
export function startOf({ model }: Contract, resource: string): string | undefined {
  const lifecycle = lookup(model.states, resource);
  if (lifecycle === undefined || lifecycle === "none") return undefined;
  return lifecycle.start ?? Object.keys(lifecycle.states)[0];
}

/** Returns the resources whose records an operation may change by further writes and through events, at any distance. */
export function affectedBy(contract: Contract, operation: Operation): ReadonlySet<string> {
  const { out = {} } = contract.model.events;
  const affected = new Set<string>();
  const subject = operation.endpoint.link?.in ?? operation.endpoint.unlink?.in ?? operation.resource;
  const pending = subject === undefined ? [] : [subject];
  const alsoWritten = (writes: readonly FurtherWrite[] = []): void => {
    for (const write of writes) {
      if (!affected.has(write.resource)) pending.push(write.resource);
      affected.add(write.resource);
    }
  };
  alsoWritten(operation.endpoint.also);
  for (const { trigger } of transitionsBy(contract, operation.operation)) alsoWritten(trigger.also);
  for (const resource of pending) {
    const events = Object.entries(out).flatMap(([name, { when }]) => {
      if (when.kind === "operation") return when.operation === operation.operation ? [name] : [];
      return when.resource === resource ? [name] : [];
    });
    for (const { resource: transitioned, trigger } of transitionsOf(contract)) {
      if (trigger.on.kind !== "when" || !trigger.on.events.some((event) => events.includes(event))) continue;
      if (!affected.has(transitioned)) pending.push(transitioned);
      affected.add(transitioned);
      alsoWritten(trigger.also);
    }
  }
  return affected;
}

/** Returns a duration as the document writes it, in milliseconds. */
export function clockMilliseconds(written: string): number {
  return parseClockDuration(written) ?? Number.NaN;
}
