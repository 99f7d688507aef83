/** Renders an error as a response: problem+json (RFC 9457, R7.1), or the body that the document declares. */
import process from "node:process";
import { pathInDots } from "../../base/json-pointer.ts";
import { camelCase } from "../../base/case.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ErrorBody } from "../../plan/errors/types.ts";
import { bodyOf } from "../../language/errors/decide.ts";
import { everyOperation } from "../../plan/events/events.ts";
import type { ErrorPlan, ErrorsPart } from "../../plan/errors/types.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";
import type { EventsPart } from "../../plan/events/types.ts";
import { type ErrorVariables, fieldOf, fillShape, filled, hasField } from "./body.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Violation, ApiErrorDetails } from "./api-error.ts";

// An `import` of node:http would load undici and TLS, because it reads all exports.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

export interface Problems {
  /**
   * Returns the response for a code of the plan. `requestId` is for body and header (R1.3); `operation` is its name in the
   * plan.
   */
  response(code: string, details: ApiErrorDetails, requestId: string, operation?: string): HttpResponse;
}

/** Creates the responses. `documentation`: returns the absolute URL of a code's page. */
export function createProblems(
  plan: EndpointsPart & ErrorsPart & EventsPart,
  documentation: (code: string) => string,
): Problems {
  const operations = new Map(everyOperation(plan).map((operation) => [operation.name, operation]));
  return {
    response(code, details, requestId, name) {
      const operation = name === undefined ? undefined : operations.get(name);
      const error = plan.errors[code];
      if (error === undefined) throw new Error(`the plan has no error ${code}`);
      const status = operation?.response.errors?.[code] ?? statusOf(error, details);
      const variables: ErrorVariables = {
        code: error.wire ?? code,
        title: error.title,
        message: details.detail ?? listed(details.violations) ?? error.title,
        status,
        reason: STATUS_CODES[status] ?? "",
        resource: camelCase(operation?.resource ?? "") || "body",
        request: requestId,
      };
      const content = withCustomMessages(plan, error, variables, details.violations);
      const field = details.violations?.some(hasField) ?? false;
      const body = bodyOf({ code, operation: name, field }, plan.problemBodies, plan.problemBody);
      const filledBody =
        body === "problem+json"
          ? standardBody(content.variables, content.violations, details, documentation(code))
          : fillShape(body.shape, content.variables, content.violations);
      const isText = body !== "problem+json" && typeof body.shape === "string";
      return {
        status,
        headers: [...["Content-Type", mediaOf(body)], ...headersOf(error, details)],
        body: isText ? String(filledBody as string | number) : JSON.stringify(filledBody),
        ...(details.close === true ? { close: true } : {}),
      };
    },
  };
}

function mediaOf(body: ErrorBody): string {
  if (body === "problem+json") return "application/problem+json";
  return typeof body.shape === "string" ? "text/plain; charset=utf-8" : "application/json";
}

/** The most values in the detail; `errors` contains all of them. */
const mostNamed = 5;

/** Returns the detail for several violations: the names of the invalid values. */
function listed(violations: readonly Violation[] = []): string | undefined {
  if (violations.length < 2) return undefined;
  const all = new Set(
    violations.map(({ pointer = "#", parameter, header }) => parameter ?? header ?? pathInDots(pointer)),
  );
  const names = [...all].filter((name) => name !== "");
  const rest = names.length > mostNamed ? [`${names.length - mostNamed} more`] : [];
  const named = names.length === 0 ? "" : `: ${[...names.slice(0, mostNamed), ...rest].join(", ")}`;
  return `${violations.length} values are invalid${named}`;
}

/** Returns the error's own status, unless the document declares a status for the code. */
function statusOf({ status, fixed }: ErrorPlan, details: ApiErrorDetails): number {
  return fixed === true ? status : (details.status ?? status);
}

function headersOf({ retryAfterSeconds }: ErrorPlan, { headers = [] }: ApiErrorDetails): readonly string[] {
  const waits = retryAfterSeconds !== undefined && !headers.includes("Retry-After");
  return [
    ...["Content-Language", "en", "Cache-Control", "no-store", ...headers],
    ...(waits ? ["Retry-After", String(retryAfterSeconds)] : []),
  ];
}

/** Replaces Nonet's messages by those of the document. */
function withCustomMessages(
  { violationMessages, violationNames = {} }: ErrorsPart,
  error: ErrorPlan,
  variables: ErrorVariables,
  violations: readonly Violation[] | undefined,
): { readonly variables: ErrorVariables; readonly violations: readonly Violation[] | undefined } {
  const customized = violations?.map((violation): Violation => {
    const { code } = violation;
    const named = { ...violation, code: Object.hasOwn(violationNames, code) ? (violationNames[code] ?? code) : code };
    const message = Object.hasOwn(violationMessages, code) ? violationMessages[code] : undefined;
    if (message === undefined) return named;
    return {
      ...named,
      detail: String(filled(message, { ...variables, message: violation.detail, field: fieldOf(violation) })),
    };
  });
  // A function may set a detail that differs from the detail of its single violation; then the detail stays.
  const isOfViolation = variables.message === error.title || variables.message === violations?.[0]?.detail;
  const message = error.message ?? (customized?.length === 1 && isOfViolation ? customized[0]?.detail : undefined);
  if (message === undefined) return { variables, violations: customized };
  return {
    variables: { ...variables, message: String(filled(message, { ...variables, field: fieldOf(violations?.[0]) })) },
    violations: customized,
  };
}

function standardBody(
  { code, title, message, status, request }: ErrorVariables,
  violations: readonly Violation[] | undefined,
  { members }: ApiErrorDetails,
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
    ...(violations === undefined
      ? {}
      : { errors: violations.map(({ field: _, ...violation }): JsonObject => ({ ...violation })) }),
    ...members,
  };
}
