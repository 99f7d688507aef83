/** Query parameters that the tester sends: a repeated parameter has all its texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairsOf, queryOf, queryText } from "../../src/conformance/trial/parameters.ts";
import { crud, documentOf } from "../enforced/document.ts";
import { testServed } from "./served.ts";

test("parameters by their names have the pairs from which they come", () => {
  const pairs = [["tag", "a"], ["tag", "b"], ["name", "x"]] as const; // biome-ignore format: a table
  const query = queryOf(pairs);
  assert.deepEqual(query, { tag: ["a", "b"], name: "x" });
  assert.deepEqual(pairsOf(query), pairs);
  assert.equal(queryText(query), "tag=a&tag=b&name=x");
});

test("a required list that repeats its parameter is sent with all its items", async () => {
  const sent: URLSearchParams[] = [];
  const text = documentOf({
    endpoints: {
      endpoints: { ...crud, listThings: { at: "GET /things", query: { tag: "string(1..9)[](2..3), repeated" } } },
    },
  });
  const { cases } = await testServed(text, {
    only: ["listThings"],
    observed: ({ request: { method, url } }) => {
      const { pathname, searchParams } = new URL(url);
      if (method === "GET" && pathname === "/things") sent.push(searchParams);
    },
  });
  assert.equal(cases.find(({ id }) => id === "endpoints/listThings: succeeds")?.kind, "holds");
  assert(sent.some((parameters) => parameters.getAll("tag").length >= 2));
});
