/**
 * Reads the input of an operation with a wire: parameters as values of their types, and the body, grouped by location (`{
 * path, query, header, cookie, body }`), so that equal names do not collide.
 */
import { fragmentSegment, fragmentTo } from "../../base/json-pointer.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation, ContractParameter, HttpContract } from "../../plan/endpoints/types.ts";
import type { ResourcesPart } from "../../plan/resources/types.ts";
import { defaultOf, formMedia, isJson, resolved, schemaIn, typesOf } from "../../plan/endpoints/contract.ts";
import { announcesBody, bodyText, checkMedia } from "../validation/read-body.ts";
import type { Validator } from "../validation/validator.ts";
import type { HttpRequest } from "../../http/message.ts";
import { parseJson } from "../../http/json.ts";
import { parseMediaType } from "../../http/negotiation.ts";
import { type Violation, malformed, ApiError } from "../errors/api-error.ts";
import { type Pairs, pairsOf } from "../routing/target.ts";

export interface ContractRequest {
  readonly httpRequest: HttpRequest;
  /** The query as sent, not decoded. */
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly bytes: () => Promise<Buffer>;
}

type Schemas = ResourcesPart["schemas"];

/** Reads the input. Rejects only input that cannot be parsed; the caller validates the rest. */
export async function contractInput(
  operation: Operation,
  schemas: Schemas,
  request: ContractRequest,
): Promise<JsonObject> {
  const { wire } = operation;
  if (wire === undefined) throw new Error(`${operation.name} has no wire`);
  const { httpRequest, query, parameters } = request;
  const pairs = pairsOf(query, "&", (parameter) => ({ parameter }));
  const cookies = pairsOf(httpRequest.headers.get("cookie") ?? "", ";", () => ({ header: "Cookie" }));
  const single = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);
  const sent: Readonly<Record<ContractParameter["in"], (one: ContractParameter) => Json | undefined>> = {
    path: (one) => listed(one, single(lookup(parameters, one.name)), schemas),
    header: (one) => listed(one, single(httpRequest.headers.get(one.name.toLowerCase())), schemas),
    query: (one) => exploded(one, pairs, schemas),
    cookie: (one) => exploded(one, cookies, schemas),
  };
  const groups: Record<string, Record<string, Json>> = {};
  for (const one of wire.parameters) {
    const group = (groups[one.in] ??= {});
    const value = sent[one.in](one) ?? defaultOf(one.schema, schemas);
    if (value !== undefined) group[one.name] = value;
  }
  const body = await bodyOf(operation, wire, schemas, request);
  return { ...groups, ...(body === undefined ? {} : { body }) };
}

/**
 * Creates a validator. A violation in a parameter names the parameter or header; one in the body has a pointer into the body.
 */
export function contractValidator(validate: Validator, { parameters }: HttpContract): Validator {
  return (value) =>
    validate(value).map((violation): Violation => {
      const [, location = "", name = "", rest = ""] =
        /^#\/([^/]*)(?:\/([^/]*))?(.*)$/.exec(violation.pointer ?? "") ?? [];
      if (location === "body") return { ...violation, pointer: `#${name === "" ? "" : `/${name}`}${rest}` };
      const found = parameters.find((one) => one.in === location && fragmentSegment(one.name) === name);
      if (found === undefined) return violation;
      const { code, detail } = violation;
      const base = { code, detail };
      return found.in === "header" ? { ...base, header: found.name } : { ...base, parameter: found.name };
    });
}

/** Whether a violation is in a parameter: then the status is 400, while for the body it is 422 (R7.2). */
export function isOfParameters(violations: readonly Violation[]): boolean {
  return violations.some(({ parameter, header }) => parameter !== undefined || header !== undefined);
}

function lookup<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

// ── Parameters ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads a list in OpenAPI's style `simple`: items separated by commas. */
function listed({ schema }: ContractParameter, values: readonly string[], schemas: Schemas): Json | undefined {
  const [text] = values;
  if (text === undefined) return undefined;
  if (!typesOf(schema, schemas).includes("array")) return valueOf(text, schema, schemas);
  return text.split(",").map((item) => valueOf(item.trim(), itemsOf(schema, schemas), schemas));
}

/**
 * Reads a value in OpenAPI's style `form` with `explode`: a list repeats its name, and each member of an object is a
 * parameter.
 */
