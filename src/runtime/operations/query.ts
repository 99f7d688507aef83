/** Parses query parameters to their types (R4.13); throws 400 for a wrong type. */
import { instantIn } from "../../base/unix-time.ts";
import type { Json } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { JsonType } from "../../plan/resources/types.ts";
import { type ApiError, malformed, type Violation } from "../errors/api-error.ts";
import type { Validator } from "../validation/validator.ts";

/** Parses a parameter. `what`: describes the expected type in the error. */
export function typedParameter(
  name: string,
  text: string,
  type: JsonType,
  validate: Validator | undefined,
  what = "the field's type",
): Value {
  const value = parsedParameter(name, text, type, what);
  const [violation] = validate?.(value as Json) ?? [];
  if (violation === undefined) return storedValue(type, value);
  throw wrongParameter(name, violation);
}

/** Returns the error of a parameter. `parameter`: the name of the wrong part, if several parameters are one value. */
export function wrongParameter(name: string, { code, detail }: Violation, parameter: string = name): ApiError {
  return malformed({ parameter, code, detail: detail.replace("The body", `\`${name}\``) });
}

function parsedParameter(name: string, text: string, type: JsonType, what: string): Value {
  const value = parseValue(type, text);
  if (value !== undefined) return value;
  throw malformed({ parameter: name, code: "wrong-type", detail: `\`${name}\` is not of ${what}` });
}

/** Returns a valid value in the form in which it is stored. */
function storedValue(type: JsonType, value: Value): Value {
  if (type === "seconds" || type === "milliseconds") return instantIn(value, type);
  return type === "timestamp" ? instantIn(value, undefined) : value;
}

/** Parses a parameter with several values. */
export function typedParameters(
  name: string,
  texts: readonly string[],
  items: JsonType,
  validate: Validator | undefined,
  what: string,
): readonly Value[] {
  const values = texts.map((item) => parsedParameter(name, item, items, what));
  const [violation] = validate?.(values as Json) ?? [];
  if (violation === undefined) return values.map((value) => storedValue(items, value));
  throw wrongParameter(name, violation);
}

function parseValue(type: JsonType, text: string): Value | undefined {
  switch (type) {
    case "integer":
    case "seconds":
    case "milliseconds":
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
