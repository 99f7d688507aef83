/**
 * Windows of the calendar (R8.3, R8.7): a day, a week or a month of a time zone, which ends at a local midnight. Every process
 * computes the same end, so processes share these counts as those of other windows.
 */
import { instantOf, offsetAt } from "../../expression/zones.ts";
import type { CalendarWindow } from "../../plan/limits/types.ts";
import { aheadMilliseconds, type RateLimit } from "../../store/port/rates.ts";

/** A limit whose window begins with the first request, or is one of the calendar. */
export interface Windowed {
  readonly windowMilliseconds: number;
  readonly calendar?: CalendarWindow;
}

/** Returns when a window that begins now ends: after its length, or at the next local midnight that ends a calendar window. */
export function windowEnd({ calendar, windowMilliseconds }: Windowed, now: number): number {
  if (calendar === undefined) return now + windowMilliseconds;
  const { unit, zone } = calendar;
  const local = new Date(now + (offsetAt(now, zone) ?? 0));
  local.setUTCHours(0, 0, 0, 0);
  if (unit === "month") local.setUTCMonth(local.getUTCMonth() + 1, 1);
  // A week begins on Monday.
  else local.setUTCDate(local.getUTCDate() + (unit === "day" ? 1 : 7 - ((local.getUTCDay() + 6) % 7)));
  return instantOf(local.getTime(), zone) ?? now + windowMilliseconds;
}

/** Returns `windowEnd` of a limit, which computes the end of a calendar window once for all requests in it. */
export function windowEnds(limit: Windowed): (now: number) => number {
  if (limit.calendar === undefined) return (now) => now + limit.windowMilliseconds;
  let from = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now < from || now >= until) [from, until] = [now, windowEnd(limit, now)];
    return until;
  };
}

/**
 * Returns the limit that the shared store counts by. A process whose clock is behind counts in the window that another process
 * has already begun: `windowMilliseconds` reaches to the end of that window.
 */
export function sharedLimitOf(limit: RateLimit & Windowed): (now: number) => RateLimit {
  if (limit.calendar === undefined) return () => limit;
  const { count } = limit;
  const [endAt, laterEndAt] = [windowEnds(limit), windowEnds(limit)];
  return (now) => ({ count, windowMilliseconds: laterEndAt(now + aheadMilliseconds) - now, until: endAt(now) });
}
