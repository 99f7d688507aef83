/**
 * Since when nothing arrives at an endpoint (R6.9). Pure. One failure is no sign yet, nor are two that are days apart: time
 * counts from when failures at least twelve hours apart, and within a day of each other, say that it is no hiccup. Whatever
 * arrives ends it.
 */

const hour = 3_600_000;
const apart = 12 * hour;
const windowMilliseconds = 24 * hour;
/** An endpoint at which nothing has arrived for this long is disabled. */
const patience = 120 * hour;

export interface Health {
  /** The failure that the next one is seen beside, epoch milliseconds. */
  readonly first: number;
  /** From when time counts; absent: not yet. */
  readonly since?: number;
}

/** What a failure at `now` makes of it. */
export function afterFailure(health: Health | undefined, now: number): Health {
  if (health === undefined) return { first: now };
  if (health.since !== undefined || now - health.first < apart) return health;
  return now - health.first <= windowMilliseconds ? { ...health, since: health.first } : { first: now };
}

export function isTired({ since }: Health, now: number): boolean {
  return since !== undefined && now - since >= patience;
}
