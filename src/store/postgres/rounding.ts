/**
 * Rounds values to what the type of an existing column can have, so that a response has what the table has. PostgreSQL would do the
 * same at the write, and the response would have the value before.
 */
import type { Value } from "../../expression/evaluate.ts";

type Round = (value: Value) => Value;

/** Returns the rounding of a SQL type, such as `numeric(8,2)`; undefined if the type has all values of the field. */
export function roundingOf(type: string): Round | undefined {
  const [, base = "", numbers = "", rest = ""] = /^([^(]*)(?:\(([^)]*)\))?(.*)$/.exec(type) ?? [];
  const [size = Number.NaN, scale = 0] = numbers === "" ? [] : numbers.split(",").map(Number);
  switch (`${base.trim()}${rest}`) {
    case "real":
      return ofNumber(shortestReal);
    case "numeric":
      return Number.isNaN(size) ? undefined : ofNumber((value) => rounded(value, scale));
    case "timestamp with time zone":
    case "timestamp without time zone":
      return size < 3 ? ofText((text) => roundedInstant(text, size)) : undefined;
    case "time without time zone":
      return ofText((text) => (text.length === 5 ? `${text}:00` : text));
    case "character":
      return ofText((text) => text.replace(/ +$/, ""));
    default:
      return undefined;
  }
}

function ofNumber(round: (value: number) => number): Round {
  return (value) => (typeof value === "number" ? round(value) : value);
}

function ofText(round: (text: string) => string): Round {
  return (value) => (typeof value === "string" ? round(value) : value);
}

function rounded(value: number, scale: number): number {
  return scale >= 0 && scale <= 100 ? Number(value.toFixed(scale)) : value;
}

/** Returns the shortest decimal number that has the same single precision. */
function shortestReal(value: number): number {
  const single = Math.fround(value);
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(single.toPrecision(digits));
    if (Math.fround(short) === single) return short;
  }
  return Number(single.toPrecision(9));
}

function roundedInstant(text: string, digits: number): string {
  const unit = 10 ** (3 - digits);
  return new Date(Math.round(Date.parse(text) / unit) * unit).toISOString();
}
