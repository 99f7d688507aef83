/** Sends incoming events (part 6, `in`): their payloads, and requests with the credential of their sender. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { schemeOf } from "../../base/signature-schemes.ts";
import type { InEvent } from "../../language/events/model.ts";
import { requestValueOf } from "../../language/events/request-value.ts";
import { lookup, referenceOf } from "../../language/resources/fields.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import type { TriggeredTransition } from "../effects.ts";
import { truth } from "../expressions.ts";
import type { Interaction, Request } from "../interaction.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { signer } from "../signer.ts";
import { solve } from "../solve.ts";
import { validValue } from "../values/valid.ts";
import { lentCaller } from "./callers.ts";
import { afterLimits } from "./used-up.ts";
import { sendable, supplyFor } from "./inputs.ts";
import type { KnownRecord } from "./known.ts";
import { lookAround, readId } from "./looking.ts";
import type { Trial } from "./trial.ts";
import { presentOf, syncClock } from "./world.ts";

/** Returns the incoming event that makes a transition, and the member of its payload that refers to the record. */
export function incomingFor(
  { model }: Contract,
  { resource, trigger: { on } }: TriggeredTransition,
): { readonly event: string; readonly member: string } | undefined {
  if (on.kind !== "when") return undefined;
  for (const event of on.events) {
    const carries = lookup(model.events.in ?? {}, event)?.carries ?? {};
    const referring = Object.entries(carries).flatMap(([name, type]) =>
      referenceOf(model, type) === resource ? [name] : [],
    );
    const member = on.field === undefined ? referring[0] : referring.find((name) => name === on.field);
    if (member !== undefined) return { event, member };
  }
  return undefined;
}

