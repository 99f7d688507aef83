/** Finds the parameters that only shape an answer: an action accepts them, and answers as it does without them. */
import type { EndpointContract, Parameter } from "../../language/endpoints/model.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { type Reason, schemaOf } from "./answers.ts";
import { type NamedSchemas, plainSchema, typesOf } from "./schema.ts";

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
): Reason | undefined {
  const other = Object.keys({ ...header, ...cookie }).find(
    (name) => !commonHeaders.test(name) && !credentials.has(name.toLowerCase()),
  );
  return other === undefined ? undefined : foreign(other);
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
  { optional, sent, type: declared }: Parameter,
  named: NamedSchemas,
): { readonly name: string; readonly field: Field } | undefined {
  const [, plain = "", brackets] = /^([A-Za-z][A-Za-z0-9_]*)(\[\])?$/.exec(name) ?? [];
  if (!optional || !shaping.has(plain.toLowerCase().replaceAll("_", ""))) return undefined;
  const [only, ...more] = typesOf(plainSchema(schemaOf(declared), named)["type"]);
  // Of counts there is only whether an answer has them.
  const isFlag = /total|count|pretty/i.test(plain);
  if (more.length > 0 || (only !== "boolean" && (isFlag || (only !== "string" && only !== "array")))) return undefined;
  if (only === "array" && sent !== undefined && sent !== "commas") return undefined;
  const type: FieldType = { kind: "scalar", name: only === "boolean" ? "boolean" : "string" };
  return only === "array" || brackets !== undefined
    ? {
        name: plain,
        field: {
          type: { kind: "list", of: type },
          optional,
          marks: brackets !== undefined ? ["brackets"] : sent === undefined ? ["repeated"] : [],
        },
      }
    : { name, field: { type, optional, marks: [] } };
}

export function foreign(detail: string): Reason {
  return { what: "it has a parameter that is no field of the record", detail };
}
