/** Chooses the events with which the cases of deliveries work: those that the test can let happen again and again. */
import { lookup } from "../../language/resources/fields.ts";
import type { Contract } from "../contract.ts";
import { startOf } from "../effects.ts";
import { pathsBetween } from "../trial/states.ts";
import { needsTime } from "./trigger.ts";

/** Returns the event that is the easiest to cause: of a new record if possible; undefined if there is none without waiting. */
export function simpleEvent(contract: Contract): string | undefined {
  const names = Object.keys(contract.model.events.out ?? {}).filter((name) => !needsTime(contract, name));
  return names.find((name) => stepsTo(contract, name) === 0) ?? names[0];
}

/** Returns how many transitions a new record needs until the event. */
function stepsTo(contract: Contract, name: string): number | undefined {
  return pathTo(contract, name)?.length;
}

function pathTo(contract: Contract, name: string) {
  const { when } = lookup(contract.model.events.out ?? {}, name) ?? {};
  const start = when?.kind === "enters" ? startOf(contract, when.resource) : undefined;
  if (when?.kind !== "enters" || start === undefined) return undefined;
  if (when.state === start) return [];
  return pathsBetween({ contract }, when.resource, start, when.state)[0];
}

/** Events of one record, in the order in which they happen. */
export interface Series {
  readonly resource: string;
  /** The state that the record enters with the last event. */
  readonly state: string;
  readonly events: readonly [string, string, ...string[]];
}

/** Returns the shortest series of events that operations let happen; undefined if there is none of two. */
export function shortSeries(contract: Contract): Series | undefined {
  const { out = {} } = contract.model.events;
  const found = Object.entries(out).flatMap(([name, { when }]): readonly Series[] => {
    const path = pathTo(contract, name);
    if (when.kind !== "enters" || path === undefined || needsTime(contract, name)) return [];
    if (path.some(({ trigger }) => trigger.on.kind !== "by")) return [];
    const start = startOf(contract, when.resource);
    const states = [start, ...path.map(({ to }) => to)];
    const [first, second, ...more] = states.flatMap((state) =>
      Object.keys(out).filter((one) => {
        const { when: other } = out[one] ?? {};
        return other?.kind === "enters" && other.resource === when.resource && other.state === state;
      }),
    );
    const isSingle = new Set(states).size === states.length;
    if (first === undefined || second === undefined || !isSingle) return [];
    return [{ resource: when.resource, state: when.state, events: [first, second, ...more] }];
  });
  return found.toSorted((one, other) => one.events.length - other.events.length)[0];
}
