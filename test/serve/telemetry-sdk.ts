/** A minimal OpenTelemetry SDK for tests, with readable records and W3C Trace Context. */
import { AsyncLocalStorage } from "node:async_hooks";
import type {
  Attributes,
  Context,
  ContextManager,
  Span,
  SpanContext,
  SpanOptions,
  TextMapPropagator,
} from "@opentelemetry/api";
import {
  context,
  createNoopMeter,
  createTraceState,
  isSpanContextValid,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";

export interface RecordedSpan {
  name: string;
  readonly kind: number | undefined;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly attributes: Attributes;
  failed: boolean;
  ended: boolean;
}

export interface RecordedValue {
  readonly name: string;
  readonly unit: string | undefined;
  readonly boundaries: readonly number[] | undefined;
  readonly value: number;
  readonly attributes: Attributes;
}

export interface Recorded {
  /** Takes it away again. */
  forget(): void;
  readonly spans: RecordedSpan[];
  readonly values: RecordedValue[];
}

/** Registers it for the whole process. */
export function registerSdk(): Recorded {
  const recorded: Recorded = {
    spans: [],
    values: [],
    forget: () => {
      for (const api of [trace, metrics, context, propagation]) api.disable();
    },
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: (name: string, options?: SpanOptions, within?: Context) => startSpan(recorded, name, options, within),
      startActiveSpan: () => {
        throw new Error("nobody needs it here");
      },
    }),
  });
  metrics.setGlobalMeterProvider({
    getMeter: () =>
      Object.assign(Object.create(createNoopMeter()), {
        createHistogram: (
          name: string,
          options?: { unit?: string; advice?: { explicitBucketBoundaries?: number[] } },
        ) => ({
          record: (value: number, attributes: Attributes = {}) =>
            recorded.values.push({
              name,
              unit: options?.unit,
              boundaries: options?.advice?.explicitBucketBoundaries,
              value,
              attributes,
            }),
        }),
      }),
  });
  context.setGlobalContextManager(contextManager());
  propagation.setGlobalPropagator(traceContext);
  return recorded;
}

let count = 0;

function startSpan(
  { spans }: Recorded,
  name: string,
  { kind, attributes = {} }: SpanOptions = {},
  within: Context = context.active(),
): Span {
  const found = trace.getSpanContext(within);
  const parent = found !== undefined && isSpanContextValid(found) ? found : undefined;
  count += 1;
  const own: SpanContext = {
    traceId: parent?.traceId ?? count.toString(16).padStart(32, "a"),
    spanId: count.toString(16).padStart(16, "b"),
    traceFlags: TraceFlags.SAMPLED,
    ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
  };
  const recorded: RecordedSpan = {
    name,
    kind,
    context: own,
    parent,
    attributes: { ...attributes },
    failed: false,
    ended: false,
  };
  spans.push(recorded);
  const span: Span = {
    spanContext: () => own,
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes: (more) => {
      Object.assign(recorded.attributes, more);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: ({ code }) => {
      recorded.failed = code === SpanStatusCode.ERROR;
      return span;
    },
    updateName: (text) => {
      recorded.name = text;
      return span;
    },
    end: () => {
      recorded.ended = true;
    },
    isRecording: () => !recorded.ended,
    recordException: () => {},
  };
  return span;
}

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => storage.run(active, () => work.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

const traceContext: TextMapPropagator = {
  fields: () => ["traceparent", "tracestate"],
  inject(within, carrier, setter) {
    const span = trace.getSpanContext(within);
    if (span === undefined) return;
    setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`);
    if (span.traceState !== undefined) setter.set(carrier, "tracestate", span.traceState.serialize());
  },
  extract(within, carrier, getter) {
    const field = getter.get(carrier, "traceparent");
    const parts = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(String(field));
    if (parts === null) return within;
    const state = getter.get(carrier, "tracestate");
    const caller: SpanContext = {
      traceId: parts[1] as string,
      spanId: parts[2] as string,
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
      ...(typeof state === "string" ? { traceState: createTraceState(state) } : {}),
    };
    return isSpanContextValid(caller) ? trace.setSpanContext(within, caller) : within;
  },
};