function exploded(parameter: ContractParameter, pairs: Pairs, schemas: Schemas): Json | undefined {
  const { name, schema, sent } = parameter;
  const types = typesOf(schema, schemas);
  if (sent === "brackets" && types.includes("object")) return membersOf(bracketed(name, pairs), schema, schemas);
  const values = sent === undefined ? (pairs.get(name) ?? []) : separated(parameter, pairs);
  const [text] = values;
  if (types.includes("array") && text !== undefined)
    return values.map((item) => valueOf(item, itemsOf(schema, schemas), schemas));
  if (types.includes("object")) return membersOf(sent === undefined ? pairs : alternating(values), schema, schemas);
  if (text === undefined) return undefined;
  if (values.length === 1) return valueOf(text, schema, schemas);
  const detail = `The parameter \`${name}\` is sent more than once`;
  throw malformed({ parameter: name, code: "repeated-parameter", detail });
}

const separators = { commas: ",", spaces: " ", pipes: "|", brackets: undefined } as const;

/** Returns the values of a parameter that one text sends (OpenAPI: `form` without `explode`, `spaceDelimited`, …). */
function separated({ name, sent }: ContractParameter, pairs: Pairs): readonly string[] {
  const separator = sent && separators[sent];
  const texts = pairs.get(sent === "brackets" ? `${name}[]` : name) ?? [];
  return separator === undefined ? texts : texts.flatMap((text) => text.split(separator));
}

/** Returns the members of an object whose names are in brackets: `name[member]=value` (OpenAPI: `deepObject`). */
function bracketed(name: string, pairs: Pairs): Pairs {
  const members = new Map<string, string[]>();
  for (const [key, values] of pairs) {
    const [, member] = key.startsWith(`${name}[`)
      ? (/^\[([^[\]]+)\](?:\[\])?$/.exec(key.slice(name.length)) ?? [])
      : [];
    if (member !== undefined) members.set(member, [...(members.get(member) ?? []), ...values]);
  }
  return members;
}

/** Returns the members of an object whose names and values follow one another. */
function alternating(values: readonly string[]): Pairs {
  const members = values.flatMap((name, at) => (at % 2 === 0 ? [[name, [values[at + 1] ?? ""]] as const] : []));
  return new Map(members.map(([name, one]) => [name, [...one]]));
}

function membersOf(pairs: Pairs, schema: JsonObject, schemas: Schemas): JsonObject | undefined {
  const { properties, additionalProperties } = resolved(schema, schemas);
  const known = isObject(properties) ? properties : {};
  const free = additionalProperties !== false && Object.keys(known).length === 0;
  const members = [...pairs].flatMap(([name, values]): [string, Json][] => {
    const of = lookup(known, name);
    if (of === undefined && !free) return [];
    const inner = isObject(of) ? of : {};
    if (typesOf(inner, schemas).includes("array"))
      return [[name, values.map((item) => valueOf(item, itemsOf(inner, schemas), schemas))]];
    return [[name, values.length === 1 ? valueOf(values[0] ?? "", inner, schemas) : values]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

function itemsOf(schema: JsonObject, schemas: Schemas): JsonObject {
  const { items } = resolved(schema, schemas);
  return isObject(items) ? items : {};
}

/** Parses a text to the type of its schema. An unparsable text stays a string, which the validator rejects. */
function valueOf(text: string, schema: JsonObject, schemas: Schemas): Json {
  const types = typesOf(schema, schemas);
  if (
    (types.includes("integer") || types.includes("number")) &&
    /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text)
  ) {
    const parsed = parseJson(Buffer.from(text));
    if (parsed.kind === "value") return parsed.value;
  }
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.includes("null") && !types.includes("string") && text === "") return null;
  return text;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function bodyOf(
  operation: Operation,
  { body: plan }: HttpContract,
  schemas: Schemas,
  { bytes, httpRequest }: ContractRequest,
): Promise<Json | undefined> {
  if (plan === undefined) return undefined;
  const sends = announcesBody(httpRequest);
  if (!sends && !plan.required) return undefined;
  const { mediaTypes = [] } = operation.body ?? {};
  if (mediaTypes.length === 0)
    throw new ApiError("unsupported-media", { detail: `The body has to be ${plan.media.join(" or ")}` });
  checkMedia(httpRequest, mediaTypes, operation.method);
  const all = await bytes();
  const { essence = "" } = parseMediaType(httpRequest.headers.get("content-type") ?? "") ?? {};
  if (isJson(essence)) {
    if (all.length === 0 && !plan.required) return undefined;
    const parsed = parseJson(all);
    if (parsed.kind === "fault") throw malformed({ pointer: "#", code: "bad-json", detail: parsed.detail });
    return parsed.value;
  }
  if (essence === formMedia) {
    const pairs = pairsOf(bodyText(all), "&", (name) => ({ pointer: fragmentTo([name]) }));
    return membersOf(pairs, schemaIn(plan, formMedia) ?? {}, schemas) ?? {};
  }
  return /^text\/|[/+]xml$/.test(essence) ? bodyText(all) : all.toString("base64");
}
