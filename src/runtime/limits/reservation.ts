/**
 * Reserves a request in several limits at once: one from each or none, with a refund.
 *
 * If several processes share counts (`shared-counts.ts`), a process knows the last shared count and the requests that it has not
 * reported yet. It rejects a request above the limit without a round trip. It admits a request at once if there is no other
 * unreported one and the limit is high enough for one extra request; otherwise it waits for the shared count. So each process
 * admits at most one request too many (R8.3), none for small limits and long windows, and a client that sends its requests one
 * after another never waits.
 */
import { onceFor } from "../../base/once.ts";
import type { Awaitable } from "../../store/port/store.ts";
import type { RateLimiter, BucketRef } from "./rate-limiter.ts";
import type { CountListener, Shared, Sharing } from "./shared-counts.ts";

/** A request that is counted in one limit. */
export interface Reservation {
  readonly limiter: RateLimiter;
  readonly bucketRef: BucketRef;
  readonly sharedCounts: SharedCounts | undefined;
}

/** How processes share the count of a limit. */
export interface SharedCounts {
  readonly sharing: Sharing;
  readonly sharedOf: (bucketRef: BucketRef) => Shared;
  /** Whether one request may pass before it is reported. */
  readonly lenient: boolean;
}

/**
 * Consumes one request from each limit or from none; returns the limits that are used up. Returns a promise if the counts are
 * shared.
 */
export function reserve(wanted: readonly Reservation[], now: number): Awaitable<readonly Reservation[]> {
  const full = wanted.filter(({ limiter, bucketRef }) => limiter.left(bucketRef, now) === 0);
  if (full.length > 0) {
    for (const reservation of full) renew(reservation, now);
    return full;
  }
  const unsure = wanted.filter(isUnsure);
  for (const reservation of wanted) if (!unsure.includes(reservation)) consume(reservation, now);
  return unsure.length === 0 ? none : reserveShared(wanted, unsure, now);
}

const none: readonly Reservation[] = [];

export function refund(reserved: readonly Reservation[], now: number): void {
  for (const reservation of reserved) {
    const { limiter, bucketRef } = reservation;
    limiter.refund(bucketRef);
    // The refund of a request in an ended window must not reduce the count of the next window.
    if (!limiter.isOver(bucketRef, now)) report(reservation, -1, now);
  }
}

async function reserveShared(
  wanted: readonly Reservation[],
  unsure: readonly Reservation[],
  now: number,
): Promise<readonly Reservation[]> {
  const granted = await Promise.all(unsure.map((reservation) => isGranted(reservation, now)));
  const full = unsure.filter((_, index) => granted[index] === false);
  if (full.length > 0) {
    const reserved = wanted.filter((reservation) => !full.includes(reservation));
    refund(reserved, now);
  }
  return full;
}

/** What this process knows about a shared bucket: the number of unreported requests, and the time of the last shared count. */
interface Known {
  owed: number;
  syncedAt: number;
}

/** After how many milliseconds a used-up limit is synchronised again: other processes may have refunded. */
const renewedMilliseconds = 250;

const knownOf = onceFor((_: BucketRef): Known => ({ owed: 0, syncedAt: Number.NEGATIVE_INFINITY }));

function isUnsure({ bucketRef, sharedCounts }: Reservation): boolean {
  return sharedCounts !== undefined && !(sharedCounts.lenient && knownOf(bucketRef).owed === 0);
}

function consume(reservation: Reservation, now: number): void {
  reservation.limiter.consume(reservation.bucketRef, now);
  report(reservation, 1, now);
}

function report(reservation: Reservation, count: number, now: number): void {
  const { bucketRef, sharedCounts } = reservation;
  if (sharedCounts === undefined) return;
  knownOf(bucketRef).owed += count;
  sharedCounts.sharing.report(sharedCounts.sharedOf(bucketRef), count, countListener(reservation, count, now));
}

/** Returns a listener that applies a shared count. `reported`: how many requests the report contained. */
function countListener({ limiter, bucketRef }: Reservation, reported: number, now: number): CountListener {
  const known = knownOf(bucketRef);
  return (counted) => {
    known.owed -= reported;
    if (counted === undefined) return;
    known.syncedAt = now;
    limiter.applyShared(bucketRef, { used: counted.used, at: counted.at }, known.owed);
  };
}

function renew(reservation: Reservation, now: number): void {
  if (
    reservation.sharedCounts === undefined ||
    Math.abs(now - knownOf(reservation.bucketRef).syncedAt) < renewedMilliseconds
  )
    return;
  report(reservation, 0, now);
}

/** Consumes one request of the shared count; false if it is used up. */
async function isGranted(reservation: Reservation, now: number): Promise<boolean> {
  const { limiter, bucketRef, sharedCounts } = reservation;
  limiter.hold(bucketRef);
  const granted = await sharedCounts?.sharing.want(
    sharedCounts.sharedOf(bucketRef),
    countListener(reservation, 0, now),
  );
  if (granted !== undefined) return granted;
  // If the shared count is unavailable, the count of this process applies.
  if (limiter.left(bucketRef, now) === 0) return false;
  limiter.consume(bucketRef, now);
  return true;
}
