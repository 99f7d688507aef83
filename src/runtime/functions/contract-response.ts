/**
 * Validates the response `{ status, body, headers }` of a handler with a wire against the declaration of its status. Nonet's
 * own errors get the declared shape of errors, if Nonet can fill it.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation, ContractResponsePlan } from "../../plan/endpoints/types.ts";
import type { ResourcesPart } from "../../plan/resources/types.ts";
import { essenceOf, isJson, resolved, typesOf } from "../../plan/endpoints/contract.ts";
import type { Validator } from "../validation/validator.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { type Violation, ApiError } from "../errors/api-error.ts";
import { withoutWriteOnly } from "../records/write-only.ts";
import { wrong } from "./request.ts";
import type { CompiledContent, CompiledContract, CompiledResponse } from "../context/compiled.ts";

export function compileContract(
  { wire }: Operation,
  validatorOf: (schema: JsonObject) => Validator,
  schemas: ResourcesPart["schemas"],
): CompiledContract | undefined {
  if (wire === undefined) return undefined;
  const compiled = (schema: JsonObject | undefined): CompiledContent => {
    if (schema === undefined) return { validate: undefined, strip: undefined };
    return { schema, validate: validatorOf(schema), strip: withoutWriteOnly(schema, schemas) };
  };
  const offers = [...new Set(wire.answers.flatMap(({ media }) => media.map(essenceOf)))];
  return {
    schemas,
    offers: offers.length === 0 || offers.includes("*/*") ? undefined : offers,
    answers: wire.answers.map((response) => ({
      ...response,
      ...compiled(response.schema),
      further: new Map(
        Object.entries(response.others ?? {}).map(([media, schema]) => [essenceOf(media), compiled(schema)]),
      ),
      validators: new Map(response.headers.map(({ name, schema }) => [name.toLowerCase(), validatorOf(schema)])),
    })),
  };
}

/**
 * Returns the response of a handler. @throws ApiError with the response if its status is an error, which rolls everything
 * back.
 */
export function contractResponse(call: Call, wire: CompiledContract, result: unknown): HttpResponse {
  const returned = isHandlerResponse(result) ? result : undefined;
  if (returned === undefined) throw contractError(call, "an answer is `{ status, body, headers }`");
  const { status } = returned;
  const described = responseFor(wire, status);
  if (described === undefined) throw contractError(call, `there is no answer ${status}`);
  const { fields, body } = contentOf(call, wire, described, returned);
  const headers = [...fields, ...headersOf(call, described, returned.headers ?? {})];
  const httpResponse: HttpResponse = { status, headers, ...(body === undefined ? {} : { body }) };
  if (status >= 400) throw new ApiError(String(status), { undo: true, response: httpResponse });
  return httpResponse;
}

interface HandlerResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}

function isHandlerResponse(result: unknown): result is HandlerResponse {
  if (typeof result !== "object" || result === null || !("status" in result)) return false;
  const { status } = result;
  return typeof status === "number" && Number.isInteger(status) && status >= 200 && status < 600;
}

/** Returns the declared response for the status, for its class (`4XX`), or `default`. */
function responseFor({ answers }: CompiledContract, status: number): CompiledResponse | undefined {
  const named = (name: string): CompiledResponse | undefined => answers.find((one) => one.status === name);
  return named(String(status)) ?? named(`${Math.floor(status / 100)}XX`) ?? named("default");
}

function contractError(call: Call, detail: string, pointer = "#"): Error {
  return wrong(call, "the handler", [{ pointer, detail }]);
}

/** Header fields that Nonet sets; those of a handler are ignored. */
const framing = new Set(["content-length", "content-type", "transfer-encoding", "connection", "date", "request-id"]);

function headersOf(call: Call, described: CompiledResponse, result: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined || value === null || framing.has(name.toLowerCase())) continue;
    const validate = described.validators.get(name.toLowerCase());
    const pointer = `#/headers/${name}`;
    if (validate === undefined) throw contractError(call, `${described.status} has no header ${name}`, pointer);
    for (const { detail } of validate(value as Json)) throw contractError(call, detail, pointer);
    const text = headerText(value as Json);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw contractError(call, "a header is one line of Latin-1", pointer);
    lines.push(name, text);
  }
  const names = new Set(lines.map((line) => line.toLowerCase()));
  const missing = described.headers.find(({ name, required }) => required && !names.has(name.toLowerCase()));
  if (missing !== undefined && !framing.has(missing.name.toLowerCase()))
    throw contractError(call, `${described.status} has a header ${missing.name}`, `#/headers/${missing.name}`);
  if (!names.has("cache-control")) lines.push("Cache-Control", "no-store");
  return lines;
}

function headerText(value: Json): string {
  if (Array.isArray(value)) return (value as readonly Json[]).map(headerText).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface Content {
  readonly fields: readonly string[];
  readonly body?: string | Uint8Array;
}

function contentOf(
  call: Call,
  wire: CompiledContract,
  described: CompiledResponse,
  { body, headers = {} }: HandlerResponse,
): Content {
  const absent = body === undefined || (body === null && described.media.length === 0);
  if (described.media.length === 0) {
    if (!absent) throw contractError(call, `${described.status} has no body`, "#/body");
    return { fields: [] };
  }
  const declared = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const media = typeof declared === "string" ? declared : usual(described);
  if (!described.media.some((one) => covers(essenceOf(one), essenceOf(media))))
    throw contractError(call, `${described.status} has no content of ${media}`, "#/headers/Content-Type");
  const content = described.further.get(essenceOf(media)) ?? described;
  const fields = ["Content-Type", media];
  if (!isJson(media)) {
    if (body instanceof Uint8Array) return { fields, body };
    if (typeof body !== "string") throw contractError(call, `the body of ${media} is a text or bytes`, "#/body");
    const isText = typesOf(content.schema, wire.schemas).includes("string");
    const violations = isText ? (content.validate?.(body) ?? []) : [];
    if (violations.length > 0) throw wrong(call, "the handler", violations.map(inBody));
    return { fields, body };
  }
  const value = body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as Json);
  if (value === undefined) throw contractError(call, `${described.status} has a body`, "#/body");
  const violations = content.validate?.(value) ?? [];
  if (violations.length > 0) throw wrong(call, "the handler", violations.map(inBody));
  return { fields, body: JSON.stringify(content.strip?.(value) ?? value) };
}

