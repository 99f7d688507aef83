/** What clients can observe of versions and operations that end: the header fields of a deprecation, and the error after the sunset. */
import { deprecationOf } from "../../language/versioning/deprecated.ts";
import { deprecatedTarget, type Deprecation } from "../../language/versioning/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { type Contract, sunsetOf } from "../contract.ts";
import { isStated, statusOf, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction, Response } from "../interaction.ts";
import { mayEverRun } from "../permissions.ts";
import { rolesOf } from "../roles.ts";
import { newCaller } from "../trial/callers.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { cheapest, simplest } from "./naming.ts";
import { hasEnded, isDeprecated, trialAt } from "./steps.ts";

export function endingCases(contract: Contract): readonly Case[] {
  const { deprecated = {} } = contract.model.versioning;
  return Object.entries(deprecated).flatMap(([name, deprecation], index) => {
    const target = deprecatedTarget(name);
    if (target !== undefined) return target.field === undefined ? operationCases(contract, name, deprecation) : [];
    const hasEnd = deprecation.sunset !== undefined && name !== contract.version;
    return [announced(name, deprecation), ...(hasEnd ? [ends(contract, name, firstUser + index)] : [])];
  });
}

/** The responses of a deprecated operation have its dates and its guide, those of others have none, and after its sunset it ends. */
function operationCases(contract: Contract, operation: string, deprecation: Deprecation): readonly Case[] {
  if (!contract.operations.has(operation)) return [];
  const path = `versioning/deprecated/${operation}`;
  const { sunset } = deprecation;
  // Two deprecations that apply to one response have the earliest dates.
  const endStatus = statusOf(contract, "operation-gone", operation, 410);
  const isPlain = contract.version === undefined || !isDeprecated(contract, contract.version);
  const headers: Case = {
    id: `${path}: header fields`,
    operation,
    aspects: [{ path, expects: `responses of ${operation} announce ${Object.keys(deprecation).join(", ")}` }],
    run: async (trial) => {
      const interaction = await trial.call(operation);
      const problem = announcementProblem(trial.responseOf(interaction), deprecation);
      if (problem !== undefined) throw new Broken(problem.expected, problem.got, interaction);
      const other = cheapest(trial, ({ operation: one }) => deprecationOf(contract.model, one) === undefined);
      if (other === undefined) return;
      const second = await trial.call(other.operation);
      const found = ["deprecation", "sunset"].find((field) => trial.responseOf(second).headers[field] !== undefined);
      if (found === undefined) return;
      const got = trial.responseOf(second).headers[found] ?? "";
      throw new Broken(`no ${found} of ${other.operation}, which is not deprecated`, got, second);
    },
  };
  const end: Case = {
    id: `${path}: sunset`,
    operation,
    aspects: [{ path, expects: `after its sunset ${operation} gets ${endStatus} operation-gone, and not before` }],
    endsCredentials: true,
    run: async (trial) => {
      const moment = Date.parse(sunset ?? "");
      const left = moment - presentOf(trial.world);
      if (left <= 0) throw new NotTried(`${operation} has ended`);
      const { called, caller, request } = await trial.build(operation);
      await trial.pass(left + 1000, { isExpiryMeant: true });
      const after = await sendAfterLimits(trial, request, caller, { operation: called.operation });
      const response = trial.responseOf(after);
      // The credential may have expired too, which says nothing about the operation.
      if (response.status === 401) throw new NotTried("the credentials of the test expire before that time");
      expectEnd(trial, after, { code: "operation-gone", status: 410 });
    },
  };
  return [...(isPlain ? [headers] : []), ...(sunset === undefined ? [] : [end])];
}

/** The responses of a deprecated version have its dates and its guide, and those of other versions have none. */
function announced(version: string, deprecation: Deprecation): Case {
  const path = `versioning/deprecated/${version}`;
  return {
    id: `${path}: header fields`,
    aspects: [{ path, expects: `responses of version ${version} announce ${Object.keys(deprecation).join(", ")}` }],
    run: async (trial) => {
      const at = trialAt(trial, version);
      const interaction = await at.call(simplest(at).operation);
      const response = at.responseOf(interaction);
      if (response.status >= 400) throw new NotTried(`the service answered ${statusText(at.contract, response)}`);
      const problem = announcementProblem(response, deprecation);
      if (problem !== undefined) throw new Broken(problem.expected, problem.got, interaction);
      await isUnannounced(trial);
    },
  };
}

async function isUnannounced(trial: Trial): Promise<void> {
  const { contract } = trial;
  const { versions = [] } = contract.model.versioning;
  for (const { name } of versions) {
    if (isDeprecated(contract, name) || hasEnded(trial, name)) continue;
    const at = trialAt(trial, name);
    const interaction = await at.call(simplest(at).operation);
    const { headers } = at.responseOf(interaction);
    const found = ["deprecation", "sunset"].find((field) => headers[field] !== undefined);
    if (found === undefined) continue;
    throw new Broken(`no ${found} in version ${name}, which is not deprecated`, headers[found] ?? "", interaction);
  }
}

