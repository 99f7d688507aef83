/** A refusal as an answer: problem+json (RFC 9457, R7.1) or the body that the document declares. */
import type { Json, JsonObject } from "../base/json.ts";
import type { ErrorPlan, Plan } from "../plan/plan.ts";
import { unescapeSegment } from "./body.ts";
import type { Answer } from "./exchange.ts";
import type { Fault, RefusalDetails } from "./refusal.ts";

export interface Problems {
  /** The answer for a code of the plan; `requestId` names the request in body and header alike (R1.3). */
  answer(code: string, details: RefusalDetails, requestId: string): Answer;
  statusOf(code: string): number;
}

/** `documentation` gives the absolute address of a code's page. */
export function createProblems(
  plan: Pick<Plan, "errors" | "problemBody">,
  documentation: (code: string) => string,
): Problems {
  const errorOf = (code: string): ErrorPlan => {
    const error = plan.errors[code];
    if (error === undefined) throw new Error(`the plan has no error ${code}`);
    return error;
  };
  return {
    statusOf: (code) => errorOf(code).status,
    answer(code, details, requestId) {
      const error = errorOf(code);
      const status = details.status ?? error.status;
      const headers = ["Content-Language", "en", "Cache-Control", "no-store", ...(details.headers ?? [])];
      if (error.retryAfterSeconds !== undefined && !headers.includes("Retry-After")) {
        headers.push("Retry-After", String(error.retryAfterSeconds));
      }
      const facts = { code, status, error, details, requestId };
      const custom = plan.problemBody !== "problem+json";
      const body =
        plan.problemBody === "problem+json"
          ? standardBody(facts, documentation(code))
          : ownBody(plan.problemBody.shape, facts);
      return {
        status,
        headers: ["Content-Type", custom ? "application/json" : "application/problem+json", ...headers],
        body: JSON.stringify(body),
        ...(details.close === true ? { close: true } : {}),
      };
    },
  };
}

interface Facts {
  readonly code: string;
  readonly status: number;
  readonly error: ErrorPlan;
  readonly details: RefusalDetails;
  readonly requestId: string;
}

function standardBody({ code, status, error, details, requestId }: Facts, type: string): JsonObject {
  return {
    type,
    title: error.title,
    status,
    detail: details.detail ?? error.title,
    instance: `urn:nonet:request:${requestId}`,
    code,
    request_id: requestId,
    ...(details.faults === undefined ? {} : { errors: details.faults.map(faultBody) }),
    ...details.members,
  };
}

function faultBody(fault: Fault): JsonObject {
  return { ...fault };
}

/**
 * Fills the placeholders of a document's own shape. In a list, and in a member whose name speaks of `{field}` or
 * `{pointer}`, what speaks of them is repeated for each fault; elsewhere it is of the first. Without faults the field is
 * `body`.
 */
function ownBody(shape: Json, facts: Facts): Json {
  const { code, status, error, details } = facts;
  const faults = details.faults ?? [{ code, detail: details.detail ?? error.title }];
  const fill = (text: string, fault: Fault | undefined): string | number => {
    const of = fault ?? faults[0];
    const values = new Map<string, string | number>([
      ["code", code],
      ["status", status],
      ["message", fault?.detail ?? details.detail ?? error.title],
      ["field", fieldOf(of)],
      ["pointer", of?.pointer ?? ""],
    ]);
    const whole = values.get(/^\{(\w+)\}$/.exec(text)?.[1] ?? "");
    return whole ?? text.replace(/\{(\w+)\}/g, (hole, name: string) => String(values.get(name) ?? hole));
  };
  const perFault = (value: Json): boolean => /\{(?:field|pointer)\}/.test(JSON.stringify(value));
  const build = (value: Json, fault: Fault | undefined): Json => {
    if (typeof value === "string") return fill(value, fault);
    if (Array.isArray(value)) {
      return fault === undefined && perFault(value)
        ? faults.flatMap((each) => value.map((item) => build(item, each)))
        : value.map((item) => build(item, fault));
    }
    if (value === null || typeof value !== "object") return value;
    return buildObject(value as JsonObject, fault);
  };
  const buildObject = (value: JsonObject, fault: Fault | undefined): JsonObject => {
    const members = new Map<string, Json>();
    for (const [name, member] of Object.entries(value)) {
      if (!perFault(name)) members.set(name, build(member, fault));
      else {
        for (const each of fault === undefined ? faults : [fault]) {
          const key = String(fill(name, each));
          const built = build(member, each);
          const before = members.get(key);
          members.set(key, Array.isArray(before) && Array.isArray(built) ? [...before, ...built] : built);
        }
      }
    }
    return Object.fromEntries(members);
  };
  return build(shape, undefined);
}

/** The outermost member that a fault is in, or the parameter or header that it is about. */
function fieldOf(fault: Fault | undefined): string {
  const [member = ""] = fault?.pointer?.slice(2).split("/") ?? [];
  const field = unescapeSegment(decodeURIComponent(member));
  return field || (fault?.parameter ?? fault?.header ?? "body");
}
