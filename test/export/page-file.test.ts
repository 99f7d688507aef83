/** The page as one file, in a real browser: it loads nothing, looks as the served page does, and its links lead somewhere. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { pageFile } from "../../src/export/page/page-file.ts";
import { executable, launch, skip } from "./browser.ts";
import { baseUrl } from "./documents.ts";
import { everyDocument } from "./every-document.ts";

function textOf(wanted: string): string {
  const { name, text, result, plans } = everyDocument.find(
    (one) => one.name === wanted,
  ) as (typeof everyDocument)[number];
  const [plan] = [...plans.values()];
  assert(plan !== undefined);
  return [...pageFile({ plan, result: { ...result, name: `${name}.md`, text }, baseUrl })].join("");
}

test("every file has the style and the errors, and no address of another file", () => {
  for (const { name, plans } of everyDocument) {
    const text = textOf(name);
    const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, address = ""]) => address);
    const others = links.filter((address) => !/^(?:#|https?:|data:|mailto:)/.test(address));
    assert.deepEqual(others, [], name);
    assert.deepEqual(
      links.filter((address) => address.startsWith("#error-") && !anchors.has(address.slice(1))),
      [],
      name,
    );
    const [plan] = [...plans.values()];
    for (const code of Object.keys(plan?.errors ?? {})) assert.ok(anchors.has(`error-${code}`), `${name}: ${code}`);
    assert.match(text, /<style>/);
  }
});

test("in a browser", { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "nonet-page-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "page.html");
  await writeFile(file, textOf("parcel-lockers"));
  const page = await browser.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith("data:")),
    [address],
  );
  assert.deepEqual(complaints, []);
  assert.equal(await page.locator("h1").textContent(), "Parcel Lockers");
  assert.notEqual(
    await page.evaluate(`getComputedStyle(document.querySelector("nav")).getPropertyValue("--line")`),
    "",
  );
  const hash = `(document.querySelector('main a[href="#error-no-free-locker"]').click(), location.hash)`;
  assert.equal(await page.evaluate(hash), "#error-no-free-locker");
  assert.ok(await page.locator("#error-no-free-locker").isVisible());
});

let browser: Browser;
before(async () => {
  if (executable !== undefined) browser = await launch(executable);
});
after(() => browser?.close());
