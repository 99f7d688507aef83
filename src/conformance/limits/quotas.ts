/**
 * What clients can observe of `quota`: as many successes as a line admits, and then none; a rejected request does not count; a record
 * that leaves the counted states frees a place; others are not affected.
 */
import { isImpossible } from "../attempts.ts";
import { ownerFields, windowCountedBy } from "../../language/limits/counted.ts";
import type { Quota } from "../../language/limits/model.ts";
import { lifecycleOf, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried, type PartCases } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { mayEverRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { startOf } from "../effects.ts";
import { isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import { newCaller } from "../trial/callers.ts";
import type { KnownRecord } from "../trial/known.ts";
import { creatorsOf, type Wish } from "../trial/records.ts";
import { advanceTo } from "../trial/states.ts";
import type { Trial } from "../trial/trial.ts";
import { awayFromEnd, expectCalendar } from "./calendar.ts";
import { letPass } from "./rate-setting.ts";
import { longestWindow } from "./rate-lines.ts";
import { webhookQuotaCase } from "./webhook-quota.ts";

/** How many records or successful requests the test makes for one quota. */
const mostCounted = 500;

export interface QuotaLine {
  /** An operation, a resource, or `webhook`. */
  readonly target: string;
  readonly quota: Quota;
  /** The path of the line, as in `SourceLocations`. */
  readonly path: string;
  /** The number of a caller that only this line's cases use; the next number is another one. */
  readonly caller: number;
}

/** @param firstCaller the first number of a caller that no other case uses */
export function quotaCases(contract: Contract, firstCaller: number): PartCases {
  const lines = Object.entries(contract.model.limits.quota ?? {})
    .flatMap(([target, quotas]) =>
      quotas.map((quota, index) => ({ target, quota, path: `limits/quota/${target}/${index}` })),
    )
    .map((line, index): QuotaLine => ({ ...line, caller: firstCaller + 2 * index }));
  const isTried = ({ quota: { count } }: QuotaLine): boolean => count <= mostCounted;
  return {
    cases: lines.filter(isTried).flatMap((line): readonly Case[] => {
      if (line.target === "webhook") return webhookQuotaCase(contract, line);
      return line.quota.kind === "live"
        ? [live(line)]
        : [inWindow(line), againAfterWindow(line), ...endsAtMidnight(line)];
    }),
    unobservable: lines
      .filter((line) => !isTried(line))
      .map((line) => ({
        path: line.path,
        expects: quotaText(line),
        reason: `the test makes at most ${mostCounted} records for one quota`,
      })),
  };
}

export function quotaText({ quota, target }: QuotaLine): string {
  const { count, per } = quota;
  if (quota.kind === "window")
    return `${count} successes of ${target} in 1 ${quota.window} per ${per}`.replace("1 1", "1");
  const states = quota.states.length === 0 ? "" : ` in ${quota.states.join(" or ")}`;
  return `${count} records of ${target}${states} per ${per}`;
}

// ── Live records ───────────────────────────────────────────────────────────────────────────────────────────────────

function live(line: QuotaLine): Case {
  const { path, target: resource } = line;
  return {
    id: `${path}: exactly so many`,
    aspects: [{ path, expects: `${quotaText(line)}, and a place is free again when one of them no longer counts` }],
    exclusive: true,
    run: async (trial) => {
      expectNoOther(trial, line);
      const isCounted = countedStates(trial.contract, line);
      const start = startOf(trial.contract, resource);
      const state = start === undefined || isCounted(start) ? undefined : firstCounted(line);
      const wish: Wish = state === undefined ? {} : { state };
      const counter = await recordCounter(trial, line, resource, wish);
      const made = await fill(trial, line, counter);
      if (counter.elsewhere !== undefined) await expectSuccess(trial, counter.elsewhere, "another one");
      const [first] = made;
      if (first !== undefined) await expectStillCounted(trial, line, first, counter);
      if (first === undefined || !(await leave(trial, first, isCounted))) return;
      await expectSuccess(trial, counter.next, "a record after another one no longer counts");
    },
  };
}

/** Returns whether a state counts: without named states, all that are not final. */
function countedStates({ model }: Contract, { quota, target }: QuotaLine): (state: string) => boolean {
  const states = quota.kind === "live" ? quota.states : [];
  const final = lifecycleOf(model, target)?.final ?? [];
  return (state) => (states.length === 0 ? !final.includes(state) : states.includes(state));
}

function firstCounted({ quota }: QuotaLine): string | undefined {
  return quota.kind === "live" ? quota.states[0] : undefined;
}

/** In each state that counts, a record takes a place. */
async function expectStillCounted(
  trial: Trial,
  { quota }: QuotaLine,
  record: KnownRecord,
  { next }: Counter,
): Promise<void> {
  for (const state of quota.kind === "live" ? quota.states : []) {
    if (state === record.values.get("state")) continue;
    try {
      await advanceTo(trial, record, state);
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
      continue;
    }
    const { interaction } = await next();
    if (trial.responseOf(interaction).status < 300)
      throw new Broken(`a rejection while ${state} records count`, textOf(trial, interaction), interaction);
  }
}

/** Brings a record out of the counted states, or deletes it. Returns whether the test could. */
async function leave(trial: Trial, record: KnownRecord, isCounted: (state: string) => boolean): Promise<boolean> {
  const { contract } = trial;
  const { resource } = record;
  const uncounted = Object.keys(lifecycleOf(contract.model, resource)?.states ?? {}).filter((one) => !isCounted(one));
  const remove = [...contract.operations.values()].find(
    (one) => one.action === "delete" && one.resource === resource && one.endpoint.the === undefined,
  );
  for (const state of uncounted) {
    try {
      await advanceTo(trial, record, state);
      return true;
    } catch (thrown) {
      if (!isImpossible(thrown)) throw thrown;
    }
  }
  if (remove === undefined) return false;
  return trial.responseOf(await trial.call(remove.operation, { record })).status < 300;
}

// ── Windows ────────────────────────────────────────────────────────────────────────────────────────────────────────

function inWindow(line: QuotaLine): Case {
  const { path } = line;
  return {
    id: `${path}: exactly so many`,
    aspects: [{ path, expects: `${quotaText(line)}, and not one more` }],
    exclusive: true,
    run: async (trial) => {
      expectNoOther(trial, line);
      if (line.quota.kind === "window") await awayFromEnd(trial, line.quota);
      const counter = await windowCounter(trial, line);
      await fill(trial, line, counter);
      if (counter.elsewhere !== undefined) await expectSuccess(trial, counter.elsewhere, "another one");
    },
  };
}

function againAfterWindow(line: QuotaLine): Case {
  const { path } = line;
  return {
    id: `${path}: again`,
    aspects: [{ path, expects: `requests succeed again after the time of the quota (${quotaText(line)})` }],
    exclusive: true,
    run: async (trial) => {
      expectNoOther(trial, line);
      const counter = await windowCounter(trial, line);
      // The case before may have used up the quota already.
      await fill(trial, line, { ...counter, isUnused: false });
      await letPass(trial, windowOf(line) + 1000);
      await expectSuccess(trial, counter.next, "a request after the time of the quota");
    },
  };
}

/** A window of the calendar ends at a local midnight, and not before. */
function endsAtMidnight(line: QuotaLine): readonly Case[] {
  const { path, quota } = line;
  if (quota.kind !== "window" || quota.zone === undefined) return [];
  return [
    {
      id: `${path}: until midnight`,
      aspects: [{ path, expects: `the window ends at midnight in ${quota.zone}, and not before` }],
      exclusive: true,
      run: async (trial) => {
        expectNoOther(trial, line);
        const counter = await windowCounter(trial, line);
        await expectCalendar(trial, quota, {
          useUp: async () => {
            await fill(trial, line, { ...counter, isUnused: false });
            return true;
          },
          next: async () => (await counter.next()).interaction,
          isRejected: (interaction) => isRejected(trial, interaction),
        });
      },
    },
  ];
}

function windowOf({ quota }: QuotaLine): number {
  if (quota.kind !== "window") return Number.NaN;
  return longestWindow(quota);
}

async function windowCounter(trial: Trial, line: QuotaLine): Promise<Counter> {
  const { contract } = trial;
  const { target } = line;
  const called = contract.operations.get(target);
  const creators = creatorsOf(trial, called?.resource ?? target);
  const isCreation = called === undefined || (creators.length === 1 && creators[0]?.operation === target);
  if (isCreation) return recordCounter(trial, line, called?.resource ?? target, {});
  const { caller, isNew, other } = await counted(trial, line, called);
  const by = called.kind === "resource" ? windowCountedBy(contract.model, called, line.quota.per) : undefined;
  const isPerRecord = by?.kind === "parameter" && by.parameter === called.key?.parameter;
  if (line.quota.per !== "user" && !isPerRecord) throw new NotTried(`the test cannot choose what ${target} counts by`);
  const record = isPerRecord ? await trial.make(line.quota.per, { creator: caller }) : undefined;
  const next = (by: Caller) => async (): Promise<Counted> => ({
    interaction: await trial.call(target, {
      caller: by,
      expectsLimit: true,
      ...(record === undefined ? {} : { record }),
    }),
  });
  return {
    next: next(caller),
    isUnused: isPerRecord || isNew,
    ...(other === undefined || isPerRecord ? {} : { elsewhere: next(other) }),
  };
}

// ── Counting ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface Counted {
  readonly interaction: Interaction;
  readonly record?: KnownRecord;
}

/** Makes things that a quota counts for one user or record. */
interface Counter {
  readonly next: () => Promise<Counted>;
  /** Makes one for another user or record, if the test can. */
  readonly elsewhere?: () => Promise<Counted>;
  /** Whether nothing has been counted before. */
  readonly isUnused: boolean;
}

/** Makes records of one user, or below one record. */
async function recordCounter(trial: Trial, line: QuotaLine, resource: string, wish: Wish): Promise<Counter> {
  const { per } = line.quota;
  const [creator] = creatorsOf(trial, resource);
  if (creator === undefined) throw new NotTried(`no operation creates records of ${resource}`);
  const { caller, isNew, other } = await counted(trial, line, creator);
  const next = (more: Wish) => async (): Promise<Counted> => {
    try {
      const record = await trial.make(resource, { ...wish, ...more, expectsLimit: true });
      return { record, interaction: trial.interactions.at(-1) as Interaction };
    } catch (thrown) {
      const interaction = trial.interactions.at(-1);
      if (thrown instanceof NotTried && interaction !== undefined && isRejected(trial, interaction))
        return { interaction };
      throw thrown;
    }
  };
  if (per === "user")
    return {
      next: next({ creator: caller }),
      isUnused: isNew,
      ...(other === undefined ? {} : { elsewhere: next({ creator: other }) }),
    };
  const [field] = ownerFields(trial.contract.model, resource, per);
  if (per === "ip" || field === undefined) throw new NotTried(`the test cannot choose what the quota counts by`);
  const below = async (): Promise<Wish> => {
    const parent = await trial.make(per, { creator: caller });
    if (!parent.values.has("id")) await trial.look(parent);
    const isInPath = creator.parents.at(-1)?.resource === per;
    return { creator: caller, ...(isInPath ? { parent } : { values: { [field]: parent.values.get("id") ?? null } }) };
  };
  return { next: next(await below()), isUnused: true, elsewhere: next(await below()) };
}

/** Returns the caller whose requests are counted, if possible one that nobody has used before. */
async function counted(
  trial: Trial,
  { caller: number }: QuotaLine,
  called: Operation,
): Promise<{ readonly caller: Caller; readonly isNew: boolean; readonly other?: Caller }> {
  for (const roles of rolesOf(trial.contract)) {
    if (!mayEverRun(trial.contract, called.operation, { ...anonymous, roles, signedIn: true })) continue;
    const caller = await newCaller(trial, roles, number);
    const other = await newCaller(trial, roles, number + 1);
    if (caller !== undefined) return { caller, isNew: true, ...(other === undefined ? {} : { other }) };
  }
  return { caller: await trial.callerFor(called.operation), isNew: false };
}

/** Uses up a quota, and expects the next request to be rejected. Returns the records. */
async function fill(trial: Trial, line: QuotaLine, { next, isUnused }: Counter): Promise<readonly KnownRecord[]> {
  const { count } = line.quota;
  const records: KnownRecord[] = [];
  for (let number = 1; number <= count + 1; number += 1) {
    const { interaction, record } = await next();
    if (isRejected(trial, interaction)) {
      if (number <= count && isUnused)
        throw new Broken(quotaText(line), `${textOf(trial, interaction)} for number ${number}`, interaction);
      expectError(trial, interaction, { code: "quota-exceeded" });
      return records;
    }
    if (trial.responseOf(interaction).status >= 300)
      throw new NotTried(`${interaction.operation ?? line.target} answered ${textOf(trial, interaction)}`);
    if (number > count)
      throw new Broken(
        `a rejection after ${quotaText(line)}`,
        `${textOf(trial, interaction)} for number ${number}`,
        interaction,
      );
    if (record !== undefined) records.push(record);
  }
  return records;
}

async function expectSuccess(trial: Trial, next: Counter["next"], what: string): Promise<void> {
  const { interaction } = await next();
  if (isRejected(trial, interaction)) throw new Broken(`success of ${what}`, textOf(trial, interaction), interaction);
}

function isRejected(trial: Trial, interaction: Interaction): boolean {
  return isError(trial.contract, trial.responseOf(interaction), "quota-exceeded", interaction.operation);
}

function textOf(trial: Trial, interaction: Interaction): string {
  return statusText(trial.contract, trial.responseOf(interaction));
}

/** Expects that no other quota rejects the requests before this one. */
function expectNoOther({ contract }: Trial, { path, quota, target }: QuotaLine): void {
  const { quota: all = {} } = contract.model.limits;
  const called = contract.operations.get(target);
  const resource = called?.resource ?? target;
  const creators = [...contract.operations.values()].filter((one) => one.resource === resource && !needsRecord(one));
  const targets = new Set([resource, target, ...(called === undefined ? creators.map((one) => one.operation) : [])]);
  const others = [...targets].flatMap((name) =>
    (lookup(all, name) ?? []).filter(
      (one, index) => `limits/quota/${name}/${index}` !== path && one.count <= quota.count + 2,
    ),
  );
  if (others.length > 0) throw new NotTried("another quota is used up before this one");
}
