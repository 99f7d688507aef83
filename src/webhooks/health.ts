/**
 * Tracks since when an endpoint fails (R6.9), by pure functions. Failures count only if two of them are at least 12 hours and
 * at most a day apart, so short outages are ignored. A success resets the health.
 */

const hour = 3_600_000;
const apart = 12 * hour;
const windowMilliseconds = 24 * hour;
/** After how many milliseconds of failures an endpoint is disabled. */
const patience = 120 * hour;

export interface Health {
  /** The first failure, with which later ones are compared, in epoch milliseconds. */
  readonly first: number;
  /** The start of the outage in epoch milliseconds; absent if it is not confirmed. */
  readonly since?: number;
}

/** Returns the health after a failure at `now`. */
export function afterFailure(health: Health | undefined, now: number): Health {
  if (health === undefined) return { first: now };
  if (health.since !== undefined || now - health.first < apart) return health;
  return now - health.first <= windowMilliseconds ? { ...health, since: health.first } : { first: now };
}

export function isTired({ since }: Health, now: number): boolean {
  return since !== undefined && now - since >= patience;
}
