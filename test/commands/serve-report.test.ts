/** The operations that `serve` prints and the pages list: all served ones, their addresses, and who may run them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeReport } from "../../src/server/reload.ts";
import { describe } from "../../src/cli/serve-report.ts";
import type { Served } from "../../src/server/compose.ts";
import type { Serving } from "../../src/server/serve.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { check } from "../../src/language/check.ts";
import { planWith } from "../../src/runtime/functions/validate.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { documentOf } from "../enforced/document.ts";
import { planOf } from "../serve/running.ts";

test("the table has paths below the base, handlers with a wire, and who may see the parent", () => {
  const text = documentOf({
    resources: { Site: { id: "id(sit)" }, Locker: { id: "id(loc)", site: "Site, filter" } },
    endpoints: {
      base: "{base_url}/api",
      endpoints: {
        addSite: "POST /sites",
        getSite: "GET /sites/{id}",
        addLocker: "POST /lockers",
        listLockers: "GET /sites/{site}/lockers",
        ping: { at: "GET /ping", does: "handler", wire: { answers: { "200": "json" } } },
      },
    },
    authentication: {
      allow: { addSite: "admin", getSite: "member", addLocker: "admin", listLockers: "anyone | member" },
    },
  });
  const result = check("things.md", text);
  const functions = { ping: () => ({ status: 200, body: {} }) };
  const rows = (first: object): readonly string[] => {
    const serving = { first: { result, data: "memory", ...first }, url: "http://x/api", local: "http://x/api" };
    return describe(serving as unknown as Serving, { columns: 120 })
      .split("\n")
      .map((line) => line.trim().replaceAll(/ {2,}/g, "  "));
  };
  const all = rows({ plan: planWith(planOf(text), functions), functions });
  for (const row of [
    "POST /api/sites  addSite  admin",
    "GET /api/sites/{site}/lockers  listLockers  anyone who may see the Site | member",
    "GET /api/ping  ping  anyone",
  ])
    assert(all.includes(row), all.join("\n"));
  assert(
    !rows({ plan: planOf(text) }).some((line) => line.startsWith("GET /api/ping")),
    "without functions it is not served",
  );
});

test("operations of handlers with a wire count where functions serve them", async () => {
  const things = { addThing: "POST /things", getThing: "GET /things/{id}" };
  const wired = { at: "GET /", does: "handler", wire: { answers: { "200": "json" } } };
  const text = documentOf({ endpoints: { endpoints: { ...things, ping: wired } } });
  const before = documentOf({ endpoints: { endpoints: things } });
  const served = (of: string, functions?: ServiceFunctions): Served => {
    const plan = planWith(planOf(of), functions);
    return { result: check("things.md", of), plan, functions, data: "memory" } as unknown as Served;
  };
  const functions = { ping: () => ({ status: 200, body: {} }) };
  for (const [now, count, lines] of [
    [served(text, functions), 3, ["3 operations", "  new: ping"]],
    [served(text), 2, ["2 operations"]],
  ] as const) {
    const [first = "", ...others] = changeReport(served(before, functions), now).split("\n");
    const reported = [first.split(": ").at(-1), ...others.filter((line) => line.startsWith("  new"))];
    assert.deepEqual(reported, lines);
    const { result, plan } = now;
    const pages = servicePages({ result, plan, baseUrl: () => "http://x" });
    const ofRoot = count === 2 ? "" : "document";
    const home = pages.find(({ path: [segment] }) => segment?.kind === "literal" && segment.text === ofRoot);
    assert(home !== undefined, "a page makes room for an operation at /");
    const read = async (accept: string) =>
      (await home.page({ headers: { get: () => accept } }, {}, () => ({ plan }))).body ?? "";
    assert.equal((JSON.parse(await read("application/json")) as { operations: number }).operations, count);
    const page = await read("text/html");
    assert.match(page, new RegExp(`<dt>Operations</dt><dd>${count}</dd>`));
    assert.equal(page.includes("Not served yet"), count === 2);
    assert.equal(page.match(/id="operation-ping"/g)?.length, 1);
    assert.doesNotMatch(/id="operation-ping".*?<\/article>/s.exec(page)?.[0] ?? "", /Refuses with/);
  }
});
