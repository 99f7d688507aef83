/**
 * Exports a service as a Postman collection (format 2.1): a folder for each resource, and a request for each operation with an
 * example body, its credential and a test of its status. Newman and other clients that read Postman's format run it from top to
 * bottom: a created record's id is a variable, which later requests use.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Described, describe, type DescribedOperation, type Parameter } from "../described.ts";
import { exampleOf } from "../example.ts";
import { authOf, type CredentialRequest, credentialVariables } from "./credentials.ts";

export function postman(plan: Plan, baseUrl: string): JsonObject {
  const contracts = plan.contractOperations.map(({ operation }) => operation);
  const described = describe(plan, baseUrl, contracts);
  const [server] = described.document["servers"] as readonly { readonly url: string }[];
  const variables = new Set<string>();
  const folders = Map.groupBy(described.operations, ({ operation }) => operation.resource);
  const item = [...folders].map(([resource, operations]) => ({
    name: resource === "" ? plan.title : resource,
    item: operations
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map((one) => requestItem(plan, described, one, variables)),
  }));
  return {
    info: {
      name: plan.title,
      ...(plan.purpose === "" ? {} : { description: plan.purpose }),
      version: plan.version ?? "1",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    item,
    variable: [
      { key: "base_url", value: server?.url ?? baseUrl },
      ...credentialVariables(described.document).map((key) => ({ key, value: "" })),
      ...[...variables].map((key) => ({ key, value: "" })),
    ],
  };
}

/** The order of the requests of a resource, so that each finds the record that an earlier one has created. */
function rankOf({ operation: { action } }: DescribedOperation): number {
  const last = ["unlink", "logout", "delete", "clear"].indexOf(action);
  return ["create", "login"].includes(action) ? 0 : last < 0 ? 1 : 2 + last;
}

function requestItem(plan: Plan, described: Described, one: DescribedOperation, variables: Set<string>): JsonObject {
  const { name, method, operation, path, summary, description } = one;
  const credential = authOf(described.document, path, method.toLowerCase());
  const valueOf = (parameter: Parameter): string => exampleText(described, operation, parameter, variables);
  return {
    name: summary,
    event: [
      {
        listen: "test",
        script: { type: "text/javascript", exec: [...testLines(name, one.statuses), ...variableLines(plan, one)] },
      },
    ],
    request: {
      method,
      ...(credential.auth === undefined ? {} : { auth: credential.auth }),
      header: headersOf(one, credential, valueOf),
      ...bodyOf(plan, described, one, variables),
      url: urlOf(one, valueOf),
      description: description === "" ? summary : description,
    },
    response: [],
  };
}

// ── Address and header fields ──────────────────────────────────────────────────────────────────────────────────────

