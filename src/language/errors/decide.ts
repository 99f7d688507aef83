/** The body of an error, and its parts that repeat for each violation. */
import type { Json } from "../../base/json.ts";
import { type ErrorBody, withoutField } from "./model.ts";

export interface ErrorContext {
  readonly code: string;
  readonly operation?: string | undefined;
  /** Whether it is about a member, a parameter or a header. */
  readonly field: boolean;
}

/** The most particular one: of the code in this operation, of the code, of errors without a field, of all. */
export function bodyOf(
  { code, operation, field }: ErrorContext,
  bodies: Readonly<Record<string, ErrorBody>>,
  usual: ErrorBody,
): ErrorBody {
  const keys = [`${code} in ${operation}`, code, ...(field ? [] : [withoutField])];
  const key = keys.find((one) => Object.hasOwn(bodies, one));
  return (key === undefined ? undefined : bodies[key]) ?? usual;
}

/** Whether a member of this name is there once for each fault. */
export function isPerViolation(name: string): boolean {
  return /\{(?:field|pointer|fault)\}/.test(name);
}

/** Whether the items of a list are there once for each fault. */
export function hasFieldVariable(list: Json): boolean {
  return /\{(?:field|pointer|fault|message)\}/.test(JSON.stringify(list));
}
