/**
 * Parses and prints durations as documents write them: integers with a unit, without blanks, largest unit first (`72h`,
 * `1h30m`, `250ms`, `365d`, `12mo`). A day is 24 hours. Months and years are calendar time and stored separately, because
 * their length depends on where they start; only some statements accept them (notice, support, retention).
 */

export interface Duration {
  /** The part in clock time. */
  readonly milliseconds: number;
  /** The part in calendar months; a year is 12. 0 unless the text has `mo` or `y`. */
  readonly months: number;
}

const milliseconds: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
};

const form = /^(?:(\d+)y)?(?:(\d+)mo)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const units = ["w", "d", "h", "m", "s", "ms"];

/** Returns the duration, or undefined if `text` is no duration or is longer than about 285,000 years. */
export function parseDuration(text: string): Duration | undefined {
  const match = text === "" || text.length > 64 ? null : form.exec(text);
  if (match === null) return undefined;
  const [, years, months, ...clock] = match;
  const total = clock.reduce(
    (sum, amount, index) => sum + Number(amount ?? 0) * (milliseconds[units[index] ?? ""] ?? 0),
    0,
  );
  const duration = { milliseconds: total, months: Number(years ?? 0) * 12 + Number(months ?? 0) };
  return Number.isSafeInteger(duration.milliseconds) && Number.isSafeInteger(duration.months) ? duration : undefined;
}

const isoForm = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,3}))?S)?)?$/; // biome-ignore format: one expression
const isoUnits = ["y", "mo", "w", "d", "h", "m", "s", "ms"];

/** Returns a duration of ISO 8601: `PT48H`, `P1M2DT0.5S`; undefined if `text` is none. */
export function parseIsoDuration(text: string): Duration | undefined {
  const [, ...amounts] = isoForm.exec(text) ?? [];
  // Only seconds have a fraction.
  const written = amounts.map((amount, index) => {
    return amount === undefined ? "" : `${index === 7 ? amount.padEnd(3, "0") : amount}${isoUnits[index]}`;
  });
  return parseDuration(written.join(""));
}

/** Returns the milliseconds of a duration in clock time; undefined if `text` is no duration, or has months or years. */
export function parseClockDuration(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration?.months === 0 && !/[oy]/.test(text) ? duration.milliseconds : undefined;
}

export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

/**
 * Returns the length in milliseconds, with a month as thirty days: for uses where the start of the duration does not matter.
 */
export function lengthOf({ milliseconds: clock, months }: Duration): number {
  return clock + months * 30 * 86_400_000;
}

/** Prints milliseconds as canonical text: days, hours, minutes, …; `0s` for zero. */
export function printMilliseconds(total: number): string {
  if (total === 0) return "0s";
  let rest = total;
  let text = "";
  for (const unit of ["d", "h", "m", "s", "ms"]) {
    const size = milliseconds[unit] ?? 1;
    const amount = Math.floor(rest / size);
    if (amount === 0) continue;
    text += `${amount}${unit}`;
    rest -= amount * size;
  }
  return text;
}

/**
 * Returns the instant `duration` after `instant` (both in milliseconds since 1970, UTC): first adds the months, to the last
 * day if the month is too short (31 January + 1mo is 28 or 29 February), then the clock time.
 */
export function addDuration(instant: number, duration: Duration): number {
  if (duration.months === 0) return instant + duration.milliseconds;
  const start = new Date(instant);
  const shifted = new Date(instant);
  shifted.setUTCDate(1);
  shifted.setUTCMonth(shifted.getUTCMonth() + duration.months);
  const lastDay = new Date(Date.UTC(shifted.getUTCFullYear(), shifted.getUTCMonth() + 1, 0)).getUTCDate();
  shifted.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return shifted.getTime() + duration.milliseconds;
}
