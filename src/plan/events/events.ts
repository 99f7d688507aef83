/** Plans outgoing events: their envelope and receivers, webhooks and the stream. */
import { parseClockDuration } from "../../base/duration.ts";
import { schemeOf } from "../../base/signature-schemes.ts";
import type { FieldType } from "../../expression/types.ts";
import type { Grant } from "../../language/authentication/model.ts";
import { pathSegments } from "../../language/endpoints/resolve.ts";
import { deliveryResource, webhookResource } from "../../language/events/decide.ts";
import type { Envelope, SentRequest, Stream } from "../../language/events/model.ts";
import { eventResource, typeCondition } from "../../language/analysis/expressions.ts";
import { lookup } from "../../language/resources/fields.ts";
import { generalRates, serverLimits } from "../limits/limits.ts";
import { grantPlan } from "../authentication/permissions.ts";
import { httpContract } from "../endpoints/contract.ts";
import { listParameters, pageShape } from "../endpoints/lists.ts";
import type { EventsPlan, OutEventPlan, SentRequestPlan, StreamPlan, WebhookPlan } from "./types.ts";
import type { EndpointsPart, FilterPlan, Operation } from "../endpoints/types.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { EventsPart } from "./types.ts";
import { placeholder, type PlanInput } from "../input.ts";

const day = 86_400_000;
/** The default waits between attempts, as Standard Webhooks recommends: ten attempts in about three days. */
const usualRetry = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"];

export function eventsPlan(planInput: PlanInput): EventsPlan {
  const { envelope = "plain", out = {}, delivery = {} } = planInput.model.events;
  const { webhook, stream } = delivery;
  const plans = Object.entries(out).flatMap(([name, { carries, view }]): [string, OutEventPlan][] => {
    const resource = eventResource(planInput.model, name);
    if (resource === undefined) return [];
    return [
      [
        name,
        {
          resource,
          ...(carries === undefined ? {} : { carries }),
          ...(view === undefined ? {} : { view }),
          webhook: receivers(planInput, receivingGrants(webhook?.for ?? [], resource), resource),
          stream: receivers(planInput, receivingGrants(stream?.for ?? [], resource), resource),
        },
      ],
    ];
  });
  return {
    envelope,
    out: Object.fromEntries(plans),
    ...(webhook === undefined ? {} : { webhook: webhookPlan(planInput) }),
    ...(stream === undefined ? {} : { stream: streamPlan(planInput, stream) }),
    described: Object.entries(planInput.model.events.wire ?? {}).map(([name, one]) =>
      sentRequestPlan(planInput, name, one),
    ),
    retentionMilliseconds: Math.max(30 * day, milliseconds(stream?.keep, 0), milliseconds(webhook?.then?.keep, 0)),
  };
}

function sentRequestPlan(
  { model }: PlanInput,
  name: string,
  { method = "POST", of, to, note, ...contract }: SentRequest,
): SentRequestPlan {
  return {
    ...httpContract(model, name, contract),
    // The name of a callback begins with that of its operation, so that no two are equal.
    name: of !== undefined && name.startsWith(`${of}.`) ? name.slice(of.length + 1) : name,
    method,
    ...(note === undefined ? {} : { note }),
    ...(of === undefined ? {} : { callback: { of, to: to ?? "{$request.body#/callbackUrl}" } }),
  };
}

/**
 * Returns the grants to receive an event. Receivers of the document's events also receive events about their own webhook
 * endpoints, whatever the condition of their grant, which is about the document's records.
 */
function receivingGrants(grants: readonly Grant[], resource: string): readonly Grant[] {
  if (resource !== webhookResource && resource !== deliveryResource) return grants;
  return grants.map(({ who }) => ({ who, if: "own" }));
}

function receivers(planInput: PlanInput, grants: readonly Grant[], resource: string): readonly GrantPlan[] {
  const { model, older, typed } = planInput;
  return grants.map(({ who, if: condition }) => {
    if (condition === undefined) return grantPlan(planInput, who);
    // The grants of the newest version decide who receives an event. The plan of an older version needs a grant too, but
    // nothing reads it.
    if (older === true) return grantPlan(planInput, who, placeholder);
    return grantPlan(planInput, who, typeCondition(model, condition, resource, { typed }));
  });
}

