/** Converts durations and sizes to numbers, so that two of them can be compared; NaN for a text that is none. */
import { parseSize } from "../../base/bytes.ts";
import { lengthOf, parseDuration } from "../../base/duration.ts";

export type Measure = (text: string | number) => number;

export const durationOf: Measure = (text) => {
  const duration = parseDuration(String(text));
  return duration === undefined ? Number.NaN : lengthOf(duration);
};

export const sizeOf: Measure = (text) => parseSize(String(text)) ?? Number.NaN;
