/** How events leave the service: their envelope, who receives which, webhooks and the stream. */
import { parseClockDuration } from "../base/duration.ts";
import type { FieldType } from "../expression/types.ts";
import type { Grant } from "../parts/authentication/model.ts";
import { pathSegments } from "../parts/endpoints/meaning.ts";
import { deliveryResource, webhookResource } from "../parts/events/decide.ts";
import type { Stream } from "../parts/events/model.ts";
import { eventResource, typeCondition } from "../parts/expressions.ts";
import { own } from "../parts/resources/fields.ts";
import { generalRates, serverLimits } from "./limits.ts";
import { grantPlan } from "./permissions.ts";
import { listParameters, pageShape } from "./lists.ts";
import type {
  EventsPlan,
  FilterPlan,
  GrantPlan,
  Operation,
  OutEventPlan,
  Plan,
  StreamPlan,
  WebhookPlan,
} from "./plan.ts";
import { placeholder, type Sources } from "./sources.ts";

const day = 86_400_000;
/** As Standard Webhooks advises: ten attempts in about three days. */
const usualRetry = ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"];

export function eventsPlan(sources: Sources): EventsPlan {
  const { envelope = "plain", out = {}, delivery = {} } = sources.model.events;
  const { webhook, stream } = delivery;
  const plans = Object.entries(out).flatMap(([name, { carries }]): [string, OutEventPlan][] => {
    const resource = eventResource(sources.model, name);
    if (resource === undefined) return [];
    return [
      [
        name,
        {
          resource,
          ...(carries === undefined ? {} : { carries }),
          webhook: receivers(sources, told(webhook?.for ?? [], resource), resource),
          stream: receivers(sources, told(stream?.for ?? [], resource), resource),
        },
      ],
    ];
  });
  return {
    envelope,
    out: Object.fromEntries(plans),
    ...(webhook === undefined ? {} : { webhook: webhookPlan(sources) }),
    ...(stream === undefined ? {} : { stream: streamPlan(sources, stream) }),
    keptMilliseconds: Math.max(30 * day, milliseconds(stream?.keep, 0), milliseconds(webhook?.then?.keep, 0)),
  };
}

/**
 * Whoever is told of the document's events is told what becomes of the endpoints that they made themselves, whatever the
 * condition: that speaks of the document's own records, and of endpoints everybody sees their own only.
 */
function told(grants: readonly Grant[], resource: string): readonly Grant[] {
  if (resource !== webhookResource && resource !== deliveryResource) return grants;
  return grants.map(({ who }) => ({ who, if: "own" }));
}

function receivers(sources: Sources, grants: readonly Grant[], resource: string): readonly GrantPlan[] {
  const { model, older, typed } = sources;
  return grants.map(({ who, if: condition }) => {
    if (condition === undefined) return grantPlan(sources, who);
    // Receivers are those of the newest version.
    if (older === true) return grantPlan(sources, who, placeholder);
    return grantPlan(sources, who, typeCondition(model, condition, resource, { typed }));
  });
}

function webhookPlan({ model, typed }: Sources): WebhookPlan {
  const { signed, promise = "", retry = usualRetry, then, timeout } = model.events.delivery?.webhook ?? {};
  const input: Readonly<Record<string, FieldType>> = {
    webhook: { type: { kind: "record", resource: webhookResource }, nullable: false },
    record: { type: { kind: "string" }, nullable: false },
    event: { type: { kind: "string" }, nullable: false },
  };
  const condition = (text: string) => typeCondition(model, text, deliveryResource, { typed }, input);
  return {
    signed: signed !== "none",
    timeoutMilliseconds: milliseconds(timeout, 15_000),
    retryMilliseconds: retry.map((wait) => milliseconds(wait, 0)),
    disable: then?.disable ?? false,
    inOrder: /in order/.test(promise),
    of: condition("webhook == input.webhook"),
    waiting: condition("webhook == input.webhook && state == 'pending' && nextAttemptAt != null"),
    about: condition("record == input.record && body != ''"),
    ahead: condition("webhook == input.webhook && state == 'pending' && record == input.record"),
    made: condition("record == input.record && webhook == input.webhook && event == input.event"),
  };
}

/** An event is not a record, and a resource of the document may have its name. */
const eventNames = ["Event", "ServiceEvent", "ServiceEvents"];

function streamPlan(sources: Sources, { path, for: grants, resume, keep }: Stream): StreamPlan {
  const { resources, endpoints } = sources.model;
  const resource = eventNames.find((name) => own(resources.resources, name) === undefined) ?? "Event";
  const free = (name: string): string => (own(endpoints.endpoints, name) === undefined ? name : `${name}s`);
  // Whoever could receive some event may ask; which, is asked of each event's record.
  const allow = grants.map(({ who }) => grantPlan(sources, who));
  const segments = pathSegments(path);
  const common = {
    method: "GET",
    resource,
    parents: [],
    allow,
    visible: allow,
    creates: false,
    answer: { status: 200, kind: "record" },
    query: [],
    moves: [],
    choose: [],
    edits: "none",
    effects: [],
    emits: [],
    rules: [],
    limits: serverLimits(sources),
    rates: generalRates(sources),
    quotas: [],
    needs: [],
  } as const;
  return {
    follow: {
      ...common,
      name: free("followEvents"),
      sentence: "Follow what happens, or list what has happened",
      deed: "list",
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
      sentence: "Look at one event",
      deed: "read",
      path: [...segments, { kind: "parameter", name: "id" }],
      template: `${path}/{id}`,
      key: { parameter: "id", column: "id" },
      errors: [],
    },
    resume: resume ?? "Last-Event-ID",
    resumableMilliseconds: milliseconds(keep, 30 * day),
  };
}

/** One type, or with `.*` all that begin so. */
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

/** The stream's own operations, where the document has one. */
export function streamOperations({ events: { stream } }: Pick<Plan, "events">): readonly Operation[] {
  return stream === undefined ? [] : [stream.follow, stream.read];
}

/** Whether anything is told of, or taken as an event. */
export function hasEvents({ events, operations }: Pick<Plan, "operations" | "events">): boolean {
  return (
    events.webhook !== undefined || events.stream !== undefined || operations.some(({ deed }) => deed === "receive")
  );
}

/** The document's operations and the stream's. */
export function everyOperation(plan: Pick<Plan, "operations" | "events">): readonly Operation[] {
  return [...plan.operations, ...streamOperations(plan)];
}

function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseClockDuration(text)) ?? otherwise;
}
