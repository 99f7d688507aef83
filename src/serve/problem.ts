/** A refusal as an answer: problem+json (RFC 9457, R7.1) or the body that the document declares. */
import { unescapeSegment } from "../base/json-pointer.ts";
import { camelCase } from "../base/case.ts";
import type { JsonObject } from "../base/json.ts";
import { bodyOf } from "../parts/errors/decide.ts";
import { everyOperation } from "../plan/events.ts";
import type { ErrorPlan, Plan } from "../plan/plan.ts";
import { type ErrorFacts, fieldOf, fillShape, filled, hasField } from "./error-body.ts";
import type { Answer } from "./exchange.ts";
import type { Fault, RefusalDetails } from "./refusal.ts";

export interface Problems {
  /**
   * The answer for a code of the plan; `requestId` names the request in body and header alike (R1.3). `operation` is the name
   * that the plan has for it.
   */
  answer(code: string, details: RefusalDetails, requestId: string, operation?: string): Answer;
}

/** `documentation` gives the absolute address of a code's page. */
export function createProblems(plan: Plan, documentation: (code: string) => string): Problems {
  const operations = new Map(everyOperation(plan).map((operation) => [operation.name, operation]));
  return {
    answer(code, details, requestId, name) {
      const operation = name === undefined ? undefined : operations.get(name);
      const error = plan.errors[code];
      if (error === undefined) throw new Error(`the plan has no error ${code}`);
      const facts: ErrorFacts = {
        code: error.wire ?? code,
        title: error.title,
        message: details.detail ?? listed(details.faults) ?? error.title,
        status: operation?.answer.errors?.[code] ?? statusOf(error, details),
        resource: camelCase(operation?.resource ?? "") || "body",
        request: requestId,
      };
      const said = inOwnWords(plan, error, facts, details.faults);
      const field = details.faults?.some(hasField) ?? false;
      const body = bodyOf({ code, operation: name, field }, plan.problemBodies, plan.problemBody);
      return {
        status: facts.status,
        headers: [
          ...["Content-Type", body === "problem+json" ? "application/problem+json" : "application/json"],
          ...headersOf(error, details),
        ],
        body: JSON.stringify(
          body === "problem+json"
            ? standardBody(said.facts, said.faults, details, documentation(code))
            : fillShape(body.shape, said.facts, said.faults),
        ),
        ...(details.close === true ? { close: true } : {}),
      };
    },
  };
}

/** How many values one sentence names; all of them are in `errors`. */
const mostNamed = 5;

/** The sentence for several violations: which values are invalid. */
function listed(faults: readonly Fault[] = []): string | undefined {
  if (faults.length < 2) return undefined;
  const all = new Set(faults.map(({ pointer = "#", parameter, header }) => parameter ?? header ?? memberOf(pointer)));
  const names = [...all].filter((name) => name !== "");
  const rest = names.length > mostNamed ? [`${names.length - mostNamed} more`] : [];
  const named = names.length === 0 ? "" : `: ${[...names.slice(0, mostNamed), ...rest].join(", ")}`;
  return `${faults.length} values are invalid${named}`;
}

/** `billTo.name` of `#/billTo/name`. */
function memberOf(pointer: string): string {
  const segments = pointer.slice(2).split("/");
  return segments.map((one) => unescapeSegment(decodeURIComponent(one))).join(".");
}

/** A code with a second status comes with it where the refusal says so; the document may have said that it has but one. */
function statusOf({ status, fixed }: ErrorPlan, details: RefusalDetails): number {
  return fixed === true ? status : (details.status ?? status);
}

function headersOf({ retryAfterSeconds }: ErrorPlan, { headers = [] }: RefusalDetails): readonly string[] {
  const waits = retryAfterSeconds !== undefined && !headers.includes("Retry-After");
  return [
    ...["Content-Language", "en", "Cache-Control", "no-store", ...headers],
    ...(waits ? ["Retry-After", String(retryAfterSeconds)] : []),
  ];
}

/** What the document says in place of Nonet's own sentences. */
function inOwnWords(
  { faultMessages }: Plan,
  error: ErrorPlan,
  facts: ErrorFacts,
  faults: readonly Fault[] | undefined,
): { readonly facts: ErrorFacts; readonly faults: readonly Fault[] | undefined } {
  const told = faults?.map((fault): Fault => {
    const message = Object.hasOwn(faultMessages, fault.code) ? faultMessages[fault.code] : undefined;
    if (message === undefined) return fault;
    return { ...fault, detail: String(filled(message, { ...facts, message: fault.detail, field: fieldOf(fault) })) };
  });
  // A function may say of the whole something else than of its one value.
  const isOfFault = facts.message === error.title || facts.message === faults?.[0]?.detail;
  const message = error.message ?? (told?.length === 1 && isOfFault ? told[0]?.detail : undefined);
  if (message === undefined) return { facts, faults: told };
  return {
    facts: { ...facts, message: String(filled(message, { ...facts, field: fieldOf(faults?.[0]) })) },
    faults: told,
  };
}

function standardBody(
  { code, title, message, status, request }: ErrorFacts,
  faults: readonly Fault[] | undefined,
  { members }: RefusalDetails,
  type: string,
): JsonObject {
  return {
    type,
    title,
    status,
    detail: message,
    instance: `urn:nonet:request:${request}`,
    code,
    request_id: request,
    ...(faults === undefined ? {} : { errors: faults.map(({ field: _, ...fault }): JsonObject => ({ ...fault })) }),
    ...members,
  };
}
