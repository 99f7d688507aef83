/** The observation of a request, for traces, metrics and logs. There is one for each request, so that these agree. */
import type { Admission } from "../limits/limiter.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { HttpRequest } from "../../http/message.ts";
import type { Served } from "./version.ts";

/** Called at the start of each request, before its checks; returns the observer of that request. Never throws. */
export type Observe = (begun: Begun) => Observer;

export interface Begun {
  /** The request id (R1.3). */
  readonly requestId: string;
  /** Its headers and query may contain credentials: never log them (R1.5). */
  readonly httpRequest: HttpRequest;
}

/** Observes one request. */
export interface Observer {
  /** Runs the task in the request's trace context. */
  inContext?<T>(task: () => T): T;
  /** The `traceparent` of this request, for later work that it causes (R1.4). */
  traceparent?(): string | undefined;
  ended(observation: Observation): void;
}

export interface Observation extends Readonly<Omit<ObservationBuilder, "observer" | "admission" | "record">> {
  readonly status: number;
  /** From the end of the request's header until the response is ready. */
  readonly seconds: number;
}

/** Facts about a request; the stages that find them out add them. */
export interface ObservationBuilder {
  /** The request id (R1.3). */
  readonly requestId: string;
  /** The path template with the base path: `/v1/parcels/{parcel}`. */
  route?: string;
  /** The operation's name. */
  operation?: string;
  /** The version that serves the request, once known. */
  version?: Served;
  /** The error code. */
  code?: string;
  /** The caller's id, once known; absent for anonymous callers. */
  caller?: string;
  /** The record's id, once known; the `after` function uses it. */
  record?: Value;
  /** Its reservations in the operation's limits. */
  admission?: Admission;
  readonly observer: Observer | undefined;
}
