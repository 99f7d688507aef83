/**
 * What clients can observe of timers: they fire in time and not before, not for a record that is in another state by then, and not
 * while their guard is false, but as soon as a change makes it true.
 */
import { withArticle } from "../../base/case.ts";
import { readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { ifPossible } from "../attempts.ts";
import { type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { clockMilliseconds, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { samplesOf } from "../endpoints/matching.ts";
import { expectSuccess } from "../expect.ts";
import { truth } from "../expressions.ts";
import type { KnownRecord } from "../trial/known.ts";
import { expectUntil } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { marginMilliseconds, timerMilliseconds } from "../trial/states.ts";
import { expectState, expectStateSoon } from "./expected-state.ts";

/** The timer fires in time, and not before. */
export function fires(contract: Contract, timed: TriggeredTransition): readonly Case[] {
  const { resource, from, to, path } = timed;
  return from.map((state) => ({
    id: `${path}: from ${state}`,
    aspects: [{ path, expects: `time moves ${withArticle(resource)} from ${state} to ${to}, and not before` }],
    exclusive: true,
    run: async (trial) => {
      const begun = trial.world.target.now();
      const { record, wait } = await recordWaiting(trial, timed, state);
      const early = Math.min(60_000, wait / 4);
      await trial.pass(wait - early);
      await expectUntil(trial, begun + early, () => expectState(trial, record, state));
      const since = presentOf(trial.world) - marginMilliseconds;
      await trial.pass(early + marginMilliseconds);
      await expectStateSoon(trial, record, () => [
        to,
        ...laterStates(contract, resource, to, presentOf(trial.world) - since),
      ]);
    },
  }));
}

/** A record that the timer will move, and how long that takes in milliseconds. */
interface Waiting {
  readonly record: KnownRecord;
  readonly wait: number;
}

/** Returns a record that the timer will move. @throws NotTried if it was due before the record existed, or another timer is due first */
async function recordWaiting(trial: Trial, timed: TriggeredTransition, state: string): Promise<Waiting> {
  const { resource, path } = timed;
  const rivals = transitionsOf(trial.contract).filter(
    (one) => one.resource === resource && one.path !== path && one.from.includes(state) && isTimed(one),
  );
  for (let count = 1; ; count += 1) {
    const record = await recordInState(trial, timed, state, true);
    const wait = timerMilliseconds(trial, record, timed);
    const isLater = (rival: TriggeredTransition): boolean =>
      isNeverDue(record, rival) || timerMilliseconds(trial, record, rival) > wait + marginMilliseconds;
    const isFirst = rivals.every(isLater);
    if (wait > 0 && isFirst) return { record, wait };
    if (rivals.length > 0 && count < mostRecords) continue;
    throw new NotTried(`the timer of the ${resource} is due ${isFirst ? "at once" : "after another one"}`);
  }
}

function isNeverDue(record: KnownRecord, { trigger: { on } }: TriggeredTransition): boolean {
  return on.kind === "at" && (record.values.get(on.field) ?? null) === null;
}

function isTimed({ trigger: { on } }: TriggeredTransition): boolean {
  return on.kind === "after" || on.kind === "at";
}

/** How many records the test makes until one has a timer, and one that is not due yet. */
const mostRecords = 8;

/** Returns a record in the state for which the guard of the timer is true, or false. */
async function recordInState(
  trial: Trial,
  timed: TriggeredTransition,
  state: string,
  wanted: boolean,
): Promise<KnownRecord> {
  const guard = trial.contract.typed.get(`${timed.path}/if`);
  if (guard !== undefined) return (await recordsGuarded(trial, timed, guard, { state, wanted, most: 1 }))[0];
  for (let count = 1; ; count += 1) {
    const record = await trial.make(timed.resource, { state });
    await trial.look(record);
    const wait = await ifPossible(async () => timerMilliseconds(trial, record, timed));
    if (count === mostRecords || (wait ?? 0) > 0) return record;
  }
}

interface Guarded {
  readonly state: string;
  readonly wanted: boolean;
  /** How many records are enough. */
  readonly most: number;
}

/** Returns records in the state for which the guard of the timer is true, or false. @throws NotTried if there is none */
async function recordsGuarded(
  trial: Trial,
  { resource }: TriggeredTransition,
  condition: TypedExpression,
  { state, wanted, most }: Guarded,
): Promise<readonly [KnownRecord, ...KnownRecord[]]> {
  if (readsVariable(condition, "now")) throw new NotTried("the guard of the timer reads the time");
  const caller = await trial.callers().then(([first]) => first);
  if (caller === undefined) throw new NotTried(`the test has no caller who makes ${withArticle(resource)}`);
  const holds = (record: KnownRecord): boolean | undefined => truth(condition, trial.scope(caller, record));
  const samples = await samplesOf(trial, {
    ...{ resource, condition, caller, holds, wish: { state }, most, followsReferences: true },
  });
  const [first, ...more] = samples.flatMap(({ isTrue, record }) => (isTrue === wanted ? [record] : []));
  if (first === undefined) throw new NotTried(`the test makes no ${resource} for which the guard is ${wanted}`);
  return [first, ...more];
}

/** How many records with a false guard the test makes, if those differ that other timers could move. */
const mostSleeping = 4;

/**
 * The timer does nothing while its guard is false, nor do the timers of other states, and it fires as soon as a change of a record
 * makes the guard true.
 */
export function wakes(contract: Contract, timed: TriggeredTransition): readonly Case[] {
  const { resource, from, to, path } = timed;
  const guard = contract.typed.get(`${path}/if`);
  const [state] = from;
  if (guard === undefined || state === undefined) return [];
  const others = transitionsOf(contract).filter(
    (one) => one.resource === resource && one.path !== path && one.trigger.on.kind !== "by",
  );
  // Another timer may fire first.
  if (others.some((one) => one.from.includes(state))) return [];
  return [
    {
      id: `${path}: guard`,
      aspects: [
        {
          path: `${path}/if`,
          expects: `time moves no ${resource} while \`${timed.trigger.if}\` is false, but as soon as it becomes true`,
        },
      ],
      exclusive: true,
      run: async (trial) => {
        const delays = others.flatMap(({ trigger: { on } }) =>
          on.kind === "after" ? [clockMilliseconds(on.duration)] : [],
        );
        const records = await recordsGuarded(trial, timed, guard, {
          ...{ state, wanted: false, most: delays.length === 0 ? 1 : mostSleeping },
        });
        const [record] = records;
        const expectStill = async (): Promise<void> => {
          for (const one of records) await expectState(trial, one, state);
        };
        const wait = Math.max(...records.map((one) => timerMilliseconds(trial, one, timed))) + marginMilliseconds;
        await trial.pass(wait);
        await expectStill();
        const more = Math.max(0, ...delays) + marginMilliseconds - wait;
        // Credentials may not last that long.
        if (more > 0 && (await ifPossible(async () => trial.pass(more).then(() => true)))) await expectStill();
        const since = presentOf(trial.world) - marginMilliseconds;
        if (!(await trial.makeTrue(record, guard))) throw new NotTried("no change makes the guard true");
        await trial.pass(marginMilliseconds);
        await expectStateSoon(trial, record, () => [
          to,
          ...laterStates(contract, resource, to, presentOf(trial.world) - since),
        ]);
      },
    },
  ];
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
      aspects: [
        { path, expects: `time does not move ${withArticle(resource)} that has left ${state} for ${leaving.to}` },
      ],
      exclusive: true,
      run: async (trial) => {
        const begun = trial.world.target.now();
        const { record, wait } = await recordWaiting(trial, timed, state);
        await trial.pass(wait / 4);
        await expectUntil(trial, begun + wait / 2, async () => {
          expectSuccess(trial, (await trial.makeTransition(record, leaving)).interaction, leaving.path);
        });
        await trial.pass(wait + marginMilliseconds);
        await expectStateSoon(trial, record, [leaving.to, ...laterStates(contract, resource, leaving.to)]);
      },
    },
  ];
}

/** Returns the states that time alone may reach from a state, by default in any time. */
function laterStates(
  contract: Contract,
  resource: string,
  state: string,
  milliseconds = Number.POSITIVE_INFINITY,
): readonly string[] {
  const timers = transitionsOf(contract).filter((one) => one.resource === resource && isTimed(one));
  const found = new Map<string, number>();
  const pending = [{ at: state, left: milliseconds }];
  for (const { at, left } of pending) {
    for (const { from, to, trigger } of timers) {
      const rest = left - (trigger.on.kind === "after" ? clockMilliseconds(trigger.on.duration) : 0);
      if (!from.includes(at) || rest < 0 || rest <= (found.get(to) ?? -1)) continue;
      found.set(to, rest);
      pending.push({ at: to, left: rest });
    }
  }
  return [...found.keys()];
}
