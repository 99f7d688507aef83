/**
 * Plans part 8 except retention: the server's limits (from part 8, else the defaults R8.8 and R4.21), rates and quotas, with
 * the limits of each operation.
 */
import { parseSize } from "../../base/bytes.ts";
import { parseClockDuration } from "../../base/duration.ts";
import { creates } from "../../language/endpoints/input.ts";
import { type ResourceEndpoint, subjectOf } from "../../language/endpoints/resolve.ts";
import { ownerFields, rateCountedBy, windowCountedBy, type RatedEndpoint } from "../../language/limits/counted.ts";
import { calendarUnit, type Quota, type Rate, windowMilliseconds } from "../../language/limits/model.ts";
import { lifecycleOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import type { Limited, QuotaPlan, RatePlan, ServerLimits } from "./types.ts";
import type { EndpointsPart } from "../endpoints/types.ts";
import type { LimitsPart } from "./types.ts";
import { assert, type PlanInput } from "../input.ts";

export function serverLimits({ model }: PlanInput): ServerLimits {
  const { size = {}, time = {} } = model.limits;
  return {
    requestBytes: bytesOf(lookup(size, "request")) ?? 1_048_576,
    requestMilliseconds: millisecondsOf(lookup(time, "request")) ?? 30_000,
  };
}

/** Returns the limits of one operation: from its own line, else from the line for all requests. */
export function operationLimits(planInput: PlanInput, operation: string): ServerLimits {
  const { size = {}, time = {} } = planInput.model.limits;
  const general = serverLimits(planInput);
  return {
    requestBytes: bytesOf(lookup(size, operation)) ?? general.requestBytes,
    requestMilliseconds: millisecondsOf(lookup(time, operation)) ?? general.requestMilliseconds,
  };
}

/** Returns the longest time limit of all operations, for requests whose operation is not known yet. */
export function longestRequest({
  limits,
  operations,
  contractOperations,
}: Pick<LimitsPart & EndpointsPart, "limits" | "operations" | "contractOperations">): number {
  const all = [...operations, ...contractOperations.map(({ operation }) => operation)];
  return Math.max(limits.requestMilliseconds, ...all.map((operation) => operation.limits.requestMilliseconds));
}

function bytesOf(size: string | undefined): number | undefined {
  return size === undefined ? undefined : parseSize(size);
}

function millisecondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : parseClockDuration(time);
}

// ── Rates ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function ratePlans(planInput: PlanInput): readonly RatePlan[] {
  const { rates: names } = namesOf(planInput);
  return statedRates(planInput).map(({ target, rate }, index) => ({
    name: names[index] as string,
    of: target === "anyone" ? "anonymous" : "all",
    count: rate.count,
    windowMilliseconds: windowMilliseconds(rate.window),
    per: rate.per,
    ...calendarOf(rate),
    ...(rate.burst === undefined ? {} : { burst: rate.burst }),
  }));
}

/**
 * Returns the rates of an operation and those of `all` and `anyone`; a rate per resource only if the path identifies its
 * record.
 */
export function ratesOf(planInput: PlanInput, ratedEndpoint: RatedEndpoint): readonly Limited[] {
  return statedRates(planInput).flatMap(({ target, rate }, limit) => {
    if (target !== "all" && target !== "anyone" && target !== ratedEndpoint.operation) return [];
    const by = rateCountedBy(ratedEndpoint, rate.per);
    return by === undefined ? [] : [{ limit, by }];
  });
}

/** Returns the rates of all requests, including those to unknown operations. */
export function generalRates(planInput: PlanInput): readonly Limited[] {
  return statedRates(planInput).flatMap(({ target, rate: { per } }, limit): readonly Limited[] => {
    if ((target !== "all" && target !== "anyone") || (per !== "user" && per !== "ip")) return [];
    return [{ limit, by: { kind: per } }];
  });
}

function calendarOf({ window, zone }: Pick<Rate, "window" | "zone">): Pick<RatePlan, "calendar"> {
  const unit = calendarUnit(window);
  return zone === undefined || unit === undefined ? {} : { calendar: { unit, zone } };
}

interface StatedRate {
  readonly target: string;
  readonly rate: Rate;
}

function statedRates({ model }: PlanInput): readonly StatedRate[] {
  return Object.entries(model.limits.rate ?? {}).flatMap(([target, rates]) => rates.map((rate) => ({ target, rate })));
}

