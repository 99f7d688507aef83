/** Runs one case, and says what it shows: what it was about holds, is broken, or was not tried. */
import { withArticle } from "../base/case.ts";
import { printMilliseconds } from "../base/duration.ts";
import { type Aspect, Broken, type Case, NotTried, TooSlow } from "./case.ts";
import { clockMilliseconds, transitionsOf } from "./effects.ts";
import { type Interaction, isResponse } from "./interaction.ts";
import type { Random } from "./random.ts";
import type { CaseResult } from "./result.ts";
import { deniedBy } from "./trial/doubts.ts";
import type { KnownRecord } from "./trial/known.ts";
import { createTrial, newLog, type Trial } from "./trial/trial.ts";
import { isOver, timeIsOver, type World } from "./trial/world.ts";

/** Begins the reason of a case that failed because of the test itself. */
export const mistake = "a mistake of the test";

export interface CaseRun {
  readonly result: CaseResult;
  /** What the result is about, if that is another statement than those of the case. */
  readonly aside?: Broken;
  /** Whether no response shows it, but something that did not arrive. */
  readonly isAbsence?: true;
  /** Whether the state of a record was assumed, since no response shows that a timer has fired. */
  readonly isAssumed?: true;
  /** Whether the result is none only because the requests took too long. */
  readonly isTooSlow?: true;
}

/** @param patience by what the waits of the case are multiplied */
export async function runCase(world: World, one: Case, random: Random, patience = 1): Promise<CaseRun> {
  const trial = createTrial(world, random, newLog(patience));
  const found = await outcomeOf(trial, one);
  // What a case concludes from requests that it could not send is no result.
  return isOver(world) ? { result: notTried(one, timeIsOver, "a larger --budget") } : found;
}

async function outcomeOf(trial: Trial, one: Case): Promise<CaseRun> {
  try {
    await one.run(trial);
    return { result: { kind: "holds", id: one.id, aspects: one.aspects, interactions: trial.interactions } };
  } catch (thrown) {
    if (thrown instanceof NotTried) return notTriedRun(one, thrown);
    const late = thrown instanceof Broken ? overtakenBy(trial, thrown.interaction) : undefined;
    if (late !== undefined) return notTriedRun(one, late);
    const denied = thrown instanceof Broken ? deniedBy(trial, thrown.interaction) : undefined;
    if (denied !== undefined) return { result: notTried(one, denied.reason) };
    const isAssumed = [...trial.used].some(({ isStateAssumed }) => isStateAssumed === true);
    if (thrown instanceof Broken)
      return {
        result: broken(one, thrown, trial),
        ...(isAbout(one, thrown.path) ? {} : { aside: thrown }),
        ...(thrown.interaction === undefined ? { isAbsence: true } : {}),
        ...(isAssumed ? { isAssumed } : {}),
      };
    // A mistake in one case must not end the others.
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { result: notTried(one, `${mistake}: ${reason}`) };
  }
}

function notTriedRun(one: Case, thrown: NotTried): CaseRun {
  const result = notTried(one, thrown.reason, thrown.remedy);
  return thrown instanceof TooSlow ? { result, isTooSlow: true } : { result };
}

/**
 * Returns why a response shows no mistake, if a timer may have moved a record since the case began: between two requests there may be
 * more time than the timer needs. The time that the case lets pass by the test clock does not count, since the case knows of it.
 */
function overtakenBy(trial: Trial, last: Interaction | undefined): TooSlow | undefined {
  const [first] = trial.interactions;
  if (first === undefined || last === undefined || !isResponse(last.response)) return undefined;
  const milliseconds = last.startedAt + last.milliseconds - first.startedAt;
  const { operations } = trial.contract;
  const touched = new Set([
    ...[...trial.used].map(({ resource }) => resource),
    ...trial.interactions.map(({ operation = "" }) => operations.get(operation)?.resource),
  ]);
  for (const { resource, trigger } of transitionsOf(trial.contract)) {
    if (trigger.on.kind !== "after" || !touched.has(resource)) continue;
    if (clockMilliseconds(trigger.on.duration) > milliseconds) continue;
    const took = printMilliseconds(milliseconds);
    return new TooSlow(
      `the requests took ${took}, and after ${trigger.on.duration} time moves ${withArticle(resource)}`,
    );
  }
  return undefined;
}

function isAbout({ aspects }: Case, path: string | undefined): boolean {
  return path === undefined || aspects.some((one) => path === one.path || path.startsWith(`${one.path}/`));
}

function broken(one: Case, { expected, got, interaction, path }: Broken, trial: Trial): CaseResult {
  const aspects: readonly Aspect[] = path === undefined ? one.aspects : [{ path, expects: expected }];
  return {
    kind: "broken",
    id: one.id,
    aspects,
    expected,
    got,
    interactions: reproduction(trial, interaction),
    also: [],
  };
}

/**
 * Returns the requests that made what the case used, then those of the case up to the one that shows the deviation. Requests that
 * only read change nothing, so they are left out.
 */
function reproduction(trial: Trial, last: Interaction | undefined): readonly Interaction[] {
  const { accounts, interactions, start, used } = trial;
  const { response } = last ?? {};
  const isDenied = response !== undefined && isResponse(response) && [401, 403].includes(response.status);
  // What changed an account may be why its caller is denied something.
  const made = [...used, ...(isDenied ? accounts : [])].flatMap(({ history }: KnownRecord) => history);
  const end = last === undefined ? interactions.length : interactions.indexOf(last) + 1;
  const all = [...new Set([...made, ...interactions.slice(start, end)])].filter((one) => one !== last);
  const changing = all.filter(({ request: { method } }) => method !== "GET" || last === undefined);
  return [...changing.toSorted((a, b) => a.startedAt - b.startedAt), ...(last === undefined ? [] : [last])];
}

export function notTried({ id, aspects }: Case, reason: string, remedy?: string): CaseResult {
  return { kind: "not tried", id, aspects, reason, ...(remedy === undefined ? {} : { remedy }) };
}
