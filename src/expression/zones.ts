/**
 * Dates and times of a moment in a time zone of the IANA database, and the moment of a date and a time there.
 *
 * A skipped local time moves forward by the length of the gap: 02:30 becomes 03:30 if the clocks go from 02:00 to 03:00. A
 * time that occurs twice is the first of the two moments. `sql-zones.ts` has the same rules in PostgreSQL.
 */
import { isZone } from "../base/timezone-names.ts";
import { timestampAt } from "./instant.ts";

/** Functions of a moment in a zone. Each of them gets the local date and time as if they were in UTC. */
export const zoneFunctions = {
  date: (local: Date): string => local.toISOString().slice(0, 10),
  time: (local: Date): string => local.toISOString().slice(11, 19),
  month: (local: Date): string => local.toISOString().slice(0, 7),
  week: (local: Date): string => isoWeek(local),
  getFullYear: (local: Date): number => local.getUTCFullYear(),
  /** Counts from 0, as CEL does; so do `getDayOfMonth` and `getDayOfYear`. */
  getMonth: (local: Date): number => local.getUTCMonth(),
  getDate: (local: Date): number => local.getUTCDate(),
  getDayOfMonth: (local: Date): number => local.getUTCDate() - 1,
  /** 0 is Sunday. */
  getDayOfWeek: (local: Date): number => local.getUTCDay(),
  getDayOfYear: (local: Date): number => {
    const first = new Date(local);
    first.setUTCMonth(0, 1);
    return Math.round((local.getTime() - first.getTime()) / day);
  },
  getHours: (local: Date): number => local.getUTCHours(),
  getMinutes: (local: Date): number => local.getUTCMinutes(),
  getSeconds: (local: Date): number => local.getUTCSeconds(),
  getMilliseconds: (local: Date): number => local.getUTCMilliseconds(),
} as const;

export type ZoneFunction = keyof typeof zoneFunctions;

const day = 86_400_000;

/** Returns a week of ISO 8601, such as `2026-W01`: it begins on Monday, and belongs to the year of its Thursday. */
function isoWeek(local: Date): string {
  const thursday = new Date(local.getTime() + (3 - ((local.getUTCDay() + 6) % 7)) * day);
  const week = Math.floor(zoneFunctions.getDayOfYear(thursday) / 7) + 1;
  return `${String(thursday.getUTCFullYear()).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
}

/** Returns the value of a function; null for an unknown zone, and for a local time outside the years 1 to 9999. */
export function inZone(name: ZoneFunction, moment: string, zone: string): string | number | null {
  const milliseconds = Date.parse(moment);
  const offset = offsetAt(milliseconds, zone);
  if (offset === undefined || timestampAt(milliseconds + offset) === null) return null;
  return zoneFunctions[name](new Date(milliseconds + offset));
}

/** Returns the moment of a date and a time (`09:30` or `09:30:00`) in a zone; null if one of the three is none. */
export function momentAt(date: string, time: string, zone: string): string | null {
  const local = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}.000Z`);
  const at = Number.isNaN(local) ? undefined : instantOf(local, zone);
  return at === undefined ? null : timestampAt(at);
}

/** Returns the moment of a local time that is given as if it were in UTC; undefined for an unknown zone. */
export function instantOf(local: number, zone: string): number | undefined {
  // Clocks change at most once within a day of a moment, so these are the offsets before and after the change.
  const [before, after] = [offsetAt(local - day, zone), offsetAt(local + day, zone)];
  if (before === undefined || after === undefined) return undefined;
  const candidates = [local - before, local - after];
  return candidates.find((one) => one + (offsetAt(one, zone) ?? 0) === local) ?? local - before;
}

/** The offsets of days of UTC in one zone, where the offset is the same during the day. */
type DayOffsets = Map<number, number | "changes">;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: DayOffsets;
}

/** The known zones by their name in lower case: a caller may send a name in any of its many spellings. */
const zones = new Map<string, Zone>();

/** The most cached days of a zone. */
const mostDays = 10_000;

/** Returns by how many milliseconds the clocks of a zone are ahead of UTC; undefined for an unknown zone. */
export function offsetAt(milliseconds: number, name: string): number | undefined {
  const zone = zoneOf(name);
  if (zone === undefined) return undefined;
  const number = Math.floor(milliseconds / day);
  let known = zone.days.get(number);
  if (known === undefined) {
    const first = measured(zone, number * day);
    known = first === measured(zone, (number + 1) * day) ? first : "changes";
    if (zone.days.size >= mostDays) zone.days.clear();
    zone.days.set(number, known);
  }
  return known === "changes" ? measured(zone, milliseconds) : known;
}

function zoneOf(name: string): Zone | undefined {
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined || !isZone(key)) return known;
  const zone = { format: formatOf(name), days: new Map() };
  zones.set(key, zone);
  return zone;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = "numeric";
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
}

function measured({ format }: Zone, milliseconds: number): number {
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const local = new Date(Date.UTC(2000, 0, 1, part("hour"), part("minute"), part("second")));
  local.setUTCFullYear(year, part("month") - 1, part("day"));
  return local.getTime() - Math.floor(milliseconds / 1000) * 1000;
}
