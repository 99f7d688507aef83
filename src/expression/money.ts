/**
 * Arithmetic on money: objects `{ amount, currency }`. The sum of two currencies is null, and so is a result that no amount of
 * money can be; `sql-money.ts` has the same semantics.
 */
import { added, compared, type Decimal, decimalOf, decimalText, multiplied, rounded, zero } from "../base/decimal.ts";
import { minorDigits } from "../base/formats.ts";
import type { Value } from "./evaluate.ts";

interface Money {
  readonly amount: Decimal;
  readonly currency: string;
}

/** The bound of amounts: they have at most 15 digits before the point. */
const mostAmount: Decimal = { units: 10n ** 15n, scale: 0 };
const leastAmount: Decimal = { units: -(10n ** 15n), scale: 0 };

function moneyOf(value: Value | undefined): Money | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { amount, currency } = value as { readonly [member: string]: Value };
  const decimal = typeof amount === "string" ? decimalOf(amount) : undefined;
  return decimal === undefined || typeof currency !== "string" ? undefined : { amount: decimal, currency };
}

function valueOf(amount: Decimal, currency: string): Value {
  if (compared(amount, mostAmount) >= 0 || compared(amount, leastAmount) <= 0) return null;
  return { amount: decimalText(amount), currency };
}

export function addMoney(a: Value, b: Value, sign: 1 | -1): Value {
  const [left, right] = [moneyOf(a), moneyOf(b)];
  if (left === undefined || right === undefined || left.currency !== right.currency) return null;
  const { units, scale } = right.amount;
  return valueOf(added(left.amount, { units: units * BigInt(sign), scale }), left.currency);
}

/** Multiplies money by a number; by one with decimal places, the amount is rounded half away from zero to those of the currency. */
export function multiplyMoney(money: Value, by: Value, isInt: boolean): Value {
  const one = moneyOf(money);
  const factor = typeof by === "number" ? decimalOf(by) : undefined;
  if (one === undefined || factor === undefined) return null;
  const amount = multiplied(one.amount, factor);
  return valueOf(isInt ? amount : rounded(amount, minorDigits(one.currency)), one.currency);
}

/** Compares two amounts of one currency; undefined if there are not two, or of two currencies. */
export function compareMoney(a: Value | undefined, b: Value | undefined): number | undefined {
  const [left, right] = [moneyOf(a), moneyOf(b)];
  if (left === undefined || right === undefined || left.currency !== right.currency) return undefined;
  return compared(left.amount, right.amount);
}

export function isSameMoney(a: Value | undefined, b: Value | undefined): boolean {
  const isAbsent = (value: Value | undefined): boolean => (value ?? null) === null;
  return isAbsent(a) || isAbsent(b) ? isAbsent(a) && isAbsent(b) : compareMoney(a, b) === 0;
}

/** Adds all amounts of a list; null if there are none, or of several currencies. Absent items do not count. */
export function sumMoney(list: readonly Value[]): Value {
  const all = list.map(moneyOf).filter((one) => one !== undefined);
  const [first] = all;
  if (first === undefined || all.some(({ currency }) => currency !== first.currency)) return null;
  return valueOf(
    all.reduce((sum, { amount }) => added(sum, amount), zero),
    first.currency,
  );
}
