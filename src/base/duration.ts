/**
 * Durations as documents write them: whole numbers with a unit, without blanks, largest unit first (`72h`, `1h30m`,
 * `250ms`, `365d`, `12mo`). A day is 24 hours. Months and years are calendar time and kept apart, because their length
 * depends on where they start; they stand only where the caller takes `calendar` durations (notice, support, retention).
 */

export interface Duration {
  /** Clock time. */
  readonly milliseconds: number;
  /** Calendar months; a year is 12. 0 unless written with `mo` or `y`. */
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

/** The duration, or undefined when `text` is none. Longer than about 285,000 years is none. */
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

/** The milliseconds of a duration of clock time; undefined when `text` is none or has months or years. */
export function parseClockDuration(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration?.months === 0 && !/[oy]/.test(text) ? duration.milliseconds : undefined;
}

export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

/** In milliseconds, a month as thirty days: where only the span counts, and not which month it is. */
export function lengthOf({ milliseconds: clock, months }: Duration): number {
  return clock + months * 30 * 86_400_000;
}

/** Canonical: years where they are whole and more than one, then days, hours, minutes, … of what is left; `0s` for nothing. */
export function printDuration(duration: Duration): string {
  const calendar = printMonths(duration.months);
  return calendar + (duration.milliseconds === 0 && calendar !== "" ? "" : printMilliseconds(duration.milliseconds));
}

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

function printMonths(months: number): string {
  if (months === 0) return "";
  return months % 12 === 0 && months > 12 ? `${months / 12}y` : `${months}mo`;
}

/**
 * The instant `duration` after `instant` (both ms since 1970, UTC): months first, at the last day where the month is too
 * short (31 January + 1mo is 28 or 29 February), then clock time.
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
