/** Options of lists for callers of an older version: names and values of that version, in the order and with the totals of the newest. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { faultsOf, served } from "../scenario.ts";

const shop = documentOf({
  resources: {
    Thing: {
      id: "id(thi), filter",
      name: "string(1..40), filter, sort",
      size: "small | medium | large, filter",
      "made?": "date",
    },
  },
  endpoints: {
    lists: {
      kind: "page",
      size: 9,
      headers: { "X-Total-Count": "count" },
      links: ["last"],
      operators: {
        ne: "{field}_ne",
        in: "{field}, repeated",
        nin: "{field}_nin",
        contains: "{field}_like",
        startsWith: "{field}_from",
      },
    },
    endpoints: {
      addThing: "POST /things",
      getThing: { at: "GET /things/{id}", headers: { "X-Name": "name" } },
      listThings: { at: "GET /things", order: "-name" },
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-09-01": [
        "rename Thing.label -> name",
        "add value Thing.size large, seen as medium before",
        "add Thing.made, taken as null before",
      ],
      "2026-03-01": "first",
    },
  },
});

served("list options of an older version", shop, (subject) => {
  /** By `fetch`: the client of the subject compares what it gets with the newest version. */
  const get = async (path: string, version = "2026-03-01") => {
    const response = await fetch(subject.running.url + path, { headers: { Version: version } });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  let first = "";

  before(async () => {
    for (const [name, size] of [
      ["ash", "small"],
      ["beech", "medium"],
      ["cedar", "large"],
    ] as const) {
      const { json, status } = await subject.client.send({ method: "POST", path: "/things", body: { name, size } });
      assert.equal(status, 201);
      first = (json as { id: string }).id;
    }
  });

  for (const [query, expected] of [
    ["", ["cedar medium", "beech medium", "ash small"]],
    ["sort=label", ["ash small", "beech medium", "cedar medium"]],
    ["label_ne=ash", ["cedar medium", "beech medium"]],
    ["label_like=EE", ["beech medium"]],
    ["label_from=c", ["cedar medium"]],
    ["label=ash&label=cedar", ["cedar medium", "ash small"]],
    // `large` looks like `medium` to these callers.
    ["size=medium", ["cedar medium", "beech medium"]],
    ["size_ne=medium", ["ash small"]],
    ["size_nin=medium", ["ash small"]],
    ["size_ne=small", ["cedar medium", "beech medium"]],
  ] as const)
    test(`R9.3 ?${query}`, async () => {
      const reply = await get(`/things?${query}`);
      assert.equal(reply.status, 200);
      const { items } = reply.json as { items: readonly { label: string; size: string }[] };
      assert.deepEqual(
        items.map(({ label, size }) => `${label} ${size}`),
        expected,
      );
      assert.equal(reply.headers.get("x-total-count"), String(expected.length));
    });

  test("R9.3 names of the newest version are unknown, and header fields are those of the newest", async () => {
    assert.deepEqual(faultsOf(await get("/things?name_like=a")), ["name_like unknown-parameter"]);
    assert.deepEqual(faultsOf(await get("/things?label_like=a", "2026-09-01")), ["label_like unknown-parameter"]);
    const read = await get(`/things/${first}`);
    assert.deepEqual([(read.json as { label: string }).label, read.headers.get("x-name")], ["cedar", "cedar"]);
  });
});
