/** A run as a whole: the same seed makes the same requests, nothing is left behind, and the budget ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crud, documentOf } from "../enforced/document.ts";
import { run } from "../serve/running.ts";
import { testRunning, testServed } from "./served.ts";

const things = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..40)", "count?": "integer(0..9)" } },
  endpoints: { endpoints: crud },
});

/** The requests of a run, without what the service and the system choose: ids, entity tags and ports. */
async function requestsWith(seed: number): Promise<readonly string[]> {
  const requests: string[] = [];
  await testServed(things, {
    seed,
    observed: ({ request: { body, method, url } }) =>
      requests.push(
        `${method} ${url} ${String(body)}`.replaceAll(/thi_\w+/g, "id").replace(/127\.0\.0\.1:\d+/, "service"),
      ),
  });
  return requests;
}

test("the same seed makes the same requests, and another one others", async () => {
  const requests = await requestsWith(3);
  assert.ok(requests.length > 50, `${requests.length}`);
  assert.deepEqual(await requestsWith(3), requests);
  assert.notDeepEqual(await requestsWith(4), requests);
});

test("the records that the test made are deleted at its end", async () => {
  await using running = await run(things, { store: "memory" });
  const { requests } = await testRunning(things, running, { workers: 2 });
  assert.ok(requests > 50, `${requests}`);
  const { items } = (await (await fetch(`${running.url}/things`)).json()) as { readonly items: readonly unknown[] };
  assert.deepEqual(items, []);
});

test("what the budget has no time for is not tried", async () => {
  const { cases } = await testServed(things, { budgetMilliseconds: -1 });
  const tried = cases.filter((one) => one.kind !== "not tried");
  assert.deepEqual(tried, []);
  assert.ok(cases.some((one) => one.kind === "not tried" && one.reason === "the test ran out of time"));
});
