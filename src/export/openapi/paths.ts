/** Describes the paths with their operations, and the pages of the service. */
import { getOrMake } from "../../base/once.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { segmentShape, segmentText } from "../../language/endpoints/resolve.ts";
import { formMedia } from "../../language/endpoints/wire-media.ts";
import type { BodyPlan, Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { everyOperation, hasEvents } from "../../plan/events/events.ts";
import { describeOperation } from "./description.ts";
import { streamParts } from "./events.ts";
import { bytesContent, formContent } from "./files.ts";
import { deprecatedOperation } from "./deprecated.ts";
import { headersOf } from "./headers.ts";
import type { ComponentNames } from "./names.ts";
import { tokenPaths, wellKnownPaths } from "./oauth.ts";
import { parametersIn, parametersOf } from "./parameters.ts";
import { type DescriptionContext, responsesOf } from "./responses.ts";
import { jsonOf, refTo } from "./schemas.ts";
import { securityOf, serviceTag } from "./security.ts";
import { contractObject, withCallbacks, withKnownTexts } from "./contracts.ts";

/** Describes the paths. `root`: the service's URL without the base path of its operations. */
export function pathItems(
  context: DescriptionContext,
  { root, mounted }: { readonly root: string; readonly mounted: boolean },
): JsonObject {
  const { plan, names } = context;
  const items = new Map<string, { readonly path: string; readonly item: Record<string, Json> }>();
  for (const operation of everyOperation(plan)) {
    const entry = entryOf(items, operation);
    const parameters = [...entry.path.matchAll(/\{(.+?)\}/g)].map((match) => match[1] as string);
    const described = operationObject(context, operation, parameters);
    const method = operation.method.toLowerCase();
    const before = operation.inbound === undefined ? undefined : entry.item[method];
    entry.item[method] = isObject(before) ? withKind(before, described) : described;
  }
  // Operations with a wire keep their exact path, including parameter names and a trailing slash.
  const written = new Map([...items.values()].map((entry) => [entry.path, entry]));
  for (const operation of plan.contractOperations) {
    const path = operation.template;
    const { item } = getOrMake(written, path, () => ({ path, item: {} as Record<string, Json> }));
    const described = withCallbacks(contractObject(plan, operation), operation.name, plan.events.described);
    item[operation.method.toLowerCase()] = deprecatedOperation(operation.operation, described, context.shared);
  }
  const service = [...servicePaths(plan, names), ...wellKnownPaths(plan)].filter(([path]) => !written.has(path));
  return {
    ...Object.fromEntries([...written.values()].map(({ path, item }) => [path, item])),
    ...Object.fromEntries(
      service.map(([path, item]) => [path, { ...(mounted ? { servers: [{ url: root }] } : {}), ...item }]),
    ),
    ...Object.fromEntries(tokenPaths(plan)),
  };
}

/** Adds an incoming event to the description of another one at its address: the body is that of one of the two. */
function withKind(before: JsonObject, { summary, description, requestBody: body, responses }: JsonObject): JsonObject {
  const sentence = summary as string;
  const added = description as string;
  return {
    ...before,
    summary: `${before["summary"] as string}; ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`,
    description: before["description"] === description ? added : `${before["description"] as string}\n\n${added}`,
    requestBody: eitherBody(before["requestBody"] as JsonObject, body as JsonObject),
    responses: { ...(responses as JsonObject), ...(before["responses"] as JsonObject) },
  };
}

function eitherBody(one: JsonObject, other: JsonObject): JsonObject {
  const schemaOf = ({ content }: JsonObject) =>
    ((content as JsonObject)["application/json"] as JsonObject)["schema"] as JsonObject;
  const before = schemaOf(one);
  const earlier = (before["anyOf"] ?? [before]) as readonly JsonObject[];
  return {
    required: one["required"] === true && other["required"] === true,
    content: { "application/json": { schema: { anyOf: [...earlier, schemaOf(other)] } } },
  };
}

/**
 * Returns the entry of a path. In OpenAPI, templates that differ only in parameter names are one path, so the first template's
 * names are used.
 */
function entryOf(
  items: Map<string, { readonly path: string; readonly item: Record<string, Json> }>,
  operation: Pick<Operation, "path">,
): { readonly path: string; readonly item: Record<string, Json> } {
  const shape = `/${operation.path.map(segmentShape).join("/")}`;
  return getOrMake(items, shape, () => {
    return { path: `/${operation.path.map((segment) => segmentText(segment)).join("/")}`, item: {} };
  });
}

/** `parameterNames`: the names of the path's parameters. */
function operationObject(
  context: DescriptionContext,
  operation: Operation,
  parameterNames: readonly string[],
): JsonObject {
  const { plan, names } = context;
  const renamed = parameterNames.length === parametersIn(operation).length ? parameterNames : [];
  const parameters = [...parametersOf(plan, operation, renamed), ...(streamParts(plan, operation)?.parameters ?? [])];
  const text = describeOperation(operation, plan.credentials.length === 0);
  const described = {
    operationId: operation.name,
    tags: [operation.resource],
    summary: operation.sentence === "" ? operation.name : operation.sentence,
    ...(text === "" ? {} : { description: text }),
    security: securityOf(plan, operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBody(operation, names) }),
    responses: responsesOf(context, operation),
  };
  const texts = withCallbacks(
    withKnownTexts(described, operation.known, context.shared),
    operation.name,
    plan.events.described,
  );
  return deprecatedOperation(operation, texts, context.shared);
}

