/** The body that a document declares for its errors: the shape, with the facts of one error in the place of their names. */
import { unescapeSegment } from "../../base/json-pointer.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { isPerViolation, hasFieldVariable } from "../../language/errors/decide.ts";
import type { Violation } from "./api-error.ts";

/** What an error is, beside its faults. */
export interface ErrorVariables {
  readonly code: string;
  readonly title: string;
  readonly message: string;
  readonly status: number;
  /** What the operation is about; without an operation, as for an unknown path, `body`. */
  readonly resource: string;
  readonly request: string;
}

/**
 * Fills a shape. What speaks of one fault is repeated for each: the items of a list that has `{field}`, `{pointer}`, `{fault}`
 * or `{message}` in it, and a member whose name has one of the first three. Elsewhere these are of the first. Without faults
 * the field is `body`, and the message the error's own.
 */
export function fillShape(shape: Json, variables: ErrorVariables, sent: readonly Violation[] | undefined): Json {
  const violations: readonly Violation[] =
    sent === undefined || sent.length === 0 ? [{ code: variables.code, detail: variables.message }] : sent;
  const fill = (text: string, fault: Violation | undefined): string | number => {
    const of = fault ?? violations[0];
    const values: Readonly<Record<string, string | number | undefined>> = {
      ...variables,
      message: fault?.detail ?? variables.message,
      field: fieldOf(of),
      pointer: of?.pointer ?? "",
      fault: of?.code ?? variables.code,
    };
    return filled(text, values);
  };
  const build = (value: Json, fault: Violation | undefined): Json => {
    if (typeof value === "string") return fill(value, fault);
    if (Array.isArray(value)) {
      return fault === undefined && hasFieldVariable(value)
        ? violations.flatMap((each) => value.map((item) => build(item, each)))
        : value.map((item) => build(item, fault));
    }
    if (value === null || typeof value !== "object") return value;
    return buildObject(value as JsonObject, fault);
  };
  const buildObject = (value: JsonObject, fault: Violation | undefined): JsonObject => {
    const members = new Map<string, Json>();
    for (const [name, member] of Object.entries(value)) {
      const perViolation = isPerViolation(name);
      for (const each of perViolation && fault === undefined ? violations : [fault]) {
        const key = String(fill(name, each));
        const built = build(member, each);
        const before = members.get(key);
        members.set(key, perViolation && Array.isArray(before) && Array.isArray(built) ? [...before, ...built] : built);
      }
    }
    return Object.fromEntries(members);
  };
  return build(shape, undefined);
}

/** A text with the values of the names in braces; one such name and nothing else is the value itself. */
export function filled(text: string, values: Readonly<Record<string, string | number | undefined>>): string | number {
  const valueOf = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  const single = valueOf(/^\{(\w+)\}$/.exec(text)?.[1]);
  return single ?? text.replace(/\{(\w+)\}/g, (hole, name: string) => String(valueOf(name) ?? hole));
}

/** The outermost member that a fault is in, or the parameter or header that it is about; `body` where it is about none. */
export function fieldOf(fault: Violation | undefined): string {
  if (fault?.field !== undefined) return fault.field;
  const [member = ""] = fault?.pointer?.slice(2).split("/") ?? [];
  const field = unescapeSegment(decodeURIComponent(member));
  return field || (fault?.parameter ?? fault?.header ?? "body");
}

/** Whether a fault is about a member, a parameter or a header. */
export function hasField({ pointer, parameter, header }: Violation): boolean {
  return (pointer ?? "").length > 2 || parameter !== undefined || header !== undefined;
}
