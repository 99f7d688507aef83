/** Summaries: groups of records with counts, sums, averages, smallest and largest values, of what a caller may list and see. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { crud, documentOf } from "../enforced/document.ts";
import type { Reply } from "./client.ts";
import { run } from "./running.ts";
import { served } from "./scenario.ts";

const shop = documentOf({
  resources: {
    Site: { id: "id(sit)", name: "string(1..20)", zone: "timezone" },
    Sale: {
      id: "id(sal)",
      site: "Site, filter",
      seller: "user = caller, read-only, filter",
      at: "datetime, filter",
      amount: "money",
      "tip?": "decimal(0..100)",
      pieces: "integer(1..1000) = 1, filter",
      paid: "boolean = true",
    },
  },
  endpoints: {
    endpoints: {
      addSite: "POST /sites",
      getSite: "GET /sites/{id}",
      addSale: "POST /sales",
      listSales: "GET /sales",
      salesPerDay: {
        at: "GET /sales/per-day",
        group: { day: "date(at, site.zone)", site: "site", currency: "amount.currency" },
        gives: { sales: "count", unpaid: "count(!paid)", total: "sum(amount * pieces)", mean: "average(amount)" },
        order: "-day, site",
        filters: { from: "date(at, site.zone) >= value" },
        lists: { kind: "cursor", size: 2, max: 5 },
      },
      salesBySeller: {
        at: "GET /sales/by-seller",
        group: "seller",
        gives: { pieces: "sum(pieces)", mean: "average(pieces)", tips: "sum(tip)", first: "min(at)", last: "max(at)" },
        order: "-pieces",
        lists: { kind: "offset", size: 5, max: 5, names: { count: "count" } },
      },
      sales: {
        at: "GET /sales/all",
        does: "summary",
        gives: { sales: "count", most: "max(pieces)", tips: "sum(tip)" },
      },
      extremes: {
        at: "GET /sales/extremes",
        group: { currency: "amount.currency", paid: "paid" },
        gives: { min: "min(amount)", max: "max(amount)" },
        where: "pieces < 100",
        lists: { kind: "cursor", gives: { object: "'extremes'", data: "items", more: "next != null" } },
      },
    },
  },
  authentication: {
    own: { Sale: "seller == caller.id" },
    allow: {
      addSite: "admin",
      getSite: "anyone",
      ...Object.fromEntries(
        ["addSale", "listSales", "salesPerDay", "salesBySeller", "sales", "extremes"].map((name) => [
          name,
          ["admin", { who: "member", if: "own" }],
        ]),
      ),
    },
    show: { "Sale.tip": ["admin", { who: "member", if: "own && pieces > 1" }], "Sale.paid": "admin" },
  },
});

served("summaries", shop, (subject) => {
  const keys: Record<string, string> = {};
  const sites: string[] = [];
  const send = (method: string, path: string, who: string, body?: unknown): Promise<Reply> =>
    subject.client.send({
      method,
      path,
      headers: { Authorization: `Bearer ${keys[who]}` },
      ...(body === undefined ? {} : { body }),
    });
  const get = async (path: string, who = "admin"): Promise<Record<string, unknown>> => {
    const reply = await send("GET", path, who);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Record<string, unknown>;
  };
  const eur = (amount: string) => ({ amount, currency: "EUR" });

  before(async () => {
    keys["admin"] = await subject.running.key("admin", "admin");
    for (const who of ["ann", "bob"]) keys[who] = await subject.running.key(who, "member");
    for (const [name, zone] of [
      ["north", "Europe/Oslo"],
      ["west", "America/New_York"],
    ] as const) {
      const { json } = await send("POST", "/sites", "admin", { name, zone });
      sites.push((json as { id: string }).id);
    }
    const [north, west] = sites;
    for (const [who, sale] of [
      ["ann", { site: north, at: "2026-03-28T22:59:00Z", amount: eur("0.1"), pieces: 3, tip: 0.1 }],
      ["ann", { site: north, at: "2026-03-28T23:01:00Z", amount: eur("0.2"), paid: false, tip: 0.2 }],
      ["ann", { site: north, at: "2026-03-29T21:59:00Z", amount: eur("10.05") }],
      [
        "bob",
        { site: north, at: "2026-03-29T12:00:00Z", amount: { amount: "7", currency: "NOK" }, pieces: 2, tip: 0.3 },
      ],
      ["bob", { site: west, at: "2026-03-29T03:00:00Z", amount: eur("-1.00"), pieces: 100 }],
    ] as const) {
      const { status, text } = await send("POST", "/sales", who, sale);
      assert.equal(status, 201, text);
    }
  });

  test("groups by the day of a zone, in pages, with exact sums for each currency", async () => {
    const [north, west] = sites;
    const wanted = [
      { day: "2026-03-29", site: north, currency: "EUR", sales: 2, unpaid: 1, total: eur("10.25"), mean: eur("5.13") },
      { day: "2026-03-29", site: north, currency: "NOK", sales: 1, unpaid: 0, total: { amount: "14.00", currency: "NOK" }, mean: { amount: "7.00", currency: "NOK" } },
      { day: "2026-03-28", site: north, currency: "EUR", sales: 1, unpaid: 0, total: eur("0.30"), mean: eur("0.10") },
      { day: "2026-03-28", site: west, currency: "EUR", sales: 1, unpaid: 0, total: eur("-100.00"), mean: eur("-1.00") },
    ]; // biome-ignore format: a table
    const first = await get("/sales/per-day");
    assert.deepEqual(first["items"], wanted.slice(0, 2));
    const second = await get(`/sales/per-day?cursor=${encodeURIComponent(String(first["next"]))}`);
    assert.deepEqual([second["items"], second["next"]], [wanted.slice(2), null]);
    assert.deepEqual((await get(`/sales/per-day?site=${west}`))["items"], wanted.slice(3));
    assert.deepEqual((await get("/sales/per-day?from=2026-03-29"))["items"], wanted.slice(0, 2));
    assert.deepEqual((await get("/sales/per-day?pieces[gt]=1000"))["items"], []);
    const refused = await send("GET", "/sales/per-day?sort=day", "admin");
    assert.equal(refused.status, 400);
  });

  test("a caller gets the groups of records that it may list, and only the fields that it may see", async () => {
    const all = await get("/sales/by-seller");
    assert.deepEqual(all, {
      items: [
        { seller: "bob", pieces: 102, mean: 51, tips: 0.3, first: "2026-03-29T03:00:00.000Z", last: "2026-03-29T12:00:00.000Z" },
        { seller: "ann", pieces: 5, mean: 5 / 3, tips: 0.3, first: "2026-03-28T22:59:00.000Z", last: "2026-03-29T21:59:00.000Z" },
      ],
      next: null,
      count: 2,
    }); // biome-ignore format: a table
    const own = (await get("/sales/by-seller", "ann")) as { items: Record<string, unknown>[]; count: number };
    assert.deepEqual([own.count, own.items.map(({ seller, tips }) => [seller, tips])], [1, [["ann", 0.1]]]);
    const perDay = (await get("/sales/per-day", "bob")) as { items: Record<string, unknown>[] };
    assert.deepEqual(
      perDay.items.map((item) => Object.keys(item).join()),
      ["day,site,currency,sales,total,mean", "day,site,currency,sales,total,mean"],
    );
    const extremes = (await get("/sales/extremes", "ann")) as { data: unknown[] };
    assert.deepEqual(extremes.data, [{ currency: "EUR", min: eur("0.10"), max: eur("10.05") }]);
  });

  test("without groups there is one answer, also of no record", async () => {
    assert.deepEqual(await get("/sales/all"), { sales: 5, most: 100, tips: 0.6 });
    assert.deepEqual(await get("/sales/all?pieces[gt]=1000"), { sales: 0, most: null, tips: 0 });
    const hidden = await send("GET", "/sales/all?limit=1", "admin");
    assert.equal(hidden.status, 400);
  });

  test("smallest and largest amounts, in the order of the groups", async () => {
    const { object, data, more } = await get("/sales/extremes");
    assert.deepEqual([object, more], ["extremes", false]);
    assert.deepEqual(data, [
      { currency: "EUR", paid: false, min: eur("0.20"), max: eur("0.20") },
      { currency: "EUR", paid: true, min: eur("0.10"), max: eur("10.05") },
      {
        currency: "NOK",
        paid: true,
        min: { amount: "7.00", currency: "NOK" },
        max: { amount: "7.00", currency: "NOK" },
      },
    ]);
  });
});

const numbered = documentOf({
  resources: { Site: { id: "id(counter)", name: "string(1..9)" }, Sale: { id: "id(sal)", "site?": "Site" } },
  endpoints: {
    endpoints: {
      addSite: "POST /sites",
      addSale: "POST /sales",
      perSite: { at: "GET /sales/per-site", group: "site", gives: { sales: "count" }, order: "-site" },
      perAnySite: { at: "GET /sales/per-any-site", group: "site", gives: { sales: "count" } },
    },
  },
});

served("summaries of references to numbered records", numbered, (subject) => {
  test("the groups are in the order of the numbers, not of their digits", async () => {
    for (let count = 0; count < 10; count += 1)
      await subject.client.send({ method: "POST", path: "/sites", body: { name: "site" } });
    for (const body of [{ site: 10 }, { site: 2 }, { site: 2 }, {}])
      assert.equal((await subject.client.send({ method: "POST", path: "/sales", body })).status, 201);
    const groups = async (path: string): Promise<unknown> =>
      ((await subject.client.send({ method: "GET", path })).json as { items: unknown }).items;
    const [ten, two, none] = [
      { site: 10, sales: 1 },
      { site: 2, sales: 2 },
      { site: null, sales: 1 },
    ];
    assert.deepEqual(await groups("/sales/per-site"), [ten, two, none]);
    assert.deepEqual(await groups("/sales/per-any-site"), [none, two, ten]);
  });
});

test("older callers get their names of measures, parameters and values", async () => {
  const text = documentOf({
    resources: { Thing: { id: "id(thi)", name: "string(1..40)", kind: "small | large, filter", count: "integer" } },
    endpoints: {
      endpoints: { ...crud, sums: { at: "GET /things/sums", group: "kind", gives: { total: "sum(count)" } } },
    },
    versioning: {
      scheme: "dated",
      sent: "header V",
      absent: "newest",
      policy: { breaking: "new version only", notice: "1d", support: "12mo", "after sunset": "410 version-gone" },
      versions: { "2026-09-01": ["rename Thing.size -> kind", "rename sums.sum -> total"], "2026-03-01": "first" },
    },
  });
  await using running = await run(text, {});
  const headers = { "Content-Type": "application/json" };
  for (const [kind, count] of [
    ["small", 2],
    ["large", 3],
    ["small", 4],
  ] as const)
    await fetch(`${running.url}/things`, { method: "POST", headers, body: JSON.stringify({ name: "a", kind, count }) });
  const sums = async (version: string, query: string): Promise<unknown> => {
    const response = await fetch(`${running.url}/things/sums?${query}`, { headers: { V: version } });
    return ((await response.json()) as { items: unknown }).items;
  };
  assert.deepEqual(await sums("2026-09-01", "kind=small"), [{ kind: "small", total: 6 }]);
  assert.deepEqual(await sums("2026-03-01", "size=small"), [{ kind: "small", sum: 6 }]);
});
