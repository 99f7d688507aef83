/**
 * One request that is counted in several limits at once: it takes one from each of them, or from none, and may give them back.
 *
 * Where several processes count together (`sharing.ts`), what is counted here is what they are known to have counted, and what
 * they have not been told of yet. A request for which there is no room by that is refused without asking. One for which there
 * is room is let pass at once where it is the only one that they do not know of, and the limit is so high that one more does
 * not matter; else they are asked first. So they let pass at most one request too many each (R8.3), of small limits and of long
 * windows none, and whoever sends one request after another never waits.
 */
import type { Awaitable } from "../../store/store.ts";
import type { Meter, Place } from "./meter.ts";
import type { Heard, Shared, Sharing } from "./sharing.ts";

/** A place in the count of one limit. */
export interface Reservation {
  readonly meter: Meter;
  readonly place: Place;
  readonly together: Together | undefined;
}

/** How a limit is counted with other processes. */
export interface Together {
  readonly sharing: Sharing;
  readonly sharedOf: (place: Place) => Shared;
  /** Whether one request may pass that they do not know of yet. */
  readonly lenient: boolean;
}

/** Takes one from each limit, or from none of them; gives those that have none left. A promise where other processes are asked. */
export function reserve(wanted: readonly Reservation[], now: number): Awaitable<readonly Reservation[]> {
  const full = wanted.filter(({ meter, place }) => meter.left(place, now) === 0);
  if (full.length > 0) {
    for (const reservation of full) renew(reservation, now);
    return full;
  }
  const unsure = wanted.filter(isUnsure);
  for (const reservation of wanted) if (!unsure.includes(reservation)) take(reservation, now);
  return unsure.length === 0 ? none : reserveTogether(wanted, unsure, now);
}

const none: readonly Reservation[] = [];

export function refund(taken: readonly Reservation[], now: number): void {
  for (const reservation of taken) {
    const { meter, place } = reservation;
    meter.giveBack(place);
    // What was taken from a window that is over is none of the next one's.
    if (!meter.isOver(place, now)) tell(reservation, -1, now);
  }
}

async function reserveTogether(
  wanted: readonly Reservation[],
  unsure: readonly Reservation[],
  now: number,
): Promise<readonly Reservation[]> {
  const granted = await Promise.all(unsure.map((reservation) => isGranted(reservation, now)));
  const full = unsure.filter((_, index) => granted[index] === false);
  if (full.length > 0) {
    const taken = wanted.filter((reservation) => !full.includes(reservation));
    refund(taken, now);
  }
  return full;
}

/** Of a place: how many the other processes have not been told of, and when what they count was heard last. */
interface Known {
  owed: number;
  heard: number;
}

const knowledge = new WeakMap<Place, Known>();
/** What was used up is asked for anew after this time: others may have given back. */
const renewedMilliseconds = 250;

function knownOf(place: Place): Known {
  let known = knowledge.get(place);
  if (known === undefined) knowledge.set(place, (known = { owed: 0, heard: Number.NEGATIVE_INFINITY }));
  return known;
}

function isUnsure({ place, together }: Reservation): boolean {
  return together !== undefined && !(together.lenient && knownOf(place).owed === 0);
}

function take(reservation: Reservation, now: number): void {
  reservation.meter.take(reservation.place, now);
  tell(reservation, 1, now);
}

function tell(reservation: Reservation, count: number, now: number): void {
  const { place, together } = reservation;
  if (together === undefined) return;
  knownOf(place).owed += count;
  together.sharing.tell(together.sharedOf(place), count, hearing(reservation, count, now));
}

/** `told`: so many that are in what is heard were owed until then. */
function hearing({ meter, place }: Reservation, told: number, now: number): Heard {
  const known = knownOf(place);
  return (counted) => {
    known.owed -= told;
    if (counted === undefined) return;
    known.heard = now;
    meter.hear(place, { used: counted.used, at: counted.at }, known.owed);
  };
}

function renew(reservation: Reservation, now: number): void {
  if (reservation.together === undefined || Math.abs(now - knownOf(reservation.place).heard) < renewedMilliseconds)
    return;
  tell(reservation, 0, now);
}

/** Whether there was room, and it is taken. */
async function isGranted(reservation: Reservation, now: number): Promise<boolean> {
  const { meter, place, together } = reservation;
  meter.hold(place);
  const granted = await together?.sharing.want(together.sharedOf(place), hearing(reservation, 0, now));
  if (granted !== undefined) return granted;
  // Each counts for itself.
  if (meter.left(place, now) === 0) return false;
  meter.take(place, now);
  return true;
}
