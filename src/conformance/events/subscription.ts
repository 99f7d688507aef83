/** Subscriptions to webhooks: the operations that `subscribe` adds, and what arrives at the receiver of the test. */
import { isImpossible } from "../attempts.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldOf, type SignatureScheme, schemeOf } from "../../base/signature-schemes.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { deliveryResource, webhookOperations, webhookResource } from "../../language/events/decide.ts";
import type { Webhook } from "../../language/events/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { codeIn, statusText } from "../errors/expected.ts";
import { type Interaction, isResponse, type Response } from "../interaction.ts";
import type { Received, Receiver } from "../receiver.ts";
import { operationsAddress, versionSelector } from "../request.ts";
import { sentAt, webhookProblem } from "../signature.ts";
import { afterLimits } from "../trial/used-up.ts";
import type { KnownRecord } from "../trial/known.ts";
import { pageAt, type ReadPage } from "../trial/pages.ts";
import { type Query, queryText } from "../trial/parameters.ts";
import type { Trial } from "../trial/trial.ts";
import { stopped, syncClock } from "../trial/world.ts";
import { type ArrivedEvent, isAbout, pathOf, readEvent } from "./event.ts";
import { creatorAmong, type Observer, receiverRemedy, receivers } from "./observer.ts";

export interface Subscription extends Observer {
  readonly id: string;
  /** The path of the receiver. */
  readonly path: string;
  /** The URL that the implementation has. */
  readonly url: string;
  /** The secrets of which one must sign; the newest first. */
  readonly secrets: string[];
  /** Returns the requests that have arrived. */
  received(): readonly Received[];
}

export interface SubscriptionOptions {
  /** The types of events; default: all. */
  readonly events?: readonly string[];
}

/** Returns the receiver of the test. @throws NotTried without one */
export function receiverOf({ world }: Trial): Receiver {
  const { receiver } = world.target;
  if (receiver === undefined) throw new NotTried("webhooks need a receiver", receiverRemedy);
  return receiver;
}

/** Subscribes a caller. @throws NotTried if the implementation does not let it */
export async function subscribe(
  trial: Trial,
  caller: Caller,
  { events }: SubscriptionOptions = {},
): Promise<Subscription> {
  const receiver = receiverOf(trial);
  const path = `/${trial.world.count()}-${trial.random.text(8)}`;
  const url = receiver.url(path);
  const body = { url, ...(events === undefined ? {} : { events }) };
  const interaction = await callWebhooks(trial, caller, "POST", "", body);
  const response = trial.responseOf(interaction);
  if (isMissing(response.status))
    throw new Broken("a subscription", statusText(trial.contract, response), interaction, pathOf.webhook);
  if (response.status >= 300) throw notSubscribed(trial, response);
  const id = webhookIn(response.json)?.["id"];
  if (typeof id !== "string" && typeof id !== "number")
    throw new NotTried(`the response to a subscription has no \`id\`: ${shortText(response.json)}`);
  const subscription = createSubscription(trial, caller, { id: String(id), path, url });
  const secret = webhookIn(response.json)?.["secret"];
  if (typeof secret === "string") subscription.secrets.push(secret);
  else if (isSigned(trial)) {
    await subscription.close();
    throw new NotTried("the response to a subscription has no `secret`");
  }
  return subscription;
}

/** Subscribes one caller as often as there are options, and deletes the subscriptions in the end. */
export async function withSubscriptions<const All extends readonly SubscriptionOptions[]>(
  trial: Trial,
  all: All,
  run: (
    subscriptions: { readonly [Index in keyof All]: Subscription },
    /** Who should make the records, so that the caller receives their events; undefined: anybody. */
    creator: Caller | undefined,
  ) => Promise<void>,
): Promise<void> {
  const [caller] = await receivers(trial, "webhook");
  if (caller === undefined) throw new NotTried("no caller of the test may subscribe");
  const open: Subscription[] = [];
  try {
    for (const one of all) open.push(await subscribe(trial, caller, one));
    await run(open as unknown as Parameters<typeof run>[0], creatorAmong(trial.contract, "webhook", [caller]));
  } finally {
    for (const one of open) await one.close();
  }
}

/** Whether a status says that the service has no such operation, or cannot run it. */
export function isMissing(status: number): boolean {
  return status === 404 || status === 405 || status >= 500;
}

const loopbackRemedy = `${receiverRemedy}; \`nonet serve\` sends to this machine with --webhooks-to-loopback`;

/** Says why a subscription was rejected that the document permits. */
export function notSubscribed(trial: Trial, response: Response): NotTried {
  const { status, text } = response;
  if (status === 400 || status === 422) {
    const why = /loopback|public|https|url/i.test(text) ? "" : ` (${text.slice(0, 100)})`;
    return new NotTried(`the implementation rejects the address of the receiver${why}`, loopbackRemedy);
  }
  return new NotTried(`the implementation answered ${statusText(trial.contract, response)} to a subscription`);
}

