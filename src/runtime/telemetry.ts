/**
 * Observations as OpenTelemetry has them (R1.4, R1.5, the semantic conventions for HTTP): a server span and a duration for
 * each request. Only the API is needed here; the SDK, and with it where all of this goes, is brought by whoever runs it.
 */
import {
  type Attributes,
  type Context,
  type Span,
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { RequestHeaders } from "../http/message.ts";
import type { Observation, Observe } from "./context/observation.ts";

/** In seconds, as the conventions advise for `http.server.request.duration`. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
const name = "nonet";

/**
 * To be called when the SDK is registered: the API gives who asks for a meter before one that keeps nothing.
 *
 * @param baseUrl where callers reach the service; asked at the first request.
 */
export function createTelemetry(baseUrl: () => string): Observe {
  const tracer = trace.getTracer(name);
  const duration = metrics.getMeter(name).createHistogram("http.server.request.duration", {
    description: "Duration of HTTP server requests.",
    unit: "s",
    advice: { explicitBucketBoundaries: boundaries },
  });
  let server: Attributes | undefined;
  return ({ requestId, httpRequest }) => {
    const { method, headers } = httpRequest;
    const request = requestAttributes(method, httpRequest.secure);
    const attributes = {
      ...request,
      ...(server ??= serverAttributes(baseUrl())),
      "url.path": pathOf(httpRequest.target),
      // The conventions' name for a field of the answer, here the one that every caller has in hand (R1.3).
      "http.response.header.request-id": [requestId],
      ...(knownMethods.has(method) ? {} : { "http.request.method_original": method }),
    };
    const caller = propagation.extract(context.active(), headers, headerFields);
    const span = tracer.startSpan(spanName(method), { kind: SpanKind.SERVER, attributes }, caller);
    const spanContext = trace.setSpan(caller, span);
    return {
      inContext: (task) => context.with(spanContext, task),
      traceparent: () => traceparentOf(spanContext),
      ended(observation) {
        const outcome = outcomeAttributes(observation);
        duration.record(observation.seconds, { ...request, ...outcome }, spanContext);
        if (observation.route !== undefined) span.updateName(spanName(method, observation.route));
        end(span, outcome);
      },
    };
  };
}

/** The `traceparent` that makes what is sent a child of what runs in a context; undefined where nothing is traced. */
export function traceparentOf(inContext: Context): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(inContext, carrier);
  return carrier.traceparent;
}

export interface Sending {
  /** The header fields that the request is to carry, with this sending as the parent (R1.4). */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's status; undefined where none came, and then why not, in a word that is the same each time. */
  ended(status: number | undefined, failure?: string): void;
}

/** A request that the service itself sends, such as a webhook delivery, as a child of what caused it. */
export function startSending(method: string, url: URL, traceparent: string | undefined): Sending {
  const parent = traceparent === undefined ? context.active() : propagation.extract(context.active(), { traceparent });
  const attributes = {
    "http.request.method": method,
    "server.address": url.hostname,
    "server.port": portOf(url),
    "url.scheme": url.protocol.slice(0, -1),
  };
  const span = trace.getTracer(name).startSpan(spanName(method), { kind: SpanKind.CLIENT, attributes }, parent);
  const headers: Record<string, string> = {};
  propagation.inject(trace.setSpan(parent, span), headers);
  return {
    headers,
    ended(status, failure) {
      const error = failure ?? (status === undefined || status >= 400 ? String(status) : undefined);
      end(span, {
        ...(status === undefined ? {} : { "http.response.status_code": status }),
        ...(error === undefined ? {} : { "error.type": error }),
      });
    },
  };
}

/** The names of the fields are the propagator's own. */
const headerFields = {
  keys: () => [],
  get: (headers: RequestHeaders, field: string) => headers.get(field.toLowerCase()),
};

function requestAttributes(method: string, secure: boolean): Attributes {
  return {
    "http.request.method": knownMethods.has(method) ? method : "_OTHER",
    "url.scheme": secure ? "https" : "http",
  };
}

/** From the public address of the service, not from Host, where a caller may write anything. */
function serverAttributes(baseUrl: string): Attributes {
  const url = new URL(baseUrl);
  return { "server.address": url.hostname, "server.port": portOf(url) };
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/** An error is what the service is to blame for: a refused request is an answer like another one. */
function outcomeAttributes({ route, status, code }: Observation): Attributes {
  return {
    "http.response.status_code": status,
    ...(route === undefined ? {} : { "http.route": route }),
    ...(status < 500 ? {} : { "error.type": code ?? String(status) }),
  };
}

function end(span: Span, outcome: Attributes): void {
  span.setAttributes(outcome);
  if (outcome["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function spanName(method: string, route?: string): string {
  const verb = knownMethods.has(method) ? method : "HTTP";
  return route === undefined ? verb : `${verb} ${route}`;
}

/** Without the query, which may hold what somebody did not want written down. */
function pathOf(target: string): string {
  const path = /^https?:\/\/[^/?#]*([^?#]*)/i.exec(target)?.[1] ?? target.split("?", 1)[0] ?? "";
  return path === "" ? "/" : path;
}
