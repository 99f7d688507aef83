/**
 * Exports a plan as AsyncAPI 3.0: the events that the service sends by webhook and on its stream, and the events that it
 * receives. Payloads have all members that any receiver may see; their schemas are those of the OpenAPI description.
 */
import { camelCase, pascalCase } from "../../base/case.ts";
import { defined } from "../../base/defined.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { headerText, type SignatureScheme, schemeName } from "../../base/signature-schemes.ts";
import { headerOf, schemeOf } from "../../language/authentication/model.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import { eventMedia } from "../../plan/events/events.ts";
import type { EventsPlan } from "../../plan/events/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Described, describe, type DescribedOperation, reachedFrom } from "../described.ts";
import { refTo } from "../openapi/schemas.ts";
import { signatureDescription } from "../openapi/security.ts";
import { exampleOf } from "../example.ts";

interface AsyncApiParts {
  readonly channels: JsonObject;
  readonly operations: JsonObject;
  readonly messages: JsonObject;
}

export function asyncapi(plan: Plan, baseUrl: string): JsonObject {
  const described = describe(plan, baseUrl);
  const parts = [webhooks(plan, described), stream(plan, described), ...inbound(described)];
  const merged = (name: keyof AsyncApiParts): JsonObject =>
    Object.assign({}, ...parts.map((part) => part[name])) as JsonObject;
  const messages = merged("messages");
  const reached = reachedFrom(described.schemas, [messages]);
  const schemas = Object.entries(described.schemas).filter(([name]) => reached.has(name));
  return {
    asyncapi: "3.0.0",
    ...idOf(plan),
    info: {
      title: plan.title,
      version: plan.version ?? "1",
      ...(plan.purpose === "" ? {} : { description: plan.purpose }),
    },
    defaultContentType: "application/json",
    servers: serversOf(plan, described),
    channels: merged("channels"),
    operations: merged("operations"),
    components: {
      messages,
      schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, asyncSchema(schema)])),
      securitySchemes: Object.fromEntries(plan.credentials.map((one) => [one.name, securityScheme(one)])),
    },
  };
}

function idOf({ service }: Plan): JsonObject {
  return /^[A-Za-z0-9][A-Za-z0-9-]*$/.test(service) ? { id: `urn:nonet:${service}` } : {};
}

// ── Servers and who may come ───────────────────────────────────────────────────────────────────────────────────────

function serversOf(plan: Plan, { document }: Described): JsonObject {
  const [server] = document["servers"] as readonly { readonly url: string }[];
  const [, protocol = "http", host = "localhost", path = ""] =
    /^([a-z]+):\/\/([^/]+)(.*)$/i.exec(server?.url ?? "") ?? [];
  return {
    service: {
      host,
      protocol,
      ...(path === "" ? {} : { pathname: path }),
      description: plan.title,
    },
  };
}

/** AsyncAPI describes one place of a credential: the first. */
function securityScheme(credential: CredentialPlan): JsonObject {
  const { kind, name, sent } = credential;
  const sentIn = defined(sent[0], `a place of the credential ${name}`);
  const header = headerOf(sentIn);
  if (header === undefined) {
    const [place = "", parameter = ""] = Object.entries(sentIn)[0] ?? [];
    return { type: "httpApiKey", name: parameter, in: place };
  }
  const written = schemeOf(sentIn);
  const scheme = header.toLowerCase() === "authorization" ? written?.toLowerCase() : undefined;
  if (scheme === "bearer" || scheme === "basic")
    return { type: "http", scheme, ...(kind === "jwt" ? { bearerFormat: "JWT" } : {}) };
  const description =
    kind === "hmac-sha256"
      ? signatureDescription(sentIn, credential)
      : `\`${written === undefined ? "" : `${written} `}…\``;
  return { type: "httpApiKey", name: header, in: "header", description };
}

function securityOf(plan: Plan, described: Described, name: string): JsonObject {
  const paths = Object.values(described.document["paths"] as Readonly<Record<string, JsonObject>>);
  const declared = paths
    .flatMap((item) => Object.values(item) as readonly JsonObject[])
    .find((one) => one["operationId"] === name);
  const names = ((declared?.["security"] ?? []) as readonly JsonObject[]).flatMap((one) => Object.keys(one));
  const known = plan.credentials.filter((one) => names.includes(one.name));
  if (known.length === 0) return {};
  return { security: known.map((one) => ({ $ref: `#/components/securitySchemes/${one.name}` })) };
}

// ── What goes out ──────────────────────────────────────────────────────────────────────────────────────────────────

function webhooks(plan: Plan, described: Described): AsyncApiParts {
  const events = Object.keys(described.webhooks);
  const { webhook, envelope } = plan.events;
  if (webhook === undefined || events.length === 0) return nothing;
  const type = eventMedia(envelope);
  const signed = webhook.scheme === undefined ? {} : { headers: signatureHeaders(webhook.scheme) };
  const messages = events.map((event): [string, JsonObject] => [
    `${pascalCase(event)}Webhook`,
    { ...messageOf(described, event, type, envelope), ...signed },
  ]);
  const names = messages.map(([name]) => name);
  return {
    messages: Object.fromEntries(messages),
    channels: {
      webhooks: {
        // The channel has no address, since each subscriber registers its own.
        address: null,
        title: "Webhooks",
        description: "A POST to each registered address, for each event that the subscriber may see.",
        messages: inChannel(names),
        bindings: { http: {} },
      },
    },
    operations: {
      sendWebhooks: {
        action: "send",
        channel: { $ref: "#/channels/webhooks" },
        title: "Send events to webhooks",
        description: `A 2xx response confirms the delivery; 410 ends deliveries to this address; after any other response the delivery is retried, at most ${webhook.retryMilliseconds.length} times.`,
        messages: ofChannel("webhooks", names),
        bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
      },
    },
  };
}

