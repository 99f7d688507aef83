/**
 * Adds the resources of webhooks to a model: endpoints and their deliveries. It writes them as a document fragment, so that
 * permissions, lists, edits, retries, limits, errors and exports treat them like any other resource.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { readDocument } from "../../document/read.ts";
import type { Grant } from "../../language/authentication/model.ts";
import type { Model } from "../../language/model.ts";
import { onceForModel } from "../../language/analysis/per-model.ts";
import { readModel } from "../../language/read.ts";
import { lookup } from "../../language/resources/fields.ts";
import { deliveryResource, webhookOperations, webhookResource } from "../../language/events/decide.ts";
import type { Webhook } from "../../language/events/model.ts";

/**
 * Returns the model with webhooks as resources; unchanged if it has none. Cached, since the fragment costs as much as a small
 * document.
 */
export const withWebhooks: (model: Model) => Model = onceForModel((model) => {
  const webhook = model.events.delivery?.webhook;
  if (webhook === undefined || lookup(model.resources.resources, webhookResource) !== undefined) return model;
  return added(model, webhook);
});

function added(model: Model, webhook: Webhook): Model {
  const { model: more } = readModel(readDocument("webhooks.yaml", fragment(model, webhook)).document);
  const { quota = {}, keep } = model.limits;
  const { webhook: quotas, ...others } = quota;
  return {
    ...model,
    purpose: { ...model.purpose, operations: { ...model.purpose.operations, ...more.purpose.operations } },
    resources: {
      ...model.resources,
      resources: { ...model.resources.resources, ...more.resources.resources },
    },
    states: { ...model.states, ...more.states },
    endpoints: {
      ...model.endpoints,
      endpoints: { ...model.endpoints.endpoints, ...more.endpoints.endpoints },
    },
    authentication: {
      ...model.authentication,
      own: { ...model.authentication.own, ...more.authentication.own },
      allow: { ...model.authentication.allow, ...allowed(webhook.for) },
    },
    // The event stream also includes events about deliveries.
    events: { ...model.events, out: { ...model.events.out, ...more.events.out } },
    limits: {
      ...model.limits,
      ...(quotas === undefined ? {} : { quota: { ...others, [webhookResource]: quotas } }),
      keep: { ...keep, ...more.limits.keep },
    },
  };
}

/**
 * Returns the event names of all versions; when an endpoint is created, the service checks its event names against the
 * caller's version.
 */
function namesOf({ events, versioning }: Model): readonly string[] {
  const before = (versioning.versions ?? []).flatMap(({ changes }) =>
    changes.flatMap((change) => (change.kind === "event" && change.was !== undefined ? [change.was] : [])),
  );
  return [...new Set([...Object.keys(events.out ?? {}), ...before])];
}

/** Replaces the event names that an endpoint accepts, for a model whose events were renamed after its webhooks were added. */
export function withEventNames(model: Model): Model {
  const { resources } = model.resources;
  const webhook = lookup(resources, webhookResource);
  const events = webhook && lookup(webhook.fields, "events");
  if (webhook === undefined || events?.type.kind !== "schema") return model;
  const names = Object.keys(model.events.out ?? {}).filter((name) => !name.startsWith("webhook."));
  const schema = { ...(events.type.schema as JsonObject), items: oneOf(names) };
  const fields = { ...webhook.fields, events: { ...events, type: { ...events.type, schema } } };
  return {
    ...model,
    resources: { ...model.resources, resources: { ...resources, [webhookResource]: { ...webhook, fields } } },
  };
}

/** Returns the schema of an event name; a document may have webhooks but no events yet. */
function oneOf(names: readonly string[]): Json {
  return names.length === 0 ? false : { enum: names };
}

/** Returns the permissions: subscribers may create endpoints, and use only those that they created. */
function allowed(grants: readonly Grant[]): Readonly<Record<string, readonly Grant[]>> {
  const creating = grants.map(({ who }): Grant => ({ who }));
  const owning = creating.map((grant): Grant => ({ ...grant, if: "own" }));
  return Object.fromEntries(
    Object.entries(webhookOperations).map(([action, name]) => [name, action === "create" ? creating : owning]),
  );
}

/** The default retention of deliveries. */
const deliveryRetention = "30d";

/** The runtime computes the secret (`runtime/events/webhooks.ts`); here it only has a placeholder. */
const secret = `secret: "''"`;
const withSecret = [
  ...["id", "state", "owner", "url", "events", "version", "description", "secretNumber", "createdAt"].map(
    (name) => `${name}: ${name}`,
  ),
  secret,
].join(", ");

