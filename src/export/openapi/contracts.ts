/**
 * Describes contracts (`wire`): handlers and requests to receivers exactly as declared, without Nonet's additions. An operation
 * that Nonet performs is described as it is, with what the contract of its callers says besides: tags, examples, descriptions.
 */
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import type { EndpointContract, Parameter, SentForm } from "../../language/endpoints/model.ts";
import { deprecationKeywords } from "../../language/versioning/deprecated.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type {
  ContractResponsePlan,
  ContractBodyPlan,
  ContractOperation,
  ContractParameter,
  HttpContract,
} from "../../plan/endpoints/types.ts";
import type { SentRequestPlan } from "../../plan/events/types.ts";
import { inlined } from "./deprecated.ts";
import { securityFor } from "./security.ts";

export function contractObject(plan: AuthenticationPart, operation: ContractOperation): JsonObject {
  const { name, sentence, resource } = operation;
  return {
    operationId: name,
    ...(resource === undefined ? {} : { tags: [resource] }),
    summary: sentence === "" ? name : sentence,
    ...operation.openapi,
    security: securityFor(plan, operation.allow),
    ...partsOf(operation, operation.operation.unserved === true),
  };
}

function partsOf({ parameters, body, answers }: HttpContract, unserved = false): JsonObject {
  return {
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: {
      ...(unserved ? { 501: { description: "The operation is not supported" } } : {}),
      ...Object.fromEntries(answers.map((response) => [response.status, responseObject(response)])),
    },
  };
}

