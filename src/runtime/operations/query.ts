/** Parses query parameters to their types, and to members of `input` (R4.12); throws 400 for a wrong type. */
import { canonicalInstant } from "../../base/clock.ts";
import { instantOfUnixTime } from "../../base/unix-time.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { JsonType } from "../../plan/resources/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Validator } from "../validation/validator.ts";
import type { CompiledOperation } from "../context/compiled.ts";
import { malformed, type ApiError } from "../errors/api-error.ts";

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
  const detail = violation.detail.replace("The body", `\`${name}\``);
  throw malformed({ parameter: name, code: violation.code, detail });
}

function parsedParameter(name: string, text: string, type: JsonType, what: string): Value {
  const value = parseValue(type, text);
  if (value !== undefined) return value;
  throw malformed({ parameter: name, code: "wrong-type", detail: `\`${name}\` is not of ${what}` });
}

/** Returns a valid value in the form in which it is stored. */
function storedValue(type: JsonType, value: Value): Value {
  if (type === "seconds" || type === "milliseconds") return instantOfUnixTime(value, type) ?? value;
  return type === "timestamp" ? (canonicalInstant(value as string) ?? value) : value;
}

/** Parses a parameter with several values and commas between them. */
export function typedParameters(
  name: string,
  text: string,
  items: JsonType,
  validate: Validator | undefined,
  what: string,
): readonly Value[] {
  const values = text.split(",").map((item) => parsedParameter(name, item, items, what));
  const [violation] = validate?.(values as Json) ?? [];
  if (violation === undefined) return values.map((value) => storedValue(items, value));
  const detail = violation.detail.replace("The body", `\`${name}\``);
  throw malformed({ parameter: name, code: violation.code, detail });
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

/** Returns the values of the operation's query parameters; null for a missing one without a default. */
export function queryInput(
  { operation: { query }, queries }: CompiledOperation,
  sent: ReadonlyMap<string, string>,
): JsonObject {
  if (query.length === 0) return {};
  return Object.fromEntries(
    query.map(({ name, type, required, default: made }): [string, Json] => {
      const text = sent.get(name);
      if (text === undefined && required) throw missing(name);
      if (text === undefined) return [name, made ?? null];
      return [name, typedParameter(name, text, type, queries.get(name), "the parameter's type") as Json];
    }),
  );
}

function missing(name: string): ApiError {
  return malformed({ parameter: name, code: "required", detail: `\`${name}\` is required` });
}

/** Rejects unknown parameters of an operation that is not a list. */
export function rejectParameters({ ignoresUnknown, query }: Operation, sent: ReadonlyMap<string, string>): void {
  if (ignoresUnknown === true) return;
  for (const name of sent.keys()) {
    if (query.some((one) => one.name === name)) continue;
    throw malformed({
      parameter: name,
      code: "unknown-parameter",
      detail: `This operation has no parameter \`${name}\``,
    });
  }
}
