/**
 * What clients can observe of `rate`: exactly as many requests as a line admits pass, the next one is rejected, others are not
 * affected, and after the time of the line requests pass again.
 */
import { Broken, type Case, NotTried, type PartCases } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import { isByOperation, isError, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { type Interaction, isResponse, type Response } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import { callerWith } from "../trial/callers.ts";
import type { BuiltRequest } from "../trial/calls.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf, timeIsOver } from "../trial/world.ts";
import { awayFromEnd, expectCalendar } from "./calendar.ts";
import { isByCaller, isByRecord, linesFor, lineText, type RateLine, rateLines } from "./rate-lines.ts";
import { learnMade } from "../trial/made.ts";
import { freshen, letPass, requestTo, type Setting, settingFor } from "./rate-setting.ts";
import { quotaOf, remainingOf } from "./rate-headers.ts";

/** How many requests the test sends for one limit. */
const mostRequests = 2000;

/** @param firstCaller the first number of callers that only these cases use: each line has two */
export function rateCases(contract: Contract, firstCaller: number): PartCases {
  const lines = rateLines(contract);
  const isTried = ({ capacity }: RateLine): boolean => capacity < mostRequests;
  return {
    cases: lines.filter(isTried).flatMap((line) => {
      const number = firstCaller + 2 * lines.indexOf(line);
      return [admits(line, number), admitsAgain(line, number), ...endsAtMidnight(line, number)];
    }),
    unobservable: lines
      .filter((line) => !isTried(line))
      .map((line) => ({
        path: line.path,
        expects: lineText(line),
        reason: `the test sends at most ${mostRequests} requests for one limit`,
      })),
  };
}

/** As many requests as the line admits pass, the next one is rejected, and the requests of others pass. */
function admits(line: RateLine, number: number): Case {
  const { path, target } = line;
  return {
    id: `${path}: exactly so many`,
    aspects: [{ path, expects: `${lineText(line)} pass, and the next one is rejected` }],
    ...(target === "all" || target === "anyone" ? {} : { operation: target }),
    exclusive: true,
    run: async (trial) => {
      const setting = await settingFor(trial, line, number);
      await awayFromEnd(trial, line.rate);
      const further = isByRecord(line) ? await requestTo(trial, line, setting.called, setting.caller) : undefined;
      const isCertain = await freshen(trial, line, setting);
      const startedAt = presentOf(trial.world);
      await expectAdmitted(trial, line, setting, { isCertain, startedAt });
      await expectRejected(trial, line, setting, startedAt);
      await expectOthers(trial, line, setting, { further, startedAt });
      await expectNoEarlier(trial, line, setting, startedAt);
    },
  };
}

/** After its time the line admits requests again. */
function admitsAgain(line: RateLine, number: number): Case {
  const { path } = line;
  return {
    id: `${path}: again`,
    aspects: [{ path, expects: `after the time of the limit (${lineText(line)}) requests pass again` }],
    exclusive: true,
    run: async (trial) => {
      const setting = await settingFor(trial, line, number);
      const isFirst = line.rate.burst !== undefined && (await freshen(trial, line, { ...setting, isNew: false }));
      const startedAt = presentOf(trial.world);
      // Without a bucket, the case before may have used up the limit already.
      const sent = await sendMany(trial, setting, line.capacity + toleranceOf(line) + 1);
      const last = sent.at(-1);
      if (last === undefined || !isLimited(trial, last)) throw new NotTried("the test did not use up the limit");
      if (isFirst && sent.length <= line.capacity)
        throw new Broken("a full bucket after its time", textOf(trial, last), last);
      await letPass(trial, line.nextMilliseconds + 1000);
      const [again] = await sendMany(trial, setting, 1, sent.length);
      if (again !== undefined && isLimited(trial, again)) {
        if (!isFree(trial, line, setting, setting.caller)) throw new NotTried("another limit may be used up");
        throw new Broken("no rejection after the time of the limit", textOf(trial, again), again);
      }
      const [second] = isFirst ? await sendMany(trial, setting, 1, sent.length + 1) : [];
      if (second === undefined || presentOf(trial.world) - startedAt > 1.9 * line.nextMilliseconds) return;
      if (!isLimited(trial, second))
        throw new Broken("one request more, as the bucket admits after that time", textOf(trial, second), second);
    },
  };
}

/** How many requests the test sends once more to find out when a window of the calendar ends. */
const mostInCalendar = 500;

/** A window of the calendar ends at a local midnight, and not before. */
function endsAtMidnight(line: RateLine, number: number): readonly Case[] {
  const { capacity, path, rate } = line;
  if (rate.zone === undefined || capacity > mostInCalendar) return [];
  return [
    {
      id: `${path}: until midnight`,
      aspects: [{ path, expects: `the window ends at midnight in ${rate.zone}, and not before` }],
      exclusive: true,
      run: async (trial) => {
        const setting = await settingFor(trial, line, number);
        if (!isFree(trial, line, setting, setting.caller)) throw new NotTried("another limit may be used up");
        let count = 0;
        const send = async (most: number): Promise<Interaction> => {
          const sent = await sendMany(trial, setting, most, count);
          count += sent.length;
          return sent.at(-1) as Interaction;
        };
        await expectCalendar(trial, rate, {
          useUp: async () => isLimited(trial, await send(capacity + toleranceOf(line) + 1)),
          next: () => send(1),
          isRejected: (interaction) => isLimited(trial, interaction),
        });
      },
    },
  ];
}

// ── Expectations ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether requests since a time of the service certainly count together. */
function isInTime(trial: Trial, { nextMilliseconds }: RateLine, startedAt: number): boolean {
  return presentOf(trial.world) - startedAt <= nextMilliseconds * 0.9;
}

async function expectAdmitted(
  trial: Trial,
  line: RateLine,
  setting: Setting,
  { isCertain, startedAt }: { readonly isCertain: boolean; readonly startedAt: number },
): Promise<void> {
  const { contract } = trial;
  const { requests } = setting;
  const sent = await sendMany(trial, setting, line.capacity);
  const isCounted = line.capacity <= mostInOrder && isInTime(trial, line, startedAt);
  for (const [index, interaction] of sent.entries()) {
    const response = trial.responseOf(interaction);
    if (isLimited(trial, interaction)) {
      if (!isCertain) throw new NotTried("another limit may be used up");
      throw new Broken(
        `${lineText(line)} pass`,
        `${statusText(contract, response)} for request ${index + 1}`,
        interaction,
      );
    }
    const { operation = "" } = interaction;
    const isUsual = mayEverRun(contract, operation, setting.caller)
      ? isByOperation(contract, response, operation)
      : isError(contract, response, "unauthenticated", operation);
    if (index < requests.length && !isUsual)
      throw new NotTried(`${operation} answered ${statusText(contract, response)}`);
    if (isCounted) expectCountdown(line, index + 1, response, interaction);
  }
}

/** The header fields of rates, if there are any, count down. */
function expectCountdown(line: RateLine, count: number, response: Response, interaction: Interaction): void {
  const remaining = line.rate.burst === undefined ? remainingOf(response, line) : undefined;
  if (remaining === undefined || remaining === line.capacity - count) return;
  throw new Broken(
    `${line.capacity - count} remaining requests in RateLimit after request ${count}`,
    String(remaining),
    interaction,
  );
}

async function expectRejected(trial: Trial, line: RateLine, setting: Setting, startedAt: number): Promise<void> {
  let last: Interaction | undefined;
  for (let extra = 1; extra <= toleranceOf(line) + 1; extra += 1) {
    [last] = await sendMany(trial, setting, 1, line.capacity + extra - 1);
    if (last === undefined) return;
    if (isLimited(trial, last)) break;
    if (!isInTime(trial, line, startedAt)) throw new NotTried("the requests took longer than the limit lasts");
    const isBeyond = extra > toleranceOf(line) || quotaOf(trial.responseOf(last), line) === line.capacity + extra;
    if (isBeyond)
      throw new Broken(
        `a rejection after ${lineText(line)}`,
        `${textOf(trial, last)} for request ${line.capacity + extra}`,
        last,
      );
  }
  // Retry-After is optional (RFC 9110, section 10.2.3), unless the document declares it with the error.
  if (last !== undefined) expectError(trial, last, { code: "rate-limited" });
}

/** If the service says that requests pass again before the time of the limit is over, it admits too many. */
async function expectNoEarlier(trial: Trial, line: RateLine, setting: Setting, startedAt: number): Promise<void> {
  // A window of the calendar may end at any time.
  if (line.rate.zone !== undefined) return;
  const last = trial.interactions.findLast((one) => isResponse(one.response) && isLimited(trial, one));
  const seconds = Number(last === undefined ? undefined : trial.responseOf(last).headers["retry-after"]);
  const margin = Math.min(5000, line.nextMilliseconds / 4);
  const end = startedAt + line.nextMilliseconds - margin;
  if (Number.isNaN(seconds) || line.rate.burst !== undefined || presentOf(trial.world) + seconds * 1000 >= end) return;
  await letPass(trial, seconds * 1000);
  const [again] = await sendMany(trial, setting, 1, line.capacity + 1);
  if (again === undefined || presentOf(trial.world) >= end) return;
  const got = textOf(trial, again);
  if (isLimited(trial, again)) throw new Broken(`success after the ${seconds} s in Retry-After`, got, again);
  throw new Broken(`at most ${lineText(line)}`, `${got} before that time is over`, again);
}

/** Other users and records are not affected; what counts by address or record counts the requests of all users. */
async function expectOthers(
  trial: Trial,
  line: RateLine,
  setting: Setting,
  { further, startedAt }: { readonly further: BuiltRequest | undefined; readonly startedAt: number },
): Promise<void> {
  const { called, caller, other, requests } = setting;
  const [first] = requests;
  if (first === undefined) return;
  const send = (by: Caller, { request }: BuiltRequest): Promise<Interaction> =>
    trial.send(by.authorize(request), by, called.operation);
  if (further !== undefined) {
    const interaction = await trial.send(further.request, caller, called.operation);
    if (isLimited(trial, interaction)) throw affected(trial, interaction, `another ${line.rate.per}`);
  }
  const stranger = line.target === "anyone" ? await callerOf(trial, called.operation) : other;
  if (stranger === undefined || !isFree(trial, line, setting, stranger)) return;
  const interaction = await send(stranger, first);
  const isShared = line.target !== "anyone" && !isByCaller(line, caller);
  if (isShared === isLimited(trial, interaction)) return;
  if (!isShared) throw affected(trial, interaction, "another caller");
  if (!isInTime(trial, line, startedAt)) throw new NotTried("the requests took longer than the limit lasts");
  const got = textOf(trial, interaction);
  throw new Broken(`a rejection also for ${stranger.name}, since the limit is per ${line.rate.per}`, got, interaction);
}

function affected(trial: Trial, interaction: Interaction, who: string): Broken {
  return new Broken(`no rejection of ${who}`, textOf(trial, interaction), interaction);
}

/** Whether no other limit can reject a caller's next request. */
function isFree(trial: Trial, line: RateLine, { called, isNew }: Setting, caller: Caller): boolean {
  const others = linesFor(trial.contract, called, caller).filter((one) => one.path !== line.path);
  return others.every(
    (one) =>
      (isNew && isByCaller(one, caller)) ||
      one.freshMilliseconds <= line.freshMilliseconds ||
      one.capacity > 2 * line.capacity,
  );
}

/** Returns a signed-in caller who may run an operation. */
async function callerOf(trial: Trial, operation: string): Promise<Caller | undefined> {
  for (const roles of rolesOf(trial.contract)) {
    const caller = await callerWith(trial, roles, 1);
    if (caller !== undefined && mayEverRun(trial.contract, operation, caller)) return caller;
  }
  return undefined;
}

function textOf(trial: Trial, interaction: Interaction): string {
  return statusText(trial.contract, trial.responseOf(interaction));
}

function isLimited(trial: Trial, interaction: Interaction): boolean {
  return isError(trial.contract, trial.responseOf(interaction), "rate-limited", interaction.operation);
}

/**
 * How many requests too many the test does not call an error: several processes may count a large limit in a short time together,
 * and then each of them learns a little late what the others have counted.
 */
function toleranceOf({ capacity, nextMilliseconds, rate }: RateLine): number {
  const isShort = rate.burst === undefined && nextMilliseconds < 3_600_000;
  return isShort && capacity >= 100 ? Math.floor(capacity / 100) : 0;
}

// ── Sending ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Up to so many requests are sent one after the other. */
const mostInOrder = 30;
/** How many requests are sent at once, if there are more. */
const atOnce = 10;

/** Sends the requests in turn, until there are `count` or until one is rejected. */
async function sendMany(trial: Trial, { requests }: Setting, count: number, from = 0): Promise<readonly Interaction[]> {
  const { deadline, target } = trial.world;
  const sent: Interaction[] = [];
  const size = count <= mostInOrder ? 1 : atOnce;
  while (sent.length < count && !sent.some((one) => isLimited(trial, one))) {
    if (target.now() > deadline) throw new NotTried(timeIsOver, "a larger --budget");
    const some = Array.from({ length: Math.min(size, count - sent.length) }, async (_, index) => {
      const { called, caller, request } = requests[(from + sent.length + index) % requests.length] as BuiltRequest;
      const interaction = await trial.send(request, caller, called.operation);
      learnMade(trial, called, caller, interaction);
      return interaction;
    });
    sent.push(...(await Promise.all(some)));
  }
  return sent;
}
