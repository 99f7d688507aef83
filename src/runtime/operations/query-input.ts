/** Reads the query parameters that an operation declares, as members of `input` (R4.13). */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { inBrackets, pathOf } from "../../base/json-pointer.ts";
import { instantIn, unixFormats, unixUnits } from "../../base/unix-time.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Operation, QueryPlan } from "../../plan/endpoints/types.ts";
import type { CompiledOperation } from "../context/compiled.ts";
import { malformed, type ApiError } from "../errors/api-error.ts";
import type { RepeatedQuery } from "../routing/target.ts";
import { adapt } from "../validation/adapt-body.ts";
import type { Validator } from "../validation/validator.ts";
import { readBrackets } from "./bracketed-form.ts";
import { repeatableOf } from "./list-filters.ts";
import { typedParameter, typedParameters, wrongParameter } from "./query.ts";
import { selects } from "./selection.ts";

/** Returns the values of the operation's query parameters; null for a missing one without a default. */
export function queryInput({ operation, queries }: CompiledOperation, sent: RepeatedQuery): JsonObject {
  const { query } = operation;
  if (query.length === 0) return {};
  return Object.fromEntries(
    query.map((plan): [string, Json] => {
      const { name, required, default: made } = plan;
      const value = valueIn(operation, plan, sent, queries.get(name));
      if (value === undefined && required) throw missing(name);
      return [name, value === undefined ? (made ?? null) : (value as Json)];
    }),
  );
}

/** Returns the value of a parameter; undefined if the request does not send it. */
function valueIn(
  operation: Operation,
  plan: QueryPlan,
  sent: RepeatedQuery,
  validate: Validator | undefined,
): Value | undefined {
  const { name, type, items = type, parts } = plan;
  if (parts === "brackets") return valueInBrackets(operation, plan, sent, validate);
  const text = sent.query.get(name);
  if (text === undefined) return undefined;
  const what = "the parameter's type";
  if (parts === undefined) return typedParameter(name, text, type, validate, what);
  const texts = parts === "commas" ? text.split(",") : (sent.repeated?.get(name) ?? [text]);
  return typedParameters(name, texts, items, validate, what);
}

/** Returns a list or an object that is sent in several parameters: `size[min]=2&size[max]=5` (deepObject of OpenAPI). */
function valueInBrackets(
  { ignoresUnknown }: Operation,
  { name, schema }: QueryPlan,
  { query, repeated }: RepeatedQuery,
  validate: Validator | undefined,
): Value | undefined {
  const pairs = new Map(
    [...query].flatMap(([key, text]) =>
      key.startsWith(`${name}[`) ? [[key, repeated?.get(key) ?? [text]] as const] : [],
    ),
  );
  if (pairs.size === 0) return undefined;
  const parsed = readBrackets(pairs, (parameter) => ({ parameter, code: "wrong-type" }));
  const value = adapt(parsed[name] ?? null, schema, { ignoresUnknown, convertsTexts: true, isForm: true });
  const [violation] = validate?.(value) ?? [];
  if (violation === undefined) return canonical(value, schema) as Value;
  throw wrongParameter(name, violation, inBrackets([name, ...pathOf(violation.pointer ?? "#")]));
}

/** Returns the value with its moments in the form in which expressions compare them. */
function canonical(value: Json, { format, items, properties, additionalProperties }: JsonObject): Json {
  const unit = unixUnits.find((one) => format === unixFormats[one]);
  if (unit !== undefined || format === "date-time") return instantIn(value, unit);
  if (Array.isArray(value)) return value.map((item) => canonical(item as Json, items as JsonObject));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, Json] => {
      const inner = (isObject(properties) ? properties[key] : undefined) ?? additionalProperties;
      return [key, isObject(inner) ? canonical(member as Json, inner) : (member as Json)];
    }),
  );
}

/** Whether a parameter that is sent is one of the operation, or a part of one. */
export function isDeclared(operation: Operation, sent: string): boolean {
  return (
    operation.query.some(({ name, parts }) => (parts === "brackets" ? sent.startsWith(`${name}[`) : sent === name)) ||
    selects(operation, sent)
  );
}

/** Whether a request may send a parameter of this name more than once. */
export function isRepeatable(operation: Operation, sent: string): boolean {
  const { list, query } = operation;
  const isItem = sent.endsWith("[]");
  return (
    query.some(({ name, parts }) =>
      parts === "brackets" ? isItem && sent.startsWith(`${name}[`) : parts === "repeated" && sent === name,
    ) ||
    (list !== undefined && repeatableOf(list).has(sent)) ||
    selects(operation, sent)
  );
}

function missing(name: string): ApiError {
  return malformed({ parameter: name, code: "required", detail: `\`${name}\` is required` });
}

/** Rejects unknown parameters of an operation that is not a list. */
export function rejectParameters(operation: Operation, sent: ReadonlyMap<string, string>): void {
  if (operation.ignoresUnknown === true) return;
  for (const name of sent.keys()) {
    if (isDeclared(operation, name)) continue;
    throw malformed({
      parameter: name,
      code: "unknown-parameter",
      detail: `This operation has no parameter \`${name}\``,
    });
  }
}
