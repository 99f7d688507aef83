/**
 * Describes the operations of handlers with a wire, a complete HTTP contract: exactly as declared, without Nonet's additions.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type {
  ContractResponsePlan,
  ContractBodyPlan,
  ContractOperation,
  ContractParameter,
} from "../../plan/endpoints/types.ts";
import { securityFor } from "./security.ts";

export function contractObject(plan: AuthenticationPart, operation: ContractOperation): JsonObject {
  const { name, sentence, resource, parameters, body, answers } = operation;
  return {
    operationId: name,
    ...(resource === undefined ? {} : { tags: [resource] }),
    summary: sentence === "" ? name : sentence,
    security: securityFor(plan, operation.allow),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(body === undefined ? {} : { requestBody: bodyObject(body) }),
    responses: {
      ...(operation.operation.unserved === undefined ? {} : { 501: { description: "The operation is not supported" } }),
      ...Object.fromEntries(answers.map((response) => [response.status, responseObject(response)])),
    },
  };
}

function parameterObject(parameter: ContractParameter): JsonObject {
  const { name, in: location, required, deprecated } = parameter;
  return {
    name,
    in: location,
    ...(required ? { required } : {}),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...valueOf(parameter),
  };
}

function valueOf({ schema, note, example }: Omit<ContractParameter, "in">): JsonObject {
  return {
    ...(note === undefined ? {} : { description: note }),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

function bodyObject({ required, media, schema, note }: ContractBodyPlan): JsonObject {
  return {
    ...(note === undefined ? {} : { description: note }),
    ...(required ? { required } : {}),
    content: contentOf(media, schema),
  };
}

function responseObject({ status, media, schema, headers, note }: ContractResponsePlan): JsonObject {
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
