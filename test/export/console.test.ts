/** The console on the page of a service, in a real browser: for whoever holds a key. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createService } from "../../src/index.ts";
import { executable, launch, skip } from "./browser.ts";

test("the console of a served page sends what the reader may send", { skip }, async (t) => {
  const document = readFileSync("examples/parcel-lockers.md", "utf8");
  const service = await createService({ document, store: "memory", environment: { DOOR_SECRET: "a test" } });
  t.after(() => service.close());
  const { url } = await service.listen();
  const key = await service.createKey({ user: "otto", roles: ["operator"] });
  const browser = await launch(executable ?? "");
  t.after(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`${url}/`);
  const form = page.locator("#try-it form");
  await form.waitFor();
  assert.equal(await page.locator("nav a", { hasText: "Try it" }).isVisible(), true);
  await form.getByLabel("Operation").selectOption({ label: "POST /sites: Open a site" });

  await form.getByRole("button", { name: "Send" }).click();
  await page.locator(".console-refused strong", { hasText: "401" }).waitFor();
  await form.getByLabel("Key", { exact: true }).fill(key);
  await form.getByRole("button", { name: "Send" }).click();
  await page.locator(".console-fine strong", { hasText: "201" }).waitFor();
  await form.getByLabel("Operation").selectOption({ label: "GET /sites: See the sites" });
  await form.getByRole("button", { name: "Send" }).click();
  await page.locator(".console-fine strong", { hasText: "200" }).waitFor();
  assert.match(
    (await page.locator(".console-answer pre").first().textContent()) ?? "",
    /"items": \[\s+\{\s+"id": "site_/,
  );

  // The browser itself reports the 401.
  assert.deepEqual(
    complaints.filter((one) => !one.includes("401")),
    [],
  );
});

test("without pages there is no program of them either", async () => {
  const document = readFileSync("examples/todo-backend.md", "utf8");
  for (const [pages, status] of [
    ["public", 200],
    ["off", 404],
  ] as const) {
    const service = await createService({ document, store: "memory", pages });
    const response = await service.fetch(new Request("http://localhost/assets/served.js"));
    assert.equal(response.status, status, pages);
    if (status === 200) assert.doesNotMatch(await response.text(), /\.ts"|: string/);
    await service.close();
  }
});
