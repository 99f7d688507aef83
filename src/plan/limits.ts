/**
 * Part 8, but for retention: what protects the server (from part 8 where it says so, else R8.8 and R4.21), how often, and
 * how much. Each operation knows the limits that hold for it.
 */
import { parseSize } from "../base/bytes.ts";
import { parseClockDuration } from "../base/duration.ts";
import { creates } from "../parts/endpoints/input.ts";
import { type ResourceEndpoint, subjectOf } from "../parts/endpoints/meaning.ts";
import { ownerFields, rateCountedBy, windowCountedBy, type Rated } from "../parts/limits/counted.ts";
import { type Quota, type Rate, windowMilliseconds } from "../parts/limits/model.ts";
import { lifecycleOf, own, referenceOf } from "../parts/resources/fields.ts";
import type { Field } from "../parts/resources/model.ts";
import type { Limited, Plan, QuotaPlan, RatePlan, ServerLimits } from "./plan.ts";
import { assert, type Sources } from "./sources.ts";

export function serverLimits({ model }: Sources): ServerLimits {
  const { size = {}, time = {} } = model.limits;
  return {
    requestBytes: bytesOf(own(size, "request")) ?? 1_048_576,
    requestMilliseconds: millisecondsOf(own(time, "request")) ?? 30_000,
  };
}

/** What holds for one operation: its own line, else the one for every request. */
export function operationLimits(sources: Sources, operation: string): ServerLimits {
  const { size = {}, time = {} } = sources.model.limits;
  const general = serverLimits(sources);
  return {
    requestBytes: bytesOf(own(size, operation)) ?? general.requestBytes,
    requestMilliseconds: millisecondsOf(own(time, operation)) ?? general.requestMilliseconds,
  };
}

/** What the longest of all operations may take, and so any request whose operation is not known yet. */
export function longestRequest({ limits, operations, wired }: Pick<Plan, "limits" | "operations" | "wired">): number {
  const all = [...operations, ...wired.map(({ operation }) => operation)];
  return Math.max(limits.requestMilliseconds, ...all.map((operation) => operation.limits.requestMilliseconds));
}

function bytesOf(size: string | undefined): number | undefined {
  return size === undefined ? undefined : parseSize(size);
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : parseClockDuration(time);
}

// ── Rates ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function ratePlans(sources: Sources): readonly RatePlan[] {
  const { rates: names } = namesOf(sources);
  return statedRates(sources).map(({ target, rate }, index) => ({
    name: names[index] as string,
    of: target === "anyone" ? "anonymous" : "all",
    count: rate.count,
    windowMilliseconds: windowMilliseconds(rate.window),
    per: rate.per,
    ...(rate.burst === undefined ? {} : { burst: rate.burst }),
  }));
}

/** Those of `all` and `anyone` hold beside the operation's own; one per record only where the path names that record. */
export function ratesOf(sources: Sources, meaning: Rated): readonly Limited[] {
  return statedRates(sources).flatMap(({ target, rate }, limit) => {
    if (target !== "all" && target !== "anyone" && target !== meaning.operation) return [];
    const by = rateCountedBy(meaning, rate.per);
    return by === undefined ? [] : [{ limit, by }];
  });
}

/** Those that hold for whatever is asked, also for what no operation of the document is. */
export function generalRates(sources: Sources): readonly Limited[] {
  return statedRates(sources).flatMap(({ target, rate: { per } }, limit): readonly Limited[] => {
    if ((target !== "all" && target !== "anyone") || (per !== "user" && per !== "ip")) return [];
    return [{ limit, by: { kind: per } }];
  });
}

interface StatedRate {
  readonly target: string;
  readonly rate: Rate;
}

function statedRates({ model }: Sources): readonly StatedRate[] {
  return Object.entries(model.limits.rate ?? {}).flatMap(([target, rates]) => rates.map((rate) => ({ target, rate })));
}

// ── Quotas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function quotaPlans(sources: Sources): readonly QuotaPlan[] {
  const { quotas: names } = namesOf(sources);
  return statedQuotas(sources).map(({ target, quota }, index): QuotaPlan => {
    const name = names[index] as string;
    const { count, per } = quota;
    if (quota.kind === "window") {
      const { window } = quota;
      const of = isResource(sources, target) ? "creation" : "operation";
      return { kind: "window", name, of, count, windowMilliseconds: windowMilliseconds(window), per };
    }
    const [column] = ownerFields(sources.model, target, per);
    assert(column !== undefined, `no field says whose a ${target} is`);
    const states = countedStates(sources, target, quota.states);
    return { kind: "live", name, resource: target, column, ...(states === undefined ? {} : { states }), count };
  });
}

