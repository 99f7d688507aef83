/** Lists (R4.9 to R4.13): filters, orders and pages. All pages together return each permanent record once, and no hidden one. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import type { Reply } from "./client.ts";
import { documentText, play, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";
import { addTool, once, people, toolLibrary } from "./tool-library.ts";
import type { Tool } from "./tool-library.ts";

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

type Row = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string";

const who = new WeakMap<Subject, ReturnType<typeof people>>();

async function pageOf(subject: Subject, query: string): Promise<{ page: Page; reply: Reply }> {
  const headers = who.get(subject)?.keeper ?? {};
  const reply = await subject.client.send({ method: "GET", path: `/tools${query}`, headers });
  assert.equal(reply.status, 200, `${query}: ${reply.text}`);
  return { page: reply.json as Page, reply };
}

/** Every item of a list, page by page; what may never be is checked on the way. */
async function walk(subject: Subject, query: string, between: () => Promise<void> = async () => {}): Promise<Row[]> {
  const items: Row[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const more = next === "" ? query : `${query}${query === "" ? "?" : "&"}cursor=${next}`;
    const { page, reply }: { page: Page; reply: Reply } = await pageOf(subject, more);
    assert.deepEqual(Object.keys(page), ["items", "next"], "R4.12 no totals");
    items.push(...page.items);
    const link = reply.headers["link"] ?? "";
    if (page.next === null) assert.equal(link, "");
    else {
      assert(link.startsWith(`<${subject.running.url}/tools?`) && link.endsWith('>; rel="next"'), link);
      assert.equal(new URL(link.slice(1, link.indexOf(">"))).searchParams.get("cursor"), page.next, "R4.9");
      assert.match(page.next, /^[\w-]+$/, "R4.10 URL-safe");
    }
    next = page.next;
    if (next !== null) await between();
  }
  return items;
}

