/** The types of events: which are emitted, received, and delivered to whom. */
import type { SignatureScheme } from "../../base/signature-schemes.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Envelope } from "../../language/events/model.ts";
import type { RequestValue } from "../../language/events/request-value.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Method } from "../../language/endpoints/model.ts";
import type { HttpContract, Operation } from "../endpoints/types.ts";

/** The members of the plan for part 6. */
export interface EventsPart {
  readonly events: EventsPlan;
}

/** The operation that receives an incoming event (part 6, `in`). */
export interface InboundPlan {
  readonly event: string;
  /** The credential that the sender must present. A request with any other credential is rejected. */
  readonly credential: string;
  /** The values that identify requests of this kind; empty: the requests that match no other operation at this address. */
  readonly is: readonly KindValue[];
  /** Where a request has the id of its delivery; the service processes each id once. */
  readonly once?: RequestValue;
  /** The members that refer to records, also inside embedded types, in the order of the payload. */
  readonly references: readonly PayloadReference[];
}

export interface PayloadReference {
  /** The names of the members from the payload to the reference. */
  readonly path: readonly string[];
  readonly resource: string;
}

export interface KindValue {
  readonly at: RequestValue;
  readonly value: string;
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface EventsPlan {
  readonly envelope: Envelope;
  /** The outgoing events by name. */
  readonly out: Readonly<Record<string, OutEventPlan>>;
  readonly webhook?: WebhookPlan;
  readonly stream?: StreamPlan;
  /** The requests to receivers that the document describes and the service does not send. */
  readonly described: readonly SentRequestPlan[];
  /** How long events are stored, in milliseconds. */
  readonly retentionMilliseconds: number;
}

/** A webhook, or the callback of an operation, in the exported description. */
export interface SentRequestPlan extends HttpContract {
  /** The name of the webhook; of a callback the name among those of its operation. */
  readonly name: string;
  readonly method: Method;
  readonly note?: string;
  /** Of a callback: the operation, and the address as OpenAPI writes it. */
  readonly callback?: { readonly of: string; readonly to: string };
}

export interface OutEventPlan {
  readonly resource: string;
  /** The members of the event's data, for every receiver; absent: the resource as the receiver may see it. */
  readonly carries?: readonly string[];
  /** The name of the view that is the event's data, in place of `carries`. */
  readonly view?: string;
  /** The receivers, evaluated over the record at the time of the event: webhook subscribers, and callers of the stream. */
  readonly webhook: readonly GrantPlan[];
  readonly stream: readonly GrantPlan[];
}

/** How webhooks are delivered. Endpoints and deliveries are resources: `Webhook` and `WebhookDelivery`. */
export interface WebhookPlan {
  /** How deliveries are signed; absent: they are not. */
  readonly scheme?: SignatureScheme;
  readonly timeoutMilliseconds: number;
  /** The waits between attempts in milliseconds; after the last attempt the delivery has failed. */
  readonly retryMilliseconds: readonly number[];
  /** Whether a failed delivery disables its endpoint. */
  readonly disableAfterRetries: boolean;
  /** Whether the events of one record are delivered in order. */
  readonly inOrder: boolean;
  /** The condition that a delivery is for the endpoint `input.webhook`. */
  readonly of: TypedExpression;
  /** The condition that a delivery waits for an attempt at the endpoint `input.webhook`. */
  readonly waiting: TypedExpression;
  /** The condition that a delivery is about `input.record`, and its body is still stored. */
  readonly about: TypedExpression;
  /** The condition that a delivery is pending for `input.webhook`, and about `input.record`. */
  readonly ahead: TypedExpression;
  /** The condition that a delivery is for `input.webhook` and `input.event`, and about `input.record`. */
  readonly made: TypedExpression;
}

/**
 * The event stream, which callers follow or list. Its operations are not in `operations`, because they read the event log
 * instead of a table.
 */
export interface StreamPlan {
  /** `GET /events`: the stream, or a page of events. */
  readonly follow: Operation;
  /** `GET /events/{id}`: a single event. */
  readonly read: Operation;
  /** The request header with the id of the last received event. */
  readonly resume: string;
  /** How long after an event a caller may resume from it, in milliseconds. */
  readonly resumableMilliseconds: number;
}
