/** Runs the cases of a document against an implementation, and collects their results. */
import { getOrMake } from "../base/once.ts";
import { type Aspect, Broken, type Case, NotTried, type Unobservable } from "./case.ts";
import type { Contract } from "./contract.ts";
import { type Interaction, isResponse } from "./interaction.ts";
import type { KnownRecord } from "./trial/known.ts";
import { numbered, type Random, seeded } from "./random.ts";
import type { CaseResult } from "./result.ts";
import type { Target } from "./target.ts";
import { createTrial, type Trial } from "./trial/trial.ts";
import { stopped, type World } from "./trial/world.ts";

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
  { cases, unobservable }: { readonly cases: readonly Case[]; readonly unobservable: readonly Unobservable[] },
  { seed, budgetMilliseconds, workers, progress, observed }: RunOptions,
): Promise<Outcome> {
  const deadline = target.now() + budgetMilliseconds;
  const results = new Map<string, CaseResult[]>();
  const all: Interaction[] = [];
  const provoked = new Map<string, Interaction[]>();
  const deviations = new Set<string>();
  const memberSets: World["memberSets"] = new Map();
  let done = 0;
  let count = 0;
  let requests = 0;
  // The clock may have been moved before.
  const start = target.clock === undefined ? 0 : (await target.clock.now()) - target.now();
  const clock = { start, ahead: start, isStopped: false };
  const newWorld = (): World => ({
    ...{ contract, target, records: [], references: [], stock: [], tags: new WeakMap(), versions: new Map() },
    ...{
      signedUp: new Map(),
      signers: new Map(),
      clients: new Map(),
      accounts: new Map(),
      sessions: new Map(),
      all,
      provoked,
      deviations,
      memberSets,
      clock,
      deadline,
    },
    count: () => (count += 1),
    observed: (interaction) => {
      requests += 1;
      observed?.(interaction);
    },
  });
  const waiting: Case[] = [];
  const runOne = async (world: World, one: Case): Promise<void> => {
    const found = getOrMake(results, one.id, () => []);
    const passed = new Set<string>();
    for (;;) {
      const { result, aside }: Run =
        target.now() > deadline
          ? { result: notTried(one, "the time of the test is over", "a larger --budget") }
          : await runCase(world, one, seeded(`${seed} ${one.id}`));
      if (result.kind === "not tried" && result.reason === stopped) {
        waiting.push(one);
        return;
      }
      found.push(result.kind === "broken" ? await shrunk(one, result) : result);
      if (aside === undefined) break;
      // What the case itself is about is not known yet.
      const { deviation, expected, got } = aside;
      if (deviation === undefined || passed.has(deviation)) {
        found.push(notTried(one, `a request that the case needs got ${got} instead of ${expected}`));
        break;
      }
      passed.add(deviation);
      deviations.add(deviation);
    }
    done += 1;
    const last = found.at(-1);
    if (last !== undefined) progress?.(last, done, cases.length);
  };
  const smaller = new Map<string, number>();
  /** Runs a broken case again by itself, with the smallest values: what is still broken then needs fewer requests to show it. */
  const shrunk = async (one: Case, result: CaseResult & { readonly kind: "broken" }): Promise<CaseResult> => {
    const cause = `${result.expected} ${result.got}`;
    smaller.set(cause, (smaller.get(cause) ?? 0) + 1);
    if (
      one.exclusive === true ||
      one.last === true ||
      one.endsCredentials === true ||
      (smaller.get(cause) ?? 0) > mostShrunk ||
      target.now() > deadline
    )
      return result;
    const world = newWorld();
    const { result: again } = await runCase(world, one, numbered(0));
    await cleanUp(world, seed);
    const isSame =
      again.kind === "broken" &&
      again.aspects[0]?.path === result.aspects[0]?.path &&
      withoutValues(again.expected) === withoutValues(result.expected);
    return isSame && again.interactions.length <= result.interactions.length ? again : result;
  };
  // Time passes for all records at once, so a case that lets it pass waits until no other case runs.
  clock.isStopped = true;
  // Each worker has records and users of its own, and its share of the cases does not depend on how fast the others are.
  const together = cases.filter(
    ({ exclusive, last, endsCredentials }) => exclusive !== true && last !== true && endsCredentials !== true,
  );
  const worlds = Array.from({ length: Math.max(workers, 1) }, newWorld);
  await Promise.all(
    worlds.map(async (world, worker) => {
      for (const [index, one] of together.entries()) if (index % worlds.length === worker) await runOne(world, one);
    }),
  );
  const [first = newWorld()] = worlds;
  clock.isStopped = false;
  for (const one of [...waiting, ...cases.filter(({ exclusive, last }) => exclusive === true && last !== true)])
    await runOne(first, one);
  for (const one of cases.filter(({ last }) => last === true)) await runOne(first, one);
  for (const world of worlds) await cleanUp(world, seed);
  for (const one of cases.filter(({ endsCredentials }) => endsCredentials === true)) await runOne(first, one);
  const ordered = cases.flatMap((one) => results.get(one.id) ?? []);
  return { results: [...ordered, ...unobservable.map(unobserved)], requests };
}

/** Begins the reason of a case that failed because of the test itself. */
export const mistake = "a mistake of the test";

/** How many cases with the same cause are run again. */
const mostShrunk = 3;

/** Returns a text without the values in it, which differ from run to run. */
function withoutValues(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[0-9]+/g, "…");
}

interface Run {
  readonly result: CaseResult;
  /** What the result is about, if that is another statement than those of the case. */
  readonly aside?: Broken;
}

async function runCase(world: World, one: Case, random: Random): Promise<Run> {
  const trial = createTrial(world, random);
  try {
    await one.run(trial);
    return { result: { kind: "holds", id: one.id, aspects: one.aspects, interactions: trial.interactions } };
  } catch (thrown) {
    if (thrown instanceof NotTried) return { result: notTried(one, thrown.reason, thrown.remedy) };
    if (thrown instanceof Broken)
      return { result: broken(one, thrown, trial), ...(isAbout(one, thrown.path) ? {} : { aside: thrown }) };
    // A mistake in one case must not end the others.
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { result: notTried(one, `${mistake}: ${reason}`) };
  }
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

function notTried({ id, aspects }: Case, reason: string, remedy?: string): CaseResult {
  return { kind: "not tried", id, aspects, reason, ...(remedy === undefined ? {} : { remedy }) };
}

function unobserved({ path, expects, reason, remedy }: Unobservable): CaseResult {
  const aspects = [{ path, expects }];
  return { kind: "not tried", id: `${path}: ${expects}`, aspects, reason, ...(remedy === undefined ? {} : { remedy }) };
}

/** Deletes the records that the test made, as far as the document has operations for that. */
async function cleanUp(world: World, seed: number): Promise<void> {
  for (const older of world.versions.values()) await cleanUp(older, seed);
  const trial = createTrial(world, seeded(seed));
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