function webhookPlan({ model, typed }: PlanInput): WebhookPlan {
  const {
    signed = "standard-webhooks",
    promise = "",
    retry = usualRetry,
    then,
    timeout,
  } = model.events.delivery?.webhook ?? {};
  const input: Readonly<Record<string, FieldType>> = {
    webhook: { type: { kind: "record", resource: webhookResource }, nullable: false },
    record: { type: { kind: "string" }, nullable: false },
    event: { type: { kind: "string" }, nullable: false },
  };
  const condition = (text: string) => typeCondition(model, text, deliveryResource, { typed }, input);
  return {
    ...(signed === "none" ? {} : { scheme: schemeOf(signed) }),
    timeoutMilliseconds: milliseconds(timeout, 15_000),
    retryMilliseconds: retry.map((wait) => milliseconds(wait, 0)),
    disableAfterRetries: then?.disable ?? false,
    inOrder: /in order/.test(promise),
    of: condition("webhook == input.webhook"),
    waiting: condition("webhook == input.webhook && state == 'pending' && nextAttemptAt != null"),
    about: condition("record == input.record && body != ''"),
    ahead: condition("webhook == input.webhook && state == 'pending' && record == input.record"),
    made: condition("record == input.record && webhook == input.webhook && event == input.event"),
  };
}

/** Returns the media type of an event: a CloudEvent is one JSON object (CloudEvents 1.0, structured mode). */
export function eventMedia(envelope: Envelope): string {
  return envelope === "cloudevents" ? "application/cloudevents+json" : "application/json";
}

/** Returns the Content-Type of an event that the service sends. */
export function eventContentType(envelope: Envelope): string {
  return envelope === "cloudevents" ? `${eventMedia(envelope)}; charset=UTF-8` : eventMedia(envelope);
}

/** Candidate names for the resource that represents the stream, since the document may have a resource `Event`. */
const eventNames = ["Event", "ServiceEvent", "ServiceEvents"];

function streamPlan(planInput: PlanInput, { path, for: grants, resume, keep }: Stream): StreamPlan {
  const { resources, endpoints } = planInput.model;
  const resource = eventNames.find((name) => lookup(resources.resources, name) === undefined) ?? "Event";
  const free = (name: string): string => (lookup(endpoints.endpoints, name) === undefined ? name : `${name}s`);
  // Every possible receiver may call the stream; the conditions are checked for the record of each event.
  const allow = grants.map(({ who }) => grantPlan(planInput, who));
  const segments = pathSegments(path);
  const common = {
    method: "GET",
    resource,
    parents: [],
    allow,
    visible: allow,
    creates: false,
    response: { status: 200, kind: "record" },
    query: [],
    moves: [],
    choose: [],
    edits: "none",
    effects: [],
    emits: [],
    rules: [],
    limits: serverLimits(planInput),
    rates: generalRates(planInput),
    quotas: [],
    needs: [],
  } as const;
  return {
    follow: {
      ...common,
      name: free("followEvents"),
      sentence: "Follow new events, or list past events",
      action: "list",
      path: segments,
      template: path,
      list: {
        kind: "cursor",
        size: 20,
        max: 100,
        names: listParameters,
        page: pageShape("items", "next"),
        filters: [typeFilter],
        conditions: [],
        sorts: [],
        searches: [],
      },
      errors: ["event-id-expired", "rate-limited"],
    },
    read: {
      ...common,
      name: free("getEvent"),
      sentence: "Read an event",
      action: "read",
      path: [...segments, { kind: "parameter", name: "id" }],
      template: `${path}/{id}`,
      key: { parameter: "id", column: "id" },
      errors: [],
    },
    resume: resume ?? "Last-Event-ID",
    resumableMilliseconds: milliseconds(keep, 30 * day),
  };
}

/** A filter by one type, or with `.*` by a prefix. */
const typeFilter: FilterPlan = {
  field: "type",
  type: "text",
  operators: ["eq"],
  schema: {
    type: "string",
    maxLength: 200,
    pattern: "^[\\w-]+(?:\\.[\\w-]+)*(?:\\.\\*)?$",
    description: "A type, or `order.*` for all that begin with `order.`",
  },
};

/** Returns the operations of the event stream, if the document has one. */
export function streamOperations({ events: { stream } }: EventsPart): readonly Operation[] {
  return stream === undefined ? [] : [stream.follow, stream.read];
}

/** Whether the service delivers or receives events. */
export function hasEvents({ events, operations }: Pick<EndpointsPart & EventsPart, "operations" | "events">): boolean {
  return (
    events.webhook !== undefined || events.stream !== undefined || operations.some(({ action }) => action === "receive")
  );
}

/** Returns the operations of the document and of the stream. */
export function everyOperation(plan: Pick<EndpointsPart & EventsPart, "operations" | "events">): readonly Operation[] {
  return [...plan.operations, ...streamOperations(plan)];
}

function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseClockDuration(text)) ?? otherwise;
}
