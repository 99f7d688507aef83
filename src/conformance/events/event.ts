/** Events as they arrive: their envelope, and to which record they belong. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldsOf, isUnique, lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried, shortText } from "../case.ts";
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

/** Returns an event from its JSON. @throws Broken if it has another envelope, or a type that the document does not declare */
export function readEvent(
  { model }: Contract,
  channel: Channel,
  { json, id, arrivedAt }: { readonly json: Json | undefined; readonly id?: string; readonly arrivedAt: number },
): ArrivedEvent {
  const { envelope, out = {}, delivery = {} } = model.events;
  const problem = envelopeProblem(json, envelope);
  if (problem !== undefined)
    throw new Broken(`an event in the envelope ${envelope}: ${problem}`, shortText(json), undefined, "events/envelope");
  const type = isObject(json) ? json["type"] : undefined;
  const data = isObject(json) ? json["data"] : undefined;
  if (!isObject(json) || typeof type !== "string" || !isObject(data))
    throw new NotTried(`the document declares no envelope, and the test finds no type and data in ${shortText(json)}`);
  // The language has two events of its own, about webhooks that fail.
  const isOwn = delivery.webhook !== undefined && type.startsWith("webhook.");
  if (lookup(out, type) === undefined && !isOwn)
    throw new Broken("only events that the document declares", `the event ${type}`, undefined, pathOf[channel]);
  return { id: id ?? textOf(json["id"]), type, envelope: json, data, arrivedAt };
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
