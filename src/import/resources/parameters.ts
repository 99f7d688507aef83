/**
 * Finds the parameters that only shape an answer: an action accepts them, and answers as it does without them; and those that
 * select the records of a list and are more than a plain filter.
 */
import type { EndpointContract, Parameter } from "../../language/endpoints/model.ts";
import { bareType } from "../../language/resources/fields.ts";
import { isBareField } from "../../language/resources/value-type.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { type Reason, schemaOf } from "./answers.ts";
import { fieldType, isFilterable, literalOf } from "./fields.ts";
import type { RecordDraft } from "./record.ts";
import { fits, type NamedSchemas, plainSchema, typesOf } from "./schema.ts";

/** Header fields that every operation accepts, that only select a version, or that change no answer. */
const commonHeaders =
  /^(?:accept|accept-.*|authorization|content-type|if-match|if-none-match|idempotency-key|user-agent|traceparent|tracestate|x-request-id|x-correlation-id|request-id|(?:.*-)?version)$/i;

/** The words of parameters that only shape an answer: without them it has all members, and references in place of records. */
const shaping: ReadonlySet<string> = new Set([
  "pretty", "prettyprint", "optpretty", "fields", "optfields", "include", "includes", "expand", "expands", "embed",
  "total", "includetotal", "includetotals", "includecount", "withtotal", "withcount",
]); // biome-ignore format: a table

/** Returns the header field or cookie that an action would ignore although an answer may depend on it. */
export function headerReason(
  { cookie, header }: EndpointContract,
  credentials: ReadonlySet<string>,
  named: NamedSchemas,
): Reason | undefined {
  const other = Object.entries({ ...header, ...cookie }).find(
    ([name, parameter]) =>
      !commonHeaders.test(name) && !credentials.has(name.toLowerCase()) && !isConstant(parameter, named),
  );
  return other === undefined ? undefined : foreign(other[0]);
}

/** Whether all requests have the parameter with the same value, on which then no answer depends. */
function isConstant({ optional, type }: Parameter, named: NamedSchemas): boolean {
  const { const: only, enum: values } = plainSchema(schemaOf(type), named);
  return !optional && (only !== undefined || (Array.isArray(values) && values.length === 1));
}

/** Query parameters that an action accepts without effect, as `query` declares them. */
export type Ignored = Readonly<Record<string, Field>>;

/** Returns the query parameters that an action accepts without effect; a reason if there are others. */
export function ignoredParameters(
  query: EndpointContract["query"],
  credentials: ReadonlySet<string>,
  named: NamedSchemas,
): Ignored | Reason {
  const ignored: Record<string, Field> = {};
  for (const [name, parameter] of Object.entries(query ?? {})) {
    if (credentials.has(name.toLowerCase())) continue;
    const found = ignoredParameter(name, parameter, named);
    if (found === undefined) return foreign(name);
    ignored[found.name] = found.field;
  }
  return ignored;
}

/** Returns how an action accepts a parameter that only shapes its answer; undefined for any other parameter. */
export function ignoredParameter(
  name: string,
  parameter: Parameter,
  named: NamedSchemas,
): { readonly name: string; readonly field: Field } | undefined {
  const { optional, sent, type: declared } = parameter;
  const [, plain = "", brackets] = /^([A-Za-z][A-Za-z0-9_]*)(\[\])?$/.exec(name) ?? [];
  if (!optional || !shaping.has(plain.toLowerCase().replaceAll("_", ""))) return undefined;
  const [only, ...more] = typesOf(plainSchema(schemaOf(declared), named)["type"]);
  // Of counts there is only whether an answer has them.
  const isFlag = /total|count|pretty/i.test(plain);
  if (more.length > 0 || (only !== "boolean" && (isFlag || (only !== "string" && only !== "array")))) return undefined;
  if (only === "array" && sent !== undefined && sent !== "commas") return undefined;
  const type: FieldType = { kind: "scalar", name: only === "boolean" ? "boolean" : "string" };
  return only === "array" || brackets !== undefined
    ? { name: plain, field: severalValues(type, parameter, brackets !== undefined) }
    : { name, field: { type, optional, marks: [] } };
}

