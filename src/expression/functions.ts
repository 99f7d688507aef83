/** The functions of the language for values that are present; `sql-functions.ts` implements the same functions in SQL. */

import { sha256 } from "../base/sha256.ts";
import type { Value } from "./evaluate.ts";
import { compareText, slugify } from "./text.ts";
import type { ValueType } from "./types.ts";

/** The white space of Unicode, which differs from what JavaScript's `trim` removes. */
export const whiteSpace =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** Functions with one text as argument. */
export const textFunctions = {
  slugify: (text: string): string => slugify(text),
  trim: (text: string): string => {
    let [from, to] = [0, text.length];
    while (from < to && whiteSpace.includes(text.charAt(from))) from += 1;
    while (to > from && whiteSpace.includes(text.charAt(to - 1))) to -= 1;
    return text.slice(from, to);
  },
  lowerAscii: (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  upperAscii: (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
} as const;

export type TextFunction = keyof typeof textFunctions;

/** Functions from a list to a list. */
export const listFunctions = {
  flatten: (list: readonly Value[]): Value => list.flatMap((inner) => (Array.isArray(inner) ? (inner as Value[]) : [])),
  /** Removes duplicates from a list of plain values; the first of equal values stays. */
  distinct: (list: readonly Value[]): Value => [...new Set(list)],
  sort: (list: readonly Value[]): Value => list.toSorted(compareValues),
  reverse: (list: readonly Value[]): Value => list.toReversed(),
} as const;

export type ListFunction = keyof typeof listFunctions;

/** The smaller or the larger of two values, or of a list. */
const extremes = {
  min: (order: number): boolean => order <= 0,
  max: (order: number): boolean => order >= 0,
} as const;

export type Extreme = keyof typeof extremes;

/** Returns the smallest or largest present item; null if there is none. */
export function extremeOf(name: Extreme, list: readonly Value[]): Value {
  const isBetter = extremes[name];
  return list.reduce<Value>((best, item) => {
    if (item === null || item === undefined) return best;
    return best === null || !isBetter(compareValues(best, item)) ? item : best;
  }, null);
}

/** The number of `hash`: the first 6 bytes of the SHA-256 of the text in UTF-8, as an unsigned integer, big-endian. */
export function hash(text: string): number {
  return sha256(text)
    .subarray(0, 6)
    .reduce((number, byte) => number * 256 + byte, 0);
}

/** Orders plain values of one type: absent values first, texts by code points. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return Number(a) - Number(b);
}

/** Joins the items of a list. Like SQL's aggregates, it skips absent items. */
export function join(list: readonly Value[], separator: string): string {
  return list.filter((item) => typeof item === "string").join(separator);
}

export const conversions = {
  string: (value: Value): Value => String(value as string | number | boolean),
  int: (value: Value, { kind }: ValueType): Value => {
    if (kind === "string") return /^[+-]?[0-9]+$/.test(value as string) ? safe(Number(value)) : null;
    return safe(kind === "timestamp" ? Math.floor(Date.parse(value as string) / 1000) : Math.trunc(value as number));
  },
  double: (value: Value): Value => value,
} as const;

export type Conversion = keyof typeof conversions;

/** Returns a safe integer, else null. Adding 0 turns a negative zero into zero. */
function safe(value: number): number | null {
  return Number.isSafeInteger(value) ? value + 0 : null;
}
