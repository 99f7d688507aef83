/**
 * What clients can observe of `delivery: webhook:`: who may subscribe, the operations that `subscribe` adds, and the order of the
 * events of one record.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { SignatureScheme } from "../../base/signature-schemes.ts";
import { callerWith } from "../authentication/kinds.ts";
import { Broken, type Case, NotTried, type PartCases, shortText } from "../case.ts";
import type { Caller } from "../caller.ts";
import { admits } from "../permissions.ts";
import type { Contract } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { rolesOf } from "../roles.ts";
import { webhookProblem } from "../signature.ts";
import { textOf } from "../trial/known.ts";
import { isSoon, quiet } from "../trial/patience.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf, syncClock } from "../trial/world.ts";
import { pathOf } from "./event.ts";
import { arrives, eventsAbout, expectEvent, grantsOf, receiverRemedy } from "./observer.ts";
import { shortSeries, simpleEvent } from "./samples.ts";
import {
  callWebhooks,
  deliveriesOf,
  expectNone,
  isMissing,
  listIn,
  notSubscribed,
  schemeIn,
  type Subscription,
  webhookIn,
  withSubscriptions,
} from "./subscription.ts";
import { trigger } from "./trigger.ts";

export function webhookCases(contract: Contract): PartCases {
  const { webhook } = contract.model.events.delivery ?? {};
  if (webhook === undefined) return { cases: [], unobservable: [] };
  const sample = simpleEvent(contract);
  return {
    cases: [
      ...[...rolesOf(contract), undefined].map((roles) => subscribing(contract, roles)),
      managed(contract),
      ...(sample === undefined ? [] : withEvents(contract, sample)),
      ...filtered(contract),
    ],
    unobservable: [],
  };
}

const path = pathOf.webhook;

function withEvents(contract: Contract, sample: string): readonly Case[] {
  const scheme = schemeIn(contract);
  const rotations = scheme === undefined ? [] : [rotated(sample, scheme)];
  return [disabled(sample), deleted(sample), resent(sample), ...rotations];
}

// ── Who may subscribe ──────────────────────────────────────────────────────────────────────────────────────────────

/** A host that does not exist (RFC 2606): a subscription that has to be rejected needs no receiver. */
const nowhere = "https://receiver.invalid/";

/** Only those whom `for` names may subscribe. `roles`: those of the caller; undefined: without a credential. */
function subscribing(contract: Contract, roles: readonly string[] | undefined): Case {
  const isRight = (caller: Caller): boolean => grantsOf(contract, "webhook").some((grant) => admits(grant, caller));
  const label = roles === undefined ? "anonymous" : `[${roles.join(", ")}]`;
  const path = "events/delivery/webhook/for";
  return {
    id: `${path}: ${label}`,
    aspects: [{ path, expects: `a caller ${label} can subscribe only if \`for\` names it` }],
    run: async (trial) => {
      const caller = await callerWith(trial, roles);
      if (isRight(caller)) {
        // A caller without a credential cannot manage what it subscribed.
        if (!caller.signedIn) throw new NotTried("an anonymous subscriber could not be deleted again");
        const { receiver } = trial.world.target;
        if (receiver === undefined) throw new NotTried("webhooks need a receiver", receiverRemedy);
        const interaction = await callWebhooks(trial, caller, "POST", "", { url: receiver.url("/for") });
        const { status } = trial.responseOf(interaction);
        await remove(trial, caller, interaction);
        const got = statusText(contract, trial.responseOf(interaction));
        if (isMissing(status)) throw new Broken("a subscription", got, interaction, pathOf.webhook);
        if (status === 401 || status === 403) throw new Broken("a subscription", got, interaction, path);
        if (status >= 300) throw notSubscribed(trial, trial.responseOf(interaction));
        return;
      }
      const interaction = await callWebhooks(trial, caller, "POST", "", { url: nowhere });
      const { status } = trial.responseOf(interaction);
      await remove(trial, caller, interaction);
      if (status < 400) throw new Broken("an error of the client", String(status), interaction, path);
    },
  };
}

async function remove(trial: Trial, caller: Caller, { response }: Interaction): Promise<void> {
  const id = isResponse(response) && response.status < 300 ? webhookIn(response.json)?.["id"] : undefined;
  if (typeof id === "string" || typeof id === "number") await callWebhooks(trial, caller, "DELETE", `/${id}`);
}