/** Returns the fragment in simple YAML, so that reading it needs no YAML library (`document/plain-yaml.ts`). */
function fragment(model: Model, { method, path, then }: Webhook): string {
  const names = namesOf(model).map((one) => JSON.stringify(one));
  const events = names.length === 0 ? "false" : `{ enum: [${names.join(", ")}] }`;
  const name = webhookOperations;
  const one = `${path}/{id}`;
  return `nonet: 1
purpose:
  service: webhooks
  operations:
    ${name.create}: Register a webhook
    ${name.list}: List the webhooks
    ${name.read}: Read a webhook
    ${name.change}: Change a webhook
    ${name.delete}: Delete a webhook
    ${name.enable}: Enable a webhook
    ${name.disable}: Disable a webhook
    ${name.rotate}: Rotate the signing secret; the old one stays valid for a day
    ${name.reveal}: Read the signing secret
    ${name.recover}: Send the events again that failed since a given time
    ${name.deliveries}: List the deliveries of a webhook
    ${name.delivery}: Read a delivery
    ${name.resend}: Send one event again
resources:
  ${webhookResource}:
    id: id(whk)
    owner: user = caller, read-only
    url: { schema: { type: string, maxLength: 2048, format: uri } }
    events?: { schema: { type: array, minItems: 1, maxItems: 1000, uniqueItems: true, items: ${events} } }
    version?: string(1..40)
    description?: string(1..200)
    secretNumber: integer(1..) = 1, read-only
    oldSecrets: { type: json, default: "[]", marks: [read-only, write-only] }
    credential?: { type: "string(1..200)", marks: [read-only, write-only] }
    roles: { type: json, default: "[]", marks: [read-only, write-only] }
    failing?: { type: json, marks: [read-only, write-only] }
    recoverSince?: { type: datetime, marks: [read-only, write-only] }
    createdAt: datetime = now, read-only, sort
  ${deliveryResource}:
    id: id(dlv)
    webhook: ${webhookResource}, read-only, delete with
    event: string(1..100), read-only
    type: string(1..200), read-only
    record: { type: "string(1..400)", marks: [read-only, write-only] }
    body: { type: text, marks: [read-only, write-only] }
    media: { type: "string(1..100)", marks: [read-only, write-only] }
    tries: { type: integer, default: "0", marks: [read-only, write-only] }
    attempts:
      schema:
        type: array
        items:
          type: object
          properties:
            at: { type: string, format: date-time }
            status: { type: integer, description: The status of the receiver's response; absent if there was none }
            milliseconds: { type: integer }
            reply: { type: string, description: The first 1024 bytes of the response }
            error: { type: string, description: Why there was no response }
      default: "[]"
      marks: [read-only]
    leased: { type: boolean, default: "false", marks: [read-only, write-only] }
    nextAttemptAt?: datetime, read-only
    createdAt: datetime = now, read-only, sort
states:
  ${webhookResource}:
    states: { enabled: events are sent, disabled: nothing is sent }
    start: enabled
    moves:
      disabled -> enabled: by ${name.enable}
      enabled -> disabled: by ${name.disable}
      enabled | disabled -> enabled: { by: ${name.recover}, set: { recoverSince: input.since } }
      enabled -> enabled: by ${name.rotate}
  ${deliveryResource}:
    states: { pending: on its way, delivered: received, failed: given up }
    start: pending
    moves:
      delivered | failed -> pending: { by: ${name.resend}, set: { nextAttemptAt: now, tries: "0" } }
      pending -> pending: { by: ${name.resend}, set: { nextAttemptAt: "nextAttemptAt == null || leased ? nextAttemptAt : now", tries: "0" } }
endpoints:
  endpoints:
    ${name.create}: { at: "${method} ${path}", of: ${webhookResource}, does: create, gives: { ${withSecret} } }
    ${name.list}: { at: "GET ${path}", of: ${webhookResource}, does: list }
    ${name.read}: { at: "GET ${one}", of: ${webhookResource}, does: read }
    ${name.change}: { at: "PATCH ${one}", of: ${webhookResource}, does: update }
    ${name.delete}: { at: "DELETE ${one}", of: ${webhookResource}, does: delete }
    ${name.enable}: { at: "POST ${one}/enable", of: ${webhookResource} }
    ${name.disable}: { at: "POST ${one}/disable", of: ${webhookResource} }
    ${name.rotate}: { at: "POST ${one}/rotate-secret", of: ${webhookResource}, takes: { revokeOld?: boolean }, gives: { ${withSecret} } }
    ${name.reveal}: { at: "GET ${one}/secret", of: ${webhookResource}, does: read, gives: { id: id, secretNumber: secretNumber, ${secret} } }
    ${name.recover}: { at: "POST ${one}/recover", of: ${webhookResource}, takes: { since: datetime } }
    ${name.deliveries}: { at: "GET ${path}/{webhook}/deliveries", of: ${deliveryResource}, does: list }
    ${name.delivery}: { at: "GET ${path}/{webhook}/deliveries/{id}", of: ${deliveryResource}, does: read }
    ${name.resend}: { at: "POST ${path}/{webhook}/deliveries/{id}/resend", of: ${deliveryResource} }
authentication:
  own: { ${webhookResource}: owner == caller.id, ${deliveryResource}: webhook.owner == caller.id }
events:
  out:
    webhook.disabled: ${webhookResource} -> disabled
    webhook.delivery-failed: ${deliveryResource} -> failed
limits:
  keep: { ${deliveryResource}: ${then?.keep ?? deliveryRetention} after createdAt }
`;
}
