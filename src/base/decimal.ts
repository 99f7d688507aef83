/** Exact arithmetic on decimal numbers, for amounts of money and for sums: an integer and the number of its decimal places. */

export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const zero: Decimal = { units: 0n, scale: 0 };

/** Reads a number, or its text with or without an exponent; undefined if it is none. */
export function decimalOf(value: number | string): Decimal | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(String(value));
  if (match === null) return undefined;
  const [, sign = "", integer = "", fraction = "", exponent = "0"] = match;
  const units = BigInt(`${sign === "-" ? "-" : ""}${integer}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** Writes a decimal with all its places: `12.50`. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return units < 0n ? `-${text}` : text;
}

/** Adds two decimals; the sum has the places of the one with more of them. */
export function added(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: scaled(a, scale) + scaled(b, scale), scale };
}

export function multiplied(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** Divides by a positive integer, rounded half away from zero to a number of places. */
export function divided({ units, scale }: Decimal, by: bigint, places: number): Decimal {
  const shift = places - scale;
  const [dividend, divisor] = shift >= 0 ? [units * 10n ** BigInt(shift), by] : [units, by * 10n ** BigInt(-shift)];
  const half = dividend < 0n ? -divisor / 2n : divisor / 2n;
  return { units: (dividend + half) / divisor, scale: places };
}

/** Rounds half away from zero to a number of places. */
export function rounded(decimal: Decimal, places: number): Decimal {
  return divided(decimal, 1n, places);
}

export function compared(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [scaled(a, scale), scaled(b, scale)];
  return left < right ? -1 : Number(left > right);
}

function scaled({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
