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
  /** The members of its payload that refer to records, in its order. */
  readonly references: readonly { readonly member: string; readonly resource: string }[];
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface EventsPlan {
  readonly envelope: "cloudevents" | "plain";
  /** By name. */
  readonly out: Readonly<Record<string, OutEventPlan>>;
  readonly webhook?: WebhookPlan;
  readonly stream?: StreamPlan;
  /** For how long events can be read and sent. */
  readonly retentionMilliseconds: number;
}

export interface OutEventPlan {
  readonly resource: string;
  /** The members of its data, whoever receives it; absent: the resource as the receiver may see it. */
  readonly carries?: readonly string[];
  /** Who receives it, asked of the record as it was: subscribers of webhooks, and callers of the stream. */
  readonly webhook: readonly GrantPlan[];
  readonly stream: readonly GrantPlan[];
}

/** Webhook endpoints and deliveries are resources like others, `Webhook` and `WebhookDelivery`; this is how they are sent. */
export interface WebhookPlan {
  readonly signed: boolean;
  readonly timeoutMilliseconds: number;
  /** Waits between one attempt and the next; when all are over, the delivery has failed. */
  readonly retryMilliseconds: readonly number[];
  /** Whether an endpoint where a delivery has failed is disabled. */
  readonly disable: boolean;
  /** Whether a record's events are sent one after the other. */
  readonly inOrder: boolean;
  /** Over a delivery: it is one to the endpoint `input.webhook`. */
  readonly of: TypedExpression;
  /** Over a delivery: it waits to be sent to the endpoint `input.webhook`. */
  readonly waiting: TypedExpression;
  /** Over a delivery: it is about `input.record`, and still has what it tells. */
  readonly about: TypedExpression;
  /** Over a delivery: it is to be sent to `input.webhook`, and is about `input.record`. */
  readonly ahead: TypedExpression;
  /** Over a delivery: it is the one to `input.webhook` of `input.event`, which is about `input.record`. */
  readonly made: TypedExpression;
}

/**
 * Events as callers follow and list them. Its operations are not among `operations`: what they are about is in the journal
 * and in no table.
 */
export interface StreamPlan {
  /** `GET /events`: the stream, or a page of events. */
  readonly follow: Operation;
  /** `GET /events/{id}` */
  readonly read: Operation;
  /** The header field that names the last event a caller has. */
  readonly resume: string;
  /** For how long after an event a caller that has it may go on from there. */
  readonly resumableMilliseconds: number;
}
