/** Arithmetic on money in SQL, with the same semantics as `money.ts`. Money is JSON: `{ "amount": "12.50", "currency": "EUR" }`. */
import { currencyDigits } from "../base/currency-codes.ts";
import { type Dialect, quoted, type Sql, sql } from "./sql-text.ts";
import type { Comparison } from "./syntax.ts";
import type { Calculation } from "./typed.ts";

type MoneyCalculation = Extract<Calculation, "add-money" | "subtract-money" | "multiply-money">;

/** Names values that are used more than once, as in `sql.ts`. */
type Once = (columns: Sql) => Sql;

const sqliteNames = { "add-money": "nonet_money_add", "subtract-money": "nonet_money_subtract" } as const;

export function isMoneyCalculation(calculation: Calculation): calculation is MoneyCalculation {
  return calculation.endsWith("-money");
}

/** Returns SQL of a calculation. `isInt`: whether money is multiplied by an integer. */
export function moneySql(
  calculation: MoneyCalculation,
  [a, b]: readonly [Sql, Sql],
  isInt: boolean,
  dialect: Dialect,
  once: Once,
): Sql {
  if (dialect === "sqlite") {
    const byNumber = isInt ? "nonet_money_by_int" : "nonet_money_by_double";
    return sql`${calculation === "multiply-money" ? byNumber : sqliteNames[calculation]}(${a}, ${b})`;
  }
  const operands = once(sql`${a} AS _a, ${b} AS _b`);
  const currency = "_a ->> 'currency'";
  if (calculation === "multiply-money") {
    const product = `${amount("_a")} * ${isInt ? "_b::numeric" : "_b::text::numeric"}`;
    return made(once(sql`_a, ${isInt ? product : `round(${product}, ${placesSql(currency)})`} AS _v FROM ${operands}`));
  }
  const sum = `${amount("_a")} ${calculation === "add-money" ? "+" : "-"} ${amount("_b")}`;
  const isSame = `${currency} = _b ->> 'currency'`;
  return made(once(sql`_a, CASE WHEN ${isSame} THEN ${sum} END AS _v FROM ${operands}`));
}

function amount(money: string): string {
  return `(${money} ->> 'amount')::numeric`;
}

/** Returns money from its amount `_v` and the currency of `_a`; null for an amount that is too large. */
function made(from: Sql): Sql {
  const money = "jsonb_build_object('amount', _v::text, 'currency', _a ->> 'currency')";
  return sql`(SELECT CASE WHEN abs(_v) < 1e15 THEN ${money} END FROM ${from})`;
}

/** Returns SQL of the number of decimal places of a currency. */
function placesSql(currency: string): string {
  const cases = [0, 3, 4].map((digits) => {
    const codes = [...currencyDigits].filter(([, one]) => one === digits).map(([code]) => quoted(code));
    return `WHEN ${currency} IN (${codes.join(", ")}) THEN ${digits}`;
  });
  return `(CASE ${cases.join(" ")} ELSE 2 END)`;
}

/** Returns SQL of a comparison; unless it is `==` or `!=`, it may be null instead of false. */
export function moneyComparison(operator: Comparison, [a, b]: readonly [Sql, Sql], dialect: Dialect, once: Once): Sql {
  const isEquality = operator === "==" || operator === "!=";
  if (dialect === "sqlite") {
    if (isEquality) return sql`(nonet_money_same(${a}, ${b}) = ${operator === "==" ? "1" : "0"})`;
    return sql`(nonet_money_order(${a}, ${b}) ${operator} 0)`;
  }
  const operands = once(sql`${a} AS _a, ${b} AS _b`);
  const isSame = "_a ->> 'currency' = _b ->> 'currency'";
  if (!isEquality) return sql`(SELECT ${isSame} AND ${amount("_a")} ${operator} ${amount("_b")} FROM ${operands})`;
  const equal = `${isSame} AND ${amount("_a")} = ${amount("_b")}`;
  const both = `CASE WHEN _a IS NULL OR _b IS NULL THEN _a IS NULL AND _b IS NULL ELSE ${equal} END`;
  return sql`(SELECT ${operator === "==" ? both : `NOT ${both}`} FROM ${operands})`;
}

/** Returns SQL of the sum of a list of money, whose items are the rows of a query: a function to `SELECT` from them. */
export function moneySum(item: Sql, select: (what: Sql) => Sql, dialect: Dialect, once: Once): Sql {
  if (dialect === "sqlite") return sql`(${select(sql`nonet_money_sum(json_group_array(json(${item})))`)})`;
  const rows = sql`(${select(sql`${item} AS _m`)}) AS _rows`;
  const sums = sql`sum(${amount("_m")}) AS _v, min(_m ->> 'currency') AS _c, max(_m ->> 'currency') AS _d FROM ${rows}`;
  const money = "jsonb_build_object('amount', _v::text, 'currency', _c)";
  return sql`(SELECT CASE WHEN _c = _d AND abs(_v) < 1e15 THEN ${money} END FROM ${once(sums)})`;
}
