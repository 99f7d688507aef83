/**
 * Timestamps and durations. A timestamp is a text `YYYY-MM-DDTHH:MM:SS.sssZ`, so that comparing texts compares moments; a
 * duration is an integer number of milliseconds. Both have CEL's ranges: the years 1 to 9999, and ten thousand years.
 */
import { parseInstant } from "../base/clock.ts";

/** The first moment of the year 1, in milliseconds since 1970; `latest` is the last moment of the year 9999. */
export const earliest: number = Date.parse("0001-01-01T00:00:00.000Z");
export const latest: number = Date.parse("9999-12-31T23:59:59.999Z");

/** The longest duration, positive or negative, in milliseconds. */
export const longestDuration = 315_576_000_000_000;

/** Returns the canonical text of an instant in milliseconds since 1970; null outside the years 1 to 9999. */
export function timestampAt(milliseconds: number): string | null {
  return milliseconds >= earliest && milliseconds <= latest ? new Date(milliseconds).toISOString() : null;
}

/** Returns the milliseconds if they are a valid duration; null if the duration is too long. */
export function durationOf(milliseconds: number): number | null {
  return Math.abs(milliseconds) <= longestDuration ? milliseconds + 0 : null;
}

/**
 * Returns the canonical text of an RFC 3339 date-time; undefined if the text is no date-time, is finer than a millisecond or
 * is out of range.
 */
export function readTimestamp(text: string): string | undefined {
  const milliseconds = parseInstant(text, "exact");
  return milliseconds === undefined ? undefined : (timestampAt(milliseconds) ?? undefined);
}

const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/**
 * Returns the milliseconds of a CEL duration, such as `72h`, `-1.5h` or `1h30m`; undefined if the text is no duration, is no
 * whole number of milliseconds or is out of range.
 */
export function readDuration(text: string): number | undefined {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/.exec(text);
  if (!match) return text === "0" || text === "-0" || text === "+0" ? 0 : undefined;
  let total = 0n;
  for (const [, before = "", after = "", unit = ""] of (match[2] ?? "").matchAll(/(\d*)\.?(\d*)(ns|us|µs|ms|s|m|h)/g)) {
    const scale = 10n ** BigInt(after.length);
    const scaled = BigInt(before + after || "0") * (nanoseconds[unit] ?? 0n);
    if (scaled % scale !== 0n) return undefined;
    total += scaled / scale;
  }
  if (total % 1_000_000n !== 0n || total / 1_000_000n > BigInt(longestDuration)) return undefined;
  return Number(total / 1_000_000n) * (match[1] === "-" ? -1 : 1) + 0;
}
