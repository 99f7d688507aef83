/** Each store serves a document without resources, whose operations are handlers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, unservable } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";
import { serve, stores } from "./scenario.ts";

const text = documentOf({
  resources: "none",
  states: "none",
  endpoints: {
    repeats: "Idempotency-Key on every POST, kept 24h",
    endpoints: {
      count: { at: "POST /count", does: "handler", gives: { n: "integer" } },
      wired: { at: "POST /wired", does: "handler", wire: { answers: { "200": "json" } } },
    },
  },
} as never)
  .replace(/(## States[^\n]*\n)```yaml\n[^`]*```/, "$1none")
  .replace(/(## Resources[^\n]*\n)```yaml\n[^`]*```/, "$1none");

for (const store of stores) {
  test(`operations without resources are served (${store})`, async () => {
    const result = check("things.md", text);
    assert.deepEqual(
      result.diagnostics.filter(({ severity }) => severity === "error"),
      [],
    );
    assert.deepEqual(unservable(result), []);
    let n = 0;
    const functions = { count: () => ({ n: ++n }), wired: () => ({ status: 200, body: { n: ++n } }) };
    await using subject = await serve(text, { store, functions });
    for (const path of ["/count", "/wired"]) {
      // The answer of a wire has no header but those that it declares.
      const send = () =>
        fetch(`${subject.running.url}${path}`, { method: "POST", headers: { "Idempotency-Key": path } });
      const first = await send();
      const second = await send();
      assert.deepEqual([first.status, await second.text()], [200, await first.text()]);
    }
    assert.equal(n, 2);
  });
}

test("a base with a parameter in its path is refused where it is", () => {
  for (const base of ["{base_url}/v{n}", "{base_url}/{tenant}/api", "https://example.com/v{n}"]) {
    const { diagnostics } = check("things.md", documentOf({ endpoints: { base } }));
    const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code, help }) => [code, help]);
    assert.deepEqual(
      errors.map(([code]) => code),
      ["endpoints/bad-base"],
    );
    if (base === "{base_url}/v{n}") assert.match(String(errors[0]?.[1]), /`sent: path \/v\{n\}` in part 9/);
  }
  for (const base of ["{base_url}", "{base_url}/api", "https://example.com/v1"])
    assert.deepEqual(
      check("things.md", documentOf({ endpoints: { base } })).diagnostics.filter(
        ({ severity }) => severity === "error",
      ),
      [],
    );
});
