/** Cases of part 8: a service that has another limit than its document is found, and one that has the same is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { type Block, crud, documentOf, type Parts } from "../enforced/document.ts";
import { sampled } from "../nightly.ts";
import { testServed } from "./served.ts";

const resources: Block = {
  Box: { id: "id(box)", "name?": "string(1..9)" },
  Thing: {
    id: "id(thi)",
    by: "user = caller, read-only",
    "box?": "Box, create-only",
    "note?": "string(1..4000), personal",
    "size?": "integer",
    madeAt: "datetime = now, read-only",
  },
};

const states: Block = {
  Box: "none",
  Thing: {
    states: ["open", "shut", "gone"],
    start: "open",
    final: ["gone"],
    moves: { "open -> shut": "by shut", "open | shut -> gone": "by drop" },
  },
};

const endpoints: Block = {
  ...crud,
  addBox: "POST /boxes",
  listBoxes: "GET /boxes",
  shut: "POST /things/{id}/shut",
  drop: "POST /things/{id}/drop",
};

/** Things of signed-in callers, which live and end, some of them in boxes; anyone lists boxes. */
function limited(limits: Block): string {
  const allow = Object.fromEntries(Object.keys(endpoints).map((name) => [name, "signed-in"]));
  const events: Block = {
    out: { "thing.made": "addThing" },
    delivery: { webhook: { subscribe: "POST /webhooks", for: "signed-in" } },
  };
  const authentication = { allow: { ...allow, listBoxes: "anyone" } };
  const parts: Parts = { resources, states, endpoints: { endpoints }, authentication, events };
  return documentOf({ ...parts, ...(Object.keys(limits).length === 0 ? {} : { limits }) });
}

interface Row {
  readonly what: string;
  /** The limits of the document, and of the service. */
  readonly stated: Block;
  readonly served: Block;
  /** The broken statement. */
  readonly broken: string;
}

const rate = (line: string): Block => ({ rate: { addThing: line } });
const all = (line: string): Block => ({ rate: { all: line } });
const row = (what: string, broken: string, stated: Block, served: Block): Row => ({ what, stated, served, broken });

