/**
 * Converts AsyncAPI 3 to part 6: an operation that the application sends is an outgoing event, one that it receives an incoming
 * event. AsyncAPI has no trigger of outgoing events and no proof of the sender of incoming ones.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import type { Model } from "../language/model.ts";
import { eventName } from "./events.ts";
import { aboutTheSource, everyPart, type Parts, purposeOf } from "./model.ts";
import { linkOf } from "./operations.ts";
import { plain, quoted } from "./prose.ts";
import { below, entriesOf, type ImportNotices, textOf, textsOf } from "./report.ts";
import { createSchemas, type Found, type Schemas } from "./schemas.ts";

export function asyncParts(root: JsonObject, notices: ImportNotices): Parts {
  const schemas = createSchemas(root, "3.1", notices);
  const events = eventsOf(root, schemas, notices);
  const out = events.filter(({ action }) => action === "send");
  const inward = events.filter(({ action }) => action === "receive");
  for (const [name, server] of entriesOf(root["servers"]))
    notices.lost(below("", "servers", name), "a server and its protocol", protocolOf(server));
  const info = isObject(root["info"]) ? root["info"] : {};
  const purpose = purposeOf(info, []);
  const named = schemas.all();
  const model: Model = {
    ...(typeof info["title"] === "string" ? { title: info["title"].replaceAll(/\s+/g, " ").trim() } : {}),
    status: {
      ...everyPart("not shown" as const),
      purpose: "shown",
      resources: Object.keys(named).length === 0 ? "not shown" : "shown",
      events: "shown",
    },
    purpose: purpose.purpose,
    resources: { resources: {}, types: {}, ...(Object.keys(named).length === 0 ? {} : { schemas: named }), rules: {} },
    states: {},
    endpoints: { endpoints: {} },
    authentication: { credentials: {}, own: {}, allow: {}, show: {} },
    events: { ...(out.length === 0 ? { out: {} } : {}), ...(inward.length === 0 ? { in: {} } : {}) },
    errors: { errors: {} },
    limits: {},
    versioning: {},
    gaps: [
      ...purpose.gaps,
      "purpose/operations",
      "events/envelope",
      ...out.map(({ name }) => `events/out/${name}`),
      ...inward.map(({ name }) => `events/in/${name}`),
      "events/delivery",
    ],
  };
  const version =
    typeof info["version"] === "string"
      ? [
          `The source is version ${plain(info["version"])} of its description (AsyncAPI); how versions are told apart is not shown.`,
        ]
      : [];
  return {
    model,
    prose: {
      purpose: { before: aboutTheSource(info, { ...root, externalDocs: info["externalDocs"] ?? null }) },
      events: { after: events.flatMap(({ prose }) => prose) },
      versioning: { before: version },
    },
  };
}

interface ImportedEvent {
  readonly name: string;
  readonly action: "send" | "receive";
  readonly prose: readonly string[];
}

function eventsOf(root: JsonObject, schemas: Schemas, notices: ImportNotices): readonly ImportedEvent[] {
  const usedNames = new Set<string>();
  return entriesOf(root["operations"]).flatMap(([written, value]): readonly ImportedEvent[] => {
    const at = below("", "operations", written);
    const operation = schemas.resolve(value, at);
    if (operation === undefined) return [];
    const { action, reply, bindings, channel } = operation.value;
    if (action !== "send" && action !== "receive") {
      notices.lost(operation.pointer, "an operation that neither sends nor receives");
      return [];
    }
    if (reply !== undefined) notices.lost(below(operation.pointer, "reply"), "the reply to a message", written);
    if (bindings !== undefined) notices.lost(below(operation.pointer, "bindings"), "what a protocol binds", written);
    const channelSchema = schemas.resolve(channel, below(operation.pointer, "channel"));
    const address = channelSchema?.value["address"];
    if (channelSchema?.value["bindings"] !== undefined)
      notices.lost(below(channelSchema.pointer, "bindings"), "what a protocol binds", written);
    const messages = messagesOf(operation, channelSchema, schemas);
    const payloads = messages.flatMap(({ value: message, pointer }) => payloadOf(message, pointer, schemas, notices));
    notices.lost(
      operation.pointer,
      action === "send"
        ? "what makes the service send an event, and how it is sent"
        : "the proof of an inbound event, and what it does",
      written,
    );
    const name = eventName(written, usedNames);
    const described = [operation.value, ...messages.map(({ value: message }) => message)].flatMap(wordsOf);
    return [
      {
        name,
        action,
        prose: [
          `#### ${name}`,
          `${action === "send" ? "It is sent" : "It is received"}${typeof address === "string" ? ` at \`${address.replaceAll("`", "'")}\`` : ""}.`,
          payloads.length === 0
            ? "What it carries is not shown."
            : `It carries a ${payloads.map((payload) => `\`${payload}\``).join(" or a ")}.`,
          ...[...new Set(described)].map(quoted),
        ],
      },
    ];
  });
}

/** Returns the messages that the operation names, else all messages of its channel. */
function messagesOf(operation: Found, channel: Found | undefined, schemas: Schemas): readonly Found[] {
  const { messages } = operation.value;
  const own = Array.isArray(messages)
    ? (messages as readonly Json[]).map((one, index) => [String(index), one] as const)
    : undefined;
  const at = own === undefined ? below(channel?.pointer ?? "", "messages") : below(operation.pointer, "messages");
  const list = own ?? entriesOf(channel?.value["messages"]);
  return list.flatMap(([key, one]) => {
    const message = schemas.resolve(one, below(at, key));
    return message === undefined ? [] : [message];
  });
}

function payloadOf(message: JsonObject, pointer: string, schemas: Schemas, notices: ImportNotices): readonly string[] {
  const { payload, name, headers, bindings, correlationId, traits } = message;
  for (const [member, value] of Object.entries({ headers, bindings, correlationId, traits }))
    if (value !== undefined) notices.lost(below(pointer, member), `\`${member}\` of a message`);
  if (!isObject(payload)) return [];
  const at = below(pointer, "payload");
  if (payload["schemaFormat"] !== undefined && payload["schema"] !== undefined) {
    const format = textOf(payload["schemaFormat"]);
    if (!/json|asyncapi/i.test(format) || /avro/i.test(format)) {
      notices.lost(at, "a payload that JSON Schema does not describe", format);
      return [];
    }
    return [schemas.named(payload["schema"], below(at, "schema"), wanted(name, pointer))];
  }
  const type = schemas.typeOf(payload, at);
  return [type.kind === "named" ? type.name : schemas.named(payload, at, wanted(name, pointer))];
}

function wanted(name: Json | undefined, pointer: string): string {
  return `${typeof name === "string" ? name : pointer.slice(pointer.lastIndexOf("/") + 1)} payload`;
}

function wordsOf({ title, summary, description, externalDocs }: JsonObject): readonly string[] {
  return [...textsOf(title, summary, description), ...(isObject(externalDocs) ? [linkOf(externalDocs)] : [])];
}

function protocolOf(server: Json): string {
  return isObject(server)
    ? [server["protocol"], server["host"]].filter((one) => typeof one === "string").join(" ")
    : "";
}
