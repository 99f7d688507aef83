/** Fills the error body that the document declares with the values of one error. */
import { inBrackets, pathInDots, pathOf } from "../../base/json-pointer.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { isPerViolation, hasFieldVariable } from "../../language/errors/decide.ts";
import type { Violation } from "./api-error.ts";

/** The values of an error, besides its violations. */
export interface ErrorVariables {
  readonly code: string;
  readonly title: string;
  readonly message: string;
  readonly status: number;
  /** The name of the operation's resource; `body` without an operation, as for an unknown path. */
  readonly resource: string;
  readonly request: string;
  /** The reason phrase of the status: `Not Found`. */
  readonly reason: string;
}

/**
 * Fills a shape. Parts about a violation repeat for each one: list items that contain `{field}`, `{pointer}`, `{parameter}`,
 * `{path}`, `{fault}` or `{message}`, and members whose name contains one of the first five. Elsewhere these have the first violation's values. Without
 * violations, the field is `body` and the message is the error's.
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
      parameter: parameterOf(of),
      path: pathInDots(of?.parameter ?? of?.header ?? of?.pointer ?? "#") || "body",
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

/** Replaces the names in braces; a text that is only one name becomes its value. */
export function filled(text: string, values: Readonly<Record<string, string | number | undefined>>): string | number {
  const valueOf = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  const single = valueOf(/^\{(\w+)\}$/.exec(text)?.[1]);
  return single ?? text.replace(/\{(\w+)\}/g, (hole, name: string) => String(valueOf(name) ?? hole));
}

/** Returns the first segment of the violation's pointer, or its parameter or header; `body` if it has none of these. */
export function fieldOf(fault: Violation | undefined): string {
  if (fault?.field !== undefined) return fault.field;
  const [field = ""] = pathOf(fault?.pointer ?? "#");
  return field || (fault?.parameter ?? fault?.header ?? "body");
}

/** Returns the parameter or header of a violation, or its member as a form names it: `items[0][price]`; `body` without any. */
function parameterOf(fault: Violation | undefined): string {
  if (fault?.parameter !== undefined || fault?.header !== undefined) return fault.parameter ?? fault.header ?? "";
  const path = pathOf(fault?.pointer ?? "#");
  return path[0] ? inBrackets(path) : "body";
}

/** Whether a violation is about a member, a parameter or a header. */
export function hasField({ pointer, parameter, header }: Violation): boolean {
  return (pointer ?? "").length > 2 || parameter !== undefined || header !== undefined;
}
