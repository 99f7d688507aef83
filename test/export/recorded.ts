/**
 * Compares the real responses of a service with its OpenAPI description: every status, header field and body must be declared,
 * and everything required must be present. Undeclared members are violations.
 *
 *     const recording = recordInto(openapi(plan, baseUrl));
 *     recording.check({ method: "GET", path: "/parcels?limit=2" }, { status, headers, body });   // after each response
 *     assert.deepEqual(recording.violations, []);
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Json, JsonObject } from "../../src/base/json.ts";

export interface RecordedRequest {
  readonly method: string;
  /** As sent, with or without a query; or the template of an operation, `/parcels/{id}`. */
  readonly path: string;
}

export interface RecordedResponse {
  readonly status: number;
  /** Names in any case; several fields of one name joined by a comma. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** Decoded from whatever content coding it was sent in; empty where there was none. */
  readonly body: string;
}

export interface Recording {
  /** What is wrong with this response, which is kept in `violations` too. */
  check(request: RecordedRequest, response: RecordedResponse): readonly string[];
  /** Each with the request and the status in front, once. */
  readonly violations: readonly string[];
  /** What was seen, as `GET /parcels/{id} 200`, with how often. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Pages for people, and the address for agents, whose messages their protocol describes: no client is generated from them. */
const pagesForPeople = [
  /^\/$/,
  /^\/assets\//,
  /^\/errors\/[^/]+$/,
  /^\/\.well-known\/api-catalog$/,
  /\/oauth\/(authorize|ask)(\/|$)/,
  /\/(?:mcp|agents)$/,
];

/** Fields of the connection and of HTTP's own framing; OpenAPI says the media type elsewhere. */
const framing = new Set(["date", "connection", "keep-alive", "content-length", "content-type", "transfer-encoding"]);

export function recordInto(document: JsonObject): Recording {
  const judge = createJudge(document);
  const operations = operationsOf(document);
  const mount = mountOf(document);
  const violations = new Set<string>();
  const seen = new Map<string, number>();
  return {
    get violations() {
      return [...violations];
    },
    seen,
    check(request, response) {
      const [path = ""] = request.path.split("?");
      const found = find(operations, request.method, path, mount);
      const name = found === undefined ? `${request.method} ${path}` : found.name;
      const faults =
        found === undefined
          ? besideOperations(document, judge, request.method, path, response)
          : faultsOf(document, judge, found, request.method, response);
      const label = `${name} ${response.status}`;
      seen.set(label, (seen.get(label) ?? 0) + 1);
      for (const fault of faults) violations.add(`${label}: ${fault}`);
      return faults;
    },
  } satisfies Recording;
}

// ── Which operation ────────────────────────────────────────────────────────────────────────────────────────────────

interface Described {
  /** `GET /parcels/{id}` */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly string[];
  /** Below the mount point of the operations, or at the root. */
  readonly mounted: boolean;
  readonly responses: JsonObject;
}

const methods = ["get", "put", "post", "delete", "patch"];

function operationsOf(document: JsonObject): readonly Described[] {
  const found = Object.entries(object(document["paths"])).flatMap(([path, item]) =>
    methods.flatMap((method): Described[] => {
      const operation = object(item)[method];
      if (operation === undefined) return [];
      return [
        {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          segments: path.split("/"),
          mounted: object(item)["servers"] === undefined,
          responses: object(object(operation)["responses"]),
        },
      ];
    }),
  );
  // Literal segments win over parameters.
  return found.toSorted((one, other) => one.name.split("{").length - other.name.split("{").length);
}

function mountOf(document: JsonObject): string {
  const [server] = (document["servers"] ?? []) as readonly JsonObject[];
  return new URL(server?.["url"] as string).pathname.replace(/\/$/, "");
}

function find(operations: readonly Described[], method: string, path: string, mount: string): Described | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  const fitting = operations.filter((operation) => {
    if (operation.method !== wanted) return false;
    const below = operation.mounted && path.startsWith(`${mount}/`) ? path.slice(mount.length) : path;
    const given = below.split("/");
    if (given.length !== operation.segments.length) return false;
    return operation.segments.every((segment, index) => fits(segment, given[index] ?? ""));
  });
  // The service takes the one with the most fixed text.
  return fitting.toSorted((one, other) => fixedLength(other) - fixedLength(one))[0];
}

function fits(segment: string, given: string): boolean {
  const [before = "", after] = segment.split(/\{[^{}]*\}/);
  if (after === undefined || segment === given) return segment === given;
  const isLongEnough = given.length > before.length + after.length;
  return isLongEnough && given.startsWith(before) && given.endsWith(after);
}

