/** The question that each open statement counts for; an HTTP contract answers the questions about requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";

function answers(endpoints: Parameters<typeof documentOf>[0]["endpoints"]): Readonly<Record<string, string>> {
  const { questions } = check("things.md", documentOf({ endpoints: endpoints as never }));
  const own = questions.filter(({ part }) => part === "endpoints");
  return Object.fromEntries(own.map(({ id, status }) => [id.slice("endpoints/".length), status]));
}

test("what is left open is that of its own question, and a wire says what is taken and answered", () => {
  const wired = { at: "GET /a", does: "handler", wire: { answers: { "200": "json" } } };
  const open = { lists: "not shown", edits: "not shown", repeats: "not shown" };
  const { media: _, ...told } = answers({ ...open, endpoints: { wired } });
  assert.deepEqual(told, {
    base: "shown",
    paths: "shown",
    requests: "shown",
    answers: "shown",
    lists: "not shown",
    edits: "not shown",
    repeats: "not shown",
  });
  const silent = answers({ endpoints: { bare: { at: "GET /a", does: "handler" } } });
  assert.deepEqual([silent["requests"], silent["answers"]], ["silent", "silent"]);
});
