/** What the cases about summaries catch: other groups, figures, orders, records and time zones. */
import { test } from "node:test";
import { type Block, documentOf } from "../enforced/document.ts";
import { type Altered, expectBroken } from "./altered.ts";

const bySize = {
  at: "GET /sales/by-size",
  group: "size",
  gives: {
    ...{ sales: "count", large: "count(amount > 50)", total: "sum(amount)", mean: "average(amount)" },
    ...{ least: "min(amount)", most: "max(amount)", first: "min(due)", weight: "sum(weight)" },
  },
  order: "-sales, size",
  where: "amount < 90",
};
const perDay = { at: "GET /sales/per-day", group: { day: "date(soldAt, 'Europe/Oslo')" }, gives: { sales: "count" } };
const ofAll = { at: "GET /sales/all", does: "summary", gives: { sales: "count", mean: "average(weight)" } };

/** Sales of shops: members see those of their own shop, admins all of them. */
function selling(
  endpoints: Block,
  { own = "admin | member if own", more = {} }: { own?: string; more?: Block } = {},
): string {
  const all = { bySize, perDay, ofAll, ...endpoints };
  return documentOf({
    resources: {
      Shop: { id: "id(sho)", "name?": "string(1..9)" },
      Sale: {
        id: "id(sal)",
        shop: "Shop, create-only, filter",
        by: "user = caller, read-only",
        size: "small | large",
        amount: "integer(0..99)",
        "weight?": "decimal(0.01..999.99)",
        "due?": "date",
        soldAt: "datetime = now, read-only",
        ...more,
      },
    },
    endpoints: { endpoints: { addShop: "POST /shops", addSale: "POST /sales", getSale: "GET /sales/{id}", ...all } },
    authentication: {
      own: { Sale: "by == caller.id" },
      allow: {
        addShop: "signed-in",
        addSale: "signed-in",
        getSale: "signed-in",
        ...Object.fromEntries(Object.keys(all).map((name) => [name, own])),
      },
    },
  });
}

const correct = selling({});
const row = (what: string, endpoints: Block, broken: string): Altered => ({
  what,
  true: correct,
  served: selling(endpoints),
  broken: `endpoints/endpoints/${broken}`,
});
const measure = (what: string, name: string, text: string): Altered =>
  row(what, { bySize: { ...bySize, gives: { ...bySize.gives, [name]: text } } }, `bySize/gives/${name}`);

const rows: readonly Altered[] = [
  measure("a count of other records", "large", "count(amount > 40)"),
  measure("a count for a sum", "total", "count(amount > 0)"),
  measure("the largest for the average", "mean", "max(amount)"),
  measure("the largest for the smallest", "least", "max(amount)"),
  measure("the average for the largest", "most", "average(amount)"),
  measure("the last date for the first", "first", "max(due)"),
  measure("another field", "weight", "sum(amount)"),
  row(
    "the smallest for the average of all",
    { ofAll: { ...ofAll, gives: { ...ofAll.gives, mean: "min(weight)" } } },
    "ofAll/gives/mean",
  ),
  row("the other order", { bySize: { ...bySize, order: "sales, size" } }, "bySize/order"),
  row("all records", { bySize: { ...bySize, where: "amount < 100" } }, "bySize/where"),
  row("fewer records", { bySize: { ...bySize, where: "amount < 60" } }, "bySize/gives"),
  row(
    "days of another time zone",
    { perDay: { ...perDay, group: { day: "date(soldAt, 'UTC')" } } },
    "perDay/group/day",
  ),
  row(
    "days of a time zone in the west",
    { perDay: { ...perDay, group: { day: "date(soldAt, 'America/New_York')" } } },
    "perDay/group/day",
  ),
  row("more groups", { bySize: { ...bySize, group: { size: "shop" } } }, "bySize/group"),
  {
    what: "the records of others",
    true: correct,
    served: selling({}, { own: "signed-in" }),
    broken: "authentication/allow/bySize",
  },
];

void test("summaries", (context) => expectBroken(context, rows));
