/** Converts instants between the text inside the service (`clock.ts`) and Unix time, the integer of `datetime(seconds)`. */
import { canonicalInstant, instantText, parseInstant } from "./clock.ts";

/** What a Unix time counts since 1970-01-01T00:00:00Z. */
export type UnixUnit = "seconds" | "milliseconds";

export const unixUnits: readonly UnixUnit[] = ["seconds", "milliseconds"];

/** The formats of JSON Schemas that describe a Unix time. */
export const unixFormats: Readonly<Record<UnixUnit, string>> = { seconds: "unix-time", milliseconds: "unix-time-ms" };

const milliseconds: Readonly<Record<UnixUnit, number>> = { seconds: 1000, milliseconds: 1 };

/** The first and the last Unix time of the years 0001 to 9999, which are the years of a `datetime`. */
export const unixRange: Readonly<Record<UnixUnit, readonly [first: number, last: number]>> = {
  seconds: [-62_135_596_800, 253_402_300_799],
  milliseconds: [-62_135_596_800_000, 253_402_300_799_999],
};

/** Returns the Unix time of an instant in the form of `instantText`; it drops the fraction of a unit. */
export function unixTimeOf(instant: string, unit: UnixUnit): number {
  return Math.floor(Date.parse(instant) / milliseconds[unit]);
}

/** Returns the instant as text; undefined for a value that is no whole number, or outside the years 0001 to 9999. */
export function instantOfUnixTime(value: unknown, unit: UnixUnit): string | undefined {
  const [first, last] = unixRange[unit];
  if (typeof value !== "number" || !Number.isInteger(value) || value < first || value > last) return undefined;
  return instantText(value * milliseconds[unit]);
}

/** Returns the instant without the fraction of a unit. */
export function truncatedInstant(instant: string, unit: UnixUnit): string {
  return unit === "milliseconds" ? instant : `${instant.slice(0, 19)}.000Z`;
}

/** Returns the Unix time of an RFC 3339 text of a document; undefined for a text that is none. */
export function readUnixTime(text: string, unit: UnixUnit): number | undefined {
  const instant = parseInstant(text);
  return instant === undefined ? undefined : Math.floor(instant / milliseconds[unit]);
}

/** Returns a moment of JSON, a text of RFC 3339 or in Unix time, as the text inside the service; another value as it is. */
export function instantIn<Value>(value: Value, unix: UnixUnit | undefined): Value | string {
  if (unix !== undefined) return instantOfUnixTime(value, unix) ?? value;
  return typeof value === "string" ? (canonicalInstant(value) ?? value) : value;
}

/** Returns the date of a moment in UTC, such as `2026-09-01`; of milliseconds since 1970. */
export function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
