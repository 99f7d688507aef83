/** Runs the cases of a document against an implementation, and collects their results. */
import { getOrMake } from "../base/once.ts";
import { type Case, NotTried, Broken, type PartCases, type Unobservable } from "./case.ts";
import type { Contract } from "./contract.ts";
import { type Interaction, isResponse } from "./interaction.ts";
import { type Lateness, watchLateness } from "./lateness.ts";
import { numbered, seeded } from "./random.ts";
import type { CaseResult } from "./result.ts";
import { type CaseRun, notTried, runCase } from "./run-case.ts";
import type { Target } from "./target.ts";
import { createTrial } from "./trial/trial.ts";
import { aheadOf, isOver, newWorld, type RunState, stopped, timeIsOver, type World } from "./trial/world.ts";

export interface RunOptions {
  readonly seed: number;
  /** How long the test may take, in milliseconds. */
  readonly budgetMilliseconds: number;
  /** How many cases run at once. */
  readonly workers: number;
  /** Called for each finished case. */
  readonly progress?: (result: CaseResult, done: number, of: number) => void;
  /** Called for each request and its response. */
  readonly observed?: (interaction: Interaction) => void;
}

export interface Outcome {
  readonly results: readonly CaseResult[];
  readonly requests: number;
}

export async function runCases(
  contract: Contract,
  target: Target,
  { cases, unobservable }: PartCases,
  options: RunOptions,
): Promise<Outcome> {
  const run = await beginRun(contract, target, cases.length, options);
  const { clock } = run.state;
  const first = newWorld(contract, run.state);
  const others = Array.from({ length: options.workers - 1 }, () => newWorld(contract, run.state));
  const worlds = [first, ...others];
  const { together, exclusive, last, ending } = phasesOf(cases);
  // Time passes for all records at once, so a case that lets it pass waits until no other case runs.
  clock.isStopped = true;
  // Each worker has records and users of its own, and its share of the cases does not depend on how fast the others are.
  const shareOf = (worker: number): readonly Case[] => together.filter((_, at) => at % worlds.length === worker);
  await Promise.all(worlds.map((world, worker) => runEach(run, world, shareOf(worker))));
  clock.isStopped = false;
  await runEach(run, first, [...run.waiting, ...exclusive, ...last]);
  for (const world of worlds) await cleanUp(world, options.seed);
  await runEach(run, first, ending);
  run.lateness.stop();
  const ordered = cases.flatMap((one) => run.results.get(one.id) ?? []);
  return { results: [...ordered, ...unobservable.map(unobserved)], requests: run.requests };
}

interface Run {
  readonly contract: Contract;
  readonly state: RunState;
  readonly options: RunOptions;
  /** The number of cases. */
  readonly of: number;
  /** The results so far, by the id of the case. */
  readonly results: Map<string, CaseResult[]>;
  /** Cases that wait until they may let time pass. */
  readonly waiting: Case[];
  /** How often each deviation was looked for with the smallest values. */
  readonly shrunk: Map<string, number>;
  /** What did not come with more patience either, by `causeOf`. */
  readonly confirmed: Set<string>;
  readonly lateness: Lateness;
  done: number;
  requests: number;
}

async function beginRun(contract: Contract, target: Target, of: number, options: RunOptions): Promise<Run> {
  // The clock may have been moved before.
  const start = await aheadOf(target);
  let count = 0;
  const state: RunState = {
    ...{
      target,
      all: [],
      deviations: new Set(),
      memberSets: new Map(),
      provoked: new Map(),
      signers: new Map(),
      notAppearing: new Set(),
      onlyRecords: new Map(),
    },
    clock: { start, ahead: start, isStopped: false },
    deadline: target.now() + options.budgetMilliseconds,
    count: () => (count += 1),
    observed(interaction) {
      run.requests += 1;
      options.observed?.(interaction);
    },
  };
  const counts = { of, done: 0, requests: 0 };
  const found = { results: new Map(), waiting: [], shrunk: new Map(), confirmed: new Set<string>() };
  const run: Run = { contract, state, options, ...found, lateness: watchLateness(target), ...counts };
  return run;
}

interface Phases {
  /** Several workers run these at the same time. */
  readonly together: readonly Case[];
  readonly exclusive: readonly Case[];
  readonly last: readonly Case[];
  readonly ending: readonly Case[];
}

function phasesOf(cases: readonly Case[]): Phases {
  const phases = Map.groupBy(cases, ({ endsCredentials, exclusive, last }): keyof Phases =>
    endsCredentials ? "ending" : last ? "last" : exclusive ? "exclusive" : "together",
  );
  const phase = (name: keyof Phases): readonly Case[] => phases.get(name) ?? [];
  return { together: phase("together"), exclusive: phase("exclusive"), last: phase("last"), ending: phase("ending") };
}

async function runEach(run: Run, world: World, cases: readonly Case[]): Promise<void> {
  for (const one of cases) await runOne(run, world, one);
}