// ── Quotas ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function quotaPlans(planInput: PlanInput): readonly QuotaPlan[] {
  const { quotas: names } = namesOf(planInput);
  return statedQuotas(planInput).map(({ target, quota }, index): QuotaPlan => {
    const name = names[index] as string;
    const { count, per } = quota;
    if (quota.kind === "window") {
      const { window } = quota;
      const of = isResource(planInput, target) ? "creation" : "operation";
      return {
        kind: "window",
        name,
        of,
        count,
        windowMilliseconds: windowMilliseconds(window),
        ...calendarOf(quota),
        per,
      };
    }
    const [column] = ownerFields(planInput.model, target, per);
    assert(column !== undefined, `no field says whose a ${target} is`);
    const states = countedStates(planInput, target, quota.states);
    return { kind: "live", name, resource: target, column, ...(states === undefined ? {} : { states }), count };
  });
}

/** Returns the states that a quota counts. Without named states: all except final ones. */
function countedStates(
  { model }: PlanInput,
  resource: string,
  named: readonly string[],
): readonly string[] | undefined {
  const lifecycle = lifecycleOf(model, resource);
  if (lifecycle === undefined || named.length > 0) return lifecycle && named;
  return Object.keys(lifecycle.states).filter((state) => !lifecycle.final?.includes(state));
}

/** Returns the window quotas that count the operation. */
export function quotasOf(planInput: PlanInput, ratedEndpoint: ResourceEndpoint): readonly Limited[] {
  const { operation, resource, action } = ratedEndpoint;
  const makes = action === "create" || action === "link" || creates(planInput.model, ratedEndpoint);
  const made = subjectOf(ratedEndpoint) ?? resource;
  return statedQuotas(planInput).flatMap(({ target, quota }, limit) => {
    const counts = target === operation || (target === made && makes);
    if (quota.kind !== "window" || !counts) return [];
    const by = windowCountedBy(planInput.model, ratedEndpoint, quota.per);
    return by === undefined ? [] : [{ limit, by }];
  });
}

/** Returns the window quotas of a handler, which creates no records by itself. */
export function quotasOfOperation(
  planInput: PlanInput,
  ratedEndpoint: RatedEndpoint,
  input: Readonly<Record<string, Field>>,
): readonly Limited[] {
  return statedQuotas(planInput).flatMap(({ target, quota }, limit): readonly Limited[] => {
    if (quota.kind !== "window" || target !== ratedEndpoint.operation) return [];
    const inPath = rateCountedBy(ratedEndpoint, quota.per);
    if (inPath !== undefined) return [{ limit, by: inPath }];
    const named = Object.entries(input).filter(([, { type }]) => referenceOf(planInput.model, type) === quota.per);
    return named.length === 1 ? named.map(([member]) => ({ limit, by: { kind: "member", member } })) : [];
  });
}

/** Returns the columns to index, so that counting an owner's live records reads no other records. */
export function quotaIndexes({ model }: PlanInput, resource: string): readonly (readonly string[])[] {
  const live = (lookup(model.limits.quota ?? {}, resource) ?? []).filter(({ kind }) => kind === "live");
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

function statedQuotas(planInput: PlanInput): readonly StatedQuota[] {
  return Object.entries(planInput.model.limits.quota ?? {}).flatMap(([target, quotas]) =>
    quotas.flatMap((quota) => (isCounted(planInput, target, quota) ? [{ target, quota }] : [])),
  );
}

/** Whether a live quota can be counted: it needs a resource of the document with a field for the owner. */
export function isCounted(planInput: PlanInput, target: string, quota: Quota): boolean {
  if (quota.kind === "window") return true;
  return isResource(planInput, target) && ownerFields(planInput.model, target, quota.per).length > 0;
}

function isResource({ model }: PlanInput, name: string): boolean {
  return lookup(model.resources.resources, name) !== undefined;
}

// ── Names and windows ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the names of the rates and of the quotas. A name is as short as is unique, and derived from the content of the line
 * instead of its position, so that a limit keeps its name and counts when other limits are added or removed.
 */
function namesOf(planInput: PlanInput): { readonly rates: readonly string[]; readonly quotas: readonly string[] } {
  const rates = statedRates(planInput);
  const ladders = [
    ...rates.map(({ target, rate }) => ladder(target, rate.per, rate.window, rate.count)),
    ...statedQuotas(planInput).map(({ target, quota }) =>
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
