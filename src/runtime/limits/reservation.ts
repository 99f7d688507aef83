/**
 * One request that is counted in several limits at once: it takes one from each of them, or from none, and may give them back.
 *
 * Where several processes count together (`shared-counts.ts`), what is counted here is what they are known to have counted, and what
 * they have not been told of yet. A request for which there is no room by that is refused without asking. One for which there
 * is room is let pass at once where it is the only one that they do not know of, and the limit is so high that one more does
 * not matter; else they are asked first. So they let pass at most one request too many each (R8.3), of small limits and of long
 * windows none, and whoever sends one request after another never waits.
 */
import type { Awaitable } from "../../store/port/store.ts";
import type { RateLimiter, BucketRef } from "./rate-limiter.ts";
import type { CountListener, Shared, Sharing } from "./shared-counts.ts";

/** A place in the count of one limit. */
export interface Reservation {
  readonly limiter: RateLimiter;
  readonly bucketRef: BucketRef;
  readonly sharedCounts: SharedCounts | undefined;
}

/** How a limit is counted with other processes. */
export interface SharedCounts {
  readonly sharing: Sharing;
  readonly sharedOf: (bucketRef: BucketRef) => Shared;
  /** Whether one request may pass that they do not know of yet. */
  readonly lenient: boolean;
}

/** Takes one from each limit, or from none of them; gives those that have none left. A promise where other processes are asked. */
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
    // What was taken from a window that is over is none of the next one's.
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

/** Of a bucket: how many requests are not reported to the other processes yet, and when their counts arrived last. */
interface Known {
  owed: number;
  syncedAt: number;
}

const knowledge = new WeakMap<BucketRef, Known>();
/** A full limit is checked with the other processes again after this time: they may have refunded. */
const renewedMilliseconds = 250;

function knownOf(bucketRef: BucketRef): Known {
  let known = knowledge.get(bucketRef);
  if (known === undefined) knowledge.set(bucketRef, (known = { owed: 0, syncedAt: Number.NEGATIVE_INFINITY }));
  return known;
}

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

/** `told`: how many of the counted requests were not reported before. */
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

/** Whether there was room, and it is taken. */
async function isGranted(reservation: Reservation, now: number): Promise<boolean> {
  const { limiter, bucketRef, sharedCounts } = reservation;
  limiter.hold(bucketRef);
  const granted = await sharedCounts?.sharing.want(
    sharedCounts.sharedOf(bucketRef),
    countListener(reservation, 0, now),
  );
  if (granted !== undefined) return granted;
  // Each counts for itself.
  if (limiter.left(bucketRef, now) === 0) return false;
  limiter.consume(bucketRef, now);
  return true;
}
