/**
 * What an observer learns of a request. The observer decides what becomes of it: a span, a metric, a line of a log. There is
 * one observation for each request, so that all of them agree.
 */
import type { Admission } from "../limits/limiter.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { HttpRequest } from "../../http/message.ts";
import type { Served } from "./version.ts";

/** Called at the start of each request, before its checks; returns the observer of that request. Never throws. */
export type Observe = (begun: Begun) => Observer;

export interface Begun {
  /** R1.3 */
  readonly requestId: string;
  /** Credentials are in its header fields and may be in its query: they are not for showing (R1.5). */
  readonly httpRequest: HttpRequest;
}

/** Follows one request. */
export interface Observer {
  /** Runs what answers the request, where what that calls shall know to which request it belongs. */
  inContext?<T>(task: () => T): T;
  /** A `traceparent` with this request as the parent, for what it causes later and elsewhere (R1.4). */
  traceparent?(): string | undefined;
  ended(observation: Observation): void;
}

export interface Observation extends Readonly<Omit<ObservationBuilder, "observer" | "admission" | "record">> {
  readonly status: number;
  /** From the end of the header to the answer's being ready to be sent. */
  readonly seconds: number;
}

/** What becomes known of a request on its way; the steps that find it out write it here. */
export interface ObservationBuilder {
  /** R1.3 */
  readonly requestId: string;
  /** The template of the path, with that of the base address in front: `/v1/parcels/{parcel}`. */
  route?: string;
  /** The document's name for what is done. */
  operation?: string;
  /** The version that is served, once it is known. */
  version?: Served;
  /** Why it was refused, or what failed. */
  code?: string;
  /** The caller's id, once it is known who that is; absent for anonymous ones. */
  caller?: string;
  /** The id of the record that it is about, once that is known; for functions after it. */
  record?: Value;
  /** What it has taken of the limits that hold for the operation. */
  admission?: Admission;
  readonly observer: Observer | undefined;
}