function urlOf({ path, parameters }: DescribedOperation, valueOf: (parameter: Parameter) => string): JsonObject {
  const segments = path
    .replaceAll(/\{([^{}]+)\}/g, ":$1")
    .slice(1)
    .split("/");
  const isSegment = (name: string): boolean => segments.includes(`:${name}`);
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  // Postman has a variable only for a whole segment; inside one, the value is in its place.
  const written = segments.map((segment) =>
    segment.replaceAll(/:([A-Za-z_][\w-]*)/g, (found, name: string) => {
      const parameter = inPath.find((one) => one.name === name);
      return parameter === undefined || isSegment(name) ? found : valueOf(parameter);
    }),
  );
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => ({ key: parameter.name, value: valueOf(parameter), ...optional(parameter) }));
  const variable = inPath
    .filter(({ name }) => isSegment(name))
    .map((one) => ({ key: one.name, value: valueOf(one), ...about(one) }));
  const enabled = query.filter((one) => !("disabled" in one)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{base_url}}/${written.join("/")}${enabled.length === 0 ? "" : `?${enabled.join("&")}`}`,
    host: ["{{base_url}}"],
    path: written,
    ...(query.length === 0 ? {} : { query }),
    ...(variable.length === 0 ? {} : { variable }),
  };
}

function about({ description }: Parameter): JsonObject {
  return description === undefined ? {} : { description };
}

function optional(parameter: Parameter): JsonObject {
  return { ...about(parameter), ...(parameter.required === true ? {} : { disabled: true }) };
}

function headersOf(
  { body, parameters, successes }: DescribedOperation,
  { header }: CredentialRequest,
  valueOf: (parameter: Parameter) => string,
): readonly JsonObject[] {
  const type = body?.mediaTypes[0];
  const isForm = type === "multipart/form-data" || type === undefined || type.includes("*");
  return [
    ...(isForm ? [] : [{ key: "Content-Type", value: type }]),
    // A stream of events would not end: the request asks for a page of them.
    ...(successes.some(({ stream }) => stream) ? [{ key: "Accept", value: "application/json" }] : []),
    ...(header === undefined ? [] : [header]),
    ...parameters
      .filter((parameter) => parameter.in === "header")
      .map((parameter) => ({ key: parameter.name, value: valueOf(parameter), ...optional(parameter) })),
  ];
}

/** Returns the value of a parameter: the variable of a record's key, or an example. */
function exampleText(
  { schemas }: Described,
  operation: Operation,
  { name, in: place, schema }: Parameter,
  variables: Set<string>,
): string {
  const key = place === "path" ? keyOf(operation, name) : undefined;
  if (key !== undefined) return variable(variables, variableName(key.resource, key.column));
  if (name === "If-Match" || name === "If-None-Match") return "*";
  if (name === operation.repeats?.header) return "{{$guid}}";
  const value = exampleOf(schemas, schema);
  if (Array.isArray(value)) return value.map((one: Json) => textOf(one)).join(",");
  return value === undefined ? "" : textOf(value);
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the resource and the column of the record that a path parameter names. */
function keyOf(
  { key, parents, resource, pathFields = [] }: Operation,
  parameter: string,
): { readonly resource: string; readonly column: string } | undefined {
  const keys = [...parents, ...(key === undefined ? [] : [{ ...key, resource }])];
  const parts = [
    ...keys.flatMap((one) => partsOf(one).map((part) => ({ ...part, resource: one.resource }))),
    ...pathFields.map((part) => ({ ...part, resource })),
  ];
  return parts.find((part) => part.parameter === parameter);
}

function variableName(resource: string, column: string): string {
  return `${resource}_${column}`;
}

function variable(variables: Set<string>, name: string): string {
  variables.add(name);
  return `{{${name}}}`;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function bodyOf(plan: Plan, described: Described, one: DescribedOperation, variables: Set<string>): JsonObject {
  const { body, operation } = one;
  const [type = ""] = body?.mediaTypes ?? [];
  if (body === undefined) return {};
  if (body.form !== undefined && type === "multipart/form-data")
    return { body: { mode: "formdata", formdata: formEntries(described, body.form) } };
  if (!type.endsWith("json") && type !== "application/x-www-form-urlencoded")
    return { body: { mode: "file", file: {} } };
  const example = withReferences(plan, operation, exampleOf(described.schemas, body.schema) ?? {}, variables);
  if (type.endsWith("json"))
    return {
      body: { mode: "raw", raw: rawText(plan, operation, example), options: { raw: { language: "json" } } },
    };
  const urlencoded = Object.entries(isObject(example) ? example : {}).map(([key, value]) => ({
    key,
    value: textOf(value),
  }));
  return { body: { mode: "urlencoded", urlencoded } };
}

function formEntries({ schemas }: Described, form: JsonObject): readonly JsonObject[] {
  const { properties, required = [] } = form as {
    readonly properties?: JsonObject;
    readonly required?: readonly string[];
  };
  return Object.entries(properties ?? {}).map(([key, schema]): JsonObject => {
    const isFile = isObject(schema) && schema["contentMediaType"] !== undefined;
    const value = isFile ? {} : { value: textOf(exampleOf(schemas, schema as Json) ?? "") };
    return { key, type: isFile ? "file" : "text", ...value, ...(required.includes(key) ? {} : { disabled: true }) };
  });
}

/** Puts the variable of a record's id in place of each reference of an example. */
function withReferences(plan: Plan, { resource }: Operation, example: Json, variables: Set<string>): Json {
  const columns = plan.tables.find((table) => table.resource === resource)?.columns ?? [];
  if (!isObject(example)) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      const references = columns.find((column) => column.name === name)?.references;
      return [name, references === undefined ? value : variable(variables, variableName(references.resource, "id"))];
    }),
  );
}

/** Returns a body as JSON; a variable that stands for a number has no quotes. */
function rawText(plan: Plan, { resource }: Operation, example: Json): string {
  const columns = plan.tables.find((table) => table.resource === resource)?.columns ?? [];
  const numbers = columns.filter(({ references, schema }) => references !== undefined && schema["type"] === "integer");
  return numbers.reduce(
    (text, { references }) => text.replaceAll(`"{{${references?.resource}_id}}"`, `{{${references?.resource}_id}}`),
    JSON.stringify(example, null, 2),
  );
}

// ── Scripts ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the test that the status is a declared one, which `default` makes of any status. */
function testLines(name: string, statuses: readonly string[]): readonly string[] {
  if (statuses.includes("default")) return [];
  const pattern = statuses.map((status) => status.replaceAll("X", "\\d")).join("|");
  return [
    `pm.test(${JSON.stringify(`${name} returns a declared status`)}, () => pm.expect(String(pm.response.code)).to.match(/^(?:${pattern})$/));`,
  ];
}

/** Returns the lines that keep the keys of a created record for the later requests. */
function variableLines(plan: Plan, { operation, successes }: DescribedOperation): readonly string[] {
  const { action, batch, creates, resource, response } = operation;
  const isKept = (action === "create" || creates) && batch === undefined && response.kind !== "none";
  if (!isKept || successes.length === 0) return [];
  const columns = new Set(
    plan.operations.flatMap(({ key, parents, resource: other }) =>
      [...parents, ...(key === undefined ? [] : [{ ...key, resource: other }])]
        .filter((one) => one.resource === resource)
        .flatMap((one) => partsOf(one).map(({ column }) => column)),
    ),
  );
  const inside = response.wrap === undefined ? "" : `[${JSON.stringify(response.wrap)}]`;
  return [
    "if (pm.response.code < 300) {",
    `  const record = pm.response.json()${inside};`,
    ...[...new Set(["id", ...columns])].map(
      (column) =>
        `  if (record[${JSON.stringify(column)}] !== undefined) pm.collectionVariables.set(${JSON.stringify(variableName(resource, column))}, record[${JSON.stringify(column)}]);`,
    ),
    "}",
  ];
}