function fixedLength({ segments }: Described): number {
  return segments.join("/").replaceAll(/\{[^{}]*\}/g, "").length;
}

// ── What is wrong ──────────────────────────────────────────────────────────────────────────────────────────────────

function faultsOf(
  document: JsonObject,
  judge: Validator,
  { responses }: Described,
  method: string,
  response: RecordedResponse,
): readonly string[] {
  const declared = responses[String(response.status)];
  if (declared === undefined) return [`the status is not declared: ${response.body.slice(0, 300)}`];
  const { headers = {}, content } = resolve(document, object(declared)) as {
    headers?: JsonObject;
    content?: JsonObject;
  };
  return [...headerFaults(document, judge, headers, response), ...bodyFaults(judge, content, method, response)];
}

function headerFaults(
  document: JsonObject,
  judge: Validator,
  declared: JsonObject,
  { headers, status }: RecordedResponse,
): readonly string[] {
  const given = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
  const known = new Map(
    Object.entries(declared).map(([name, header]) => [name.toLowerCase(), resolve(document, object(header))]),
  );
  for (const name of (document["x-every-response"] ?? []) as readonly string[]) {
    const isSaid =
      name === "Content-Language" && status >= 400 && given.get("content-type") !== "application/health+json";
    const header = object(object(object(document["components"])["headers"])[name]);
    if (!known.has(name.toLowerCase()))
      known.set(name.toLowerCase(), { ...header, required: alwaysSent.has(name) || isSaid });
  }
  const undeclared = [...given.keys()].filter((name) => !known.has(name) && !framing.has(name));
  const missing = [...known].filter(([name, header]) => header["required"] === true && !given.has(name));
  const wrong = [...known].flatMap(([name, { schema }]) => {
    const value = given.get(name);
    if (value === undefined) return [];
    return judge(object(schema), typedHeader(object(schema)["type"], value)).map(
      (fault) => `the header ${name}: ${value}: ${fault}`,
    );
  });
  return [
    ...undeclared.map((name) => `the header ${name} is not declared`),
    ...missing.map(([name]) => `the header ${name} is required`),
    ...wrong,
  ];
}

/** The header fields that each response has, besides those that depend on the request or the status. */
const alwaysSent: ReadonlySet<string> = new Set([
  "Request-Id",
  "Cache-Control",
  "Content-Security-Policy",
  "X-Content-Type-Options",
  "Referrer-Policy",
]);

/** The value of a header field by the type of its schema (style `simple` of OpenAPI). */
function typedHeader(type: unknown, value: string): Json {
  if (type === "integer" && /^-?\d+$/.test(value)) return Number(value);
  if (type === "number" && /^-?[\d.]+(?:e[-+]?\d+)?$/.test(value)) return Number(value);
  return type === "boolean" && /^(?:true|false)$/.test(value) ? value === "true" : value;
}

function bodyFaults(
  judge: Validator,
  content: JsonObject | undefined,
  method: string,
  response: RecordedResponse,
): readonly string[] {
  const { body, headers } = response;
  // Documents that are not ours say `content: {}` for an answer without one.
  if (method === "HEAD" || content === undefined || Object.keys(content).length === 0)
    return body === "" ? [] : ["there is a body, and none is declared"];
  const type = mediaType(headers);
  const range = Object.keys(content).find((one) => one === "*/*" || one === `${type.split("/")[0]}/*`);
  const declared = content[type] ?? (range === undefined ? undefined : content[range]);
  // Bytes have no schema.
  if (declared !== undefined && object(declared)["schema"] === undefined) return [];
  if (declared === undefined) return [`the media type ${type} is not declared`];
  if (type === "text/event-stream") return streamFaults(judge, content, body);
  // A schema describes a value in JSON, whose form in XML or plain text it does not say.
  if (/^text\/(?:xml|plain)$|^application\/xml$/.test(type)) return [];
  const parsed = parse(body);
  if (parsed === undefined) return [`the body is no JSON: ${body.slice(0, 100)}`];
  const schema = chosenBy(object(object(declared)["schema"]), parsed);
  if (schema === undefined) return [`the code ${codeOf(parsed)} is not declared for this status`];
  return judge(schema, parsed).map((fault) => `the body: ${fault}`);
}

/** OpenAPI 3.1 has no words for what is in a stream: each of its events is what a page has as an item. */
function streamFaults(judge: Validator, content: JsonObject, body: string): readonly string[] {
  const page = object(object(content["application/json"])["schema"]);
  return body.split("\n").flatMap((line) => {
    if (!line.startsWith("data: ")) return [];
    const event = parse(line.slice("data: ".length));
    if (event === undefined) return [`an event is no JSON: ${line.slice(0, 100)}`];
    return judge(page, { items: [event], next: null }).map((fault) => `an event: ${fault}`);
  });
}

