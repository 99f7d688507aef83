/** Proposes numbers inside and outside a range. The caller compares each with the type. */
import type { Random } from "../random.ts";

export interface NumberRules {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** 1 for whole numbers. */
  readonly multipleOf?: number | undefined;
}

/** Proposes numbers of the range, usual ones first: not negative, below 1000 if the range allows it. */
export function* numbersIn({ min, max, multipleOf }: NumberRules, random: Random): Iterable<number> {
  const low = min ?? (max === undefined || max >= 0 ? 0 : max - 1000);
  const high = max ?? Math.max(low, 0) + 1000;
  const from = low < 0 && high > 0 ? 0 : low;
  const to = Math.min(high, from + 1000);
  if (multipleOf !== undefined) {
    const [least, most] = [Math.ceil(from / multipleOf), Math.floor(to / multipleOf)];
    for (let attempt = 0; attempt < 5 && least <= most; attempt += 1)
      yield rounded(random.integer(least, Math.min(most, least + 1000)) * multipleOf);
    yield rounded(Math.ceil(low / multipleOf) * multipleOf);
    return yield rounded(Math.floor(high / multipleOf) * multipleOf);
  }
  if (Math.ceil(from) <= Math.floor(to)) yield random.integer(Math.ceil(from), Math.floor(to));
  yield rounded(from + (to - from) * (random.integer(1, 99) / 100));
  yield (low + high) / 2;
  yield low;
  yield high;
}

/** Returns a number of the range that differs for each number, if the range has room. */
export function* distinctNumbers({ min, max, multipleOf }: NumberRules, number: number): Iterable<number> {
  const step = multipleOf ?? 1;
  if (min === undefined && max !== undefined) {
    yield rounded(Math.floor(max / step) * step - number * step);
    return;
  }
  const low = Math.ceil((min ?? 1) / step);
  const high = max === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(max / step);
  if (multipleOf !== undefined || max === undefined || min === undefined || high - low >= 1000) {
    if (high >= low) yield rounded((low + (number % (high - low + 1))) * step);
    return;
  }
  // A range with little room for whole numbers is divided into hundredths, and these are divided when they are used up.
  const count = Math.max(1, Math.floor((max - min) * 100));
  const width = Math.min(0.01, max - min);
  yield rounded(min + (number % count) * width + (Math.floor(number / count) * width) / 1_000_000);
}

/** Proposes numbers just below a limit, the nearest first. */
export function below(limit: number, multipleOf: number | undefined): readonly number[] {
  return outside(limit, multipleOf, -1);
}

/** Proposes numbers just above a limit, the nearest first. */
export function above(limit: number, multipleOf: number | undefined): readonly number[] {
  return outside(limit, multipleOf, 1);
}

function outside(limit: number, multipleOf: number | undefined, sign: 1 | -1): readonly number[] {
  const steps = multipleOf === undefined ? [0.01, 0.1, 1, Math.abs(limit) / 100] : [multipleOf];
  const start =
    multipleOf === undefined
      ? limit
      : sign === 1
        ? Math.floor(limit / multipleOf) * multipleOf
        : Math.ceil(limit / multipleOf) * multipleOf;
  return steps.map((step) => rounded(start + sign * step)).filter((value) => sign * (value - limit) > 0);
}

/** Returns a number without the digits that binary fractions add: 0.1 + 0.2 is 0.3. */
function rounded(value: number): number {
  const short = Number(value.toPrecision(15));
  // Minus zero is zero in JSON.
  return (Number.isInteger(value) ? value : short) + 0;
}
