/** Instants: milliseconds since 1970 in UTC inside, RFC 3339 text outside. */

/** Where the time comes from; an argument everywhere, so that tests and replays can choose it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The instant as `YYYY-MM-DDTHH:MM:SS.sssZ`: one form, so that texts sort as instants do. */
export function instantText(milliseconds: number): string {
  // Many requests come in one millisecond; and the date changes rarely, while a Date a call costs several times as much.
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
 * How much of RFC 3339 is taken. `lenient`, for what callers send: a space for the T, up to nine digits of a second, of which
 * three are kept, and a leap second (`23:59:60Z`, 5.7) as the first instant of the next minute, because POSIX time has no
 * other. `exact`, for what is computed with: only what is an instant to the millisecond as it stands.
 */
export type Strictness = "lenient" | "exact";

/**
 * The instant of an RFC 3339 date-time: a real day, a zone. A leap second is refused where UTC cannot have one. Years outside
 * 0001–9999 in UTC are refused: ISO 8601 has a year 0, and PostgreSQL has none.
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
  // 23:59:60 in UTC is midnight here; any other second 60 is none.
  if (second === 60 && start % millisecondsPerDay !== 0) return undefined;
  const instant = second === 60 ? start : start + Number(fraction.slice(0, 3).padEnd(3, "0"));
  return instant < earliest || instant > latest ? undefined : instant;
}

function isExact(separator: string | undefined, second: number, fraction: string): boolean {
  return separator !== " " && second < 60 && !/[^0]/.test(fraction.slice(3));
}

/** The instant in the one form of `instantText`, or undefined when `text` is no RFC 3339 date-time. */
export function canonicalInstant(text: string): string | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : instantText(instant);
}

/** Whether `text` is a day of the calendar, `YYYY-MM-DD`. */
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

/** Date.UTC takes the years 0 to 99 for 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

const earliest = utc(1, 1, 1);
const latest = utc(10_000, 1, 1) - 1;
