/** What clients can observe of timers: they fire in time and not before, and not for a record that is in another state by then. */
import type { Case } from "../case.ts";
import type { Contract } from "../contract.ts";
import { transitionsOf, type TriggeredTransition } from "../effects.ts";
import { expectSuccess } from "../expect.ts";
import { marginMilliseconds, timerMilliseconds } from "../trial/states.ts";
import { expectState, expectStateIn } from "./expected-state.ts";

/** The timer fires in time, and not before. */
export function fires(contract: Contract, timed: TriggeredTransition): readonly Case[] {
  const { resource, from, to, path } = timed;
  return from.map((state) => ({
    id: `${path}: from ${state}`,
    aspects: [{ path, expects: `time moves a ${resource} from ${state} to ${to}, and not before` }],
    exclusive: true,
    run: async (trial) => {
      const record = await trial.make(resource, { state });
      await trial.look(record);
      const wait = timerMilliseconds(trial, record, timed);
      const early = Math.min(60_000, wait / 4);
      await trial.pass(wait - early);
      await expectState(trial, record, state);
      await trial.pass(early + marginMilliseconds);
      await expectStateIn(trial, record, [to, ...laterStates(contract, resource, to)]);
    },
  }));
}

/** A record that has left the states of a timer does not feel it any more. */
export function isOver(contract: Contract, timed: TriggeredTransition): readonly Case[] {
  const { resource, from, to, path } = timed;
  const leaving = transitionsOf(contract).find(
    (one) =>
      one.resource === resource &&
      one.trigger.on.kind === "by" &&
      one.from.some((state) => from.includes(state)) &&
      !from.includes(one.to) &&
      one.to !== to &&
      !laterStates(contract, resource, one.to).includes(to),
  );
  const state = leaving?.from.find((one) => from.includes(one));
  if (leaving === undefined || state === undefined) return [];
  return [
    {
      id: `${path}: after ${state}`,
      aspects: [{ path, expects: `time does not move a ${resource} that has left ${state} for ${leaving.to}` }],
      exclusive: true,
      run: async (trial) => {
        const record = await trial.make(resource, { state });
        await trial.look(record);
        const wait = timerMilliseconds(trial, record, timed);
        await trial.pass(wait / 4);
        expectSuccess(trial, (await trial.makeTransition(record, leaving)).interaction, leaving.path);
        await trial.pass(wait + marginMilliseconds);
        await expectStateIn(trial, record, [leaving.to, ...laterStates(contract, resource, leaving.to)]);
      },
    },
  ];
}

/** Returns the states that time alone may reach from a state. */
function laterStates(contract: Contract, resource: string, state: string): readonly string[] {
  const found = new Set<string>();
  const pending = [state];
  for (const at of pending) {
    for (const one of transitionsOf(contract)) {
      const isTimed = one.trigger.on.kind === "after" || one.trigger.on.kind === "at";
      if (one.resource !== resource || !isTimed || !one.from.includes(at) || found.has(one.to)) continue;
      found.add(one.to);
      pending.push(one.to);
    }
  }
  return [...found];
}
