/** Plans every error code of the service. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import { protocolErrors, standardErrors, violationCodes } from "../../language/errors/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { deprecatedTargets } from "../../language/versioning/deprecated.ts";
import type { ErrorPlan } from "./types.ts";
import type { ErrorsPart } from "./types.ts";
import type { PlanInput } from "../input.ts";

/** Codes with a second status: `invalid-request` is 422 for an invalid request and 400 for an unreadable one. */
const secondStatus: Readonly<Record<string, number>> = { "invalid-request": 400 };

export function errorPlans({ model }: PlanInput): Readonly<Record<string, ErrorPlan>> {
  const plans: Record<string, ErrorPlan> = {};
  const { standard, errors, status: statusByCode = {}, codes = {}, messages = {} } = model.errors;
  const operations = Object.values(model.endpoints.endpoints);
  const withDeclared = (code: string, known: Pick<ErrorPlan, "status" | "statuses">) => {
    const others = operations.flatMap(({ statuses: outcomes }) => lookup(outcomes?.errors ?? {}, code) ?? []);
    return { ...known, statuses: [...new Set([...known.statuses, ...others])] };
  };
  const planned = (code: string, usual: number, title: string): Omit<ErrorPlan, "source"> => {
    const status = lookup(statusByCode, code);
    const wire = lookup(codes, code);
    const message = lookup(messages, code);
    return {
      ...withDeclared(code, status === undefined ? statuses(code, usual) : { status, statuses: [status] }),
      ...(status === undefined ? {} : { fixed: true as const }),
      ...(wire === undefined ? {} : { wire }),
      title: message === undefined || message.includes("{") ? title : message,
      ...(message === undefined ? {} : { message }),
    };
  };
  for (const [code, { status, title }] of Object.entries(standardErrors)) {
    const imported = standard === "all" || (standard ?? []).includes(code);
    plans[code] = { ...planned(code, status, title), source: imported ? "catalogue" : "protocol" };
  }
  const ends = deprecatedTargets(model).some(([{ field }, { sunset }]) => field === undefined && sunset !== undefined);
  for (const [code, { status, title, ...rest }] of Object.entries(protocolErrors)) {
    // The code has a page only in services whose operations end.
    if (code === "operation-gone" && !ends) continue;
    plans[code] = { ...planned(code, status, title), ...rest, source: "protocol" };
  }
  for (const [code, { status, sentence, retryAfter }] of Object.entries(errors)) {
    const seconds = retryAfter === undefined ? undefined : secondsOf(retryAfter);
    plans[code] = {
      ...planned(code, status, sentence),
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      source: "document",
    };
  }
  return plans;
}

/** Plans the bodies of errors and the messages of violations. */
export function errorBodies({
  model,
}: PlanInput): Pick<ErrorsPart, "problemBody" | "problemBodies" | "violationMessages" | "violationNames"> {
  const { body = "problem+json", bodies = {}, codes = {}, messages = {} } = model.errors;
  const names = Object.fromEntries(Object.entries(codes).filter(([code]) => violationCodes.includes(code)));
  return {
    problemBody: body,
    problemBodies: bodies,
    violationMessages: messages,
    ...(Object.keys(names).length === 0 ? {} : { violationNames: names }),
  };
}

function statuses(code: string, status: number): Pick<ErrorPlan, "status" | "statuses"> {
  const second = lookup(secondStatus, code);
  return { status, statuses: second === undefined || second === status ? [status] : [status, second] };
}

/** Returns a duration in whole seconds, as `Retry-After` requires. */
function secondsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : Math.max(1, Math.ceil(lengthOf(duration) / 1000));
}