export interface IncomingOptions {
  /** Who sends it; by default a sender with the credential of the event. */
  readonly sender?: Caller;
  /** The bytes of the body, in place of the payload as JSON. */
  readonly body?: string;
  /** Header fields, in place of those that the document names (`is`, `once`), in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends an incoming event. */
export async function sendIncoming(
  trial: Trial,
  event: string,
  payload: JsonObject,
  options: IncomingOptions = {},
): Promise<Interaction> {
  const sender = options.sender ?? (await senderOf(trial, event));
  const body = options.body ?? JSON.stringify(payload);
  const send = async (): Promise<Interaction> => {
    await syncClock(trial.world);
    return trial.send(incomingRequest(trial, event, body, { ...options, sender }), sender);
  };
  return afterLimits(trial, await send(), send);
}

/** Returns the request with an incoming event, with the credential of its sender. */
export function incomingRequest(
  trial: Trial,
  event: string,
  body: string,
  { sender, headers: chosen = {} }: IncomingOptions & { readonly sender: Caller },
): Request {
  const { contract, world } = trial;
  const { method, path } = incoming(contract, event);
  const named = { ...kindHeaders(trial, event), ...chosen };
  const { headers, path: prefix, query } = versionSelector(contract, contract.version);
  const parameters = new URLSearchParams(query).toString();
  const url = `${operationsAddress(contract, world.target.address)}${prefix}${path}`;
  const request = sender.authorize({
    method,
    url: parameters === "" ? url : `${url}?${parameters}`,
    headers: { ...headers, ...named, "Content-Type": "application/json" },
    body,
  });
  // A scheme has fields of such names, too, which are no part of the signed text.
  const others = Object.entries(request.headers).filter(
    ([name]) => name in named || lookup(named, name.toLowerCase()) === undefined,
  );
  return { ...request, headers: Object.fromEntries(others) };
}

/** Returns the header fields of an event: those of its kind, and a new id of the delivery. */
function kindHeaders(trial: Trial, event: string): Readonly<Record<string, string>> {
  const { is = {} } = incoming(trial.contract, event);
  const kinds = Object.entries(is).flatMap(([written, value]): [string, string][] => {
    const at = requestValueOf(written);
    return at.kind === "header" ? [[at.name, value]] : [];
  });
  const delivery = deliveryField(trial.contract, event);
  const id = `test-${trial.world.count()}-${trial.random.text(8)}`;
  return Object.fromEntries([...kinds, ...(delivery === undefined ? [] : [[delivery, id] as const])]);
}

/** Returns the header field with the id of a delivery; undefined if there is none, or if the scheme of the signature sets it. */
export function deliveryField(contract: Contract, event: string): string | undefined {
  const { once, with: credential } = incoming(contract, event);
  const at = once === undefined ? undefined : requestValueOf(once);
  const { scheme } = lookup(contract.model.authentication.credentials, credential) ?? {};
  const signed = scheme === undefined ? [] : Object.keys(schemeOf(scheme).headers).map((name) => name.toLowerCase());
  return at?.kind === "header" && !signed.includes(at.name) ? at.name : undefined;
}

/** Returns a sender with the credential of the event. @throws NotTried if the test has none */
export async function senderOf(trial: Trial, event: string): Promise<Caller> {
  const { contract, world } = trial;
  const { with: credential } = incoming(contract, event);
  if (lookup(contract.model.authentication.credentials, credential)?.kind === "hmac-sha256")
    return signer(contract, credential, secretOf(trial, credential), () => presentOf(world));
  const known = (await trial.callers()).find((one) => one.credential === credential);
  const sender = known ?? (await lentCaller(trial, [], 1, credential));
  if (sender?.credential === credential) return sender;
  throw new NotTried(
    `the test has no credential ${credential}, with which ${event} is sent`,
    `a credential ${credential}`,
  );
}

/** Returns the secret with which requests are signed. @throws NotTried if the test does not know it */
export function secretOf({ contract, world }: Trial, credential: string): string {
  const { secret: variable } = lookup(contract.model.authentication.credentials, credential) ?? {};
  const found = variable === undefined ? undefined : world.target.secrets[variable];
  if (found !== undefined) return found;
  throw new NotTried(
    `the test does not know the secret of ${credential}`,
    variable === undefined
      ? "the secret of the credential"
      : `the value of ${variable}, in the environment or in \`secrets\``,
  );
}

/** How often the test tries other random payloads before it gives up. */
const attempts = 40;

/** Returns a valid payload. `fixed`: members that must have these values. */
export async function payloadOf(
  trial: Trial,
  event: string,
  fixed: Readonly<Record<string, Json>> = {},
): Promise<JsonObject> {
  const { contract, random } = trial;
  const { carries, optional = [], is = {} } = incoming(contract, event);
  const payload: Record<string, Json> = {};
  for (const [name, type] of Object.entries(carries)) {
    const value = lookup(fixed, name);
    if (value !== undefined) payload[name] = value;
    if (value !== undefined || (optional.includes(name) && !random.chance(0.5))) continue;
    const resource = referenceOf(contract.model, type);
    const record = resource === undefined ? undefined : await trial.reference(resource, anonymous);
    const references = new Map(resource === undefined ? [] : [[resource, record?.values.get("id") ?? null] as const]);
    const found = validValue(contract, type, supplyFor(trial, anonymous, references));
    if (found !== undefined) payload[name] = found;
    else if (!optional.includes(name)) throw new NotTried(`the test finds no value for \`${name}\` of ${event}`);
  }
  return Object.entries(is).reduce<JsonObject>((body, [written, value]) => withValue(body, written, value), payload);
}

/** Returns a body with a value at a member; the same body if the value is not in the body. */
export function withValue(body: JsonObject, written: string, value: Json): JsonObject {
  const at = requestValueOf(written);
  if (at.kind === "header") return body;
  const set = (around: Json | undefined, [name = "", ...rest]: readonly string[]): JsonObject => {
    const members = isObject(around) ? around : {};
    return { ...members, [name]: rest.length === 0 ? value : set(members[name], rest) };
  };
  return set(body, at.path);
}

/** Returns a payload that refers to the record and with which the guard of the transition has this value. */
export async function payloadWhere(
  trial: Trial,
  { event, member }: { readonly event: string; readonly member: string },
  record: KnownRecord,
  { path }: TriggeredTransition,
  wanted: boolean,
): Promise<JsonObject | undefined> {
  const { contract } = trial;
  const id = await readId(trial, record);
  if (id === undefined) throw new NotTried(`the test does not know the id of ${withArticle(record.resource)}`);
  const fixed = { [member]: id };
  const { carries } = incoming(contract, event);
  const guard = contract.typed.get(`${path}/if`);
  if (guard === undefined) return wanted ? payloadOf(trial, event, fixed) : undefined;
  await lookAround(trial, record);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const solved = wanted && attempt < attempts / 2 ? solve(guard, trial.scope(anonymous, record)).input : [];
    const values = sendable(contract, solved, (name) => lookup(carries, name));
    const payload = await payloadOf(trial, event, { ...values, ...fixed });
    if (truth(guard, trial.scope(anonymous, record, payloadInput(contract, event, payload))) === wanted) return payload;
  }
  return undefined;
}

/** Returns a payload as expressions see it: with null for each member that is left out. */
export function payloadInput(contract: Contract, event: string, payload: JsonObject): JsonObject {
  const { carries } = incoming(contract, event);
  return Object.fromEntries(Object.keys(carries).map((name) => [name, lookup(payload, name) ?? null]));
}

function incoming({ model }: Contract, event: string): InEvent {
  const found = lookup(model.events.in ?? {}, event);
  if (found === undefined) throw new NotTried(`the document has no incoming event ${event}`);
  return found;
}
