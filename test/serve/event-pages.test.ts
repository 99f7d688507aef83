/** `GET /events` as pages, and `GET /events/{id}`: past events, for callers who may see them (R6.3, R4.9 to R4.12, R5.8). */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Reply } from "./client.ts";
import { by, documentText, served } from "./scenario.ts";

const json = { Accept: "application/json" };

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Page {
  readonly items: readonly Event[];
  readonly next: string | null;
}

served("pages of events", documentText("orders"), (subject) => {
  let ann: { readonly Authorization: string };
  let bob: { readonly Authorization: string };
  let kim: { readonly Authorization: string };

  before(async () => {
    ann = by(await subject.running.key("ann", "shop"));
    bob = by(await subject.running.key("bob", "shop"));
    kim = by(await subject.running.key("kim", "clerk"));
    for (let index = 0; index < 25; index += 1) await order(index % 5 === 0 ? bob : ann, `note-${index}`);
  });

  const get = (who: object, path: string, headers: object = json): Promise<Reply> =>
    subject.client.send({ method: "GET", path, headers: { ...who, ...headers } });
  const order = async (who: object, note: string): Promise<void> => {
    const body = { email: "x@example.com", margin: 7, note };
    const reply = await subject.client.send({ method: "POST", path: "/orders", headers: { ...who }, body });
    assert.equal(reply.status, 201, reply.text);
    const path = `/orders/${(reply.json as { id: string }).id}/pay`;
    assert.equal((await subject.client.send({ method: "POST", path, headers: { ...kim } })).status, 200);
  };
  const page = async (who: object, query = ""): Promise<Page> => {
    const reply = await get(who, `/events${query}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Page;
  };
  const walk = async (who: object, query: string): Promise<readonly Page[]> => {
    const pages = [await page(who, `?${query}`)];
    for (let next = pages[0]?.next; typeof next === "string"; next = pages.at(-1)?.next) {
      pages.push(await page(who, `?${query}&cursor=${next}`));
    }
    return pages;
  };
  const said = (items: readonly Event[]): readonly string[] => items.map(({ type, data }) => `${type} ${String(data["note"] as string)}`); // biome-ignore format: short

  test("oldest first, in whole pages, each event once, and next is null exactly on the last", async () => {
    const all = Array.from({ length: 25 }, (_, index) => [`order.placed note-${index}`, `order.paid note-${index}`]);
    for (const [who, expected] of [
      [kim, all.flat()],
      [ann, all.filter((_, index) => index % 5 !== 0).flat()],
      [bob, all.filter((_, index) => index % 5 === 0).flat()],
    ] as const) {
      for (const limit of [1, 7, 10, 50, 100]) {
        const pages = await walk(who, `limit=${limit}`);
        assert.deepEqual(said(pages.flatMap(({ items }) => items)), expected);
        assert(pages.slice(0, -1).every(({ items }) => items.length === limit));
        assert(pages.every(({ items }) => items.length > 0));
      }
    }
    assert.equal((await page(kim)).items.length, 20);
  });

  test("R5.9 with what each receiver sees", async () => {
    const [forAnn] = (await page(ann)).items;
    const [forKim] = (await page(kim)).items;
    assert.equal(forAnn?.data["margin"], undefined);
    assert.equal(forKim?.data["margin"], 7);
  });

  test("`type` chooses, exactly or by its beginning", async () => {
    for (const [query, count] of [
      ["type=order.paid", 5],
      ["type=order.*", 10],
      ["type=order", 0],
      ["type=webhook.*", 0],
    ] as const) {
      const { items } = await page(bob, `?limit=100&${query}`);
      assert.equal(items.length, count, query);
    }
    const pages = await walk(bob, "type=order.paid&limit=2");
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [2, 2, 1],
    );
  });

  test("R4.10 a cursor belongs to its caller and its filter, whatever the page's size", async () => {
    const { next } = await page(ann, "?limit=2");
    assert.equal((await get(ann, `/events?limit=9&cursor=${next}`)).status, 200);
    for (const [who, path] of [
      [bob, `/events?limit=2&cursor=${next}`],
      [ann, `/events?limit=2&cursor=${next}&type=order.*`],
      [ann, `/events?limit=2&cursor=${next}x`],
      [ann, "/events?cursor=0"],
    ] as const) {
      const reply = await get(who, path);
      assert.equal(reply.status, 400, path);
      assert.equal((reply.json as { errors: { code: string }[] }).errors[0]?.code, "bad-cursor");
    }
  });

  test("R4.13 what a page is not asked for", async () => {
    for (const query of ["limit=0", "limit=101", "limit=x", "sort=id", "order=1", "type=a..b", "type=*"]) {
      assert.equal((await get(kim, `/events?${query}`)).status, 400, query);
    }
  });

  test("the next page is in Link, and leads there", async () => {
    const reply = await get(kim, "/events?limit=49");
    const [, address = ""] = /^<(.*)>; rel="next"$/.exec(reply.headers["link"] ?? "") ?? [];
    const { pathname, search } = new URL(address);
    const rest = await get(kim, pathname + search);
    assert.deepEqual(said((rest.json as Page).items), ["order.paid note-24"]);
    assert.equal(rest.headers["link"], undefined);
  });

  test("R4.16 a page that is known is 304", async () => {
    const reply = await get(kim, "/events?limit=2");
    assert.match(reply.headers["vary"] ?? "", /^Accept(?:, Accept-Encoding)?$/);
    const tag = reply.headers["etag"] ?? "";
    assert.equal((await get(kim, "/events?limit=2", { ...json, "If-None-Match": tag })).status, 304);
    assert.equal((await get(kim, "/events?limit=3", { ...json, "If-None-Match": tag })).status, 200);
  });

  test("one event, the same as in a page; R5.8 to whoever may not know of it there is none", async () => {
    const [event] = (await page(ann)).items;
    const path = `/events/${event?.id}`;
    const reply = await get(ann, path);
    assert.deepEqual([reply.status, reply.json], [200, event]);
    assert.equal((await get(ann, path, { "If-None-Match": reply.headers["etag"] })).status, 304);
    const hidden = await get(bob, path);
    const unknown = await get(bob, "/events/evt_00000000000000000000000000");
    assert.deepEqual([hidden.status, unknown.status], [404, 404]);
    const { instance: _, request_id: __, ...one } = hidden.json as Record<string, unknown>;
    const { instance: ___, request_id: ____, ...other } = unknown.json as Record<string, unknown>;
    assert.deepEqual(one, other);
    assert.equal((await get({}, path)).status, 401);
    assert.equal((await get(ann, path, { Accept: "text/event-stream" })).status, 406);
    assert.equal((await get(ann, `${path}?type=x`)).status, 400);
  });

  test("what is over is gone, and pages begin with what is left", async () => {
    const [event] = (await page(ann)).items;
    await subject.running.store.journal.trim(subject.running.now() + 1);
    assert.equal((await get(ann, `/events/${event?.id}`)).status, 404);
    assert.deepEqual(await page(ann), { items: [], next: null });
    await order(ann, "new");
    assert.deepEqual(said((await page(ann)).items), ["order.placed new", "order.paid new"]);
  });

  test("R4.12 where too much is passed over a page is short, and says where to go on", async () => {
    const entry = { at: subject.running.now(), resource: "Order", record: "ord_1", by: "system", cause: "test" };
    await subject.running.store.transaction(async (tx) => {
      // Whose data is gone, nobody is told of.
      for (let count = 0; count < 10_100; count += 1) await tx.record({ ...entry, event: "order.placed" });
    });
    await order(ann, "beyond");
    const pages = await walk(ann, "limit=10");
    assert.deepEqual(
      pages.map(({ items }) => said(items)),
      [
        ["order.placed new", "order.paid new"],
        ["order.placed beyond", "order.paid beyond"],
      ],
    );
  });
});
