/** Every code that the service can answer with. */
import { lengthOf, parseDuration } from "../base/duration.ts";
import { standardErrors } from "../parts/errors/model.ts";
import { own } from "../parts/resources/fields.ts";
import type { ErrorPlan } from "./plan.ts";
import type { Sources } from "./sources.ts";

/**
 * What HTTP needs besides the catalogue (R0.1, R4.1, R4.3, R4.6, R4.19, R4.21, R6.16, R1.7). Some answers of the catalogue are
 * needed by every service, so codes that are not imported from it are here too.
 */
const protocolErrors: Readonly<
  Record<string, { readonly status: number; readonly title: string; readonly retryAfterSeconds?: number }>
> = {
  "malformed-request": { status: 400, title: "The request cannot be read" },
  "https-required": { status: 403, title: "This service is only reached over HTTPS" },
  "request-timeout": { status: 408, title: "The request did not arrive in time" },
  "idempotency-key-in-use": {
    status: 409,
    title: "The first request with this key is still running",
    retryAfterSeconds: 1,
  },
  "event-id-expired": { status: 410, title: "What happened after this event is not kept any more" },
  "uri-too-long": { status: 414, title: "The address is too long" },
  "expectation-failed": { status: 417, title: "This expectation cannot be met" },
  "idempotency-key-reused": { status: 422, title: "This key was used for another request" },
  "headers-too-large": { status: 431, title: "The header fields are too large" },
  "not-implemented": { status: 501, title: "This method is not known here" },
};

/** Codes that come with a second status: what cannot be read is 400, what was read and is wrong 422. */
const secondStatus: Readonly<Record<string, number>> = { "invalid-request": 400 };

export function errorPlans({ model }: Sources): Readonly<Record<string, ErrorPlan>> {
  const plans: Record<string, ErrorPlan> = {};
  const { standard, errors } = model.errors;
  for (const [code, { status, title }] of Object.entries(standardErrors)) {
    const imported = standard === "all" || (standard ?? []).includes(code);
    plans[code] = { ...statuses(code, status), title, source: imported ? "catalogue" : "protocol" };
  }
  for (const [code, { status, ...rest }] of Object.entries(protocolErrors)) {
    plans[code] = { ...statuses(code, status), ...rest, source: "protocol" };
  }
  for (const [code, { status, sentence, retryAfter }] of Object.entries(errors)) {
    const seconds = retryAfter === undefined ? undefined : secondsOf(retryAfter);
    plans[code] = {
      ...statuses(code, status),
      title: sentence,
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
      source: "document",
    };
  }
  return plans;
}

function statuses(code: string, status: number): Pick<ErrorPlan, "status" | "statuses"> {
  const second = own(secondStatus, code);
  return { status, statuses: second === undefined || second === status ? [status] : [status, second] };
}

/** Whole seconds, as `Retry-After` has them. */
function secondsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : Math.max(1, Math.ceil(lengthOf(duration) / 1000));
}
