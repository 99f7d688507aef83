/**
 * Exports metrics to an OpenTelemetry SDK: counters and gauges are read at each collection, histogram values are forwarded.
 * Request durations are left out, because `runtime/telemetry.ts` records them.
 */
import { metrics } from "@opentelemetry/api";
import type { Metrics, Sample } from "./metrics.ts";
import { type MetricDefinition, type MetricName, metricDefinitions } from "./metric-definitions.ts";

export function exportToOpenTelemetry(serviceMetrics: Metrics): void {
  const meter = metrics.getMeter("nonet");
  const histograms = new Map<MetricName, { record(value: number, attributes: Record<string, string>): void }>();
  const kinds = new Map(metricDefinitions);
  for (const [name, { kind, unit, about, bounds }] of metricDefinitions) {
    if (name === "http.server.request.duration") continue;
    const options = { unit, description: about };
    if (kind === "histogram") {
      const advice = { explicitBucketBoundaries: [...(bounds ?? [])] };
      histograms.set(name, meter.createHistogram(name, { ...options, advice }));
      continue;
    }
    const instrument =
      kind === "counter"
        ? meter.createObservableCounter(name, options)
        : isAdditive(unit)
          ? meter.createObservableUpDownCounter(name, options)
          : meter.createObservableGauge(name, options);
    instrument.addCallback(async (result) => {
      for (const sample of await serviceMetrics.samples(name)) {
        result.observe(sample.value, attributesOf(kinds.get(name), sample));
      }
    });
  }
  serviceMetrics.listen((name, value, labels) => {
    histograms.get(name)?.record(value, attributesOf(kinds.get(name), { labels, value }));
  });
}

/** Whether values of several processes can be added: OpenTelemetry has a different instrument for those. */
function isAdditive(unit: string): boolean {
  return unit === "By" || unit.startsWith("{");
}

function attributesOf(kind: MetricDefinition | undefined, { labels }: Sample): Record<string, string> {
  return Object.fromEntries((kind?.labels ?? []).map((name, at) => [name, labels[at] ?? ""]));
}