function requestBody(operation: Operation, names: ComponentNames): JsonObject {
  const { name, body, file } = operation;
  const required = body?.required ?? false;
  if (body === undefined || file !== undefined)
    return { required, content: file === undefined ? {} : bytesContent(file) };
  const json = jsonOf(operation) === undefined ? undefined : { schema: refTo(names.input(name)) };
  const content = body.mediaTypes.flatMap((mediaType): [string, Json][] => {
    if (mediaType === "multipart/form-data") return [[mediaType, formContent(body)]];
    if (mediaType === formMedia && json !== undefined) return [[mediaType, { ...json, ...formEncoding(body) }]];
    return json === undefined ? [] : [[mediaType, json]];
  });
  return { required, content: Object.fromEntries(content) };
}

/** Describes how a form names the members of objects and the items of lists: `items[0][price]`. */
function formEncoding({ schema }: BodyPlan): JsonObject {
  const nested = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>).filter(
    ([, member]) =>
      isObject(member["properties"]) || isObject(member["items"]) || isObject(member["additionalProperties"]),
  );
  if (nested.length === 0) return {};
  return { encoding: Object.fromEntries(nested.map(([name]) => [name, { style: "deepObject", explode: true }])) };
}

function servicePaths(plan: Plan, names: ComponentNames): readonly [path: string, item: JsonObject][] {
  const health = (description: string): JsonObject => ({
    description,
    content: { "application/health+json": { schema: refTo(names.health) } },
  });
  const page = (operationId: string, summary: string, responses: JsonObject): JsonObject => ({
    get: { operationId, tags: [serviceTag], summary, security: [{}], responses },
  });
  const description = (operationId: string, summary: string, text: string): JsonObject =>
    page(operationId, summary, {
      "200": {
        description: text,
        ...headersOf(["ETag"]),
        content: { "application/json": { schema: { type: "object" } } },
      },
      "304": { description: "The client has the current version.", ...headersOf(["ETag"]) },
    });
  return [
    ["/livez", page("livez", "Whether the service is alive", { "200": health("It is.") })],
    [
      "/readyz",
      page("readyz", "Whether the service accepts requests", { "200": health("It does."), "503": health("Not now.") }),
    ],
    ["/openapi.json", description("openapi", "This document", "OpenAPI 3.1.")],
    ...(hasEvents(plan)
      ? [["/asyncapi.json", description("asyncapi", "Its events", "AsyncAPI 3.0.")] as [string, JsonObject]]
      : []),
  ];
}
