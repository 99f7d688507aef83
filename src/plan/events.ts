/** How events leave the service: their envelope, who receives which, webhooks and the stream. */
import { parseClockDuration } from "../base/duration.ts";
import type { FieldType } from "../expression/types.ts";
import type { Grant } from "../parts/authentication/model.ts";
import type { PathSegment } from "../parts/endpoints/meaning.ts";
import { deliveryResource, webhookResource } from "../parts/events/decide.ts";
import { eventResource, typeCondition } from "../parts/expressions.ts";
import type { EventsPlan, GrantPlan, OutEventPlan, StreamPlan, WebhookPlan } from "./plan.ts";
import type { Sources } from "./sources.ts";

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
    ...(stream === undefined ? {} : { stream: streamPlan(stream) }),
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

function receivers({ model, typed }: Sources, grants: readonly Grant[], resource: string): readonly GrantPlan[] {
  return grants.map(({ who, if: condition }) => {
    if (condition === undefined) return { who };
    return { who, if: typeCondition(model, condition, resource, { typed, problems: [] }) };
  });
}

function webhookPlan({ model, typed }: Sources): WebhookPlan {
  const { signed, promise = "", retry = usualRetry, then, timeout } = model.events.delivery?.webhook ?? {};
  const input: Readonly<Record<string, FieldType>> = {
    webhook: { type: { kind: "record", resource: webhookResource }, nullable: false },
    record: { type: { kind: "string" }, nullable: false },
  };
  const condition = (text: string) => typeCondition(model, text, deliveryResource, { typed, problems: [] }, input);
  return {
    signed: signed !== "none",
    timeoutMilliseconds: milliseconds(timeout, 15_000),
    retryMilliseconds: retry.map((wait) => milliseconds(wait, 0)),
    disable: then?.disable ?? false,
    inOrder: /in order/.test(promise),
    of: condition("webhook == input.webhook"),
    waiting: condition("webhook == input.webhook && state == 'pending' && nextAttemptAt != null"),
    ahead: condition("webhook == input.webhook && state == 'pending' && record == input.record"),
  };
}

function streamPlan({ path, for: grants }: { path: string; for: readonly Grant[] }): StreamPlan {
  return {
    path: path
      .split("/")
      .filter((text) => text !== "")
      .map((text): PathSegment => ({ kind: "literal", text })),
    template: path,
    // Whoever could receive some event may ask; which, is asked of each event's record.
    allow: grants.map(({ who }) => ({ who })),
  };
}

function milliseconds(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseClockDuration(text)) ?? otherwise;
}
