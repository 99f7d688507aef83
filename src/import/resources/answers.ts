/** Reads the contract of an imported operation: its body and its successful answer, with the objects around records. */
import { isObject, isWrittenAlike, type Json } from "../../base/json.ts";
import type { Model } from "../../language/model.ts";
import { jsonSchemaOf } from "../../language/resources/json-schema.ts";
import type { FieldType } from "../../language/resources/model.ts";
import type { ContractResponse, EndpointContract, Method } from "../../language/endpoints/model.ts";
import { type NamedSchemas, plainSchema, referenceIn, type Shape, shapeOf, typesOf } from "./schema.ts";

/** Why an operation stays a handler: a constant sentence, and what it is about. */
export interface Reason {
  readonly what: string;
  readonly detail?: string;
}

export function isReason(value: object | undefined): value is Reason {
  return value !== undefined && "what" in value;
}

export type Answer =
  /** The source does not say what the operation answers when it succeeds. */
  | { readonly kind: "unspecified" }
  | { readonly kind: "empty"; readonly status: number; readonly created?: number }
  | { readonly kind: "value"; readonly status: number; readonly created?: number; readonly schema: Json };

/**
 * Returns the successful answer; of a creation and a change by one operation, the answer of both. A change (`PATCH`, `PUT`) that
 * answers 200 with a value need not answer 204, too.
 */
export function answerOf({ answers = {} }: EndpointContract, method?: Method): Answer | Reason {
  const isSpare = hasSpareAnswer({ answers }, method);
  const successes = Object.keys(answers).filter((status) => status.startsWith("2") && !(isSpare && status === "204"));
  if (successes.length === 0) return { kind: "unspecified" };
  const others = successes.filter((status) => status !== "201");
  const [first = "201", ...more] = others;
  const made = first === "201" || !successes.includes("201") ? undefined : answers["201"];
  if (more.length > 0) return severalAnswers(successes);
  const found = oneAnswer(first, answers[first]);
  if (isReason(found) || made === undefined) return found;
  const created = oneAnswer("201", made);
  if (isReason(created)) return created;
  // A response with status 204 has no body, whatever the body of the other one is.
  if (found.kind === "value" && created.kind === "value" && !isWrittenAlike(found.schema, created.schema))
    return severalAnswers(successes);
  if (found.kind !== created.kind && found.status !== 204) return severalAnswers(successes);
  return { ...created, status: found.status, created: 201 };
}

/** Whether the operation may answer 204, but need not: it changes a record, and has another answer with a value. */
function hasSpareAnswer({ answers = {} }: EndpointContract, method?: Method): boolean {
  const isChange = method === "PATCH" || method === "PUT";
  return isChange && answers["200"]?.type !== undefined && Object.hasOwn(answers, "204");
}

type OneAnswer = Exclude<Answer, { readonly kind: "unspecified" }>;

function oneAnswer(written: string, found: ContractResponse | undefined): OneAnswer | Reason {
  const status = written === "2XX" ? 200 : Number(written);
  const required = Object.entries(found?.headers ?? {}).find(([, { optional }]) => !optional);
  if (required !== undefined) return { what: "its answer has a header field of its own", detail: required[0] };
  if (found?.type === undefined)
    return found?.media === undefined || found.media.length === 0
      ? { kind: "empty", status }
      : { what: "its answer is not JSON", detail: found.media.join(", ") };
  if (!isJson(found.media)) return { what: "its answer is not JSON", detail: found.media?.join(", ") ?? "" };
  return { kind: "value", status, schema: schemaOf(found.type) };
}

export function severalAnswers(statuses: readonly (number | string)[]): Reason {
  return { what: "it has several successful answers", detail: statuses.join(", ") };
}

function isJson(media: readonly string[] | undefined, types: RegExp = /^application\/json\b|^\*\/\*/): boolean {
  return media === undefined || media.some((one) => types.test(one));
}

/** Header fields that Nonet sends itself, or that only describe the response. */
const ownHeaders =
  /^(?:etag|location|link|retry-after|ratelimit.*|x-ratelimit.*|cache-control|vary|deprecation|sunset|content-.*|date|request-id|x-request-id)$/i;