/** Runs a case until its own point is known: a deviation of another statement on the way is a result too, and is passed over then. */
async function runOne(run: Run, world: World, one: Case): Promise<void> {
  const { deviations } = run.state;
  const found = getOrMake(run.results, one.id, () => []);
  const passed = new Set<string>();
  for (;;) {
    if (isOver(run.state)) {
      found.push(notTried(one, timeIsOver, "a larger --budget"));
      break;
    }
    const { result, aside, isAbsence } = await runConfirmed(run, world, one);
    if (result.kind === "not tried" && result.reason === stopped) {
      run.waiting.push(one);
      return;
    }
    // To wait for it again takes long, and needs no fewer requests.
    found.push(result.kind === "broken" && isAbsence !== true ? await shrunk(run, one, result) : result);
    if (aside === undefined) break;
    const { deviation, expected, got } = aside;
    if (deviation === undefined || passed.has(deviation)) {
      found.push(notTried(one, `a request that the case needs got ${got} instead of ${expected}`));
      break;
    }
    passed.add(deviation);
    deviations.add(deviation);
  }
  run.done += 1;
  const last = found.at(-1);
  if (last !== undefined) run.options.progress?.(last, run.done, run.of);
}

/** How often a case runs whose requests take too long for a result. */
const mostTries = 3;
/** By what the waits of a case are multiplied that runs again because something did not come in time. */
const morePatience = 4;
/** The reason for no result of what did not come in time while this process was late. */
export const tooSlow = "the machine was too slow for a result";
/** By how much this process may be late before what did not come in time shows nothing, in milliseconds. */
const mostLate = 250;

/**
 * Runs a case. Machines may be slow: if the requests took too long for a result, the case runs again; and what did not come in time is
 * only broken if it does not come with more patience either.
 */
async function runConfirmed(run: Run, world: World, one: Case): Promise<CaseRun> {
  const attempt = (patience?: number): Promise<CaseRun> =>
    runCase(world, one, seeded(`${run.options.seed} ${one.id}`), patience);
  const startedAt = run.state.target.now();
  let found = await attempt();
  for (let tries = 1; found.isTooSlow === true && tries < mostTries && !isOver(run.state); tries += 1)
    found = await attempt();
  const { result } = found;
  const mayBeLate = found.isAbsence ?? found.isAssumed ?? false;
  if (result.kind !== "broken" || !(mayBeLate || isUnanswered(result))) return found;
  const cause = causeOf(result);
  if (run.confirmed.has(cause)) return found;
  const wasLate = run.lateness.since(startedAt) > mostLate;
  // Once the credentials of the test have expired, the case would show something else.
  const again = one.endsCredentials === true || isOver(run.state) ? undefined : await attempt(morePatience);
  if (again === undefined || again.result.kind === "not tried") {
    if (!wasLate) return found;
    return { result: notTried(one, tooSlow, "a faster machine, or less load on it") };
  }
  if (again.result.kind === "broken") run.confirmed.add(causeOf(again.result));
  // An implementation that fails now and then does not hold, and what came late on a slow machine is not broken.
  if (again.result.kind === "holds" && !wasLate) {
    const { expected, got } = result;
    return { result: notTried(one, `at first ${got} instead of ${expected}; it held at a second try with more time`) };
  }
  return again;
}

/** Whether the request that shows it got no response. */
function isUnanswered({ interactions }: CaseResult & { readonly kind: "broken" }): boolean {
  const last = interactions.at(-1);
  return last !== undefined && !isResponse(last.response);
}

/** Names what is broken without the values, which differ from run to run. */
function causeOf({ aspects, expected, got }: CaseResult & { readonly kind: "broken" }): string {
  return withoutValues(`${aspects[0]?.path} ${expected} ${got}`);
}

/** How many cases with the same cause are run again. */
const mostShrunk = 3;

/** Runs a broken case again by itself, with the smallest values: what is still broken then needs fewer requests to show it. */
async function shrunk(run: Run, one: Case, result: CaseResult & { readonly kind: "broken" }): Promise<CaseResult> {
  const cause = `${result.expected} ${result.got}`;
  const count = (run.shrunk.get(cause) ?? 0) + 1;
  run.shrunk.set(cause, count);
  const isRepeatable = one.exclusive !== true && one.last !== true && one.endsCredentials !== true;
  if (!isRepeatable || count > mostShrunk || isOver(run.state)) return result;
  const world: World = { ...newWorld(run.contract, run.state), isAgain: true };
  const { result: again } = await runCase(world, one, numbered(0));
  await cleanUp(world, run.options.seed);
  const isSame =
    again.kind === "broken" &&
    again.aspects[0]?.path === result.aspects[0]?.path &&
    withoutValues(again.expected) === withoutValues(result.expected);
  return isSame && again.interactions.length <= result.interactions.length ? again : result;
}

/** Returns a text without the values in it, which differ from run to run. */
function withoutValues(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[0-9]+/g, "…");
}

function unobserved({ path, expects, reason, remedy }: Unobservable): CaseResult {
  const aspects = [{ path, expects }];
  return { kind: "not tried", id: `${path}: ${expects}`, aspects, reason, ...(remedy === undefined ? {} : { remedy }) };
}

/** Deletes the records that the test made, as far as the document has operations for that. */
async function cleanUp(world: World, seed: number): Promise<void> {
  for (const older of world.versions.values()) await cleanUp(older, seed);
  const trial = createTrial({ ...world, deadline: Number.POSITIVE_INFINITY }, seeded(seed));
  for (const record of world.records.toReversed()) {
    const remove = [...world.contract.operations.values()].find(
      (one) => one.action === "delete" && one.resource === record.resource && one.endpoint.the === undefined,
    );
    if (remove === undefined || record.isDeleted || record.isFound === true) continue;
    try {
      await trial.call(remove.operation, { record });
    } catch (thrown) {
      if (!(thrown instanceof NotTried || thrown instanceof Broken)) throw thrown;
    }
  }
}
