/** Durations, sizes and rates as numbers, so that one can be called less than another. */
import { parseSize } from "../base/bytes.ts";
import { parseDuration } from "../base/duration.ts";

/** Months are taken as thirty days: only which of two is longer matters. */
export function lengthOf(text: string | number): number | undefined {
  const duration = parseDuration(String(text));
  return duration === undefined ? undefined : duration.milliseconds + duration.months * month;
}

const day = 86_400_000;
const month = 30 * day;

export function sizeOf(text: string | number): number | undefined {
  return parseSize(String(text));
}

const units: Readonly<Record<string, number>> = {
  s: 1000, sec: 1000, second: 1000, min: 60_000, minute: 60_000, h: 3_600_000, hour: 3_600_000, d: day, day,
  w: 7 * day, week: 7 * day, mo: month, month, y: 365 * day, year: 365 * day,
}; // biome-ignore format: a table

/** The length of a window, `min` or `15min`. */
export function windowOf(text: string): number | undefined {
  const match = /^(\d*)([a-z]+)$/.exec(text);
  const unit = units[match?.[2] ?? ""];
  return unit === undefined ? undefined : unit * Number(match?.[1] || 1);
}
