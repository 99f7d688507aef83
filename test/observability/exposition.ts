/** A strict parser of Prometheus' text format 0.0.4, independent of the code that writes it. */
import assert from "node:assert/strict";

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** Fails at whatever the format does not allow, or a family that says something twice or leaves out what it has to say. */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  assert(text.endsWith("\n"), "the last line ends");
  const families = new Map<
    string,
    { name: string; type: string; help: string; samples: Family["samples"][number][] }
  >();
  let family: { name: string; type: string; help: string; samples: Family["samples"][number][] } | undefined;
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-z_][a-z0-9_]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      const name = help[1] as string;
      assert(!families.has(name), `${name} comes twice`);
      family = { name, type: "", help: help[2] as string, samples: [] };
      families.set(name, family);
      continue;
    }
    assert(family !== undefined, line);
    if (type !== null) {
      assert.equal(type[1], family.name);
      family.type = type[2] as string;
      continue;
    }
    const sample =
      /^([a-z_][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?[0-9.]+(?:e[+-]?\d+)?|NaN|[+-]Inf)$/.exec(
        line,
      );
    assert(sample !== null, `no sample: ${line}`);
    const [, name = "", labels = "", value = ""] = sample;
    assert(!seen.has(`${name}{${labels}}`), `twice: ${line}`);
    seen.add(`${name}{${labels}}`);
    const suffix = name.slice(family.name.length);
    assert(name.startsWith(family.name), line);
    assert((family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).includes(suffix), line);
    const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", written = ""]) => {
      return [key, written.replaceAll(/\\(["\\n])/g, (_, one: string) => (one === "n" ? "\n" : one))] as const;
    });
    family.samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value.replace("Inf", "Infinity")) });
  }
  for (const one of families.values()) judge(one);
  return families;
}

/** What promtool minds, too: names that say their unit, counters that end in `_total` and nothing else that does. */
function judge({ name, type, samples }: Family): void {
  assert(type !== "", `${name} has no type`);
  assert.equal(name.endsWith("_total"), type === "counter", name);
  assert.doesNotMatch(name, /_(?:count|sum|bucket)$/);
  if (type !== "histogram") return;
  const series = new Map<string, { le: number; value: number }[]>();
  for (const { name: sample, labels, value } of samples) {
    if (!sample.endsWith("_bucket")) continue;
    const { le = "", ...others } = labels;
    const key = JSON.stringify(others);
    series.set(key, [...(series.get(key) ?? []), { le: Number(le.replace("Inf", "Infinity")), value }]);
  }
  for (const [key, buckets] of series) {
    assert.equal(buckets.at(-1)?.le, Number.POSITIVE_INFINITY, key);
    for (const [at, { le, value }] of buckets.entries()) {
      if (at === 0) continue;
      assert(le > (buckets[at - 1]?.le ?? 0) && value >= (buckets[at - 1]?.value ?? 0), `${name} ${key} falls`);
    }
    const count = samples.find((one) => one.name === `${name}_count` && JSON.stringify(one.labels) === key);
    assert.equal(count?.value, buckets.at(-1)?.value, `${name} ${key}`);
  }
}

/** The value of a sample; undefined where there is none. */
export function valueOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ""));
  const wanted = Object.entries(labels);
  return family?.samples.find((one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value))
    ?.value;
}
