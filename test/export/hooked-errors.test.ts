/** Functions before and after an operation can return any error: OpenAPI declares each, and the page lists them in one line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { check } from "../../src/language/check.ts";
import { planWith } from "../../src/runtime/functions/validate.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { documentOf } from "../enforced/document.ts";
import { at, planOf } from "./documents.ts";

const text = documentOf({
  resources: {
    Thing: { id: "id(thi)", name: "string(1..40), unique", size: "integer = 0" },
    rules: { Thing: "size < 10 else too-big" },
  },
  errors: { errors: { "too-big": "422 Too big", "shop-closed": "409 The shop is closed" } },
});

const others = ["shop-closed", "still-referenced", "state-conflict"];
const functions: ServiceFunctions = { after: { addThing: () => undefined } };

async function pageOf(plan: ReturnType<typeof planOf>, address: string): Promise<string> {
  const pages = servicePages({ result: check("things.md", text), plan, baseUrl: () => "http://x" });
  const [first = "", code = ""] = address.split("/");
  const found = pages.find(({ path: [segment] }) => (segment?.kind === "literal" ? segment.text : "") === first);
  assert(found !== undefined);
  const request = { headers: { get: () => "text/html" } };
  return (await found.page(request, { code }, () => ({ plan }))).body ?? "";
}

test("the page lists the errors of an operation itself, and one line for those of functions", async () => {
  for (const [given, line] of [
    [undefined, false],
    [functions, true],
  ] as const) {
    const plan = planWith(planOf(text), given);
    const [, article = ""] =
      /<article[^>]*><h4 id="operation-addThing">(.*?)<\/article>/s.exec(await pageOf(plan, "")) ?? [];
    assert.match(article, /too-big/);
    assert.match(article, /already-exists/);
    for (const code of others) assert.doesNotMatch(article, new RegExp(code), `${code} is not of the operation itself`);
    assert.equal(article.includes('any other of <a href="#errors">'), line, article);
    assert.doesNotMatch(await pageOf(plan, "errors/shop-closed"), /operation-addThing/);
  }
});

test("OpenAPI declares each error that a function can raise", () => {
  const codes = (given: ServiceFunctions | undefined): string => {
    const description = openapi(planWith(planOf(text), given), "http://x");
    return JSON.stringify(at(description, "paths", "/things", "post", "responses"));
  };
  for (const code of others) {
    assert(codes(functions).includes(code), code);
    assert(!codes(undefined).includes(code), `${code} without functions`);
  }
});
