/**
 * Collects the metrics of a running service. Prometheus (`metrics-prometheus.ts`), OpenTelemetry (`metrics-opentelemetry.ts`) and
 * docs/reference/metrics.md use the same names, kinds and meanings.
 *
 * Values that change with each request are stored here; others are computed when they are read.
 */
import { getOrMake } from "../base/once.ts";
import type { Awaitable } from "../store/port/store.ts";
import { type MetricName, metricDefinitions } from "./metric-definitions.ts";

export interface Sample {
  /** A value for each label of the metric, in order. */
  readonly labels: readonly string[];
  readonly value: number;
}

/** A histogram: counts by upper bound, not cumulative; the last one counts values above all bounds. */
export interface Distribution {
  readonly labels: readonly string[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

export type Measured =
  | { readonly name: MetricName; readonly kind: "counter" | "gauge"; readonly samples: readonly Sample[] }
  | { readonly name: MetricName; readonly kind: "histogram"; readonly distributions: readonly Distribution[] };

export type Read = () => Awaitable<readonly Sample[]>;

/** Receives each histogram value, for exporters with separate histograms. */
export type Listener = (name: MetricName, value: number, labels: readonly string[]) => void;

export interface Metrics {
  add(name: MetricName, labels?: readonly string[], by?: number): void;
  /** Adds a value to a histogram; `value` is in the metric's unit. */
  record(name: MetricName, value: number, labels?: readonly string[]): void;
  /** Sets how the metric is computed at each read; an error only omits this metric. */
  observe(name: MetricName, read: Read): void;
  listen(listener: Listener): void;
  /** Returns the current samples of one metric. */
  samples(name: MetricName): Awaitable<readonly Sample[]>;
  /** Returns all metrics with values, in the order of the definitions. */
  read(): Promise<readonly Measured[]>;
}

interface Series {
  readonly labels: readonly string[];
  value: number;
}

interface DistributionSeries {
  readonly labels: readonly string[];
  readonly counts: number[];
  sum: number;
  count: number;
}

export function createMetrics(): Metrics {
  const counts = new Map<MetricName, Map<string, Series>>();
  const distributions = new Map<MetricName, Map<string, DistributionSeries>>();
  const gauges = new Map<MetricName, Read>();
  const listeners: Listener[] = [];
  for (const [name, { known = [] }] of metricDefinitions)
    for (const labels of known) entryOf(counts, name, labels, () => ({ labels, value: 0 }));

  function samples(name: MetricName): Awaitable<readonly Sample[]> {
    return gauges.get(name)?.() ?? [...(counts.get(name)?.values() ?? [])];
  }

  return {
    samples,
    add(name, labels = [], by = 1) {
      const current = entryOf(counts, name, labels, () => ({ labels, value: 0 }));
      current.value += by;
    },
    record(name, value, labels = []) {
      const bounds = boundsOf(name);
      const current = entryOf(distributions, name, labels, () => {
        return { labels, counts: bounds.map(() => 0).concat(0), sum: 0, count: 0 };
      });
      let at = 0;
      while (at < bounds.length && value > (bounds[at] as number)) at += 1;
      current.counts[at] = (current.counts[at] as number) + 1;
      current.sum += value;
      current.count += 1;
      for (const listener of listeners) listener(name, value, labels);
    },
    observe: (name, read) => void gauges.set(name, read),
    listen: (listener) => void listeners.push(listener),
    async read() {
      const measured: Measured[] = [];
      for (const [name, { kind }] of metricDefinitions) {
        if (kind === "histogram") {
          const all = [...(distributions.get(name)?.values() ?? [])];
          if (all.length > 0) measured.push({ name, kind, distributions: all });
          continue;
        }
        const all = await Promise.resolve()
          .then(() => samples(name))
          .catch(() => []);
        if (all.length > 0) measured.push({ name, kind, samples: all });
      }
      return measured;
    },
  };
}

const table = new Map(metricDefinitions);

function boundsOf(name: MetricName): readonly number[] {
  return table.get(name)?.bounds ?? [];
}

/**
 * Returns the entry for some labels. Labels have few values (path templates, codes, fixed words), which no client can
 * multiply.
 */
function entryOf<T>(
  all: Map<MetricName, Map<string, T>>,
  name: MetricName,
  labels: readonly string[],
  make: () => T,
): T {
  const series = getOrMake(all, name, () => new Map<string, T>());
  const key = labels.length === 1 ? (labels[0] as string) : labels.join("\n");
  return getOrMake(series, key, make);
}
