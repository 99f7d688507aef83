/**
 * Counts quotas (R8.7) inside the transaction of the write: parallel writes cannot exceed them, and rejected or rolled back
 * writes and repeated requests do not count. They are the last check of a write.
 */
import type { Operation } from "../../plan/endpoints/types.ts";
import type { QuotaPlan } from "../../plan/limits/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { Call, ChangeContext, LiveQuota } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import { windowEnd } from "../limits/calendar.ts";
import { concealed, partitionOf, reportQuota } from "../limits/limiter.ts";

/** Returns the quotas of live records, by resource. */
export function liveQuotas(quotas: readonly QuotaPlan[]): ReadonlyMap<string, readonly LiveQuota[]> {
  return Map.groupBy(
    quotas.filter((quota) => quota.kind === "live"),
    ({ resource }) => resource,
  );
}

/**
 * Rejects a record that newly counts towards a full quota, and rolls the transaction back; `old` is the record before the
 * write, if it existed.
 */
export function holdLive(
  { context }: ChangeContext,
  tx: Transaction,
  { resource }: Table,
  old: Row | undefined,
  row: Row,
): Awaitable<void> {
  const quotas = context.liveQuotas.get(resource);
  if (quotas !== undefined) return holdAll(quotas, tx, old, row);
}

async function holdAll(quotas: readonly LiveQuota[], tx: Transaction, old: Row | undefined, row: Row): Promise<void> {
  for (const quota of quotas) {
    const { resource, column, states } = quota;
    const value = row[column] ?? null;
    const begins = counts(quota, row) && !(old !== undefined && counts(quota, old) && old[column] === value);
    if (!begins) continue;
    if (!(await tx.hasRoom({ resource, column, value, states }, quota.count))) throw quotaExceeded(quota);
  }
}

/** Whether a record counts towards a quota; a record without an owner counts towards none. */
function counts({ column, states }: LiveQuota, row: Row): boolean {
  if ((row[column] ?? null) === null) return false;
  return states === undefined || states.includes(row["state"] as string);
}

/** Counts a successful operation; rejects it and rolls it back if it exceeds a quota. */
export async function countSuccess(call: Call, tx: Transaction, response: HttpResponse): Promise<void> {
  const { context, now } = call;
  for (const { limit, by } of call.compiled.operation.quotas) {
    const quota = context.plan.quotas[limit];
    const { made = 0 } = response;
    if (quota?.kind !== "window" || (quota.of === "creation" && made === 0)) continue;
    const partition = partitionIn(call, by);
    if (partition === undefined) continue;
    const key = concealed(context.secret, partition);
    const more = quota.of === "creation" ? made : 1;
    const counted = await tx.count(`quota ${quota.name}`, key, now, windowEnd(quota, now), more);
    if (call.observation.admission !== undefined) reportQuota(call.observation.admission, quota, counted, now);
    if (counted.used > quota.count) throw quotaExceeded(quota, counted.until - now);
  }
}

function partitionIn(call: Call, by: Operation["quotas"][number]["by"]): string | undefined {
  if (by.kind !== "member") return partitionOf(by, call.httpRequest, call.caller.id, call.parameters);
  const sent = Object.hasOwn(call.input, by.member) ? call.input[by.member] : undefined;
  return typeof sent === "string" || typeof sent === "number" ? `r${sent}` : undefined;
}

/** Returns the error of an exceeded quota. `milliseconds`: the time until the window ends; unknown for live records. */
function quotaExceeded(quota: QuotaPlan, milliseconds?: number): ApiError {
  const wait = milliseconds === undefined ? [] : ["Retry-After", String(Math.max(1, Math.ceil(milliseconds / 1000)))];
  return new ApiError("quota-exceeded", {
    detail: `There may be at most ${quota.count}${milliseconds === undefined ? " at a time" : " in this period"}`,
    members: { "violated-policies": [quota.name] },
    headers: wait,
    undo: true,
  });
}
