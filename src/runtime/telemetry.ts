/**
 * Reports observations to OpenTelemetry (R1.4, R1.5, semantic conventions for HTTP): a server span and a duration for each
 * request. It needs only the API; the operator installs and configures the SDK.
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

/** The bounds of the histogram in seconds, as the conventions recommend for `http.server.request.duration`. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);
const name = "nonet";

/**
 * Creates the reports. Call it after the SDK is registered: before that, the API returns a meter that does nothing.
 *
 * @param baseUrl the service's URL; called at the first request
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
      // The conventions' attribute for a response header field, here the request id that clients know (R1.3).
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

/** Returns the `traceparent` of a context, for outgoing requests; undefined without a trace. */
export function traceparentOf(inContext: Context): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(inContext, carrier);
  return carrier.traceparent;
}

export interface Sending {
  /** The header fields of the outgoing request, with this span as the parent (R1.4). */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the span with the response status, or with a constant word for the failure. */
  ended(status: number | undefined, failure?: string): void;
}

/** Starts the span of an outgoing request, such as a webhook delivery, as a child of its cause. */
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

/** The propagator's own choice of header fields is used. */
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

/** Returns the server's attributes from the service's public URL, because clients control the Host field. */
function serverAttributes(baseUrl: string): Attributes {
  const url = new URL(baseUrl);
  return { "server.address": url.hostname, "server.port": portOf(url) };
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/** Returns the attributes of the outcome. Only server errors count as errors; a 4xx response is a regular outcome. */
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

/** Returns the path of a target without the query, which may contain private data. */
function pathOf(target: string): string {
  const path = /^https?:\/\/[^/?#]*([^?#]*)/i.exec(target)?.[1] ?? target.split("?", 1)[0] ?? "";
  return path === "" ? "/" : path;
}
