/** The model of part 6, events: outgoing events, incoming events, and delivery. */
import type { Json } from "../../base/json.ts";
import type { SignatureScheme } from "../../base/signature-schemes.ts";
import type { Grant } from "../authentication/model.ts";
import type { EndpointContract, Method } from "../endpoints/model.ts";
import type { FieldType } from "../resources/model.ts";
import type { FurtherWrite } from "../states/model.ts";

export interface Events {
  readonly envelope?: Envelope;
  /** The outgoing events by name. Absent: not declared; empty: none. */
  readonly out?: Readonly<Record<string, OutEvent>>;
  readonly in?: Readonly<Record<string, InEvent>>;
  readonly delivery?: Delivery;
  /** The requests that a service which already exists sends, by name: only the exported description has them. */
  readonly wire?: Readonly<Record<string, SentRequest>>;
}

/** A request to a receiver of events, as receivers know it: a webhook, or the callback of an operation. */
export interface SentRequest extends EndpointContract {
  /** Absent: POST. */
  readonly method?: Method;
  /** What the request tells. */
  readonly note?: string;
  /** The operation whose callers receive the request. Absent: it is a webhook. */
  readonly of?: string;
  /** The address of a callback, as OpenAPI writes it: `{$request.body#/callbackUrl}`. */
  readonly to?: string;
}

/** `shape`: a custom envelope with placeholders. */
export type Envelope = "cloudevents" | "plain" | { readonly shape: Json };

/** The placeholders in a custom envelope. */
export const envelopeVariables = [
  "id",
  "type",
  "topic",
  "action",
  "time",
  "seconds",
  "sequence",
  "resource",
  "record",
  "source",
  "version",
  "request",
  "data",
] as const;

export interface OutEvent {
  readonly when: EventSource;
  /** The fields of the resource in the payload. Absent: the resource as the receiver may see it. */
  readonly carries?: readonly string[];
  /** The view of the resource that is the payload, in place of `carries`. */
  readonly view?: string;
}

export type EventSource =
  /** An event `Resource -> state`, emitted when a record enters the state. */
  | { readonly kind: "enters"; readonly resource: string; readonly state: string }
  | { readonly kind: "operation"; readonly operation: string };

export interface InEvent {
  readonly method: Method;
  readonly path: string;
  /** The credential that proves the sender. */
  readonly with: string;
  readonly carries: Readonly<Record<string, FieldType>>;
  /** The names of members of `carries` that may be absent, written `name?`. Absent: every member is required. */
  readonly optional?: readonly string[];
  /**
   * The kind of the event: the values of members of the body (`type`, `event.type`) and of header fields
   * (`header X-GitHub-Event`). Absent: the event receives the requests at its address that match no other event.
   */
  readonly is?: Readonly<Record<string, string>>;
  /** Absent: `rejected`. */
  readonly unknown?: "rejected" | "ignored";
  /** The member or the header field with the id of a delivery, which counts once. */
  readonly once?: string;
  /** The writes of records in the same transaction, in order. */
  readonly also?: readonly FurtherWrite[];
}

export interface Delivery {
  readonly webhook?: Webhook;
  readonly stream?: Stream;
}

export interface Webhook {
  readonly method: Method;
  readonly path: string;
  readonly for: readonly Grant[];
  /** Absent: `standard-webhooks`. */
  readonly signed?: "standard-webhooks" | "stripe" | "github" | "slack" | "none" | SignatureScheme;
  /** The delivery guarantee as written: `at least once, in order per resource`. */
  readonly promise?: string;
  readonly timeout?: string;
  /** The waits between attempts: durations as written; empty: one attempt. */
  readonly retry?: readonly string[];
  readonly then?: { readonly disable: boolean; readonly keep?: string };
}

export interface Stream {
  readonly method: Method;
  readonly path: string;
  readonly for: readonly Grant[];
  readonly kind: "server-sent";
  readonly resume?: string;
  readonly keep?: string;
}
