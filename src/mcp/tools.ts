/**
 * Describes the operations of a plan as tools of the Model Context Protocol. The schemas are those of the OpenAPI description,
 * so no two descriptions of an operation differ.
 */
import type { Json, JsonObject } from "../base/json.ts";
import {
  componentOf,
  type Described,
  type DescribedOperation,
  describe,
  type Parameter,
  reachedFrom,
} from "../export/described.ts";
import { referring } from "../export/json-schema.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import { everyOperation } from "../plan/events/events.ts";
import type { Served } from "../runtime/context/version.ts";
import { createRouter } from "../runtime/routing/router.ts";

/** A tool as `tools/list` shows it. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The schema of the result of a success; absent if some success has no body. */
  readonly outputSchema?: JsonObject;
  readonly annotations: Annotations;
}

export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool, and how its arguments become a request. */
export interface Tool {
  readonly description: ToolDescription;
  readonly operation: Operation;
  /** The names of the arguments in the path, in order. */
  readonly inPath: readonly string[];
  /** The parameters by name of the argument. */
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly body?: ToolBody;
}

/** The tools of a version. */
export interface Tools {
  readonly byName: ReadonlyMap<string, Tool>;
  /** The path before those of operations: of the base URL, and of the version. */
  readonly mount: string;
  /** Returns the name of the operation at a path below `mount`. */
  operationAt(segments: readonly string[], method: string): string | undefined;
}

export interface ToolBody {
  /** Whether the arguments besides the parameters are the members of the body; otherwise the argument `body` is the body. */
  readonly spread: boolean;
  readonly required: boolean;
  readonly mediaType: string;
}

/**
 * Returns the tools in the order of the document: the operations whose bodies are JSON. Logins, incoming events, files and
 * streams are no tools.
 */
export function toolsOf(plan: Served["plan"], baseUrl: string): Tools {
  const described = describe(plan, baseUrl);
  const tools = described.operations.filter(isTool).map((one) => toolOf(described, one));
  const [server] = described.document["servers"] as readonly { readonly url: string }[];
  const route = createRouter(everyOperation(plan).map(({ method, name, path }) => ({ method, path, target: name })));
  return {
    byName: new Map(tools.map((tool) => [tool.description.name, tool])),
    mount: new URL(server?.url ?? baseUrl).pathname.replace(/\/+$/, ""),
    operationAt: (segments, method) => route(segments, method)?.methods.get(method),
  };
}

function isTool({ operation, body, successes }: DescribedOperation): boolean {
  const { action, file, session, unserved } = operation;
  if (unserved === true || action === "receive" || session !== undefined || file !== undefined) return false;
  if (successes.some(({ schema, stream }) => stream && schema === undefined)) return false;
  return body === undefined || jsonMedia(body.mediaTypes) !== undefined;
}

function jsonMedia(mediaTypes: readonly string[]): string | undefined {
  return ["application/json", ...mediaTypes].find((type) => mediaTypes.includes(type) && /[/+]json$/.test(type));
}

/** Header fields about caches, which an agent has none of. */
const omittedFields = ["If-None-Match", "If-Modified-Since"];

function toolOf(described: Described, one: DescribedOperation): Tool {
  const { name, operation, path, summary } = one;
  const parameters = argumentsOf(one.parameters.filter((parameter) => !omittedFields.includes(parameter.name)));
  const body = one.body && bodyOf(described, one.body, parameters);
  const outputSchema = outputOf(described, one);
  return {
    description: {
      name,
      title: summary,
      description: textOf(one),
      inputSchema: inputOf(described, one, parameters, body),
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: annotationsOf(operation),
    },
    operation,
    inPath: [...path.matchAll(/\{([^{}]+)\}/g)].map(([, parameter = ""]) => parameter),
    parameters,
    ...(body === undefined ? {} : { body }),
  };
}

function textOf({ summary, description, operation, deprecated }: DescribedOperation): string {
  const errors = operation.errors.length === 0 ? "" : `Errors: ${operation.errors.join(", ")}.`;
  const ends = deprecated === true ? "Deprecated." : "";
  return [`${summary}.`.replace(/([.!?])\.$/, "$1"), description, errors, ends]
    .filter((text) => text !== "")
    .join("\n\n");
}