function announcementProblem(
  { headers }: Response,
  { guide, since, sunset }: Deprecation,
): { readonly expected: string; readonly got: string } | undefined {
  const got = (name: string): string => headers[name] ?? "no such header";
  if (since !== undefined && !isDay(dateIn(headers["deprecation"]), since))
    return {
      expected: `Deprecation: @${Date.parse(since) / 1000} (RFC 9745), which is ${since}`,
      got: got("deprecation"),
    };
  if (sunset !== undefined && !isDay(dateIn(headers["sunset"]), sunset))
    return { expected: `Sunset: ${new Date(sunset).toUTCString()} (RFC 8594)`, got: got("sunset") };
  if (guide !== undefined && headers["link"]?.includes(`<${guide}>`) !== true)
    return { expected: `a Link to ${guide}`, got: got("link") };
  return undefined;
}

/** Returns the date in a header field, in milliseconds: a date of structured fields, or an HTTP date. */
function dateIn(field: string | undefined): number {
  const seconds = /^@(-?\d+)$/.exec(field?.trim() ?? "")?.[1];
  return seconds === undefined ? Date.parse(field ?? "") : Number(seconds) * 1000;
}

/** Whether an instant is on the day of a date, in UTC. */
function isDay(instant: number, date: string): boolean {
  return !Number.isNaN(instant) && new Date(instant).toISOString().slice(0, 10) === date.slice(0, 10);
}

/** The number of the first user who is only in these cases. */
const firstUser = 61;

/** How long before its sunset a version still has to be there, in milliseconds. */
const early = 3_600_000;

/** After its sunset a version gets the error of the document, and before it does not. */
function ends(contract: Contract, version: string, user: number): Case {
  const path = `versioning/deprecated/${version}`;
  const { afterSunset } = contract.model.versioning.policy ?? {};
  const { error: code, status } = afterSunset ?? { error: "version-gone", status: 410 };
  const expects = `after its sunset version ${version} gets ${statusOf(contract, code, undefined, status)} ${code}, and not before`;
  return {
    id: `${path}: sunset`,
    aspects: [
      { path, expects },
      ...(afterSunset === undefined ? [] : [{ path: "versioning/policy/after sunset", expects }]),
    ],
    // A version may outlive the credentials of the test.
    endsCredentials: true,
    run: async (trial) => {
      const sunset = sunsetOf(contract, version) ?? Number.NaN;
      const isOver = hasEnded(trial, version);
      if (!isOver) await trial.pass(Math.max(0, sunset - early - presentOf(trial.world)), { isExpiryMeant: true });
      const send = await sender(trial, version, user);
      if (!isOver) {
        const before = await send();
        const response = trial.responseOf(before);
        if (response.status >= 400)
          throw new Broken(
            `version ${version} until ${new Date(sunset).toISOString()}`,
            statusText(contract, response),
            before,
          );
        await trial.pass(early + 1000, { isExpiryMeant: true });
      }
      const after = await send();
      expectEnd(trial, after, { code, status });
    },
  };
}

/** Expects the error after a sunset, which part 9 declares: its status counts also where part 7 does not list the error. */
function expectEnd(
  trial: Trial,
  after: Interaction,
  expected: { readonly code: string; readonly status: number },
): void {
  const { contract } = trial;
  if (isStated(contract, expected.code)) {
    expectError(trial, after, expected);
    return;
  }
  const status = statusOf(contract, expected.code, after.operation, expected.status);
  const response = trial.responseOf(after);
  if (response.status !== status) throw new Broken(`${status} after the sunset`, statusText(contract, response), after);
}

/** Returns a function that sends a request of the version, after one of the newest version that shows that the caller may send it. */
async function sender(trial: Trial, version: string, user: number): Promise<() => Promise<Interaction>> {
  const { operation } = simplest(trial);
  const by = await callerAt(trial, operation, user);
  const { called, caller, record } = await trial.build(operation, by === undefined ? {} : { caller: by });
  const known = { caller, record: record ?? null };
  return async () => {
    const control = trial.responseOf(await trial.call(called.operation, known));
    if (control.status >= 400)
      throw new NotTried(`${called.operation} answered ${statusText(trial.contract, control)}`);
    const { request } = await trial.build(called.operation, { ...known, version });
    return sendAfterLimits(trial, request, caller, { operation: called.operation });
  };
}

/** Returns a new caller who may run the operation, since the credentials of others may have expired; undefined if there is none. */
async function callerAt(trial: Trial, operation: string, user: number): Promise<Caller | undefined> {
  const { contract } = trial;
  if (mayEverRun(contract, operation, anonymous)) return anonymous;
  for (const roles of rolesOf(contract)) {
    if (!mayEverRun(contract, operation, { ...anonymous, roles, signedIn: true })) continue;
    const caller = await newCaller(trial, roles, user);
    if (caller !== undefined) return caller;
  }
  return undefined;
}