function isSigned({ contract }: Trial): boolean {
  return schemeIn(contract) !== undefined;
}

/** Returns the scheme by which the document signs webhooks; undefined if it writes none. */
export function schemeIn({ model }: Contract): SignatureScheme | undefined {
  const { signed } = model.events.delivery?.webhook ?? {};
  return signed === undefined || signed === "none" ? undefined : schemeOf(signed);
}

function createSubscription(
  trial: Trial,
  receiver: Caller,
  { id, path, url }: Pick<Subscription, "id" | "path" | "url">,
): Subscription {
  const server = receiverOf(trial);
  const secrets: string[] = [];
  const { clock } = trial.world;
  let aheadBefore = clock.ahead;
  const events: ArrivedEvent[] = [];
  return {
    ...{ channel: "webhook", receiver, id, path, url, secrets },
    received: () => server.received(path),
    events() {
      // The clock of the implementation may have moved between the last reading, the arrival and this reading.
      const aheads = [aheadBefore, clock.ahead] as const;
      aheadBefore = clock.ahead;
      const received = server.received(path);
      for (const one of received.slice(events.length)) events.push(readWebhook(trial, one, secrets, aheads));
      return events;
    },
    async next(milliseconds) {
      await server.until(path, server.received(path).length + 1, milliseconds);
      await syncClock(trial.world);
    },
    async obstacle() {
      if (server.count() > 0) return undefined;
      const attempted = (await deliveriesOf(trial, receiver, id))?.some(({ attempts }) => isTried(attempts));
      // Without a list of deliveries nothing shows whether the implementation has sent something.
      return attempted === false
        ? undefined
        : "no webhook has arrived at the receiver at all, so the implementation may not reach it";
    },
    async pending() {
      const deliveries = (await deliveriesOf(trial, receiver, id)) ?? [];
      const pending = deliveries.filter(({ state }) => state === "pending");
      if (pending.length === 0) return undefined;
      return pending.some(({ attempts }) => isTried(attempts)) ? "failed" : "untried";
    },
    async close() {
      server.reply(path, { status: 204 });
      try {
        await callWebhooks(trial, receiver, "DELETE", `/${encodeURIComponent(id)}`);
      } catch (thrown) {
        // What the case has found counts more than a subscription that stays.
        if (!isImpossible(thrown)) throw thrown;
      }
    },
  };
}

/** The list of deliveries, which is no operation of the document itself. */
const listOfDeliveries: ResourceEndpoint = {
  ...{ kind: "resource", operation: webhookOperations.deliveries, resource: deliveryResource, action: "list" },
  ...{ endpoint: { method: "GET", path: "/deliveries" }, anchor: 0, parents: [], segments: [] },
};

/** How many pages of deliveries the test reads. */
const mostPages = 50;

/** Returns the deliveries that the implementation lists; undefined if it lists none. */
export async function deliveriesOf(
  trial: Trial,
  caller: Caller,
  id: string,
): Promise<readonly JsonObject[] | undefined> {
  const items: Json[] = [];
  let query: Query | undefined = {};
  for (let count = 0; query !== undefined && count < mostPages; count += 1) {
    const below = `/${encodeURIComponent(id)}/deliveries`;
    const interaction = await callWebhooks(trial, caller, "GET", below, undefined, query);
    const { response } = interaction;
    if (!isResponse(response) || response.status !== 200) return undefined;
    const page: ReadPage | undefined = pageAt(trial, listOfDeliveries, interaction, query);
    const found = page?.items ?? listIn(response.json);
    if (found === undefined) return undefined;
    items.push(...found);
    query = page?.following;
  }
  return items.filter(isObject);
}

function isTried(attempts: Json | undefined): boolean {
  return !Array.isArray(attempts) || attempts.length > 0;
}

/** Reads and verifies a webhook. @throws Broken */
function readWebhook(
  { contract }: Trial,
  { method, headers, body, arrivedAt }: Received,
  secrets: readonly string[],
  [least, most]: readonly [number, number],
): ArrivedEvent {
  const { signed } = contract.model.events.delivery?.webhook ?? {};
  const path = "events/delivery/webhook/signed";
  if (method !== "POST") throw new Broken("a POST", method, undefined, "events/delivery/webhook/subscribe");
  const scheme = schemeIn(contract);
  if (scheme !== undefined) {
    const sent = sentAt(headers, scheme) ?? arrivedAt;
    const present = Math.min(Math.max(sent, arrivedAt + least), arrivedAt + most);
    const problems = secrets.map((secret) => webhookProblem({ headers, body }, secret, present, scheme));
    if (!problems.includes(undefined))
      throw new Broken(`a signature by ${signatureName(signed)}`, problems[0] ?? "none", undefined, path);
  } else if (signed === "none" && headers["webhook-signature"] !== undefined)
    throw new Broken("no signature", headers["webhook-signature"], undefined, path);
  return readEvent(contract, "webhook", {
    json: structured(headers, jsonOf(body)),
    arrivedAt,
    ...idIn(headers, scheme),
  });
}

