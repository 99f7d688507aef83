/** The table of operations that `serve` prints when it starts: all that are served, where they are, and who may run them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../../src/commands/serve-report.ts";
import type { Serving } from "../../src/commands/serving.ts";
import { check } from "../../src/parts/check.ts";
import { planWith } from "../../src/serve/functions/fit.ts";
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
