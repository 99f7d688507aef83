/** Operations of handlers that say all that goes over the wire, as they say it: nothing of Nonet's own is added. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Plan, WiredAnswer, WiredBody, WiredOperation, WiredParameter } from "../../plan/plan.ts";
import { securityFor } from "./security.ts";

export function wiredObject(plan: Plan, operation: WiredOperation): JsonObject {
  const { name, sentence, resource, parameters, body, answers } = operation;
  return {
    operationId: name,
    ...(resource === undefined ? {} : { tags: [resource] }),
    summary: sentence === "" ? name : sentence,
    security: securityFor(plan, operation.allow),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: Object.fromEntries(answers.map((answer) => [answer.status, answerObject(answer)])),
  };
}

function parameterObject(parameter: WiredParameter): JsonObject {
  const { name, in: place, required } = parameter;
  return { name, in: place, ...(required ? { required } : {}), ...valueOf(parameter) };
}

function valueOf({ schema, note, example }: Omit<WiredParameter, "in">): JsonObject {
  return {
    ...(note === undefined ? {} : { description: note }),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

function bodyObject({ required, media, schema, note }: WiredBody): JsonObject {
  return {
    ...(note === undefined ? {} : { description: note }),
    ...(required ? { required } : {}),
    content: contentOf(media, schema),
  };
}

function answerObject({ status, media, schema, headers, note }: WiredAnswer): JsonObject {
  const fields = headers.map((header): [string, Json] => {
    return [header.name, { ...(header.required ? { required: true } : {}), ...valueOf(header) }];
  });
  return {
    description: note ?? status,
    ...(fields.length === 0 ? {} : { headers: Object.fromEntries(fields) }),
    ...(media.length === 0 ? {} : { content: contentOf(media, schema) }),
  };
}

function contentOf(media: readonly string[], schema: JsonObject | undefined): JsonObject {
  return Object.fromEntries(media.map((one) => [one, schema === undefined ? {} : { schema }]));
}