// ── Operations ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Calls an operation of a subscription. @throws Broken if it does not succeed */
async function manage(
  trial: Trial,
  { id, receiver }: Subscription,
  method: string,
  below = "",
  body?: Parameters<typeof callWebhooks>[4],
): Promise<Interaction> {
  const interaction = await callWebhooks(trial, receiver, method, `/${encodeURIComponent(id)}${below}`, body);
  const response = trial.responseOf(interaction);
  if (response.status === 401)
    throw new NotTried("the caller's credential is no longer valid", "a credential that lasts");
  if (response.status < 300) return interaction;
  throw new Broken(
    `success of ${method} ${below === "" ? "the webhook" : below.slice(1)}`,
    statusText(trial.contract, response),
    interaction,
    path,
  );
}

function managed(contract: Contract): Case {
  return {
    id: `${path}: managed`,
    aspects: [{ path, expects: "a subscription can be read, listed, changed and deleted, by its subscriber alone" }],
    run: (trial) =>
      withSubscriptions(trial, [{}], async ([one]) => {
        const expectMember = async (name: string, value: string): Promise<void> => {
          const interaction = await manage(trial, one, "GET");
          const found = webhookIn(trial.responseOf(interaction).json)?.[name];
          if (found !== value) throw new Broken(`\`${name}\` with ${value}`, shortText(found), interaction, path);
        };
        await expectMember("url", one.url);
        const list = await callWebhooks(trial, one.receiver, "GET", "");
        const { json, status } = trial.responseOf(list);
        const ids = (listIn(json) ?? []).filter(isObject).map((item) => String(item["id"] as string));
        if (status !== 200 || (isEntireList(contract, ids.length) && !ids.includes(one.id)))
          throw new Broken("a list with the webhook", status === 200 ? shortText(json) : String(status), list, path);
        await manage(trial, one, "PATCH", "", { description: "changed by a test" });
        await expectMember("description", "changed by a test");
        await expectStranger(trial, contract, one);
        await manage(trial, one, "DELETE");
        const after = await callWebhooks(trial, one.receiver, "GET", `/${encodeURIComponent(one.id)}`);
        if (trial.responseOf(after).status < 400)
          throw new Broken(
            "an error: the webhook is deleted",
            statusText(contract, trial.responseOf(after)),
            after,
            path,
          );
      }),
  };
}

/** Whether a list of so many webhooks has no further page. */
function isEntireList({ model }: Contract, count: number): boolean {
  return count < (model.endpoints.lists?.size ?? 5);
}

/** Another subscriber must not see the webhook. */
async function expectStranger(trial: Trial, contract: Contract, { id, receiver }: Subscription): Promise<void> {
  const grants = grantsOf(contract, "webhook");
  const stranger = (await trial.callers()).find(
    (one) => one !== receiver && one.signedIn && grants.some((grant) => admits(grant, one)),
  );
  if (stranger === undefined) return;
  const interaction = await callWebhooks(trial, stranger, "GET", `/${encodeURIComponent(id)}`);
  const { status } = trial.responseOf(interaction);
  if (status < 400) throw new Broken("an error for another subscriber", String(status), interaction, path);
}

/** A disabled webhook gets nothing, and an enabled one only what happens afterwards. */
function disabled(sample: string): Case {
  return {
    id: `${path}: disabled`,
    aspects: [{ path, expects: "a disabled webhook gets no events, and after it is enabled only new ones" }],
    run: (trial) =>
      withSubscriptions(trial, [{}, {}], async ([one, other], creator) => {
        await manage(trial, one, "POST", "/disable");
        const missed = await trigger(trial, sample, creator);
        await expectEvent(trial, other, sample, missed.record);
        await quiet(trial);
        expectNone(trial, one, missed.record, "a disabled webhook");
        await manage(trial, one, "POST", "/enable");
        const next = await trigger(trial, sample, creator);
        await expectEvent(trial, one, sample, next.record);
        expectNone(trial, one, missed.record, "a webhook that was disabled then");
      }),
  };
}

function deleted(sample: string): Case {
  return {
    id: `${path}: deleted`,
    aspects: [{ path, expects: "a deleted webhook gets no events" }],
    run: (trial) =>
      withSubscriptions(trial, [{}, {}], async ([one, other], creator) => {
        await manage(trial, one, "DELETE");
        const { record } = await trigger(trial, sample, creator);
        await expectEvent(trial, other, sample, record);
        await quiet(trial);
        expectNone(trial, one, record, "a deleted webhook");
      }),
  };
}