/** Returns what an action does without: header fields and second forms of its answers, and media types besides JSON and forms. */
export function omissionsOf({ answers = {}, body }: EndpointContract, method: Method): readonly Reason[] {
  const successes = Object.entries(answers).flatMap(([status, answer]) => (status.startsWith("2") ? [answer] : []));
  const headers = successes
    .flatMap((answer) => Object.keys(answer.headers ?? {}))
    .filter((name) => !ownHeaders.test(name));
  const media = [...(body?.media ?? []), ...successes.flatMap((answer) => answer.media ?? [])].filter(
    (type) => !/json|x-www-form-urlencoded|\*/.test(type),
  );
  return [
    ...(hasSpareAnswer({ answers }, method) ? [{ what: "a second successful answer", detail: "204" }] : []),
    ...[...new Set(headers)].map((detail) => ({ what: "a header field of an answer", detail })),
    ...[...new Set(media)].map((detail) => ({ what: "a media type of a body or an answer", detail })),
  ];
}

export interface Body {
  readonly schema: Json;
  readonly optional: boolean;
  readonly form: boolean;
}

/** Returns the body of a request in JSON; undefined if the operation has none. */
export function bodyOf({ body }: EndpointContract): Body | Reason | undefined {
  if (body === undefined) return undefined;
  const { media, optional, type } = body;
  if (!isJson(media, /^application\/(?:merge-patch\+)?json\b|^\*\/\*|^application\/x-www-form-urlencoded/))
    return { what: "its body is not JSON", detail: media?.join(", ") ?? "" };
  if (type === undefined) return { what: "its body has no schema" };
  return { schema: schemaOf(type), optional, form: media?.includes("application/x-www-form-urlencoded") ?? false };
}

/** Returns the schema of a type of a contract. */
export function schemaOf(type: FieldType): Json {
  if (type.kind === "schema") return type.schema;
  if (type.kind === "named") return { $ref: `#/schemas/${type.name}` };
  return jsonSchemaOf(empty, type, "output");
}

/** The types that the import writes on one line contain no names. */
const empty = { resources: { resources: {}, types: {}, rules: {} } } as unknown as Model;

/** A record in a body or an answer, and the member around it. */
export interface WrappedRecord {
  readonly shape: Shape;
  readonly around?: string;
  /** Whether the object may lack the member. */
  readonly isOptional?: boolean;
}

/** Returns the record that a schema is, or that its only object member is. `isRecord`: whether an object is the record itself. */
export function recordIn(
  schema: Json,
  named: NamedSchemas,
  isRecord: (shape: Shape) => boolean,
): WrappedRecord | undefined {
  const shape = shapeOf(schema, named);
  if (shape === undefined) return undefined;
  if (isRecord(shape)) return { shape };
  const objects = [...shape.members].flatMap(([around, member]) => {
    const inner = shapeOf(member.schema, named);
    return inner !== undefined && isRecord(inner) ? [{ shape: inner, around, isOptional: !member.required }] : [];
  });
  const [only] = objects;
  return objects.length === 1 ? only : undefined;
}

/** The items of a list, and the object around them. */
export interface ListedRecords {
  readonly item: Json;
  readonly around?: { readonly name: string; readonly shape: Shape };
}

/** Returns the items of an array, or of the only array of objects in an object. */
export function itemsIn(schema: Json, named: NamedSchemas): ListedRecords | undefined {
  const item = itemOf(schema, named);
  if (item !== undefined) return { item };
  const shape = shapeOf(schema, named);
  const lists = [...(shape?.members ?? [])].flatMap(([name, member]) => {
    const found = itemOf(member.schema, named);
    return found !== undefined && shapeOf(found, named) !== undefined ? [{ name, item: found }] : [];
  });
  const [only] = lists;
  if (only === undefined || lists.length > 1 || shape === undefined) return undefined;
  return { item: only.item, around: { name: only.name, shape } };
}

function itemOf(schema: Json, named: NamedSchemas): Json | undefined {
  const plain = plainSchema(schema, named);
  const { type, items } = plain;
  return typesOf(type).includes("array") && (isObject(items) || referenceIn(items ?? null) !== undefined)
    ? items
    : undefined;
}
