/** The values of measures: exact sums, averages, and the smallest and the largest of values, as far as the test knows their order. */
import { added, decimalOf, decimalText } from "../../base/decimal.ts";
import { isObject, type Json } from "../../base/json.ts";
import type { MeasureFunction } from "../../language/endpoints/summary.ts";
import { lookup } from "../../language/resources/fields.ts";

/**
 * Returns the number that a measure has for these values of its argument, or the text of a date; null without values. Undefined if
 * the test does not know it.
 */
export function measured(measure: MeasureFunction, all: readonly Json[]): string | null | undefined {
  const values = all.filter((one) => one !== null);
  switch (measure) {
    case "count":
      return String(values.filter((one) => one !== false).length);
    case "sum":
      return values.length === 0 ? undefined : sumOf(values);
    case "average": {
      if (values.length === 0) return null;
      const sum = sumOf(values);
      return sum === undefined ? undefined : String(Number(sum) / values.length);
    }
    case "min":
    case "max": {
      if (values.length === 0) return null;
      const ordered = values.map(rankOf);
      if (ordered.includes(undefined)) return undefined;
      const sign = measure === "min" ? 1 : -1;
      const [first] = values.toSorted((one, other) => sign * ((rankOf(one) ?? 0) - (rankOf(other) ?? 0)));
      return numberOf(first) ?? (typeof first === "string" ? first : undefined);
    }
  }
}

/** Whether a value in a response is the expected one, but for the rounding of a number or of an average of money. */
export function isMeasured(found: Json | undefined, expected: string | null): boolean {
  if (expected === null || found === undefined || found === null) return (found ?? null) === expected;
  const [one, other] = [numberOf(found), numberOf(expected)];
  if (other === undefined) return rankOf(found) === rankOf(expected);
  const tolerance = isObject(found) ? mostRounding : 1e-9 * Math.max(1, Math.abs(Number(other)));
  return one !== undefined && Math.abs(Number(one) - Number(other)) <= tolerance;
}

/** How far an average of money in a currency without decimal places may be from the exact one. */
const mostRounding = 0.5;

/** Returns a number by which numbers, amounts of one currency, dates and moments are ordered; undefined for other values. */
export function rankOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" ? undefined : numberOf(value);
  if (number !== undefined) return Number(number);
  const isDate = typeof value === "string" && /^\d{4}-\d\d-\d\d(?:T.*(?:Z|[+-]\d\d:\d\d))?$/.test(value);
  return isDate ? Date.parse(value) : undefined;
}

function sumOf(values: readonly Json[]): string | undefined {
  const texts = values.map(numberOf);
  if (texts.includes(undefined)) return undefined;
  return texts.map((one) => one ?? "0").reduce((sum, one) => plus(sum, one) ?? "NaN", "0");
}

/** Returns the exact sum of two numbers. */
export function plus(a: Json, b: Json): string | undefined {
  const [left, right] = [numberOf(a), numberOf(b)].map((text) => (text === undefined ? undefined : decimalOf(text)));
  return left && right && plain(decimalText(added(left, right)));
}

/** Returns the exact text of a number, or of an amount of money. */
function numberOf(value: Json | undefined): string | undefined {
  const amount = value !== undefined && isObject(value) ? lookup(value, "amount") : value;
  const decimal = typeof amount === "number" || typeof amount === "string" ? decimalOf(amount) : undefined;
  return decimal && plain(decimalText(decimal));
}

function plain(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