/** Returns a parameter with several values: with commas, repeated, or with brackets after its name. */
function severalValues(
  of: FieldType,
  { optional, sent }: Pick<Parameter, "optional" | "sent">,
  brackets: boolean,
): Field {
  const marks: Field["marks"] = brackets ? ["brackets"] : sent === undefined ? ["repeated"] : [];
  return { type: { kind: "list", of }, optional, marks };
}

/** A query parameter, and the condition of the records that it selects. */
export interface SelectingParameter {
  readonly name: string;
  readonly field: Field;
  readonly where: string;
}

/** Names that expressions about records and pages read as variables. */
const variables: ReadonlySet<string> = new Set([
  "input", "caller", "now", "base", "path", "this", "value", "count", "next", "limit", "offset", "page",
]); // biome-ignore format: a table

/**
 * Returns the condition of a parameter with the name of a field that is no plain filter: a list requires it, it has a default or
 * several values, also the value `all`, or accepts texts that no record has. Undefined if its values are of another type.
 */
export function selectingParameter(
  name: string,
  parameter: Parameter,
  { fields, schemas }: RecordDraft,
  named: NamedSchemas,
): SelectingParameter | undefined {
  const { optional, sent, type: declared } = parameter;
  const [, plain = "", brackets] = /^([A-Za-z][A-Za-z0-9_]*)(\[\])?$/.exec(name) ?? [];
  const field = Object.hasOwn(fields, plain) ? fields[plain] : undefined;
  const own = schemas[plain];
  if (field === undefined || own === undefined || !isFilterable(field) || !isBareField(plain, variables))
    return undefined;
  const schema = plainSchema(schemaOf(declared), named);
  const isList = typesOf(schema["type"]).includes("array");
  if (isList ? schema["default"] !== undefined || (sent !== undefined && sent !== "commas") : brackets !== undefined)
    return undefined;
  const values = isList ? (schema["items"] ?? {}) : schema;
  const type = fieldType(values, named);
  const all = allIn(type, field.type);
  if (all === undefined && !fits(values, own, named) && !areTexts(type, field.type)) return undefined;
  if (isList)
    return {
      name: plain,
      field: severalValues(type, parameter, brackets !== undefined),
      where: `${optional ? `input.${plain} == null || ` : ""}${plain} in input.${plain}`,
    };
  const { default: first } = schema;
  const literal = literalOf(first, type);
  if (first !== undefined && literal === undefined) return undefined;
  const hasValue = !optional || literal !== undefined;
  return {
    name,
    field: {
      type,
      optional: !hasValue,
      ...(literal === undefined ? {} : { default: { kind: "literal", text: literal } }),
      marks: [],
    },
    where: [
      ...(hasValue ? [] : [`input.${name} == null`]),
      ...(all === undefined ? [] : [`input.${name} == '${all}'`]),
      `${name} == input.${name}`,
    ].join(" || "),
  };
}

/** Returns the value by which a parameter selects every record: `all`, besides the values of the field. */
function allIn(type: FieldType, of: FieldType): string | undefined {
  const own = bareType(of);
  if (type.kind !== "one-of" || own.kind !== "one-of") return undefined;
  const [other, ...more] = type.values.filter((one) => !own.values.includes(one));
  return more.length === 0 && other !== undefined && /^(?:all|any)$/i.test(other) ? other : undefined;
}

/** Whether both are texts without a format, which may have other lengths and patterns. */
function areTexts(...types: readonly FieldType[]): boolean {
  return types.every((type) => {
    const base = bareType(type);
    return base.kind === "scalar" && base.name === "string";
  });
}

export function foreign(detail: string): Reason {
  return { what: "it has a parameter that is no field of the record", detail };
}
