/** The page of the playground in a real browser, from a file and without a network. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { playground } from "../../scripts/playground.ts";
import { executable, launch, skip } from "../export/browser.ts";

describe("in a browser", { skip }, () => {
  let browser: Browser;
  let folder: string;
  let address: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "nonet-playground-"));
    await writeFile(join(folder, "page.html"), await playground(false));
    address = pathToFileURL(join(folder, "page.html")).href;
    browser = await launch(executable ?? "");
  });
  after(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  async function opened(at = address): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!/^(?:blob|data):/.test(request.url()) && request.url() !== at) complaints.push(request.url());
    });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", ({ message }) => complaints.push(message));
    await page.goto(at);
    await page.getByText("Served.").waitFor();
    return { page, complaints };
  }

  async function sent(page: Page, operation: string): Promise<string> {
    await page.locator("#try-it select").first().selectOption({ label: operation });
    await page.locator("#try-it").getByRole("button", { name: "Send" }).click();
    await page.locator("#try-it .console-answer pre").first().waitFor();
    return (await page.locator("#try-it .console-answer").textContent()) ?? "";
  }

  test("a record is created in the page and read from it", async () => {
    const { page, complaints } = await opened();
    await page.getByRole("tab", { name: "Try it" }).click();
    assert.match(await sent(page, "POST /: Write something down"), /^201 in \d+ ms/);
    assert.match(await sent(page, "GET /: See what there is to do"), /^200 in .*"title": "demo\d+"/s);
    await page.locator("#try-it summary", { hasText: "As a command" }).click();
    assert.match(
      (await page.locator("#try-it .console-command").textContent()) ?? "",
      /^curl -i 'http:\/\/localhost\/'/,
    );
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("an example with keys: who may not is refused, who may is not, and the caller can be chosen", async () => {
    const { page, complaints } = await opened();
    await page.getByLabel("Example").selectOption("parcel-lockers");
    await page.getByRole("tab", { name: "Try it" }).click();
    const operation = "POST /sites: Open a site";
    await page.locator("#try-it option", { hasText: operation }).waitFor({ state: "attached" });
    assert.match(await sent(page, operation), /^403 .*"code": "forbidden"/s);
    await page.getByLabel("Caller").selectOption("demo-operator, operator");
    await page.locator("#try-it").getByRole("button", { name: "Send" }).click();
    await page.locator("#try-it .console-fine").waitFor();
    assert.match((await page.locator("#try-it .console-answer").textContent()) ?? "", /^201 /);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("a mistake is shown as one types, at its line, and its fix can be taken", async () => {
    const { page } = await opened();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n```yaml\nschem: none\n```\n");
    await page.getByText("The document has errors.").first().waitFor();
    const finding = page.locator("#findings .error").first();
    assert.match((await finding.textContent()) ?? "", /^error line \d+, versioning\/unknown-key/);
    assert.ok((await page.locator(".cm-lintRange-error").count()) > 0);
    await page.getByRole("tab", { name: "Try it" }).click();
    assert.equal(await page.locator("#try-it").textContent(), "The document has errors.");
    await page.getByRole("tab", { name: "Findings" }).click();
    await finding.getByRole("button", { name: "write scheme" }).click();
    await page.locator(".cm-line", { hasText: "scheme: none" }).first().waitFor();
    await page.close();
  });

  test("a link has the document, and a link that was cut off says so", async () => {
    const { page } = await opened();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("<!-- mine: ä 𝄞 </script> -->\n");
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText(/^The link is in/).waitFor();
    const link = page.url();
    const other = await opened(link);
    assert.match((await other.page.locator(".cm-line").first().textContent()) ?? "", /^<!-- mine: ä 𝄞 <\/script> -->$/);
    const third = await browser.newPage();
    await third.goto(link.slice(0, -40));
    await third.getByText("Served.").waitFor();
    assert.match((await third.locator(".cm-line").first().textContent()) ?? "", /^# Todo-Backend/);
    await Promise.all([page, other.page, third].map((one) => one.close()));
  });

  test("a word is completed by place, with the keyboard alone", async () => {
    const { page, complaints } = await opened();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n```yaml\n");
    await page.keyboard.type("sche");
    await page.locator(".cm-tooltip-autocomplete li[aria-selected]", { hasText: "scheme" }).waitFor();
    // CodeMirror ignores keys in the first 75 ms of an open list.
    const seen = await page.evaluate<number>("performance.now()");
    await page.waitForFunction(`performance.now() > ${seen + 75}`);
    await page.keyboard.press("Enter");
    await page.locator(".cm-line", { hasText: /^scheme:\s*$/ }).waitFor();
    await page.keyboard.press("Control+Space");
    await page.keyboard.press("Escape");
    assert.deepEqual(complaints, []);
    await page.close();
  });

  test("the keyboard reaches everything, and everything has a name", async () => {
    const { page } = await opened();
    const focused = () =>
      page.evaluate<string>(`(({ activeElement: one }) =>
        one.id || one.getAttribute("aria-controls") || one.getAttribute("aria-label") || one.tagName)(document)`);
    await page.getByLabel("Example").focus();
    const order: string[] = [];
    for (const key of ["Tab", "Tab", "Escape", "Tab", "ArrowRight", "End", "Home", "ArrowLeft", "Tab"]) {
      await page.keyboard.press(key);
      order.push(await focused());
    }
    assert.deepEqual(
      order,
      "share,The document,The document,findings,try-it,openapi,findings,openapi,openapi".split(","),
    );
    assert.equal(await page.getByRole("textbox", { name: "The document" }).getAttribute("aria-describedby"), "keys");
    assert.match((await page.getByRole("status").textContent()) ?? "", /^0 errors, /);
    await page.close();
  });

  test("the page of the service and its description are shown, and only made while their tabs are open", async () => {
    const { page, complaints } = await opened();
    assert.equal(await page.locator("#page, #openapi, #try-it").locator("iframe, pre, form").count(), 0);
    await page.getByRole("tab", { name: "Page" }).click();
    const frame = page.frameLocator("#page iframe");
    assert.equal(await frame.locator("h1").textContent(), "Todo-Backend");
    // A link leads to a section, and not out of the page.
    await frame.getByRole("link", { name: "Errors" }).first().click();
    assert.match(page.frames().at(-1)?.url() ?? "", /#errors$/);
    assert.equal(await frame.locator("h1").textContent(), "Todo-Backend");
    await page.getByRole("tab", { name: "OpenAPI" }).click();
    assert.match((await page.locator("#openapi pre").textContent()) ?? "", /^\{\s+"openapi": "3\.1\.\d"/);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
