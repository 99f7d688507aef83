/** Converts instants: milliseconds since 1970 in UTC inside the service, RFC 3339 text outside. */

/** The source of the current time. It is always an argument, so that tests and replays can choose the time. */
export interface Clock {
  /** Returns the milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The pattern of a time of day without an offset, which JSON Schema's `time` would require. */
export const timeOfDayPattern = "^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$";

/** Returns the instant as `YYYY-MM-DDTHH:MM:SS.sssZ`: always this form, so that texts sort like instants. */
export function instantText(milliseconds: number): string {
  // Caches the last text and date: many requests come in the same millisecond, the date rarely changes, and a new `Date` costs
  // several times as much.
  if (milliseconds === last) return lastText;
  const day = Math.floor(milliseconds / millisecondsPerDay);
  if (day !== lastDay) {
    lastDayText = new Date(day * millisecondsPerDay).toISOString().slice(0, 11);
    lastDay = day;
  }
  const inDay = milliseconds - day * millisecondsPerDay;
  const seconds = Math.floor(inDay / 1000);
  const minutes = Math.floor(seconds / 60);
  last = milliseconds;
  lastText = `${lastDayText + two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(inDay % 1000)}Z`;
  return lastText;
}

const millisecondsPerDay = 86_400_000;
let lastDay = Number.NaN;
let lastDayText = "";
let last = Number.NaN;
let lastText = "";

const twos: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

function two(number: number): string {
  return twos[number] ?? String(number);
}

function three(number: number): string {
  return String(number).padStart(3, "0");
}

const form = /^(\d{4})-(\d\d)-(\d\d)([Tt ])(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Which texts of RFC 3339 are accepted. `lenient`, for values from callers: allows a space instead of the T, up to nine digits
 * of a second (three are kept), and a leap second (`23:59:60Z`, 5.7), which becomes the first instant of the next minute
 * because POSIX time has no leap seconds. `exact`, for values in expressions: accepts only texts that are exact to the
 * millisecond.
 */
export type Strictness = "lenient" | "exact";

/**
 * Returns the instant of an RFC 3339 date-time with a valid date and a zone; undefined for any other text. Rejects leap
 * seconds where UTC cannot have one, and years outside 0001–9999 in UTC, since ISO 8601 has a year 0 and PostgreSQL has none.
 */
export function parseInstant(text: string, strictness: Strictness = "lenient"): number | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[5]), Number(match[6]), Number(match[7])];
  const fraction = match[8] ?? "";
  if (strictness === "exact" ? !isExact(match[4], second, fraction) : fraction.length > 9) return undefined;
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 60) return undefined;
  const offset = offsetMinutes(match[9], Number(match[10] ?? 0), Number(match[11] ?? 0));
  if (offset === undefined) return undefined;
  const start = utc(year, month, day) + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  // In UTC a leap second is 23:59:60, which is computed as midnight here; any other second 60 is invalid.
  if (second === 60 && start % millisecondsPerDay !== 0) return undefined;
  const instant = second === 60 ? start : start + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return instant < earliest || instant > latest ? undefined : instant;
}

function isExact(separator: string | undefined, second: number, fraction: string): boolean {
  return separator !== " " && second < 60 && !/[^0]/.test(fraction.slice(3));
}

/** Returns the text of `instantText` for an RFC 3339 date-time; undefined if `text` is none. */
export function canonicalInstant(text: string): string | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : instantText(instant);
}

/** Whether `text` is a date that the calendar has, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isDay(year: number, month: number, day: number): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** Returns midnight of a date. `Date.UTC` cannot be used, since it reads the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

const earliest = utc(1, 1, 1);
const latest = utc(10_000, 1, 1) - 1;
