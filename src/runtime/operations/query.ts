/** Parses query parameters to their types (R4.13); throws 400 for a wrong type. */
import { canonicalInstant } from "../../base/clock.ts";
import type { Json } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import { malformed } from "../errors/api-error.ts";
import type { Validator } from "../validation/validator.ts";

/** Parses a parameter. `what`: describes the expected type in the error. */
export function typedParameter(
  name: string,
  text: string,
  type: ColumnType,
  validate: Validator | undefined,
  what = "the field's type",
): Value {
  const value = parseValue(type, text);
  const violations = value === undefined ? undefined : validate?.(value as Json);
  if (value === undefined || (violations !== undefined && violations.length > 0)) {
    const detail = violations?.[0]?.detail.replace("The body", `\`${name}\``) ?? `\`${name}\` is not of ${what}`;
    throw malformed({ parameter: name, code: violations?.[0]?.code ?? "wrong-type", detail });
  }
  return type === "timestamp" ? (canonicalInstant(text) as Value) : value;
}

/** Parses a parameter with several values. */
export function typedParameters(
  name: string,
  texts: readonly string[],
  items: ColumnType,
  validate: Validator | undefined,
  what: string,
): readonly Value[] {
  const values = texts.map((item) => typedParameter(name, item, items, undefined, what));
  const [violation] = validate?.(values as Json) ?? [];
  if (violation === undefined) return values;
  const detail = violation.detail.replace("The body", `\`${name}\``);
  throw malformed({ parameter: name, code: violation.code, detail });
}

function parseValue(type: ColumnType, text: string): Value | undefined {
  switch (type) {
    case "integer":
      return /^-?[0-9]{1,16}$/.test(text) ? Number(text) : undefined;
    case "number":
      return /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text) ? finite(Number(text)) : undefined;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : undefined;
    default:
      return text === "" ? undefined : text;
  }
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined;
}