served("lists", toolLibrary, (subject) => {
  const all = people(subject);
  who.set(subject, all);
  const rows: Row[] = [];

  before(async () => {
    // Members that tie, are absent, negative, upper and lower case, and in another order than that of creation.
    const kinds = ["hand", "power", "garden"];
    const names = [
      "Zange",
      "axe",
      "Axe",
      "bow saw",
      "äxte",
      "drill, big",
      "rake & co",
      "100%",
      "a+b",
      "Ω",
      "spade",
      "it's",
    ];
    for (const [at, name] of names.entries()) {
      const tool = await addTool(subject, at % 3 === 0 ? all.other : all.member, {
        name,
        kind: kinds[at % 3],
        price: [5, 12.5, 5, 0, 1, 99.99, 12.5, 5, 7, 10000, 2, 3][at] ?? 0,
        stock: [3, -2, 3, 0, 10, -100, 3, 1, 2, 9007199254740991, 0, 0][at] ?? 0,
        open: at % 4 !== 0,
        ...(at % 2 === 0 ? {} : { rating: at === 3 ? 4.5 : 1 / at }),
        ...(at % 5 === 0 ? {} : { bought: `2026-0${1 + (at % 3)}-15` }),
        ...(at % 3 === 1
          ? {}
          : { serviced: `2026-01-0${1 + (at % 4)}T0${at % 3}:00:00${at % 2 === 0 ? "Z" : "+01:00"}` }),
      });
      const read = await subject.client.send({ method: "GET", path: tool.path, headers: all.keeper });
      rows.push(read.json as Row);
      subject.running.pass(1000);
    }
    const lent = await subject.client.send({
      method: "POST",
      path: `/tools/${String(rows[4]?.["id"])}/lend`,
      headers: { ...all.keeper, ...once() },
      body: { days: 1 },
    });
    rows[4] = lent.json as Row;
  });

  const at = (query: string, ...faults: string[]) => ({
    name: `R4.13 ?${query} is 400 ${faults.join()}`,
    send: () => ({ method: "GET", path: `/tools?${query}`, headers: all.keeper }),
    status: 400,
    code: "invalid-request",
    faults,
    lacks: ["items"],
  });

  play(subject, [
    at("limit=0", "limit out-of-range"),
    at("limit=-1", "limit out-of-range"),
    at("limit=51", "limit out-of-range"),
    at("limit=ten", "limit out-of-range"),
    at("limit=1.5", "limit out-of-range"),
    at("limit=1e1", "limit out-of-range"),
    at("limit=%201", "limit out-of-range"),
    at("limit=", "limit out-of-range"),
    at("limit", "limit out-of-range"),
    at("limit=99999999999999999999", "limit out-of-range"),
    at("limit=1&limit=2", "limit repeated-parameter"),
    at("limit=1&li%6dit=1", "limit repeated-parameter"),
    at("colour=red", "colour unknown-parameter"),
    at("page=2", "page unknown-parameter"),
    at("offset=2", "offset unknown-parameter"),
    at("lends=0", "lends unknown-parameter"),
    at("note=x", "note unknown-parameter"),
    at("id=tol_1", "id unknown-parameter"),
    at("_seq=1", "_seq unknown-parameter"),
    at("__proto__=1", "__proto__ unknown-parameter"),
    at("kind[gt]=hand", "kind[gt] unknown-parameter"),
    at("name[gte]=a", "name[gte] unknown-parameter"),
    at("price[ne]=1", "price[ne] unknown-parameter"),
    at("price[]=1", "price[] unknown-parameter"),
    at("price[gt][lt]=1", "price[gt][lt] unknown-parameter"),
    at("price=cheap", "price wrong-type"),
    at("price=", "price wrong-type"),
    at("price=0x10", "price wrong-type"),
    at("price[gt]=1e", "price[gt] wrong-type"),
    at("stock=1.5", "stock wrong-type"),
    at("stock=99999999999999999", "stock wrong-type"),
    at("kind=wooden", "kind not-one-of"),
    at("kind[in]=hand,wooden", "kind[in] not-one-of"),
    at("kind[in]=hand,", "kind[in] wrong-type"),
    at(`kind[in]=${Array(101).fill("hand").join()}`, "kind[in] too-many"),
    at("state=broken", "state not-one-of"),
    at("open=yes", "open wrong-type"),
    at("open=True", "open wrong-type"),
    at("bought=2026-02-30", "bought wrong-format"),
    at("bought[gt]=yesterday", "bought[gt] wrong-format"),
    at("createdAt[gte]=2026-01-01", "createdAt[gte] wrong-format"),
    at("createdAt[gte]=2026-01-01T00:00:00+01:00", "createdAt[gte] wrong-format"),
    at("name=", "name wrong-type"),
    at(`name=${"x".repeat(41)}`, "name too-long"),
    at("sort=", "sort unknown-field"),
    at("sort=kind", "sort unknown-field"),
    at("sort=lends", "sort unknown-field"),
    at("sort=price,price", "sort unknown-field"),
    at("sort=price,-price", "sort unknown-field"),
    at("sort=--price", "sort unknown-field"),
    at("sort=price,", "sort unknown-field"),
    at("sort=price+desc", "sort unknown-field"),
    at("sort=_seq", "sort unknown-field"),
    {
      name: "R4.13 a field that the caller does not see is no filter",
      send: () => ({ method: "GET", path: "/tools?shelfCode=x", headers: all.member }),
      status: 400,
      faults: ["shelfCode unknown-parameter"],
    },
    {
      name: "R4.13 nor an order",
      send: () => ({ method: "GET", path: "/tools?sort=shelfCode", headers: all.member }),
      status: 400,
      faults: ["sort unknown-field"],
    },
    {
      name: "R4.13 whoever sees it may filter by it",
      send: () => ({ method: "GET", path: `/tools?shelfCode=${String(rows[0]?.["shelfCode"])}`, headers: all.keeper }),
      status: 200,
      then: (reply) =>
        assert.deepEqual(
          (reply.json as Page).items.map(({ id }) => id),
          [rows[0]?.["id"]],
        ),
    },
    {
      name: "R4.13 a read takes no parameters",
      send: () => ({ method: "GET", path: `/tools/${String(rows[0]?.["id"])}?fields=id`, headers: all.keeper }),
      status: 400,
      faults: ["fields unknown-parameter"],
    },
    {
      name: "R4.13 nor does a write",
      send: () => ({
        method: "POST",
        path: `/tools/${String(rows[1]?.["id"])}/retire?force=true`,
        headers: { ...all.keeper, ...once() },
      }),
      status: 400,
      faults: ["force unknown-parameter"],
      then: async () => {
        const read = await subject.client.send({
          method: "GET",
          path: `/tools/${String(rows[1]?.["id"])}`,
          headers: all.keeper,
        });
        assert.partialDeepStrictEqual(read.json, { state: "shelved" });
      },
    },
    {
      name: "R4.9 an empty query is none",
      send: () => ({ method: "GET", path: "/tools?", headers: all.keeper }),
      status: 200,
    },
    {
      name: "R5.8 nobody sees what is hidden from them, and pages are not shorter for it",
      send: () => ({ method: "GET", path: "/tools?limit=5", headers: all.visitor }),
      status: 200,
      then: (reply) => assert.equal((reply.json as Page).items.length, 5),
    },
  ]);

  const ids = (items: readonly Row[]) => items.map(({ id }) => id);
  const idsThat = (holds: (row: Row) => boolean) => ids(rows.filter(holds).toReversed());
  const time = (value: unknown) => Date.parse(String(value));

  const filters: readonly (readonly [string, (row: Row) => boolean])[] = [
    ["name=axe", ({ name }) => name === "axe"],
    ["name=%C3%A4xte", ({ name }) => name === "äxte"],
    ["name=drill,%20big", ({ name }) => name === "drill, big"],
    ["name=bow+saw", ({ name }) => name === "bow saw"],
    ["name=rake%20%26%20co", ({ name }) => name === "rake & co"],
    ["name=100%25", ({ name }) => name === "100%"],
    ["name=a%2Bb", ({ name }) => name === "a+b"],
    ["name=it's", ({ name }) => name === "it's"],
    ["name=%25", () => false],
    ["name[in]=axe,Axe,none", ({ name }) => name === "axe" || name === "Axe"],
    ["kind=power", ({ kind }) => kind === "power"],
    ["kind[in]=power,hand", ({ kind }) => kind !== "garden"],
    ["kind[eq]=power", ({ kind }) => kind === "power"],
    ["state=lent", ({ state }) => state === "lent"],
    ["state[in]=lent,retired", ({ state }) => state === "lent"],
    ["owner=olaf", ({ owner }) => owner === "olaf"],
    ["owner[in]=olaf,mia", () => true],
    ["price=12.5", ({ price }) => price === 12.5],
    ["price=5.0", ({ price }) => price === 5],
    ["price[gt]=5", ({ price }) => Number(price) > 5],
    ["price[gte]=5&price[lt]=12.5", ({ price }) => Number(price) >= 5 && Number(price) < 12.5],
    ["price[lte]=0", ({ price }) => price === 0],
    ["price[in]=5,7,99.99", ({ price }) => [5, 7, 99.99].includes(Number(price))],
    ["stock=-2", ({ stock }) => stock === -2],
    ["stock[lt]=0", ({ stock }) => Number(stock) < 0],
    ["stock[gte]=9007199254740991", ({ stock }) => stock === 9007199254740991],
    ["stock[in]=-100,10", ({ stock }) => stock === -100 || stock === 10],
    ["rating[gt]=0.2", ({ rating }) => rating !== undefined && Number(rating) > 0.2],
    ["rating[lte]=4.5", ({ rating }) => rating !== undefined],
    ["rating=4.5", ({ rating }) => rating === 4.5],
    ["open=true", ({ open }) => open === true],
    ["open=false", ({ open }) => open === false],
    ["open[in]=true,false", () => true],
    ["bought=2026-02-15", ({ bought }) => bought === "2026-02-15"],
    ["bought[gt]=2026-01-15", ({ bought }) => isText(bought) && bought > "2026-01-15"],
    ["bought[lte]=2026-01-15", ({ bought }) => isText(bought) && bought <= "2026-01-15"],
    ["serviced=2026-01-01T00:00:00Z", ({ serviced }) => time(serviced) === Date.UTC(2026, 0, 1)],
    ["serviced[gte]=2026-01-03T01:00:00%2B01:00", ({ serviced }) => time(serviced) >= Date.UTC(2026, 0, 3)],
    ["serviced[lt]=2026-01-02T00:00:00.001Z", ({ serviced }) => time(serviced) <= Date.UTC(2026, 0, 2)],
    ["kind=hand&price=5&open=true", ({ kind, price, open }) => kind === "hand" && price === 5 && open === true],
  ];
  for (const [query, holds] of filters) {
    test(`R4.13 ?${query}`, async () => {
      assert.deepEqual(ids(await walk(subject, `?limit=4&${query}`)), idsThat(holds));
    });
  }

  test("R4.13 by the time of creation", async () => {
    const sixth = String(rows[5]?.["createdAt"]);
    assert.deepEqual(ids(await walk(subject, `?createdAt[gt]=${sixth}`)), ids(rows.slice(6).toReversed()));
    assert.deepEqual(ids(await walk(subject, `?createdAt[lte]=${sixth}`)), ids(rows.slice(0, 6).toReversed()));
    assert.deepEqual(ids(await walk(subject, `?createdAt=${sixth}`)), [rows[5]?.["id"]]);
  });

  test("R4.11 newest first, where nothing else is asked for", async () => {
    assert.deepEqual(await walk(subject, ""), rows.toReversed());
    const { page } = await pageOf(subject, "");
    assert.equal(page.items.length, 5, "a page is as long as the document says");
  });

  const sorts = ["name", "price", "stock", "rating", "bought", "serviced", "createdAt", "shelfCode"];
  const byCodePoint = (a: unknown, b: unknown) => {
    if (a === b) return 0;
    // What is absent comes before everything else.
    if (a === undefined) return -1;
    if (b === undefined) return 1;
    if (typeof a === "number") return a - Number(b);
    return isText(a) && isText(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : 0;
  };
  const sorted = (keys: readonly string[]) =>
    rows.toSorted((a, b) => {
      for (const key of keys) {
        const name = key.replace("-", "");
        const order = byCodePoint(a[name], b[name]) * (key.startsWith("-") ? -1 : 1);
        if (order !== 0) return order;
      }
      // The last key's direction goes on to the order of creation; see the store.
      return 0;
    });
  const values = (items: readonly Row[], keys: readonly string[]) =>
    items.map((item) => keys.map((key) => item[key.replace("-", "")]));
  for (const keys of [
    ...sorts.flatMap((name) => [[name], [`-${name}`]]),
    ["price", "-stock"],
    ["-price", "name"],
    ["rating", "-bought", "stock"],
  ]) {
    test(`R4.11 ?sort=${keys.join()}: whatever the page's size`, async () => {
      const whole = await walk(subject, `?sort=${keys.join()}&limit=50`);
      assert.deepEqual(values(whole, keys), values(sorted(keys), keys));
      for (const limit of [1, 2, 5, 7]) {
        assert.deepEqual(ids(await walk(subject, `?sort=${keys.join()}&limit=${limit}`)), ids(whole), "ties too");
      }
    });
  }

  test("R4.12 no next after a last page that is full", async () => {
    const { page } = await pageOf(subject, "?limit=12");
    assert.equal(page.items.length, 12);
    assert.equal(page.next, null);
    const { page: first } = await pageOf(subject, "?limit=11");
    assert.notEqual(first.next, null);
    const { page: last } = await pageOf(subject, `?limit=1&cursor=${String(first.next)}`);
    assert.deepEqual([last.items.length, last.next], [1, null]);
  });

  test("R4.11 a walk sees whatever is there throughout exactly once, while others add and delete", async () => {
    const remove = async (id: unknown) => {
      const gone = {
        method: "DELETE",
        path: `/tools/${String(id)}`,
        headers: { ...all.keeper, ...once(), "If-Match": "*" },
      };
      const { status } = await subject.client.send(gone);
      assert(status === 204 || status === 404);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("", "sort=price", "sort=-price,stock", "sort=rating", "sort=-rating", "kind=hand&sort=-bought"),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ deletes: fc.nat(30), adds: fc.nat(2), price: fc.nat(5), last: fc.boolean() }), {
          maxLength: 6,
        }),
        async (sort, limit, turns) => {
          const own: Tool[] = [];
          for (let count = 0; count < 8; count += 1) {
            own.push(
              await addTool(subject, all.member, { price: count % 3, ...(count % 2 === 0 ? {} : { rating: count }) }),
            );
          }
          const before = await walk(subject, `?limit=50&${sort}`);
          const gone = new Set<unknown>();
          const added = new Set<unknown>();
          const changes = turns.values();
          const seen: Row[] = [];
          const query = `?limit=${limit}${sort === "" ? "" : `&${sort}`}`;
          const between = async () => {
            const turn = changes.next().value;
            if (turn === undefined) return;
            const victim = own[turn.deletes % own.length]?.id;
            if (turn.deletes < 20 && victim !== undefined) {
              gone.add(victim);
              await remove(victim);
            }
            for (let count = 0; count < turn.adds; count += 1) {
              const tool = await addTool(subject, all.member, { price: turn.price, rating: turn.price });
              added.add(tool.id);
            }
          };
          seen.push(...(await walk(subject, query, between)));
          const stayed = ids(before).filter((id) => !gone.has(id));
          const found = ids(seen);
          assert.equal(new Set(found).size, found.length, "nothing twice");
          assert.deepEqual(
            found.filter((id) => !gone.has(id) && !added.has(id)),
            stayed,
            "nothing missed, in order",
          );
          for (const { id } of own) await remove(id);
          for (const id of added) await remove(id);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("R4.11 the record that a cursor ended at may be gone", async () => {
    const tools = [];
    for (let count = 0; count < 4; count += 1) tools.push(await addTool(subject, all.member, { price: 1 }));
    const { page } = await pageOf(subject, "?limit=2&sort=-createdAt");
    const last = String(page.items[1]?.["id"]);
    const path = `/tools/${last}`;
    await subject.client.send({ method: "DELETE", path, headers: { ...all.keeper, ...once(), "If-Match": "*" } });
    const { page: second } = await pageOf(subject, `?limit=2&sort=-createdAt&cursor=${String(page.next)}`);
    assert.deepEqual(ids(second.items), [tools[1]?.id, tools[0]?.id]);
  });
});

served("lists by offset and by page", documentText("pantries"), (subject) => {
  before(async () => {
    for (let at = 0; at < 7; at += 1) {
      const body = { opened: "2026-01-01", name: `P${at}` };
      await subject.client.send({ method: "PUT", path: `/v1/pantries/p${at}`, body });
      await subject.client.send({
        method: "POST",
        path: "/v1/pantries/p0/jars",
        body: { label: `J${at}`, grams: at + 1 },
      });
    }
  });
  const get = async (path: string) => {
    const reply = await subject.client.send({ method: "GET", path: `/v1/pantries${path}` });
    const { items, next } = reply.json as { items: { name?: string; label?: string }[]; next: number | null };
    return { names: items.map(({ name, label }) => name ?? label).join(), next, link: reply.headers["link"] };
  };

  test("R4.9 offset: next is where to go on, and the Link leads there", async () => {
    const base = `${subject.running.url}/v1/pantries`;
    assert.deepEqual(await get(""), { names: "P6,P5,P4", next: 3, link: `<${base}?offset=3>; rel="next"` });
    assert.deepEqual(await get("?offset=3"), { names: "P3,P2,P1", next: 6, link: `<${base}?offset=6>; rel="next"` });
    assert.deepEqual(await get("?offset=6"), { names: "P0", next: null, link: undefined });
    assert.deepEqual(await get("?offset=99"), { names: "", next: null, link: undefined });
    assert.deepEqual(await get("?limit=2&sort=name&offset=5"), { names: "P5,P6", next: null, link: undefined });
    const { link } = await get("?sort=name&limit=2&offset=1");
    assert.equal(link, `<${base}?sort=name&limit=2&offset=3>; rel="next"`);
  });

  test("R4.9 page: counted from one", async () => {
    const base = `${subject.running.url}/v1/pantries/p0/jars`;
    assert.deepEqual(await get("/p0/jars"), { names: "J6,J5,J4", next: 2, link: `<${base}?page=2>; rel="next"` });
    assert.deepEqual(await get("/p0/jars?page=3"), { names: "J0", next: null, link: undefined });
    assert.deepEqual(await get("/p0/jars?page=2&limit=5"), { names: "J1,J0", next: null, link: undefined });
    assert.deepEqual(await get("/p0/jars?grams[gt]=5"), { names: "J6,J5", next: null, link: undefined });
    assert.deepEqual(await get("/p1/jars"), { names: "", next: null, link: undefined });
  });

  play(
    subject,
    [
      ["/v1/pantries?offset=-1", "offset out-of-range"],
      ["/v1/pantries?offset=x", "offset out-of-range"],
      ["/v1/pantries?page=1", "page unknown-parameter"],
      ["/v1/pantries?cursor=x", "cursor unknown-parameter"],
      ["/v1/pantries?limit=11", "limit out-of-range"],
      ["/v1/pantries?jars=1", "jars unknown-parameter"],
      ["/v1/pantries/p0/jars?page=0", "page out-of-range"],
      ["/v1/pantries/p0/jars?offset=0", "offset unknown-parameter"],
      ["/v1/pantries/p0/jars?pantry=p1", "pantry unknown-parameter"],
    ].map(([path = "", fault = ""]) => ({
      name: `R4.13 ${path} is 400`,
      send: { method: "GET", path },
      status: 400,
      faults: [fault],
    })),
  );
});

const uncut = documentText("pantries")
  .replace(`lists: "offset, 3 per page, at most 10"`, "lists: none")
  .replace("{base_url}/v1", "https://pantries.example/api");

served("lists that are not cut into pages", uncut, (subject) => {
  before(async () => {
    for (let at = 0; at < 25; at += 1) {
      const body = { opened: "2026-01-01", name: `P${at}` };
      const reply = await subject.client.send({ method: "PUT", path: `/api/pantries/p${at}`, body });
      assert.equal(reply.headers["location"], `/api/pantries/p${at}`);
    }
  });

  play(subject, [
    {
      name: "R4.12 all of it, and nothing follows",
      send: { method: "GET", path: "/api/pantries" },
      status: 200,
      headers: { Link: null },
      has: { next: null },
      then: (reply) => assert.equal((reply.json as Page).items.length, 25),
    },
    ...["limit=5", "cursor=x", "offset=1", "page=1"].map((query) => ({
      name: `R4.13 without ${query}`,
      send: { method: "GET", path: `/api/pantries?${query}` },
      status: 400,
      faults: [`${query.split("=")[0] ?? ""} unknown-parameter`],
    })),
    {
      name: "R4.9 the Link of the others is where the document says that the service is",
      send: async () => {
        for (let at = 0; at < 4; at += 1) {
          await subject.client.send({ method: "POST", path: "/api/pantries/p0/jars", body: { label: `J${at}` } });
        }
        return { method: "GET", path: "/api/pantries/p0/jars" };
      },
      status: 200,
      headers: { Link: '<https://pantries.example/api/pantries/p0/jars?page=2>; rel="next"' },
    },
  ]);
});