/** A new secret signs at once; the old one also signs for a day, unless it is revoked. */
function rotated(sample: string, scheme: SignatureScheme): Case {
  return {
    id: `${path}: rotated`,
    aspects: [{ path, expects: "after a rotation both secrets sign, after a revocation only the new one" }],
    run: (trial) =>
      withSubscriptions(trial, [{}], async ([one], creator) => {
        const rotate = async (revokeOld: boolean): Promise<void> => {
          const interaction = await manage(trial, one, "POST", "/rotate-secret", revokeOld ? { revokeOld } : undefined);
          const secret = webhookIn(trial.responseOf(interaction).json)?.["secret"];
          if (typeof secret !== "string" || one.secrets.includes(secret))
            throw new Broken("a new secret", "none", interaction, path);
          one.secrets.unshift(secret);
        };
        const signedBy = async (): Promise<readonly boolean[]> => {
          const { record } = await trigger(trial, sample, creator);
          const { id } = await expectEvent(trial, one, sample, record);
          await syncClock(trial.world);
          const webhook = one.received()[one.events().findIndex((event) => event.id === id)];
          if (webhook === undefined) throw new NotTried("the test does not find the webhook of the event");
          const now = presentOf(trial.world);
          return one.secrets.map((secret) => webhookProblem(webhook, secret, now, scheme) === undefined);
        };
        await rotate(false);
        const [byNew, ...byOld] = await signedBy();
        // Without a separator the field has one signature, by the new secret.
        if (byNew === false || (scheme.separator !== undefined && byOld.includes(false)))
          throw new Broken("signatures by the new and by the old secret", "only one of them", undefined, path);
        await rotate(true);
        const [isNew, ...old] = await signedBy();
        if (isNew !== true || old.includes(true))
          throw new Broken("a signature by the new secret alone", "another one", undefined, path);
      }),
  };
}

/** A delivery is listed, and can be sent again: with the same id. */
function resent(sample: string): Case {
  return {
    id: `${path}: resent`,
    aspects: [{ path, expects: "a delivery is listed, and arrives again when its subscriber wants it" }],
    run: (trial) =>
      withSubscriptions(trial, [{ events: [sample] }], async ([one], creator) => {
        const { record } = await trigger(trial, sample, creator);
        const event = await expectEvent(trial, one, sample, record);
        const delivery = await deliveredItem(trial, one, event.id);
        await manage(trial, one, "POST", `/deliveries/${encodeURIComponent(delivery)}/resend`);
        const isBack = (): boolean => eventsAbout(trial, one, record).filter(({ id }) => id === event.id).length > 1;
        if (!(await arrives(trial, one, isBack)))
          throw new Broken("the event again, with the same id", "no further one", undefined, path);
      }),
  };
}

/** Returns the id of the delivery of an event, once it is recorded as delivered. */
async function deliveredItem(trial: Trial, one: Subscription, event: string): Promise<string> {
  await manage(trial, one, "GET", "/deliveries");
  let items: readonly JsonObject[] = [];
  let id: Json | undefined;
  const isDelivered = async (): Promise<boolean> => {
    const list = await deliveriesOf(trial, one.receiver, one.id);
    if (list === undefined) throw new NotTried("the implementation has no list of deliveries");
    items = list;
    id = list.find((item) => item["event"] === event && (item["state"] ?? "delivered") === "delivered")?.["id"];
    return typeof id === "string" || typeof id === "number";
  };
  if (await isSoon(trial, isDelivered)) return textOf(id);
  if (items.some((item) => item["event"] === undefined)) throw new NotTried("the deliveries do not name their event");
  throw new Broken(`the delivery of ${event}, which has arrived`, shortText(items), undefined, path);
}

/** A webhook gets only the events that its subscriber names. */
function filtered(contract: Contract): readonly Case[] {
  const series = shortSeries(contract);
  if (series === undefined) return [];
  const { events, resource, state } = series;
  const last = events.at(-1) ?? events[0];
  return [
    {
      id: `${path}: only ${last}`,
      aspects: [{ path, expects: `a webhook for ${last} gets no other events` }],
      run: (trial) =>
        withSubscriptions(trial, [{ events: [last] }], async ([one], creator) => {
          const record = await trial.make(resource, {
            state,
            entersNow: true,
            ...(creator === undefined ? {} : { creator }),
          });
          await trial.look(record);
          await expectEvent(trial, one, last, record);
          await quiet(trial);
          const other = one.events().find(({ type }) => type !== last);
          if (other !== undefined) throw new Broken(`only ${last}`, `the event ${other.type}`, undefined, path);
        }),
    },
  ];
}