const rows: readonly Row[] = [
  row("one request more", "limits/rate/addThing", rate("3/min per user"), rate("4/min per user")),
  row("one request less", "limits/rate/addThing", rate("3/min per user"), rate("2/min per user")),
  row("no rate", "limits/rate/addThing", rate("3/min per user"), {}),
  row("the rate of another operation", "limits/rate/addThing", rate("3/min per user"), { rate: { addBox: "3/min per user" } }),
  row("a longer window", "limits/rate/addThing", rate("3/min per user"), rate("3/2min per user")),
  row("a shorter window", "limits/rate/addThing", rate("3/2min per user"), rate("3/min per user")),
  row("a rate per address for one per user", "limits/rate/addThing", rate("3/min per user"), rate("3/min per ip")),
  row("a rate per user for one per address", "limits/rate/addThing", rate("3/min per ip"), rate("3/min per user")),
  row("a rate per user for one per record", "limits/rate/getThing", { rate: { getThing: "3/min per Thing" } }, { rate: { getThing: "3/min per user" } }),
  row("a rate per record for one per user", "limits/rate/getThing", { rate: { getThing: "3/min per user" } }, { rate: { getThing: "3/min per Thing" } }),
  row("a smaller bucket", "limits/rate/addThing", rate("3/h per user, burst 3"), rate("3/h per user, burst 2")),
  row("a bucket that fills faster", "limits/rate/addThing", rate("3/h per user, burst 3"), rate("6/h per user, burst 3")),
  row("a bucket that fills slower", "limits/rate/addThing", rate("6/h per user, burst 3"), rate("3/h per user, burst 3")),
  row("a window for a bucket", "limits/rate/addThing", rate("6/h per user, burst 3"), rate("3/h per user")),
  row("a bucket for a window", "limits/rate/addThing", rate("3/h per user"), rate("6/h per user, burst 3")),
  row("a rate of all requests that is larger", "limits/rate/all", all("20/min per user"), all("21/min per user")),
  row("a rate of all requests per address", "limits/rate/all", all("20/min per user"), all("20/min per ip")),
  row("a rate of one operation for all", "limits/rate/all", all("5/min per user"), { rate: { addThing: "5/min per user" } }),
  row("a large rate that is a little larger", "limits/rate/all", all("120/min per user"), all("121/min per user")),
  row("a rate of callers without a credential", "limits/rate/anyone", { rate: { anyone: "5/min per ip" } }, { rate: { anyone: "6/min per ip" } }),
  row("a rate of all for that of anyone", "limits/rate/anyone", { rate: { anyone: "5/min per ip" } }, all("5/min per ip")),
  row("a larger quota", "limits/quota/addThing", { quota: { addThing: "3/day per user" } }, { quota: { addThing: "4/day per user" } }),
  row("a smaller quota", "limits/quota/addThing", { quota: { addThing: "3/day per user" } }, { quota: { addThing: "2/day per user" } }),
  row("a quota of a longer time", "limits/quota/addThing", { quota: { addThing: "3/day per user" } }, { quota: { addThing: "3/week per user" } }),
  row("a quota of created records", "limits/quota/Thing", { quota: { Thing: "3/day per user" } }, { quota: { Thing: "4/day per user" } }),
  row("a quota of transitions", "limits/quota/shut", { quota: { shut: "2/day per user" } }, { quota: { shut: "3/day per user" } }),
  row("a larger quota of live records", "limits/quota/Thing", { quota: { Thing: "3 per user" } }, { quota: { Thing: "4 per user" } }),
  row("a smaller quota of live records", "limits/quota/Thing", { quota: { Thing: "3 per user" } }, { quota: { Thing: "2 per user" } }),
  row("a quota of more states", "limits/quota/Thing", { quota: { Thing: "2 in open per user" } }, { quota: { Thing: "2 in open | shut per user" } }),
  row("a quota of other states", "limits/quota/Thing", { quota: { Thing: "2 in shut per user" } }, { quota: { Thing: "2 in open per user" } }),
  row("a quota per record for one per user", "limits/quota/Thing", { quota: { Thing: "3 per user" } }, { quota: { Thing: "3 per Box" } }),
  row("a larger quota per record", "limits/quota/Thing", { quota: { Thing: "2 per Box" } }, { quota: { Thing: "3 per Box" } }),
  row("a larger quota of webhooks", "limits/quota/webhook", { quota: { webhook: "2 per user" } }, { quota: { webhook: "3 per user" } }),
  row("a smaller quota of webhooks", "limits/quota/webhook", { quota: { webhook: "2 per user" } }, { quota: { webhook: "1 per user" } }),
  row("a larger size", "limits/size/request", { size: { request: "1KB" } }, { size: { request: "1025B" } }),
  row("a smaller size", "limits/size/request", { size: { request: "1KB" } }, { size: { request: "1023B" } }),
  row("the size of an operation", "limits/size/addThing", { size: { request: "1KB", addThing: "2KB" } }, { size: { request: "1KB" } }),
  row("records that are stored longer", "limits/keep/Thing", { keep: { Thing: "2d after final" } }, { keep: { Thing: "3d after final" } }),
  row("records that are stored a shorter time", "limits/keep/Thing", { keep: { Thing: "2d after final" } }, { keep: { Thing: "1d after final" } }),
  row("records that are stored from another state", "limits/keep/Thing", { keep: { Thing: "2d after final" } }, { keep: { Thing: "2d after shut" } }),
  row("records that are stored from a field", "limits/keep/Thing", { keep: { Thing: "2d after madeAt" } }, { keep: { Thing: "2d after final" } }),
  row("records that are never deleted", "limits/keep/Thing", { keep: { Thing: "2d after shut" } }, {}),
  row("deleted records for erased ones", "limits/keep/Thing", { keep: { Thing: "2d after final, erase" } }, { keep: { Thing: "2d after final" } }),
  row("erased records for deleted ones", "limits/keep/Thing", { keep: { Thing: "2d after final" } }, { keep: { Thing: "2d after final, erase" } }),
  row("a rate of a day since the first request", "limits/rate/addThing", rate("3/day in Europe/Oslo per user"), rate("3/day per user")),
  row("a rate of a day elsewhere", "limits/rate/addThing", rate("3/day in Europe/Oslo per user"), rate("3/day in America/New_York per user")),
  row("a rate of a calendar day for one of a week", "limits/rate/all", all("20/week in Asia/Tokyo per user"), all("20/day in Asia/Tokyo per user")),
  row("a quota of a day since the first request", "limits/quota/addThing", { quota: { addThing: "3/day in Europe/Oslo per user" } }, { quota: { addThing: "3/day per user" } }),
  row("a quota of a month elsewhere", "limits/quota/Thing", { quota: { Thing: "3/month in Europe/Oslo per user" } }, { quota: { Thing: "3/month in America/New_York per user" } }),
]; // biome-ignore format: a table

for (const { broken, served, stated, what } of sampled(rows, 3)) {
  void test(`found: ${what}`, async () => {
    const { cases } = await testServed(limited(stated), { served: limited(served), only: ["limits"] });
    const paths = cases.flatMap((one) => (one.kind === "broken" ? one.aspects.map(({ path }) => path) : []));
    assert.ok(
      paths.some((path) => path.startsWith(broken)),
      JSON.stringify(cases, null, 1).slice(0, 3000),
    );
  });
}

const distinct = new Map<string, Block>(rows.map(({ stated }) => [JSON.stringify(stated as Json), stated]));

void test("a service with the limits of its document has no broken statement", async () => {
  for (const stated of distinct.values()) {
    for (const seed of [1, 2]) {
      const { cases } = await testServed(limited(stated), { only: ["limits"], seed });
      assert.deepEqual(
        cases.filter(({ kind }) => kind !== "holds"),
        [],
      );
    }
  }
});
