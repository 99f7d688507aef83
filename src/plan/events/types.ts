/** Events: what is emitted, received, and delivered to whom. */
import type { TypedExpression } from "../../expression/typed.ts";
import type { GrantPlan } from "../authentication/types.ts";
import type { Operation } from "../endpoints/types.ts";

/** Part 6 of the plan. */
export interface EventsPart {
  readonly events: EventsPlan;
}

/** The operation that receives an incoming event (part 6, `in`). */
export interface InboundPlan {
  readonly event: string;
  /** The credential that the sender must present. A request with any other credential is rejected. */
  readonly credential: string;
  /** The payload's members that refer to records, in payload order. */
  readonly references: readonly { readonly member: string; readonly resource: string }[];
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface EventsPlan {
  readonly envelope: "cloudevents" | "plain";
  /** By name. */
  readonly out: Readonly<Record<string, OutEventPlan>>;
  readonly webhook?: WebhookPlan;
  readonly stream?: StreamPlan;
  /** How long events are stored. */
  readonly retentionMilliseconds: number;
}

export interface OutEventPlan {
  readonly resource: string;
  /** The members of its data, for every receiver; absent: the resource as visible to the receiver. */
  readonly carries?: readonly string[];
  /** Receivers, evaluated over the record at the time of the event: webhook subscribers, and callers of the stream. */
  readonly webhook: readonly GrantPlan[];
  readonly stream: readonly GrantPlan[];
}

/** How webhooks are delivered. Endpoints and deliveries are resources, `Webhook` and `WebhookDelivery`. */
export interface WebhookPlan {
  readonly signed: boolean;
  readonly timeoutMilliseconds: number;
  /** Waits between attempts; after the last one the delivery has failed. */
  readonly retryMilliseconds: readonly number[];
  /** Whether a failed delivery disables its endpoint. */
  readonly disable: boolean;
  /** Whether the events of one record are delivered in order. */
  readonly inOrder: boolean;
  /** Over a delivery: it is for the endpoint `input.webhook`. */
  readonly of: TypedExpression;
  /** Over a delivery: it waits for an attempt at the endpoint `input.webhook`. */
  readonly waiting: TypedExpression;
  /** Over a delivery: it is about `input.record`, and its body is still stored. */
  readonly about: TypedExpression;
  /** Over a delivery: it is pending for `input.webhook`, and about `input.record`. */
  readonly ahead: TypedExpression;
  /** Over a delivery: it is for `input.webhook` and `input.event`, and about `input.record`. */
  readonly made: TypedExpression;
}

/**
 * The event stream, which callers follow or list. Its operations are not in `operations`, because they read the journal instead
 * of a table.
 */
export interface StreamPlan {
  /** `GET /events`: the stream, or a page of events. */
  readonly follow: Operation;
  /** `GET /events/{id}` */
  readonly read: Operation;
  /** The request header with the id of the last received event. */
  readonly resume: string;
  /** How long after an event a caller may resume from it. */
  readonly resumableMilliseconds: number;
}