const styles: Readonly<Record<SentForm, JsonObject>> = {
  commas: { style: "form", explode: false },
  spaces: { style: "spaceDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  brackets: { style: "deepObject", explode: true },
};

function parameterObject(parameter: ContractParameter): JsonObject {
  const { name, in: location, required, deprecated, sent } = parameter;
  return {
    name,
    in: location,
    ...(required ? { required } : {}),
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...(sent === undefined ? {} : styles[sent]),
    ...valueOf(parameter),
  };
}

function valueOf({ schema, note, example, openapi }: Omit<ContractParameter, "in">): JsonObject {
  return {
    ...(note === undefined ? {} : { description: note }),
    ...deprecationIn(schema),
    schema,
    // OpenAPI allows either one example or several.
    ...(example === undefined || openapi?.["examples"] !== undefined ? {} : { example }),
    ...openapi,
  };
}

/** Returns the deprecation in a schema, which OpenAPI also has beside the schema of a parameter or header field. */
function deprecationIn(schema: JsonObject): JsonObject {
  if (schema["deprecated"] !== true) return {};
  const dates = Object.values(deprecationKeywords).flatMap((key) =>
    schema[key] === undefined ? [] : [[key, schema[key]]],
  );
  return { deprecated: true, ...Object.fromEntries(dates) };
}

function bodyObject({ required, note, ...content }: ContractBodyPlan): JsonObject {
  return withMembers(
    {
      ...(note === undefined ? {} : { description: note }),
      ...(required ? { required } : {}),
      content: contentOf(content),
    },
    content.openapi,
  );
}

function responseObject({ status, headers, note, ...content }: ContractResponsePlan): JsonObject {
  const fields = headers.map((header): [string, Json] => {
    return [header.name, { ...(header.required ? { required: true } : {}), ...valueOf(header) }];
  });
  return withMembers(
    {
      description: note ?? status,
      ...(fields.length === 0 ? {} : { headers: Object.fromEntries(fields) }),
      ...(content.media.length === 0 ? {} : { content: contentOf(content) }),
    },
    content.openapi,
  );
}

function contentOf({ media, schema, others = {} }: Omit<ContractBodyPlan, "required">): JsonObject {
  return Object.fromEntries(
    media.map((one) => {
      const its = Object.hasOwn(others, one) ? others[one] : schema;
      return [one, its === undefined ? {} : { schema: its }];
    }),
  );
}

/** Returns a description with further members. Of its content, only the media types that it has get members. */
function withMembers(description: JsonObject, { content = {}, ...members }: JsonObject = {}): JsonObject {
  if (!isObject(description["content"]) || !isObject(content)) return { ...description, ...members };
  const described = mapMembers(description["content"], (one, media) => {
    const further = Object.hasOwn(content, media) ? content[media] : undefined;
    return isObject(one) && isObject(further) ? { ...further, ...one } : one;
  });
  return { ...description, content: described, ...members };
}

// ── Requests to receivers ───────────────────────────────────────────────────────────────────────────────────────────

/** Describes the webhooks, by name. */
export function describedWebhooks(requests: readonly SentRequestPlan[]): JsonObject {
  return Object.fromEntries(
    requests.flatMap((one) => (one.callback === undefined ? [[one.name, sentRequestItem(one)]] : [])),
  );
}

/** Returns the description of an operation with its callbacks. */
export function withCallbacks(
  described: JsonObject,
  operation: string,
  requests: readonly SentRequestPlan[],
): JsonObject {
  const callbacks = requests.flatMap((one) =>
    one.callback?.of === operation ? [[one.name, { [one.callback.to]: sentRequestItem(one) }] as const] : [],
  );
  return callbacks.length === 0 ? described : { ...described, callbacks: Object.fromEntries(callbacks) };
}

function sentRequestItem(request: SentRequestPlan): JsonObject {
  const { note } = request;
  const summary = note === undefined ? {} : { summary: note };
  // Receivers require what the document does not say.
  return { [request.method.toLowerCase()]: { ...summary, security: [], ...request.openapi, ...partsOf(request) } };
}

// ── Contracts that callers know ────────────────────────────────────────────────────────────────────────────────────

/** Returns the description of an operation that Nonet performs, with what the contract of its callers says besides. */
export function withKnownTexts(
  described: JsonObject,
  known: EndpointContract | undefined,
  shared: ReadonlyMap<string, JsonObject>,
): JsonObject {
  if (known === undefined) return described;
  const { openapi: { description, ...members } = {}, body, answers = {} } = known;
  const { parameters, requestBody, responses } = described as {
    readonly parameters?: readonly JsonObject[];
    readonly requestBody?: JsonObject;
    readonly responses: JsonObject;
  };
  const texts = [description, described["description"]].flatMap((one) => (typeof one === "string" ? [one] : []));
  return {
    ...described,
    ...members,
    description: texts.join("\n\n"),
    ...(parameters === undefined ? {} : { parameters: parameters.map((one) => withParameterTexts(one, known)) }),
    ...(requestBody === undefined ? {} : { requestBody: withMembers(requestBody, textsOf(body)) }),
    responses: mapMembers(responses, (response, status) => {
      const its = textsOf(Object.hasOwn(answers, status) ? answers[status] : undefined);
      if (!isObject(response) || Object.keys(its).length === 0) return response;
      return response["$ref"] === undefined
        ? withMembers(response, its)
        : withErrorTexts(inlined(response, shared), its);
    }),
  };
}

/** Returns the response of errors with the texts of a contract before the codes of the errors. Its examples show another body. */
function withErrorTexts(error: JsonObject, { description: note, content: _, ...its }: JsonObject): JsonObject {
  const codes = error["description"] as string;
  return { ...error, description: typeof note === "string" ? `${note}\n${codes}` : codes, ...its };
}

function withParameterTexts(parameter: JsonObject, known: EndpointContract): JsonObject {
  const { [parameter["in"] as "query"]: all = {} } = known;
  const its: Parameter | undefined = Object.hasOwn(all, parameter["name"] as string)
    ? all[parameter["name"] as string]
    : undefined;
  if (its === undefined) return parameter;
  const { note, example, openapi } = its;
  const examples = example === undefined || openapi?.["examples"] !== undefined ? {} : { example };
  return { ...parameter, ...textsOf({ ...(note && { note }), ...(openapi && { openapi }) }), ...examples };
}

function textsOf(described: { readonly note?: string; readonly openapi?: JsonObject } | undefined): JsonObject {
  const { note, openapi } = described ?? {};
  return { ...(note === undefined ? {} : { description: note }), ...openapi };
}