// ── Arguments ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Names the arguments. Models accept only some characters in names: `size[in]` is the argument `size.in`. */
function argumentsOf(parameters: readonly Parameter[]): ReadonlyMap<string, Parameter> {
  const named = new Map<string, Parameter>();
  for (const parameter of parameters) {
    const short = parameter.name.replaceAll("[]", "").replaceAll(/\[([^\]]*)\]/g, ".$1");
    named.set(named.has(short) ? parameter.name : short, parameter);
  }
  return named;
}

function bodyOf(
  described: Described,
  { mediaTypes, required, schema }: NonNullable<DescribedOperation["body"]>,
  parameters: ReadonlyMap<string, Parameter>,
): ToolBody {
  const { properties, additionalProperties, ...rest } = resolved(described, schema);
  const isObject = properties !== undefined && typeof additionalProperties !== "object";
  const isPlain = Object.keys(rest).every((keyword) => plainKeywords.includes(keyword));
  // A PUT may repeat the key of its path in the body; an argument sets it once.
  const clashes = ((rest["required"] ?? []) as readonly string[]).some((name) => parameters.has(name));
  return {
    spread: isObject && isPlain && !clashes,
    required,
    mediaType: jsonMedia(mediaTypes) ?? "application/json",
  };
}

/** The keywords of a schema whose members can be arguments; any other one is about the body itself. */
const plainKeywords = ["type", "required", "title", "description"];

function inputOf(
  described: Described,
  { body: describedBody, operation }: DescribedOperation,
  parameters: ReadonlyMap<string, Parameter>,
  body: ToolBody | undefined,
): JsonObject {
  const properties = new Map<string, Json>();
  const required: string[] = [];
  for (const [name, parameter] of parameters) {
    const { description, schema } = parameter;
    properties.set(name, description === undefined ? schema : { description, ...schema });
    if (parameter.required === true) required.push(name);
  }
  const schema = describedBody?.schema ?? {};
  if (body?.spread === true) {
    const full = resolved(described, schema);
    for (const [name, member] of Object.entries(full["properties"] as JsonObject))
      if (!properties.has(name)) properties.set(name, member as Json);
    required.push(...((full["required"] ?? []) as readonly string[]));
  } else if (body !== undefined) {
    properties.set("body", schema);
    if (body.required) required.push("body");
  }
  return complete(described, {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(operation.ignoresUnknown === true ? {} : { additionalProperties: false }),
  });
}

function outputOf(described: Described, { successes }: DescribedOperation): JsonObject | undefined {
  const schemas = successes.flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
  const [first, ...others] = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  if (first === undefined || schemas.length < successes.length) return undefined;
  // The root is written out, because older clients accept only an object there.
  if (others.length === 0) return complete(described, resolved(described, first));
  return complete(described, { anyOf: [first, ...others] });
}

/** Follows references to a schema. */
function resolved({ schemas }: Described, schema: JsonObject): JsonObject {
  const reference = schema["$ref"];
  const name = typeof reference === "string" ? componentOf(reference) : undefined;
  const found = name === undefined ? undefined : schemas[name];
  return found === undefined ? schema : resolved({ schemas } as Described, found);
}

/** Adds the definitions that a schema refers to. */
function complete({ schemas }: Described, schema: JsonObject): JsonObject {
  const names = [...reachedFrom(schemas, [schema])];
  const full = inTool(schema);
  if (names.length === 0) return full;
  return { ...full, $defs: Object.fromEntries(names.map((name) => [name, inTool(schemas[name] ?? {})])) };
}

/** The formats that only OpenAPI defines. Validators of clients warn about each. */
const otherFormats = ["binary", "byte", "country", "currency", "decimal", "language", "timezone"];

function inTool(schema: JsonObject): JsonObject {
  return withoutFormats(referring("#/$defs", schema)) as JsonObject;
}

function withoutFormats(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => withoutFormats(one));
  const members = Object.entries(value).filter(
    ([keyword, one]) => keyword !== "format" || !otherFormats.includes(one as string),
  );
  return Object.fromEntries(members.map(([keyword, one]) => [keyword, withoutFormats(one as Json)]));
}

// ── Annotations ────────────────────────────────────────────────────────────────────────────────────────────────────

/** An operation is destructive unless it only reads or only adds records, as the specification defines the word. */
function annotationsOf({ action, also, effects, method }: Operation): Annotations {
  const reads = method === "GET";
  const adds = (action === "create" || action === "link") && also === undefined && effects.length === 0;
  return {
    readOnlyHint: reads,
    destructiveHint: !reads && !adds,
    idempotentHint: method !== "POST" || action === "link" || action === "unlink",
    // A handler may call other services.
    openWorldHint: action === "handler",
  };
}
