/** The observation of a request, for traces, metrics and logs. They all share it, so that they report the same. */
import type { Admission } from "../limits/limiter.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { HttpRequest } from "../../http/message.ts";
import type { Served } from "./version.ts";

/** Called at the start of each request, before its checks; returns the observer of that request. Never throws. */
export type Observe = (begun: Begun) => Observer;

export interface Begun {
  /** The id of the request (R1.3). */
  readonly requestId: string;
  /** The request. Its headers and query may contain credentials: never log them (R1.5). */
  readonly httpRequest: HttpRequest;
}

/** Observes one request. */
export interface Observer {
  /** Runs the task in the request's trace context. */
  inContext?<T>(task: () => T): T;
  /** Returns the `traceparent` of this request, for later work that the request causes (R1.4). */
  traceparent?(): string | undefined;
  ended(observation: Observation): void;
}

export interface Observation extends Readonly<Omit<ObservationBuilder, "observer" | "admission" | "record">> {
  readonly status: number;
  /** The seconds from the end of the request's header until the response is ready. */
  readonly seconds: number;
}

/** Facts about a request, each of which the stage that finds it out adds. */
export interface ObservationBuilder {
  /** The id of the request (R1.3). */
  readonly requestId: string;
  /** The path template with the base path: `/v1/parcels/{parcel}`. */
  route?: string;
  /** The name of the operation. */
  operation?: string;
  /** The version that serves the request; absent until known. */
  version?: Served;
  /** The code of the error that the request got. */
  code?: string;
  /** The caller's id; absent until known, and for anonymous callers. */
  caller?: string;
  /** The record's id; absent until known. The `after` function uses it. */
  record?: Value;
  /** The request's reservations in the operation's limits. */
  admission?: Admission;
  readonly observer: Observer | undefined;
}
