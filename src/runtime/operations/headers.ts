/** The header fields that the document declares for the responses of an operation. */
import { onceFor } from "../../base/once.ts";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { HeaderPlan } from "../../plan/endpoints/types.ts";

const compiled = onceFor((expression: TypedExpression) => compileFunction(expression));

const noRecord = {};

/** Evaluates expressions that read no record. Returns names and values, in turn; a null value leaves its field out. */
export function headerFields(headers: readonly HeaderPlan[], variables: Variables): readonly string[] {
  return headers.flatMap(({ name, expression }) =>
    fieldOf(name, compiled(expression)({ record: noRecord, variables })),
  );
}

export function fieldOf(name: string, value: Value): readonly string[] {
  if (value === null) return [];
  return [name, headerText(typeof value === "object" ? JSON.stringify(value) : String(value))];
}

/**
 * Returns a text as the value of a header field: anything but visible ASCII and blanks is percent-encoded, so that a value
 * cannot end its field (RFC 9110, 5.5).
 */
function headerText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
    .trim();
}
