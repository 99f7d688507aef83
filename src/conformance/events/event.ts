/** Events as they arrive: their envelope, and to which record they belong. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { typeValues } from "../../base/signature-schemes.ts";
import { fieldsOf, isUnique, lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import type { Model } from "../../language/model.ts";
import type { Contract } from "../contract.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";

/** A way in which events reach clients. */
export type Channel = "webhook" | "stream";

export interface ArrivedEvent {
  /** The id by which a receiver recognises an event that arrives again. */
  readonly id: string;
  readonly type: string;
  /** The JSON object with the members of the envelope. */
  readonly envelope: JsonObject;
  readonly data: JsonObject;
  /** When it arrived, in milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** The statement that declares a channel. */
export const pathOf: Readonly<Record<Channel, string>> = {
  webhook: "events/delivery/webhook/subscribe",
  stream: "events/delivery/stream/at",
};

/** Returns the path of the statement that declares an outgoing event: in an older version, the event may have another name. */
export function outPath({ newestEventNames }: Contract, name: string): string {
  return `events/out/${newestEventNames.get(name) ?? name}`;
}

/** An event as it arrived. `id`, `type` and `topic` are those in the header fields, if there are any. */
interface Arrived {
  readonly json: Json | undefined;
  readonly id?: string;
  readonly type?: string;
  readonly topic?: string;
  readonly arrivedAt: number;
}

/** Returns an event from its JSON. @throws Broken if it has another envelope, or a type that the document does not declare */
export function readEvent({ model }: Contract, channel: Channel, arrived: Arrived): ArrivedEvent {
  const { envelope } = model.events;
  const { json, id, arrivedAt } = arrived;
  if (typeof envelope === "object") return readCustomEvent(model, channel, envelope.shape, arrived);
  const problem = envelopeProblem(json, envelope);
  if (problem !== undefined)
    throw new Broken(`an event in the envelope ${envelope}: ${problem}`, shortText(json), undefined, "events/envelope");
  const found = isObject(json) ? json["type"] : undefined;
  const data = isObject(json) ? json["data"] : undefined;
  if (!isObject(json) || typeof found !== "string" || !isObject(data))
    throw new NotTried(`the document declares no envelope, and the test finds no type and data in ${shortText(json)}`);
  expectDeclared(model, channel, found);
  return { id: id ?? textOf(json["id"]), type: found, envelope: json, data, arrivedAt };
}

function expectDeclared({ events: { out = {}, delivery = {} } }: Model, channel: Channel, type: string): void {
  // The language has two events of its own, about webhooks that fail.
  const isOwn = delivery.webhook !== undefined && type.startsWith("webhook.");
  if (lookup(out, type) === undefined && !isOwn)
    throw new Broken("only events that the document declares", `the event ${type}`, undefined, pathOf[channel]);
}

/** Reads an event in the envelope that the document declares. @throws Broken, or NotTried if the envelope does not identify it */
function readCustomEvent(model: Model, channel: Channel, shape: Json, arrived: Arrived): ArrivedEvent {
  const { json, arrivedAt } = arrived;
  const values = new Map<string, Json>();
  const problem = shapeProblem(json, shape, values);
  if (problem !== undefined)
    throw new Broken(`an event in the declared envelope: ${problem}`, shortText(json), undefined, "events/envelope");
  const type =
    values.get("type") ?? arrived.type ?? typeBy(model, values.get("topic") ?? arrived.topic, values.get("action"));
  const data = values.get("data");
  const id = arrived.id ?? values.get("id");
  if (typeof type !== "string" || !isObject(data) || id === undefined || !isObject(json))
    throw new NotTried("the envelope of the document does not show the id, the type and the data of an event");
  expectDeclared(model, channel, type);
  const record = values.get("record");
  return {
    id: textOf(id),
    type,
    envelope: { ...json, ...(record === undefined ? {} : { subject: record }) },
    data,
    arrivedAt,
  };
}

/**
 * Returns the type of an event whose envelope has a topic and an action instead: that of the one declared event with both. If none has
 * both, returns `topic.action`, which the document does not declare; undefined if several events are possible.
 */
function typeBy(
  { events: { delivery = {}, out = {} } }: Model,
  topic: Json | undefined,
  action: Json | undefined,
): Json | undefined {
  const fits = (name: string): boolean => {
    const values = typeValues(name);
    return (topic ?? values["topic"]) === values["topic"] && (action ?? values["action"]) === values["action"];
  };
  if (topic === undefined && action === undefined) return undefined;
  const [type, ...others] = Object.keys(out).filter(fits);
  if (type !== undefined) return others.length === 0 ? type : undefined;
  // An event about webhooks may have this topic, or this action.
  const isUnknown = topic === undefined || (topic === "webhook" && action === undefined);
  if (delivery.webhook !== undefined && isUnknown) return undefined;
  return [topic, action].flatMap((part) => (part === undefined ? [] : textOf(part))).join(".");
}

/** Returns how a value differs from an envelope, in plain words, and collects the values of its placeholders. */
function shapeProblem(got: Json | undefined, shape: Json, values: Map<string, Json>): string | undefined {
  if (typeof shape === "string" && shape.includes("{")) {
    const [, name] = /^\{(\w+)\}$/.exec(shape) ?? [];
    if (got === undefined) return `a value for ${shape}`;
    if (name !== undefined) values.set(name, got);
    return undefined;
  }
  if (shape === null || typeof shape !== "object") return got === shape ? undefined : shortText(shape);
  if (Array.isArray(shape)) {
    if (!Array.isArray(got) || got.length !== shape.length) return `a list of ${shape.length} items`;
    return shape
      .map((one: Json, index) => shapeProblem(got[index] as Json, one, values))
      .find((one) => one !== undefined);
  }
  if (!isObject(got)) return "an object";
  const names = Object.keys(shape);
  // The name of a member may depend on the event.
  const others = Object.keys(got).filter((name) => !names.includes(name));
  for (const [name, member] of Object.entries(shape as JsonObject)) {
    const there = name.includes("{") ? others[0] : name;
    const problem = shapeProblem(there === undefined ? undefined : got[there], member, values);
    if (problem !== undefined) return `${problem} in \`${name}\``;
  }
  return others.length > names.filter((name) => name.includes("{")).length ? `no member \`${others[0]}\`` : undefined;
}

/** Returns what an event lacks of its envelope, in plain words. */
export function envelopeProblem(
  json: Json | undefined,
  envelope: "cloudevents" | "plain" | undefined,
): string | undefined {
  if (envelope === undefined) return undefined;
  if (!isObject(json)) return "a JSON object";
  if (typeof json["type"] !== "string") return "a text `type`";
  if (!isObject(json["data"])) return "an object `data`";
  if (envelope === "plain") return json["specversion"] === undefined ? undefined : "no CloudEvent";
  if (json["specversion"] !== "1.0") return "`specversion` 1.0";
  for (const name of ["id", "source"]) {
    const value = json[name];
    if (typeof value !== "string" || value === "") return `a text \`${name}\``;
  }
  const { time, datacontenttype: media, subject } = json;
  if (time !== undefined && !isTime(time)) return "a `time` as RFC 3339 writes it";
  if (subject !== undefined && (typeof subject !== "string" || subject === "")) return "a text `subject`";
  if (media !== undefined && !(typeof media === "string" && /^application\/(?:[\w.+-]+\+)?json\b/.test(media)))
    return "`datacontenttype` application/json";
  const odd = Object.keys(json).find((name) => !/^[a-z0-9]+$/.test(name));
  return odd === undefined ? undefined : `no member \`${odd}\`, since names consist of lower-case letters and digits`;
}

function isTime(value: Json): boolean {
  const pattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
  return typeof value === "string" && pattern.test(value) && !Number.isNaN(Date.parse(value));
}

/** Whether an event is about a record; undefined if nothing that the test knows identifies the event's record. */
export function isAbout(
  { model }: Contract,
  { data, envelope }: ArrivedEvent,
  { resource, values }: KnownRecord,
): boolean | undefined {
  const id = values.get("id");
  const subject = data["id"] ?? (typeof envelope["subject"] === "string" ? envelope["subject"] : undefined);
  if (id !== undefined && subject !== undefined)
    return textOf(subject) === textOf(id) || textOf(subject).endsWith(`/${textOf(id)}`);
  // If no response shows the id, another unique field may identify the record.
  const name = Object.keys(fieldsOf(model, resource)).find(
    (one) => isUnique(model, resource, one) && (values.get(one) ?? null) !== null && lookup(data, one) !== undefined,
  );
  return name === undefined ? undefined : values.get(name) === data[name];
}