/** Of alternatives that a code tells apart, the one that the body names; undefined where it names none of them. */
function chosenBy(schema: JsonObject, body: Json): JsonObject | undefined {
  if (schema["discriminator"] === undefined) return schema;
  const reference = object(object(schema["discriminator"])["mapping"])[codeOf(body)];
  return reference === undefined ? undefined : { $ref: reference };
}

function codeOf(body: Json): string {
  const code = typeof body === "object" && body !== null ? (body as JsonObject)["code"] : undefined;
  return typeof code === "string" ? code : "";
}

/** A path or a method that no operation has: a problem with a code that there is, an answer to OPTIONS, or a page. */
function besideOperations(
  document: JsonObject,
  judge: Validator,
  method: string,
  path: string,
  { status, headers, body }: RecordedResponse,
): readonly string[] {
  const names = new Set([...headers].map(([name]) => name.toLowerCase()));
  const requestId = names.has("request-id") ? [] : ["the header request-id is required"];
  if (method === "OPTIONS" && status === 204)
    return [...requestId, ...(names.has("allow") ? [] : ["the header allow is required"])];
  if (pagesForPeople.some((page) => page.test(path)) && (status < 405 || status === 429)) return requestId;
  if (status < 400) return [...requestId, "the document has no such operation"];
  if (method === "HEAD") return requestId;
  const parsed = parse(body);
  if (parsed === undefined) return [...requestId, `the body is no JSON: ${body.slice(0, 100)}`];
  const problem = problemOf(document, parsed);
  return [...requestId, ...judge(problem, parsed).map((fault) => `the body: ${fault}`)];
}

/** The schema of the code that the body names; where it names none, the schema of every problem. */
function problemOf(document: JsonObject, body: Json): JsonObject {
  const code = codeOf(body);
  const schemas = object(object(document["components"])["schemas"]);
  const named = Object.entries(schemas).find(([, schema]) => {
    const { properties = {} } = schema as { properties?: Record<string, JsonObject> };
    return code !== "" && properties["code"]?.["const"] === code;
  });
  return { $ref: `#/components/schemas/${named?.[0] ?? "Problem"}` };
}

function mediaType(headers: RecordedResponse["headers"]): string {
  const field = [...headers].find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return field.split(";")[0]?.trim().toLowerCase() ?? "";
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

type Validator = (schema: JsonObject, value: Json) => readonly string[];

/** Formats of the document's own, such as `timezone`, say more than a validator knows, and are passed over. */
function createJudge(document: JsonObject): Validator {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // The schema of all schemas says nothing of what stands in `components`, and to compile it takes longer than all else here.
    meta: false,
    validateSchema: false,
    validateFormats: true,
    formats: standardFormats(),
    logger: false,
  });
  ajv.addSchema({
    $id: "document",
    components: { schemas: closed(object(object(document["components"])["schemas"])) },
  });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    let validate = compiled.get(text);
    if (validate === undefined) compiled.set(text, (validate = ajv.compile(JSON.parse(text) as JsonObject)));
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath === "" ? "it" : instancePath} ${message ?? ""} ${JSON.stringify(params)}`;
    });
  };
}

/**
 * A component that names its members has no others, though the document leaves room for later ones. What is inside them
 * is the author's: closed where the author has it so.
 */
function closed(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const properties = { ...inherited(schemas, schema), ...object(object(schema)["properties"]) };
      const open = "properties" in object(schema) && !("additionalProperties" in object(schema));
      return [name, open ? { ...object(schema), properties, additionalProperties: false } : schema];
    }),
  );
}

/** The members of every problem, for the schema of one. */
function inherited(schemas: JsonObject, schema: Json): JsonObject {
  const [base] = (object(schema)["allOf"] ?? []) as readonly JsonObject[];
  if (base === undefined) return {};
  const { properties, required } = object(schemas[(base["$ref"] as string).replace(/.*\//, "")]);
  return Object.fromEntries((required as readonly string[]).map((name) => [name, object(properties)[name] as Json]));
}

function standardFormats(): Record<string, (typeof fullFormats)[keyof typeof fullFormats]> {
  const { "date-time": dateTime, date, duration, email, uri, uuid } = fullFormats;
  return { "date-time": dateTime, date, duration, email, uri, uuid };
}

function resolve(document: JsonObject, value: JsonObject): JsonObject {
  const reference = value["$ref"];
  if (typeof reference !== "string") return value;
  let here: Json = document;
  for (const key of reference.slice(2).split("/")) here = object(here)[key] as Json;
  return object(here);
}

function object(value: Json | undefined): JsonObject {
  return (value ?? {}) as JsonObject;
}
