/** Converts durations and sizes to numbers, so that a diff can compare them. */
import { parseSize } from "../base/bytes.ts";
import { lengthOf, parseDuration } from "../base/duration.ts";

export function spanOf(text: string | number): number | undefined {
  const duration = parseDuration(String(text));
  return duration === undefined ? undefined : lengthOf(duration);
}

export function sizeOf(text: string | number): number | undefined {
  return parseSize(String(text));
}
