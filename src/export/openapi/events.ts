/** Describes events: their schemas, the stream and its pages, and webhook requests. */
import { camelCase, pascalCase, withArticle } from "../../base/case.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { headerText, type SignatureScheme, schemeName, typeValues } from "../../base/signature-schemes.ts";
import { lookup } from "../../language/resources/fields.ts";
import { deliveryResource, webhookResource } from "../../language/events/decide.ts";
import { eventMedia } from "../../plan/events/events.ts";
import type { Column, ResourcesPart, Virtual } from "../../plan/resources/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { EventsPart, OutEventPlan } from "../../plan/events/types.ts";
import { describedWebhooks } from "./contracts.ts";
import { grantsText } from "./description.ts";
import type { ComponentNames } from "./names.ts";
import { alwaysThere, refTo } from "./schemas.ts";

export function eventSchemas(plan: ResourcesPart & EventsPart, names: ComponentNames): JsonObject {
  const { out, stream } = plan.events;
  const published = Object.entries(out).filter(([, event]) => isPublished(plan, event));
  const schemas = published.map(([name, event]): [string, JsonObject] => [
    names.event(name),
    eventSchema(plan, name, event, names),
  ]);
  if (stream === undefined) return Object.fromEntries(schemas);
  const streamed = published.filter(([, event]) => event.stream.length > 0).map(([name]) => name);
  return {
    ...Object.fromEntries(schemas),
    [names.resource(stream.follow.resource)]: anyOf(streamed, names, typeMember(plan)),
    [names.list(stream.follow.name)]: pageSchema(stream.follow, names),
  };
}

/** Whether the stream or a webhook delivers the event. */
function isPublished(plan: EventsPart, event: OutEventPlan): boolean {
  return (plan.events.stream !== undefined && event.stream.length > 0) || isPosted(plan, event);
}

/** Whether webhooks deliver the event: they do not deliver events about webhooks and deliveries. */
function isPosted({ events }: EventsPart, { resource, webhook }: OutEventPlan): boolean {
  const isSystem = resource === webhookResource || resource === deliveryResource;
  return events.webhook !== undefined && webhook.length > 0 && !isSystem;
}

function anyOf(events: readonly string[], names: ComponentNames, propertyName: string | undefined): JsonObject {
  const mapping = events.map((name) => [name, `#/components/schemas/${names.event(name)}`]);
  if (events.length === 0) return { type: "object", description: "There are no events." };
  return {
    oneOf: events.map((name) => refTo(names.event(name))),
    ...(propertyName && { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } }),
  };
}

// ── Schemas ────────────────────────────────────────────────────────────────────────────────────────────────────────

const instant: JsonObject = { type: "string", format: "date-time" };
const text: JsonObject = { type: "string" };

function eventSchema(
  plan: ResourcesPart & EventsPart,
  name: string,
  event: OutEventPlan,
  names: ComponentNames,
): JsonObject {
  const data = dataSchema(plan, event, names);
  const { envelope } = plan.events;
  if (typeof envelope === "object")
    return {
      title: name,
      description: `\`${name}\``,
      ...(shapeSchema(envelope.shape, name, event.resource, data) as JsonObject),
    };
  const members: JsonObject =
    envelope === "cloudevents"
      ? {
          specversion: { type: "string", const: "1.0" },
          id: text,
          source: { type: "string", format: "uri" },
          type: { type: "string", const: name },
          subject: { type: "string", description: `The id of the ${event.resource}.` },
          time: instant,
          datacontenttype: { type: "string", const: "application/json" },
          sequence: { type: "string", description: "Increases with each change of the record; compare it as text." },
          data,
        }
      : {
          id: text,
          type: { type: "string", const: name },
          timestamp: instant,
          sequence: { type: "integer", description: "Increases with each change of the record." },
          request: {
            type: "object",
            description: "The request that caused the event; absent for timed transitions.",
            properties: { id: text },
            required: ["id"],
          },
          data,
        };
  const required = Object.keys(members).filter((member) => member !== "request");
  return { type: "object", description: `\`${name}\``, properties: members, required };
}

/** Returns the schema of a custom envelope of the event `name`. */
function shapeSchema(shape: Json, name: string, resource: string, data: JsonObject): Json {
  const values = { ...typeValues(name), resource: camelCase(resource) };
  const constant = (value: string): string =>
    value.replaceAll(/\{(\w+)\}/g, (hole, key: string) => lookup(values, key) ?? hole);
  const schemaOf = (value: Json): JsonObject => {
    if (value === "{data}") return data;
    if (typeof value === "string") {
      const known = constant(value);
      return lookup(shapeValues, known) ?? (known.includes("{") ? text : { type: "string", const: known });
    }
    if (Array.isArray(value)) {
      const items = value.map((item: Json) => schemaOf(item));
      return { type: "array", prefixItems: items, minItems: items.length, maxItems: items.length };
    }
    if (value === null || typeof value !== "object") return { const: value };
    const members = Object.entries(value as JsonObject).map(([key, one]) => [constant(key), schemaOf(one)] as const);
    return { type: "object", properties: Object.fromEntries(members), required: members.map(([key]) => key) };
  };
  return schemaOf(shape);
}