function signatureName(signed: Webhook["signed"]): string {
  return typeof signed === "string" ? signed : "the scheme of the document";
}

/** Returns the identity of an event in its header fields. */
function idIn(
  headers: Received["headers"],
  scheme: SignatureScheme | undefined,
): { readonly id?: string; readonly type?: string; readonly topic?: string } {
  const header = (placeholder: string): string | undefined => {
    const name = scheme === undefined ? undefined : fieldOf(scheme, placeholder);
    return name === undefined ? undefined : headers[name.toLowerCase()];
  };
  const id = header("id") ?? headers["webhook-id"];
  const [type, topic] = [header("type"), header("topic")];
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === undefined ? {} : { type }),
    ...(topic === undefined ? {} : { topic }),
  };
}

/** Returns a CloudEvent in the structured form also if it arrives in the binary one, with its attributes in the header. */
function structured(headers: Received["headers"], json: Json | undefined): Json | undefined {
  if (headers["ce-specversion"] === undefined || json === undefined) return json;
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith("ce-"));
  return { ...Object.fromEntries(attributes.map(([name, value]) => [name.slice("ce-".length), value])), data: json };
}

function jsonOf(body: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as Json;
  } catch {
    return undefined;
  }
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls one of the operations that `subscribe` adds. `below`: what follows the path of `subscribe`. */
export async function callWebhooks(
  trial: Trial,
  caller: Caller,
  method: string,
  below: string,
  body?: JsonObject,
  query?: Query,
): Promise<Interaction> {
  const { contract, world } = trial;
  const interaction = await sendToWebhooks(trial, caller, method, below, body, query);
  const { response } = interaction;
  // Part 8 limits how many webhooks a caller has; other cases may have some now.
  if (isResponse(response) && codeIn(contract, response) === "quota-exceeded")
    throw new NotTried(world.clock.isStopped ? stopped : "the caller has as many webhooks as the document allows");
  return interaction;
}

/** Sends a request to one of these operations, whatever its response is. */
export async function sendToWebhooks(
  trial: Trial,
  caller: Caller,
  method: string,
  below: string,
  body?: JsonObject,
  query: Query = {},
): Promise<Interaction> {
  const { contract, random, world } = trial;
  const { endpoints, events, resources } = contract.model;
  const { webhook } = events.delivery ?? {};
  if (webhook === undefined || lookup(resources.resources, webhookResource) !== undefined)
    throw new NotTried("the document has no webhooks");
  const { edits, repeats } = endpoints;
  const { headers, path, query: selecting } = versionSelector(contract, contract.version);
  const parameters = queryText({ ...selecting, ...query });
  const url = `${operationsAddress(contract, world.target.address)}${path}${webhook.path}${below}`;
  const hasKey =
    repeats !== undefined && repeats !== "none" && repeats.required && (repeats.on !== "POST" || method === "POST");
  const request = {
    method: below === "" && method === "POST" ? webhook.method : method,
    url: parameters === "" ? url : `${url}?${parameters}`,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(edits === "required" && (method === "PATCH" || method === "DELETE") ? { "If-Match": "*" } : {}),
      ...(hasKey && method !== "GET" ? { [repeats.header]: `test-${world.count()}-${random.text(8)}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const send = () => trial.send(caller.authorize(request), caller);
  return afterLimits(trial, await send(), send);
}

/** Returns the webhook in a response, without the object around it. */
export function webhookIn(json: Json | undefined): JsonObject | undefined {
  if (!isObject(json)) return undefined;
  if (lookup(json, "id") !== undefined) return json;
  const [inner, ...others] = Object.values(json);
  return others.length === 0 && isObject(inner) ? inner : undefined;
}

/** Returns the list in a response: the response itself, or its first member that is a list. */
export function listIn(json: Json | undefined): readonly Json[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return undefined;
  return Object.values(json).find((value): value is readonly Json[] => Array.isArray(value));
}

/** Expects that nothing about the record has arrived. */
export function expectNone(
  { contract }: Trial,
  subscription: Subscription,
  record: KnownRecord,
  whom: string,
  path: string = pathOf.webhook,
): void {
  const [event] = subscription.events().filter((one) => isAbout(contract, one, record) === true);
  if (event !== undefined) throw new Broken(`no event for ${whom}`, `the event ${event.type}`, undefined, path);
}
