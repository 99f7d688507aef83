/** Writes metrics in the text format of Prometheus, version 0.0.4. */
import type { Distribution, Measured, Sample } from "./metrics.ts";
import { type MetricDefinition, metricDefinitions } from "./metric-definitions.ts";

export const textMedia = "text/plain; version=0.0.4; charset=utf-8";

const units: Readonly<Record<string, string>> = { s: "seconds", By: "bytes", "1": "ratio" };
const kinds = new Map<string, MetricDefinition>(metricDefinitions);

/** Returns the name in Prometheus by OpenTelemetry's rules: `http_server_request_duration_seconds`. */
export function prometheusName(name: string, { kind, unit }: Pick<MetricDefinition, "kind" | "unit">): string {
  const base = name.replaceAll(".", "_");
  const suffix = units[unit];
  const named = suffix === undefined || base.endsWith(`_${suffix}`) ? base : `${base}_${suffix}`;
  return kind === "counter" ? `${named}_total` : named;
}

export function metricsText(measured: readonly Measured[]): string {
  return measured.map(textOf).join("");
}

function textOf(measured: Measured): string {
  const kind = kinds.get(measured.name) as MetricDefinition;
  const name = prometheusName(measured.name, kind);
  const names = kind.labels ?? [];
  const lines =
    measured.kind === "histogram"
      ? measured.distributions.flatMap((one) => distributionLines(name, names, kind.bounds ?? [], one))
      : measured.samples.map((one) => sampleLine(name, names, one));
  return `# HELP ${name} ${escaped(kind.about)}\n# TYPE ${name} ${measured.kind}\n${lines.join("\n")}\n`;
}

function sampleLine(name: string, names: readonly string[], { labels, value }: Sample): string {
  return `${name}${labelled(names, labels)} ${numberText(value)}`;
}

function distributionLines(
  name: string,
  names: readonly string[],
  bounds: readonly number[],
  { labels, counts, sum, count }: Distribution,
): readonly string[] {
  let below = 0;
  const buckets = [...bounds.map(numberText), "+Inf"].map((bound, at) => {
    below += counts[at] as number;
    return `${name}_bucket${labelled([...names, "le"], [...labels, bound])} ${below}`;
  });
  const series = labelled(names, labels);
  return [...buckets, `${name}_sum${series} ${numberText(sum)}`, `${name}_count${series} ${count}`];
}

function labelled(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  const pairs = names.map((name, at) => `${name}="${escaped(values[at] ?? "").replaceAll('"', '\\"')}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
