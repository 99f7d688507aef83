/**
 * Lists as clients of other APIs expect them (R4.9 to R4.13): operators of filters, ranges, directions, clamped limits, links, header
 * fields and values about a page; and what a caller must not learn by them.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { documentOf } from "../enforced/document.ts";
import { runs } from "../nightly.ts";
import type { Reply } from "./client.ts";
import { faultsOf, served, type Subject } from "./scenario.ts";

const shop = documentOf({
  resources: {
    Shelf: { id: "id(shf)", name: "string(1..20)", "keeper?": "user" },
    Thing: {
      id: "id(thi), filter, sort",
      name: "string(1..40), filter, sort, search",
      count: "integer, filter, sort",
      "note?": "string(1..40) | null, filter",
      "secret?": "string(1..20), filter, sort",
      "tags?": "string(1..9)[]",
      shelf: "Shelf, filter",
      "made?": "date, filter, sort",
    },
  },
  endpoints: {
    lists: {
      kind: "offset",
      size: 3,
      max: 5,
      clamped: "true",
      names: { offset: "_start", end: "_end", limit: "_limit", sort: "_sort", direction: "_order", search: "q" },
      headers: { "X-Total-Count": "count", "X-More": "next != null" },
      links: ["first", "prev", "next", "last"],
      operators: {
        ne: "{field}_ne",
        in: "{field}, repeated",
        nin: "{field}_nin",
        contains: "{field}_like",
        startsWith: "{field}_from",
        gte: "{field}_gte",
        null: "{field}_null",
      },
    },
    endpoints: {
      addShelf: "POST /shelves",
      getShelf: "GET /shelves/{id}",
      addThing: "POST /things",
      getThing: {
        at: "GET /things/{id}",
        headers: {
          "X-Name": "name",
          "X-Secret": "secret",
          "X-Caller": "caller.id",
          "X-Path": "base + '/things/' + id",
        },
      },
      putThing: { at: "PUT /things/{id}", does: "update", headers: { "X-Count": "count + 1" } },
      removeThing: { at: "DELETE /things/{id}", headers: { "X-Gone": "name" } },
      listThings: {
        at: "GET /things",
        order: "-count, name",
        filters: {
          on: "shelf.name == value",
          notOn: "shelf.name != value",
          like: "Shelf.exists(s, s.id == shelf && s.name == value)",
          tagged: { type: "string(1..9)[](1..3)", if: "value.all(v, v in tags)" },
          counts: { type: "integer[]", if: "count in value" },
        },
      },
      pageThings: {
        at: "GET /thing-pages",
        of: "Thing",
        lists: { kind: "page", size: 2, max: 4, headers: { "X-Page": "page" } },
        gives: {
          object: "'list'",
          data: "Thing[]",
          has_more: "next != null",
          pages: { total: "(count + limit - 1) / limit", at: "page", from: "offset" },
          mine: "caller.id",
        },
      },
      boxThings: {
        at: "GET /thing-box",
        of: "Thing",
        lists: {
          kind: "cursor",
          size: 2,
          gives: { object: "'list'", page: { things: "items", all: "count" }, more: "next != null", url: "path" },
        },
      },
      followThings: {
        at: "GET /thing-feed",
        of: "Thing",
        lists: {
          kind: "cursor",
          size: 2,
          links: ["first", "next"],
          names: { after: "starting_after", before: "ending_before" },
        },
        order: "made",
      },
    },
  },
  authentication: {
    roles: ["member", "admin", "guest"],
    allow: {
      "addShelf, addThing, putThing, removeThing, getThing, listThings, pageThings, boxThings, followThings":
        "signed-in",
      getShelf: ["admin", { who: "member", if: "keeper == caller.id" }],
    },
    show: { "Thing.secret": "admin" },
  },
});

const names = ["Axe", "apple", "Zange", "a,b", "100%", "Äpfel"];

interface Row {
  readonly id: string;
  readonly name: string;
  readonly count: number;
}

served("list options", shop, (subject) => {
  const keys: Record<string, string> = {};
  const ids: Record<string, string> = {};

  const send = (subjectOf: Subject, method: string, path: string, body?: unknown, who = "admin"): Promise<Reply> =>
    subjectOf.client.send({
      method,
      path,
      headers: { Authorization: `Bearer ${keys[who]}` },
      ...(body === undefined ? {} : { body }),
    });
  const get = (path: string, who?: string): Promise<Reply> => send(subject, "GET", path, undefined, who);
  const namesOf = (reply: Reply): readonly string[] => (reply.json as { items: Row[] }).items.map(({ name }) => name);

  before(async () => {
    for (const [who, role] of [
      ["admin", "admin"],
      ["ann", "member"],
      ["gus", "guest"],
    ] as const)
      keys[who] = await subject.running.key(who, role);
    for (const [name, keeper] of [
      ["high", "ann"],
      ["low", "bob"],
    ] as const) {
      const { json } = await send(subject, "POST", "/shelves", { name, keeper });
      ids[name] = (json as Row).id;
    }
    for (const [index, name] of names.entries()) {
      const made = await send(subject, "POST", "/things", {
        ...{ name, count: index, shelf: ids[index % 2 === 0 ? "high" : "low"] },
        ...(index === 0 ? {} : { tags: ["all", ...(index % 2 === 0 ? ["even"] : []), ...(index > 3 ? ["late"] : [])] }),
        ...(index < 2 ? {} : { note: `note ${index}`, secret: `s${index}`, made: `2026-01-0${index}` }),
      });
      assert.equal(made.status, 201, made.text);
      ids[name] = (made.json as Row).id;
    }
  });

  // Each with the names of the records of the first page: the highest count first, three on a page.
  const lists: readonly (readonly [query: string, expected: readonly string[]])[] = [
    ["", ["Äpfel", "100%", "a,b"]],
    ["_order=asc", ["Axe", "apple", "Zange"]],
    ["_order=ASC,desc", ["Axe", "apple", "Zange"]],
    ["_sort=count", ["Äpfel", "100%", "a,b"]],
    ["_sort=count&_order=Asc", ["Axe", "apple", "Zange"]],
    ["_sort=name", ["100%", "Axe", "Zange"]],
    ["_sort=id&_order=asc", ["Axe", "apple", "Zange"]],
    ["_sort=made,count&_order=asc,desc", ["apple", "Axe", "Zange"]],
    ["_start=1&_end=3", ["100%", "a,b"]],
    ["_end=2", ["Äpfel", "100%"]],
    ["_start=4&_limit=1", ["apple"]],
    ["_end=99", ["Äpfel", "100%", "a,b", "Zange", "apple"]],
    ["_limit=99", ["Äpfel", "100%", "a,b", "Zange", "apple"]],
    ["_limit=0", ["Äpfel"]],
    ["_start=9&_end=12", []],
    ["name=Axe", ["Axe"]],
    ["name=a,b", ["a,b"]],
    ["name=Axe&name=a,b", ["a,b", "Axe"]],
    ["count=1&count=2&count=2", ["Zange", "apple"]],
    ["name_ne=Axe&count_ne=5", ["100%", "a,b", "Zange"]],
    ["note_ne=note 5", ["100%", "a,b", "Zange"]],
    ["note_nin=note 5,note 4,note 3", ["Zange", "apple", "Axe"]],
    ["note_null=true", ["apple", "Axe"]],
    ["note_null=false&count_gte=4", ["Äpfel", "100%"]],
    ["name_like=%C3%84PFEL", ["Äpfel"]],
    ["name_like=%25", ["100%"]],
    ["name_like=_", []],
    ["name_from=A", ["a,b", "apple", "Axe"]],
    ["name_from=ap", ["apple"]],
    ["name_from=pfel", []],
    ["made_gte=2026-01-04&made[lt]=2026-01-05", ["100%"]],
    ["q=note", []],
    ["q=apple", ["apple"]],
    ["on=high", ["100%", "Zange", "Axe"]],
    ["like=low", ["Äpfel", "a,b", "apple"]],
    ["tagged=all", ["Äpfel", "100%", "a,b"]],
    ["tagged=even,late", ["100%"]],
    ["tagged=late,other", []],
    ["counts=1,3,7", ["a,b", "apple"]],
  ];
  for (const [query, expected] of lists) {
    test(`R4.13 ?${query}`, async () => {
      const reply = await get(`/things?${query.replaceAll(" ", "%20")}`);
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(namesOf(reply), expected);
    });
  }

  const rejected: readonly (readonly [query: string, fault: string])[] = [
    ["_sort=-count", "_sort unknown-field"],
    ["_sort=count&_order=up", "_order not-one-of"],
    ["_sort=count&_order=asc,asc", "_order too-many"],
    ["_order=asc,asc,asc", "_order too-many"],
    ["_end=0", "_end out-of-range"],
    ["_start=3&_end=3", "_end out-of-range"],
    ["_limit=many", "_limit out-of-range"],
    ["_limit=1&_limit=2", "_limit repeated-parameter"],
    ["name_ne=a&name_ne=b", "name_ne repeated-parameter"],
    ["count=1&count=x", "count wrong-type"],
    [`${"count=1&".repeat(101)}count=2`, "count too-many"],
    ["name[in]=a", "name[in] unknown-parameter"],
    ["count[gte]=1", "count[gte] unknown-parameter"],
    ["count_like=1", "count_like unknown-parameter"],
    ["name_null=true", "name_null unknown-parameter"],
    ["note_null=yes", "note_null wrong-type"],
    ["tagged=", "tagged wrong-type"],
    ["tagged=a,b,c,d", "tagged too-many"],
    ["tagged=0123456789", "tagged too-long"],
    ["counts=1,x", "counts wrong-type"],
    ["name_like=", "name_like no-value"],
    [`name_like=${"a".repeat(201)}`, "name_like too-long"],
    ["search=a", "search unknown-parameter"],
    ["offset=1", "offset unknown-parameter"],
  ];
  for (const [query, fault] of rejected) {
    test(`R4.13 ?${query.slice(0, 60)} is 400 ${fault}`, async () => {
      const reply = await get(`/things?${query}`);
      assert.deepEqual([reply.status, ...faultsOf(reply)], [400, fault]);
    });
  }

  test("R4.9 Link has the other pages, and the query of the request", async () => {
    const { headers } = await get("/things?name_ne=Axe&name=apple&name=Zange&name=a,b&_start=1&_end=2");
    const links = [...(headers["link"] ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, address = "", relation]) => {
      const { searchParams } = new URL(address);
      assert.deepEqual(searchParams.getAll("name"), ["apple", "Zange", "a,b"]);
      return [relation, searchParams.get("_start"), searchParams.get("_end")];
    });
    assert.deepEqual(links, [
      ["first", "0", "1"],
      ["prev", "0", "1"],
      ["next", "2", "3"],
      ["last", "2", "3"],
    ]);
    const feed = await get("/thing-feed");
    assert.match(feed.headers["link"] ?? "", /^<[^>?]*>; rel="first", <[^>]*cursor=[\w-]+>; rel="next"$/);
    const last = await get("/things?_start=5");
    assert.doesNotMatch(last.headers["link"] ?? "", /rel="next"/);
    assert.match((await get("/things?name=nothing")).headers["link"] ?? "", /_start=0>; rel="last"$/);
  });

  test("R4.10 all pages in the list's own order have each record once, and a cursor belongs to that order", async () => {
    const found: string[] = [];
    for (let path = "/thing-feed"; path !== ""; ) {
      const reply = await get(path);
      found.push(...namesOf(reply));
      const { next } = reply.json as { next: string | null };
      path = next === null ? "" : `/thing-feed?cursor=${next}`;
    }
    assert.deepEqual(found, ["Axe", "apple", "Zange", "a,b", "100%", "Äpfel"]);
  });

  test("R4.11 a page begins behind a record, or ends before one, in every order", async () => {
    const feed = async (query: string): Promise<{ items: Row[]; next: string | null }> => {
      const reply = await get(`/thing-feed?${query}`);
      assert.equal(reply.status, 200, reply.text);
      return reply.json as { items: Row[]; next: string | null };
    };
    for (const order of [
      "",
      "&_sort=name",
      "&_sort=made&_order=desc",
      "&_sort=made,count&_order=asc,desc",
      "&count_ne=3",
    ]) {
      const forwards: Row[] = [];
      for (let next: string | null = ""; next !== null; ) {
        const page = await feed(`_limit=1${order}${next === "" ? "" : `&starting_after=${next}`}`);
        forwards.push(...page.items);
        next = page.next === null ? null : (page.items.at(-1)?.id ?? null);
      }
      assert.equal(forwards.length, order === "&count_ne=3" ? 5 : 6);
      const last = forwards.at(-1) as Row;
      assert.deepEqual((await feed(`_limit=5${order}&starting_after=${last.id}`)).items, []);
      // Backwards by ids, and by the cursors of such pages.
      const byIds: Row[] = [last];
      const first = await feed(`_limit=2${order}&ending_before=${last.id}`);
      const byCursors: Row[] = [...first.items, last];
      for (let { next } = first; next !== null; ) {
        const page: { items: Row[]; next: string | null } = await feed(`_limit=2${order}&cursor=${next}`);
        byCursors.unshift(...page.items);
        ({ next } = page);
      }
      while (byIds.length < forwards.length)
        byIds.unshift(...(await feed(`_limit=1${order}&ending_before=${byIds[0]?.id}`)).items);
      assert.deepEqual([byIds, byCursors], [forwards, forwards], order);
    }
    const link = (await get(`/thing-feed?starting_after=${ids["Axe"]}`)).headers["link"] ?? "";
    assert.match(link, /^<[^>?]*>; rel="first", <[^>]*\?cursor=[\w-]+>; rel="next"$/);
    for (const [query, fault] of [
      ["starting_after=thi_00000000000000000000000000", "starting_after bad-cursor"],
      ["starting_after=", "starting_after wrong-type"],
      [`starting_after=${ids["Axe"]}&ending_before=${ids["Axe"]}`, "ending_before repeated-parameter"],
      [`ending_before=${ids["high"]}`, "ending_before bad-cursor"],
    ] as const) {
      const reply = await get(`/thing-feed?${query}`);
      assert.deepEqual([reply.status, ...faultsOf(reply)], [400, fault]);
    }
    assert.deepEqual(faultsOf(await get(`/things?starting_after=${ids["Axe"]}`)), ["starting_after unknown-parameter"]);
  });

  test("header fields and members about a page", async () => {
    const all = await get("/things");
    assert.deepEqual([all.headers["x-total-count"], all.headers["x-more"]], ["6", "true"]);
    const some = await get("/things?name_like=a&_start=3");
    assert.deepEqual([some.headers["x-total-count"], some.headers["x-more"]], ["4", "false"]);
    const page = await get("/thing-pages?page=3&_limit=2");
    const { data, ...rest } = page.json as { data: readonly Row[] };
    assert.equal(data.length, 2);
    assert.deepEqual(rest, { object: "list", has_more: false, pages: { total: 3, at: 3, from: 4 }, mine: "admin" });
    assert.deepEqual([page.headers["x-page"], page.headers["x-total-count"]], ["3", "6"]);
    assert.equal((await get("/thing-pages?_limit=5")).status, 400, "clamped belongs to the pages of all lists");
  });

  test("the object around a page, for each list of a style", async () => {
    const { json } = await get("/thing-box");
    const { page, ...rest } = json as { page: { things: readonly Row[]; all: number } };
    assert.deepEqual([page.things.length, page.all, rest], [2, 6, { object: "list", more: true, url: "/thing-box" }]);
    const last = (await get("/thing-box?_limit=6")).json as { more: boolean };
    assert.equal(last.more, false);
  });

  test("R4.15 the entity tag changes with the header fields of a list", async () => {
    const before_ = await get("/things?_limit=1");
    const made = await send(subject, "POST", "/things", { name: "later", count: -1, shelf: ids["high"] });
    const after = await subject.client.send({
      method: "GET",
      path: "/things?_limit=1",
      headers: { Authorization: `Bearer ${keys["admin"]}`, "If-None-Match": before_.headers["etag"] ?? "" },
    });
    assert.deepEqual(
      [after.status, after.text, after.headers["x-total-count"]],
      [200, before_.text.replace(/ /g, " "), "7"],
    );
    const gone = await send(subject, "DELETE", `/things/${(made.json as Row).id}`);
    assert.deepEqual([gone.status, gone.headers["x-gone"]], [204, "later"]);
  });

  test("R5.9 header fields of a record: as the caller may see it, and safe", async () => {
    const id = ids["Äpfel"];
    const admin = await get(`/things/${id}`);
    assert.deepEqual(
      [admin.headers["x-name"], admin.headers["x-secret"], admin.headers["x-caller"], admin.headers["x-path"]],
      ["%C3%84pfel", "s5", "admin", `${subject.running.url}/things/${id}`],
    );
    const ann = await get(`/things/${id}`, "ann");
    assert.equal(ann.headers["x-secret"], undefined);
    assert.deepEqual(Object.keys(ann.json as object).includes("secret"), false);
    const put = await send(subject, "PUT", `/things/${id}`, { count: 5 });
    assert.deepEqual([put.status, put.headers["x-count"]], [200, "6"]);
    // If-Match with the tag of a read still fits an edit.
    const edit = await subject.client.send({
      method: "PUT",
      path: `/things/${id}`,
      headers: { Authorization: `Bearer ${keys["admin"]}`, "If-Match": admin.headers["etag"] ?? "" },
      body: { count: 5 },
    });
    assert.equal(edit.status, 200, edit.text);
    const split = await send(subject, "POST", "/things", {
      ...{ name: "a\r\nSet-Cookie: x=1", count: -5, shelf: ids["low"] },
    });
    const read = await get(`/things/${(split.json as Row).id}`);
    assert.deepEqual([read.headers["x-name"], read.headers["set-cookie"]], ["a%0D%0ASet-Cookie: x=1", undefined]);
    await send(subject, "DELETE", `/things/${(split.json as Row).id}`);
  });

  test("R4.13 a filter through a reference reveals nothing of records that the caller may not see", async () => {
    const found = async (query: string, who: string) => {
      const reply = await get(`/things?${query}`, who);
      return reply.status === 200 ? namesOf(reply) : [reply.status, ...faultsOf(reply)];
    };
    // Ann sees the shelf `high`, but not the shelf `low`.
    for (const name of ["on", "like"]) {
      assert.deepEqual(await found(`${name}=high`, "ann"), ["100%", "Zange", "Axe"], name);
      assert.deepEqual(await found(`${name}=low`, "ann"), [], name);
      assert.deepEqual(await found(`${name}=low`, "admin"), ["Äpfel", "a,b", "apple"], name);
      assert.deepEqual(await found(`${name}=high`, "gus"), [400, `${name} unknown-parameter`]);
    }
    // Whatever the value is, a hidden shelf is as if it were absent.
    for (const value of ["low", "other"])
      assert.deepEqual((await found(`notOn=${value}`, "ann")).slice(0, 3), ["Äpfel", "100%", "a,b"], value);
    assert.deepEqual(await found("secret=s5", "ann"), [400, "secret unknown-parameter"]);
    assert.deepEqual(await found("secret_ne=s5", "ann"), [400, "secret_ne unknown-parameter"]);
    assert.deepEqual(await found("secret_null=true", "ann"), [400, "secret_null unknown-parameter"]);
    assert.deepEqual(await found("_sort=secret", "ann"), [400, "_sort unknown-field"]);
  });

  test("R4.13 every operator means what it says of every value", async () => {
    const rows = (
      (await get("/things?_limit=5")).json as { items: readonly Readonly<Record<string, string | number | null>>[] }
    ).items;
    const fields = ["name", "count", "note", "made"] as const;
    const operator = fc.constantFrom("", "_ne", "_nin");
    const text = (value: string | number) => encodeURIComponent(String(value));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fields),
        operator,
        fc.nat(4),
        fc.nat(4),
        async (field, suffix, one, other) => {
          const [a, b] = [rows[one]?.[field], rows[other]?.[field]];
          if (a === undefined || b === undefined || a === null || b === null || `${a}`.includes(",")) return;
          const values = suffix === "" ? [a, b] : [a];
          const query = values.map((value) => `${field}${suffix}=${text(value)}`).join("&");
          const reply = await get(`/things?_limit=5&_start=0&${query}`);
          assert.equal(reply.status, 200, reply.text);
          const expected = rows.filter((row) => values.some((value) => value === row[field]) === (suffix === ""));
          const got = namesOf(reply).filter((name) => rows.some((row) => row["name"] === name));
          assert.deepEqual(got.slice(0, 4), expected.map((row) => row["name"]).slice(0, 4), query);
        },
      ),
      { numRuns: runs(30, 300) },
    );
  });
});