/** The schemas of placeholders that are a whole value; every other one is a text. */
const shapeValues: Readonly<Record<string, JsonObject>> = {
  "{time}": { type: "string", format: "date-time" },
  "{seconds}": { type: "integer", description: "Seconds since 1970." },
  "{sequence}": { type: "integer", description: "Increases with each change of the record." },
  "{source}": { type: "string", format: "uri" },
  "{version}": { type: ["string", "null"] },
  "{request}": { type: ["string", "null"], description: "The id of the request that caused the event." },
};

/** Returns the name of the member with the type of an event; undefined if an envelope has none. */
function typeMember({ events: { envelope } }: EventsPart): string | undefined {
  if (typeof envelope === "string") return "type";
  const found = Object.entries(envelope.shape as JsonObject).find(([, value]) => value === "{type}");
  return found?.[0];
}

function dataSchema(plan: ResourcesPart, { resource, carries, view }: OutEventPlan, names: ComponentNames): JsonObject {
  if (view !== undefined) return refTo(names.view(view));
  if (carries === undefined) return refTo(names.resource(resource));
  const table = plan.tables.find((one) => one.resource === resource);
  const members: readonly (Column | Virtual)[] = [...(table?.columns ?? []), ...(table?.virtual ?? [])];
  const carried = carries.flatMap((name) => members.find((member) => member.name === name) ?? []);
  const always = carried.filter(alwaysThere);
  return {
    type: "object",
    description: `Of the ${resource}.`,
    properties: Object.fromEntries(carried.map(({ name, schema }) => [name, schema])),
    ...(always.length === 0 ? {} : { required: always.map(({ name }) => name) }),
  };
}

function pageSchema({ resource }: Operation, names: ComponentNames): JsonObject {
  return {
    type: "object",
    properties: {
      items: { type: "array", items: refTo(names.resource(resource)) },
      next: {
        type: ["string", "null"],
        description:
          "The `cursor` of the next page; null on the last page. A page may have fewer events than the limit.",
      },
    },
    required: ["items", "next"],
  };
}

// ── The stream ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The id of an event: 128 bits in base 32. */
const eventId = "^evt_[0-7][0-9a-v]{25}$";

/** Returns the additional parameters and responses of the stream's operations; undefined for any other operation. */
export function streamParts(plan: EventsPart, { name }: Operation): StreamParts | undefined {
  const { stream } = plan.events;
  if (stream === undefined || name !== stream.follow.name) return undefined;
  return {
    parameters: [
      {
        name: stream.resume,
        in: "header",
        description: "Of the stream: the id of the last event that the client received. The stream resumes after it.",
        schema: { type: "string", pattern: eventId },
      },
    ],
    content: {
      "text/event-stream": {
        schema: {
          type: "string",
          description: `Server-sent events, from now on: \`id\`, \`event\` (the type) and \`data\`, one line of JSON, ${withArticle(stream.follow.resource)}. A comment is sent every 15 s.`,
        },
      },
    },
  };
}

export interface StreamParts {
  readonly parameters: readonly JsonObject[];
  /** The success response, by media type. */
  readonly content: JsonObject;
}

// ── Webhooks ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function webhookItems(plan: EventsPart, names: ComponentNames): JsonObject {
  const described = describedWebhooks(plan.events.described);
  const items = { ...described, ...Object.fromEntries(deliveredItems(plan, names)) };
  return Object.keys(items).length === 0 ? {} : { webhooks: items };
}

/** Describes the webhooks that the service delivers. */
function deliveredItems(plan: EventsPart, names: ComponentNames): readonly [string, Json][] {
  const { envelope, out, webhook } = plan.events;
  if (webhook === undefined) return [];
  const { scheme } = webhook;
  const media = eventMedia(envelope);
  const posted = Object.entries(out).filter(([, event]) => isPosted(plan, event));
  return posted.map(([name, event]): [string, Json] => [
    name,
    {
      post: {
        operationId: `on${pascalCase(name)}`,
        tags: [event.resource],
        summary: `\`${name}\` has happened`,
        description: `Sent to the addresses of ${grantsText(event.webhook)}.`,
        // No security requirement, since the signature authenticates the sender.
        security: [],
        ...(scheme === undefined ? {} : { parameters: signatureParameters(scheme) }),
        requestBody: { required: true, content: { [media]: { schema: refTo(names.event(name)) } } },
        responses: {
          "2XX": { description: "The delivery is confirmed." },
          "410": { description: "Ends deliveries to this address." },
          default: { description: "The delivery failed and is retried later." },
        },
      },
    },
  ]);
}

function signatureParameters(scheme: SignatureScheme): readonly JsonObject[] {
  if (schemeName(scheme) === "standard-webhooks") return standardParameters;
  return Object.entries(scheme.headers).map(([name, template]) =>
    field(name, headerText(name, scheme), template === "{seconds}" ? { type: "integer" } : text),
  );
}

const standardParameters: readonly JsonObject[] = [
  field("webhook-id", "The id of the event, the same at every attempt.", text),
  field("webhook-timestamp", "When this attempt was made, in seconds since 1970.", { type: "integer" }),
  field(
    "webhook-signature",
    "`v1,` and the signature, as in Standard Webhooks; several are separated by spaces.",
    text,
  ),
];

function field(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "header", required: true, description, schema };
}