/** Where no states are named, all but those in which a record has ended. */
function countedStates({ model }: Sources, resource: string, named: readonly string[]): readonly string[] | undefined {
  const lifecycle = lifecycleOf(model, resource);
  if (lifecycle === undefined || named.length > 0) return lifecycle && named;
  return Object.keys(lifecycle.states).filter((state) => !lifecycle.final?.includes(state));
}

/** The quotas in a window that count what the operation does. */
export function quotasOf(sources: Sources, meaning: ResourceEndpoint): readonly Limited[] {
  const { operation, resource, deed } = meaning;
  const makes = deed === "create" || deed === "link" || creates(sources.model, meaning);
  const made = subjectOf(meaning) ?? resource;
  return statedQuotas(sources).flatMap(({ target, quota }, limit) => {
    const counts = target === operation || (target === made && makes);
    if (quota.kind !== "window" || !counts) return [];
    const by = windowCountedBy(sources.model, meaning, quota.per);
    return by === undefined ? [] : [{ limit, by }];
  });
}

/** The same of a handler, which makes no record of its own accord. */
export function quotasOfOperation(
  sources: Sources,
  meaning: Rated,
  takes: Readonly<Record<string, Field>>,
): readonly Limited[] {
  return statedQuotas(sources).flatMap(({ target, quota }, limit): readonly Limited[] => {
    if (quota.kind !== "window" || target !== meaning.operation) return [];
    const inPath = rateCountedBy(meaning, quota.per);
    if (inPath !== undefined) return [{ limit, by: inPath }];
    const named = Object.entries(takes).filter(([, { type }]) => referenceOf(sources.model, type) === quota.per);
    return named.length === 1 ? named.map(([member]) => ({ limit, by: { kind: "member", member } })) : [];
  });
}

/** Columns to index, so that the live records of somebody are counted without reading others. */
export function quotaIndexes({ model }: Sources, resource: string): readonly (readonly string[])[] {
  const live = (own(model.limits.quota ?? {}, resource) ?? []).filter(({ kind }) => kind === "live");
  return live.flatMap(({ per }) => {
    const [column] = ownerFields(model, resource, per);
    if (column === undefined) return [];
    return [lifecycleOf(model, resource) === undefined ? [column] : [column, "state"]];
  });
}

interface StatedQuota {
  readonly target: string;
  readonly quota: Quota;
}

function statedQuotas(sources: Sources): readonly StatedQuota[] {
  return Object.entries(sources.model.limits.quota ?? {}).flatMap(([target, quotas]) =>
    quotas.flatMap((quota) => (isCounted(sources, target, quota) ? [{ target, quota }] : [])),
  );
}

/** Records can only be counted of a resource that the document shows, with a field that says whose they are. */
export function isCounted(sources: Sources, target: string, quota: Quota): boolean {
  if (quota.kind === "window") return true;
  return isResource(sources, target) && ownerFields(sources.model, target, quota.per).length > 0;
}

function isResource({ model }: Sources, name: string): boolean {
  return own(model.resources.resources, name) !== undefined;
}

// ── Names and windows ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The names of the rates, then of the quotas, in their order: as short as tells all of them apart, and made of what the lines
 * say rather than of their places, so that a limit keeps its name, and with it its counts, when others come and go.
 */
function namesOf(sources: Sources): { readonly rates: readonly string[]; readonly quotas: readonly string[] } {
  const rates = statedRates(sources);
  const ladders = [
    ...rates.map(({ target, rate }) => ladder(target, rate.per, rate.window, rate.count)),
    ...statedQuotas(sources).map(({ target, quota }) =>
      ladder(target, quota.per, quota.kind === "window" ? quota.window : "live", quota.count),
    ),
  ];
  const names = ladders.map((steps, index) => {
    const others = ladders.filter((_, other) => other !== index);
    return steps.find((step) => !others.some((other) => other.includes(step))) ?? `${steps.at(-1)}-${index}`;
  });
  return { rates: names.slice(0, rates.length), quotas: names.slice(rates.length) };
}

function ladder(target: string, per: string, window: string, count: number): readonly string[] {
  const name = `${target}-per-${per}`.replace(/[^\w-]/g, "_");
  return [name, `${name}-${window}`, `${name}-${window}-${count}`];
}
