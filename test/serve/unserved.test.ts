/** Operations that the document describes and the service does not serve: 501 before credentials, on every store (R0.1, R4.1). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { check } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";
import { planOf } from "./running.ts";
import { mismatches } from "../../src/runtime/functions/validate.ts";
import { serve, stores } from "./scenario.ts";

const described = {
  at: "POST /things/{id}/twice",
  does: "none",
  takes: { by: "integer" },
  gives: { count: "integer" },
};
const text = documentOf({
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      getThing: "GET /things/{id}",
      twice: described,
      report: { at: "GET /report", does: "none", wire: { answers: { 200: "json" } } },
      home: { at: "GET /", does: "none" },
    },
  },
});

/** Each row: method, path, status, `Allow`. */
const rows = [
  ["POST", "/things/1/twice", 501, null],
  ["GET", "/things/1/twice", 405, "OPTIONS"],
  ["OPTIONS", "/things/1/twice", 204, "OPTIONS"],
  ["GET", "/things", 405, "POST, OPTIONS"],
  ["GET", "/things/1/thrice", 404, null],
] as const;

for (const store of stores)
  test(`an operation that is only described is 501 (${store})`, async () => {
    await using subject = await serve(text, { store });
    const { running } = subject;
    const send = (method: string, path: string) => fetch(`${running.url}${path}`, { method });
    for (const [method, path, status, allow] of rows) {
      const response = await send(method, path);
      assert.deepEqual([response.status, response.headers.get("allow")], [status, allow], `${method} ${path}`);
    }
    assert.partialDeepStrictEqual(await (await send("POST", "/things/1/twice")).json(), { code: "not-implemented" });
    const { paths } = openapi(running.plan, running.url) as {
      paths: Record<string, Record<string, { responses: object }>>;
    };
    assert(Object.hasOwn(paths["/things/{id}/twice"]?.["post"]?.responses ?? {}, "501"));
    assert(!Object.hasOwn(paths["/things/{id}"]?.["get"]?.responses ?? {}, "501"));
    assert.deepEqual(running.failures, []);
  });

test("an operation that is only described needs no function, and has no error", () => {
  const { diagnostics } = check("things.md", text);
  assert.deepEqual(
    diagnostics.filter(
      ({ code, severity }) => severity === "error" || (severity !== "hint" && code.startsWith("endpoints/")),
    ),
    [],
  );
  const plan = planOf(text);
  assert.deepEqual(plan.unenforced, []);
  assert.match(mismatches(plan, { twice: () => null })[0] ?? "", /no operation|done by Nonet/);
});