function stream(plan: Plan, described: Described): AsyncApiParts {
  const { out, stream: declared } = plan.events;
  if (declared === undefined) return nothing;
  const events = Object.keys(out).filter((event) => (out[event]?.stream.length ?? 0) > 0);
  if (events.length === 0) return nothing;
  const messages = events.map((event): [string, JsonObject] => [
    `${pascalCase(event)}Streamed`,
    messageOf(described, event, "application/json", plan.events.envelope),
  ]);
  const names = messages.map(([name]) => name);
  const follow = described.operations.find(({ name }) => name === declared.follow.name);
  return {
    messages: Object.fromEntries(messages),
    channels: {
      stream: {
        address: follow?.path ?? "",
        title: "Stream",
        description: `Server-sent events (\`text/event-stream\`): \`data\` is a message, \`event\` its type, \`id\` the value for \`${declared.resume}\` to resume.`,
        servers: [{ $ref: "#/servers/service" }],
        messages: inChannel(names),
        bindings: { http: {} },
      },
    },
    operations: {
      [camelCase(declared.follow.name)]: {
        action: "send",
        channel: { $ref: "#/channels/stream" },
        title: follow?.summary ?? "Follow events",
        ...(follow === undefined ? {} : { description: follow.description }),
        ...securityOf(plan, described, declared.follow.name),
        messages: ofChannel("stream", names),
        bindings: { http: { method: "GET", bindingVersion: "0.3.0" } },
      },
    },
  };
}

const text: JsonObject = { type: "string" };

function signatureHeaders(scheme: SignatureScheme): JsonObject {
  if (schemeName(scheme) === "standard-webhooks") return standardHeaders;
  const names = Object.keys(scheme.headers);
  const properties = names.map((name) => [name, { ...text, description: headerText(name, scheme) }]);
  return { type: "object", properties: Object.fromEntries(properties) as JsonObject, required: names };
}

const standardHeaders: JsonObject = {
  type: "object",
  description: "By Standard Webhooks 1.0.0.",
  properties: {
    "webhook-id": { ...text, description: "The id of the event, the same at every attempt." },
    "webhook-timestamp": { ...text, description: "When this attempt was made, in seconds since 1970." },
    "webhook-signature": { ...text, description: "`v1,` and the signature; several are separated by spaces." },
  },
  required: ["webhook-id", "webhook-timestamp", "webhook-signature"],
};

function messageOf(
  described: Described,
  event: string,
  contentType: string,
  envelope: EventsPlan["envelope"],
): JsonObject {
  const payload = refTo(described.names.event(event));
  const example = exampleOf(described.schemas, payload);
  return {
    name: event,
    title: event,
    contentType,
    payload,
    ...correlationOf(envelope),
    ...(example === undefined ? {} : { examples: [{ name: camelCase(event), payload: example }] }),
  };
}

function correlationOf(envelope: EventsPlan["envelope"]): JsonObject {
  const members = typeof envelope === "string" ? { id: "{id}" } : (envelope.shape as JsonObject);
  const id = Object.keys(members).find((name) => members[name] === "{id}");
  if (id === undefined) return {};
  return {
    correlationId: {
      location: `$message.payload#/${id}`,
      description: "An event has the same id on every channel.",
    },
  };
}

// ── What comes in ──────────────────────────────────────────────────────────────────────────────────────────────────

function inbound(described: Described): readonly AsyncApiParts[] {
  return described.operations.flatMap((operation) => {
    const { operation: planned, body } = operation;
    return planned.inbound === undefined || body === undefined
      ? []
      : [receivedMessage(described, operation, planned.inbound)];
  });
}

function receivedMessage(
  { schemas }: Described,
  { path, method, summary, description, body }: DescribedOperation,
  { event, credential }: { readonly event: string; readonly credential: string },
): AsyncApiParts {
  const message = `${pascalCase(event)}Received`;
  const channel = camelCase(event);
  const schema = body?.schema ?? {};
  const example = exampleOf(schemas, schema);
  return {
    messages: {
      [message]: {
        name: event,
        title: event,
        contentType: "application/json",
        payload: schema,
        ...(example === undefined ? {} : { examples: [{ name: channel, payload: example }] }),
      },
    },
    channels: {
      [channel]: {
        address: path,
        title: event,
        servers: [{ $ref: "#/servers/service" }],
        messages: inChannel([message]),
        bindings: { http: {} },
      },
    },
    operations: {
      [`receive${pascalCase(event)}`]: {
        action: "receive",
        channel: { $ref: `#/channels/${channel}` },
        title: summary,
        description,
        security: [{ $ref: `#/components/securitySchemes/${credential}` }],
        messages: ofChannel(channel, [message]),
        bindings: { http: { method, bindingVersion: "0.3.0" } },
      },
    },
  };
}

const nothing: AsyncApiParts = { channels: {}, operations: {}, messages: {} };

function inChannel(messages: readonly string[]): JsonObject {
  return Object.fromEntries(messages.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function ofChannel(channel: string, messages: readonly string[]): readonly Json[] {
  return messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
}

function asyncSchema(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => asyncSchema(one));
  const members = Object.entries(value as JsonObject).filter(([keyword, member]) => {
    return (
      keyword !== "discriminator" || typeof member === "string" || !Object.hasOwn(member as JsonObject, "propertyName")
    );
  });
  return Object.fromEntries(members.map(([keyword, member]) => [keyword, asyncSchema(member as Json)]));
}
