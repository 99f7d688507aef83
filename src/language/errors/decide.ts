/** Chooses the body of an error, and finds its members that are repeated for each violation. */
import type { Json } from "../../base/json.ts";
import { type ErrorBody, withoutField } from "./model.ts";

export interface ErrorContext {
  readonly code: string;
  readonly operation?: string | undefined;
  /** Whether the error is about a member, a parameter or a header. */
  readonly field: boolean;
}

/** Returns the most specific body: for the code in this operation, for the code, for errors without a field, or for all. */
export function bodyOf(
  { code, operation, field }: ErrorContext,
  bodies: Readonly<Record<string, ErrorBody>>,
  usual: ErrorBody,
): ErrorBody {
  const keys = [`${code} in ${operation}`, code, ...(field ? [] : [withoutField])];
  const key = keys.find((one) => Object.hasOwn(bodies, one));
  return (key === undefined ? undefined : bodies[key]) ?? usual;
}

/** Whether a body repeats the member with this name once for each violation. */
export function isPerViolation(name: string): boolean {
  return /\{(?:field|pointer|parameter|path|fault)\}/.test(name);
}

/** Whether a body repeats the items of a list once for each violation. */
export function hasFieldVariable(list: Json): boolean {
  return /\{(?:field|pointer|parameter|path|fault|message)\}/.test(JSON.stringify(list));
}