function inBody({ pointer = "#", detail }: Violation): { readonly pointer: string; readonly detail: string } {
  return { pointer: `#/body${pointer.slice(1)}`, detail };
}

/** Returns the media type to use: JSON if the wire allows it. */
function usual({ media }: Pick<ContractResponsePlan, "media">): string {
  return media.find(isJson) ?? media.find((one) => !one.includes("*")) ?? "application/json";
}

function covers(range: string, media: string): boolean {
  return range === "*/*" || range === media || (range.endsWith("/*") && media.startsWith(range.slice(0, -1)));
}

// ── Errors of Nonet ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Converts an error to the status and shape that the wire declares; unchanged if the wire declares none that Nonet can fill.
 */
export function asContractResponse(wire: CompiledContract, { code }: ApiError, returned: HttpResponse): HttpResponse {
  const status = statusOf(wire, code, returned.status);
  const described = responseFor(wire, status);
  if (described === undefined) return returned;
  const headers = pairs(returned.headers).filter(([name]) => name.toLowerCase() !== "content-type");
  const bare = { ...returned, status, headers: headers.flat() };
  if (described.media.length === 0) {
    const { body: _, ...rest } = bare;
    return rest;
  }
  const media = described.media.find(isJson);
  if (media === undefined || typeof returned.body !== "string") return returned;
  const declared = JSON.parse(returned.body) as Json;
  const variables = errorVariablesOf(declared, code, status);
  const content = described.further.get(essenceOf(media)) ?? described;
  const fits = [declared, filled(content.schema ?? {}, variables, wire.schemas)].find(
    (value) => value !== undefined && (content.validate?.(value) ?? []).length === 0,
  );
  return fits === undefined
    ? returned
    : { ...bare, headers: ["Content-Type", media, ...bare.headers], body: JSON.stringify(fits) };
}

/** Returns the status of an error: for invalid requests Nonet has two statuses, and many wires declare only one of them. */
function statusOf(wire: CompiledContract, code: string, status: number): number {
  const declared = (one: number): boolean => wire.answers.some((response) => response.status === String(one));
  if (code !== "invalid-request" || declared(status)) return status;
  return [400, 422].find(declared) ?? status;
}

function pairs(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ""] as const] : []));
}

interface ErrorVariables {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}

function errorVariablesOf(declared: Json, code: string, status: number): ErrorVariables {
  const { detail, title } = isObject(declared) ? declared : {};
  const message = typeof detail === "string" ? detail : typeof title === "string" ? title : code;
  return { code, status, message };
}

/** Fills members with usual error names; other required members stay empty. */
function filled(
  schema: JsonObject,
  variables: ErrorVariables,
  schemas: ResourcesPart["schemas"],
  depth = 0,
): Json | undefined {
  if (depth > 4) return undefined;
  const { allOf, properties, items } = resolved(schema, schemas);
  if (Array.isArray(allOf)) {
    const all = (allOf as readonly Json[]).map((one) =>
      isObject(one) ? filled(one, variables, schemas, depth + 1) : {},
    );
    return Object.assign({}, ...all.map((one) => (isObject(one) ? one : {}))) as JsonObject;
  }
  const types = typesOf(schema, schemas);
  if (types.includes("array"))
    return isObject(items) ? [filled(items, variables, schemas, depth + 1) ?? variables.message] : [variables.message];
  if (!isObject(properties)) return types.includes("string") ? variables.message : undefined;
  const members = Object.entries(properties).flatMap(([name, one]): [string, Json][] => {
    const member = isObject(one) ? memberOf(name, one, variables, schemas, depth) : undefined;
    return member === undefined ? [] : [[name, member]];
  });
  return Object.fromEntries(members);
}

const names: Readonly<Record<keyof ErrorVariables, RegExp>> = {
  status: /^(?:status|statuscode|httpstatus|code)$/,
  code: /^(?:code|error|errorcode|type|reason|name|key)$/,
  message: /^(?:message|msg|detail|details|description|errordescription|errormessage|title|text|error)$/,
};

function memberOf(
  name: string,
  schema: JsonObject,
  variables: ErrorVariables,
  schemas: ResourcesPart["schemas"],
  depth: number,
): Json | undefined {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  const types = typesOf(schema, schemas);
  if (types.includes("integer") || types.includes("number"))
    return names.status.test(plain) ? variables.status : undefined;
  if (types.includes("string")) {
    if (names.code.test(plain)) return variables.code;
    return names.message.test(plain)
      ? variables.message
      : names.status.test(plain)
        ? String(variables.status)
        : undefined;
  }
  return /^(?:errors?|fault|problem|details?|messages?)$/.test(plain)
    ? filled(schema, variables, schemas, depth + 1)
    : undefined;
}
