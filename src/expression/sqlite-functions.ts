/** The functions of expressions that SQLite gets from JavaScript, by their names in SQL. */
import { added, compared, type Decimal, decimalOf, decimalText } from "../base/decimal.ts";
import type { Value } from "./evaluate.ts";
import { hash } from "./functions.ts";
import { addMoney, compareMoney, isSameMoney, multiplyMoney, sumMoney } from "./money.ts";
import { inZone, momentAt, type ZoneFunction } from "./zones.ts";

/** A value of SQLite; JSON is a text. */
type SqliteValue = string | number | bigint | Uint8Array | null;

type SqliteFunction = (...values: SqliteValue[]) => string | number | null;

export const sqliteFunctions: Readonly<Record<string, SqliteFunction>> = {
  nonet_zone: ofPresent((name, moment, zone) => inZone(name as ZoneFunction, moment as string, zone as string)),
  nonet_moment: ofPresent((date, time, zone) => momentAt(date as string, time as string, zone as string)),
  nonet_hash: ofPresent((text) => hash(text as string)),
  nonet_money_add: ofPresent((a, b) => json(addMoney(parsed(a), parsed(b), 1))),
  nonet_money_subtract: ofPresent((a, b) => json(addMoney(parsed(a), parsed(b), -1))),
  nonet_money_by_int: ofPresent((a, b) => json(multiplyMoney(parsed(a), Number(b), true))),
  nonet_money_by_double: ofPresent((a, b) => json(multiplyMoney(parsed(a), Number(b), false))),
  nonet_money_order: ofPresent((a, b) => compareMoney(parsed(a), parsed(b)) ?? null),
  nonet_money_same: (a, b) => Number(isSameMoney(parsed(a), parsed(b))),
  /** Of a JSON list. */
  nonet_money_sum: ofPresent((list) => json(sumMoney(parsed(list) as readonly Value[]))),
};

/** A function that is null if one of its arguments is. */
function ofPresent(run: SqliteFunction): SqliteFunction {
  return (...values) => (values.includes(null) ? null : run(...values));
}

function parsed(value: SqliteValue | undefined): Value {
  return typeof value === "string" ? (JSON.parse(value) as Value) : null;
}

function json(value: Value): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Aggregate functions of decimals, as numbers or texts, by their names in SQL; absent values do not count. */
export const sqliteAggregates: Readonly<Record<string, (found: SqliteValue, value: SqliteValue) => SqliteValue>> = {
  nonet_sum: ofDecimals((sum, next) => added(sum, next)),
  nonet_min: ofDecimals((best, next) => (compared(next, best) < 0 ? next : best)),
  nonet_max: ofDecimals((best, next) => (compared(next, best) > 0 ? next : best)),
};

function ofDecimals(combine: (found: Decimal, next: Decimal) => Decimal) {
  return (found: SqliteValue, value: SqliteValue): SqliteValue => {
    if (typeof value !== "string" && typeof value !== "number") return found;
    const next = decimalOf(value);
    if (next === undefined) return found;
    const before = typeof found === "string" ? decimalOf(found) : undefined;
    return decimalText(before === undefined ? next : combine(before, next));
  };
}
