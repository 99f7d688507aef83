/**
 * The statement that looks for a record that breaks a rule. `stop`: a condition that is asked first of each record that it goes
 * through, and ends it at its deadline.
 */
import type { ExpressionSql, Named } from "./condition.ts";
import { atHand, tableFor } from "./condition.ts";
import { type Fragment, sql } from "./fragment.ts";
import type { RuleQuery } from "../port/store.ts";

export function breakingSql(
  { broken, one, resource, where }: RuleQuery,
  expressions: ExpressionSql,
  tables: Named,
  stop = "TRUE",
): Fragment {
  const { name } = tableFor(tables, resource);
  const among = where === undefined ? [] : [where];
  if (!one)
    return sql`SELECT 1 FROM ${name} AS ${atHand}
      WHERE ${stop} AND ${expressions.condition({ all: [...among, broken] }, tables)} LIMIT 1`;
  // What is asked of one of them is not asked of the others before.
  const found = sql`SELECT * FROM ${name} AS ${atHand}
    WHERE ${stop} AND ${expressions.condition({ all: among }, tables)} LIMIT 1`;
  return sql`SELECT 1 FROM (${found}) AS ${atHand} WHERE ${expressions.condition({ all: [broken] }, tables)}`;
}
