/**
 * The pages in a real Chromium, in desktop and phone sizes, in light and dark mode. They load nothing from other hosts, all
 * content is present, and no elements overlap.
 */
import assert from "node:assert/strict";
import { after, before, suite, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { stateDiagram } from "../../src/export/page/diagram.ts";
import { servicePages } from "../../src/export/page/pages.ts";
import { style } from "../../src/export/page/style.ts";
import type { Lifecycle } from "../../src/language/states/model.ts";
import { run, type Running } from "../serve/running.ts";
import { executable, launch, reason, skip } from "./browser.ts";
import { type Checked, checkedFlagship, checkedLibrary } from "./documents.ts";

const inspection = fileURLToPath(new URL("page-inspection.js", import.meta.url));

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

suite("in a browser", { skip }, () => {
  let browser: Browser;
  const services = new Map<Checked, Running>();

  before(async () => {
    assert.ok(executable !== undefined, reason);
    browser = await launch(executable);
    for (const document of [checkedFlagship, checkedLibrary]) services.set(document, await serve(document));
  });

  after(async () => {
    await browser?.close();
    for (const service of services.values()) await service[Symbol.asyncDispose]();
  });

  /** Opens a page; at the end of the test it has to have been quiet, and to have stayed at home. */
  async function open(
    t: TestContext,
    { document = checkedFlagship, path = "/", viewport = desk, dark = false }: Partial<Opening> = {},
  ): Promise<Page> {
    const { url } = services.get(document) as Running;
    const context = await browser.newContext({ viewport, colorScheme: dark ? "dark" : "light" });
    await context.addInitScript({ path: inspection });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => complaints.push(`${request.url()} failed`));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:"))
        complaints.push(`asked for ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() >= 400) complaints.push(`${response.url()} is ${response.status()}`);
    });
    t.after(async () => {
      await context.close();
      assert.deepEqual(complaints, []);
    });
    const response = await page.goto(url + path);
    assert.match(response?.headers()["content-security-policy"] ?? "", /^default-src 'none'; style-src 'self'/);
    return page;
  }

  test("every operation is there, with its method, path, sentence and who may run it", async (t) => {
    const page = await open(t);
    const requested = checkedFlagship.plan.operations.filter(({ action }) => action !== "receive");
    for (const { name, method, template, sentence } of requested) {
      const operation = page.locator(".operation", { has: page.locator(`[id="operation-${name}"]`) });
      const words = (await operation.innerText()).replaceAll(/\s+/g, " ");
      for (const expected of [method, template, name, sentence, "May be run by"])
        assert.ok(words.includes(expected), `${name}: ${expected}`);
    }
    const subscribe = await page.locator(".operation", { has: page.locator("#operation-createWebhook") }).innerText();
    assert.match(subscribe, /May be run by operator/);
    const collect = await page.locator(".operation", { has: page.locator("#operation-collect") }).innerText();
    assert.match(collect, /anyone[\s\S]*stored → collected if input\.code == pickupCode, else wrong-code/);
  });

  test("every state is drawn, and every move has its arrow", async (t) => {
    const page = await open(t);
    const { Parcel: parcel, Locker: locker } = checkedFlagship.result.model.states as Record<string, Lifecycle>;
    for (const [index, lifecycle] of [locker, parcel].entries()) {
      assert.ok(lifecycle);
      const svg = page.locator("svg").nth(index);
      const states = await svg.locator(".state > text").allTextContents();
      assert.deepEqual(states.toSorted(), Object.keys(lifecycle.states).toSorted());
      assert.equal(await svg.locator(".state.final").count(), lifecycle.final?.length ?? 0);
      assert.equal(await svg.locator("circle.start").count(), 1);
    }
    const labels = await page.locator("svg").nth(1).locator("tspan").allTextContents();
    for (const label of ["dropOff", "cancelParcel", "after 48h", "at collectBy", "extendParcel", "if extensions < 2"])
      assert.ok(labels.includes(label), label);
    assert.equal(await page.locator("svg").nth(1).locator(".timed").count(), 2, "moves that time makes are dashed");
  });

  test("no text of a diagram lies on another one, or outside its box", async (t) => {
    for (const document of [checkedFlagship, checkedLibrary]) {
      for (const viewport of [desk, phone])
        assert.deepEqual(await inspect(await open(t, { document, viewport }), "textFaults"), []);
    }
  });

  test("a diagram of twenty states with cycles is readable too", async () => {
    const context = await browser.newContext();
    await context.addInitScript({ path: inspection });
    const page = await context.newPage();
    await page.setContent(`<style>${style}</style>${stateDiagram("Order", order).html}`);
    assert.equal(await page.locator(".state > text").count(), 21, "the states, and the one that stands for any");
    assert.deepEqual(await inspect(page, "textFaults"), []);
    await context.close();
  });

  test("nothing is wider than the screen", async (t) => {
    for (const document of [checkedFlagship, checkedLibrary]) {
      for (const path of ["/", "/errors/invalid-request"]) {
        const page = await open(t, { document, path });
        for (const viewport of [phone, { width: 320, height: 640 }, { width: 768, height: 1024 }, desk]) {
          await page.setViewportSize(viewport);
          assert.equal(await inspect(page, "beyond"), 0, `${path} at ${viewport.width}`);
        }
      }
    }
  });

  test("headings, landmarks, names and anchors are in order", async (t) => {
    for (const [path, title] of [
      ["/", "Parcel Lockers"],
      ["/errors/wrong-code", "wrong-code · Parcel Lockers"],
    ] as const) {
      const page = await open(t, { path });
      assert.equal(await page.title(), title);
      assert.deepEqual(await inspect(page, "structureFaults"), [], path);
    }
    const parts = await (await open(t)).locator("nav ol a").allTextContents();
    assert.deepEqual(parts, [
      "Purpose",
      "Resources",
      "States",
      "Endpoints",
      "Authentication",
      "Events",
      "Errors",
      "Limits",
      "Versioning",
    ]);
  });

  test("what is still open is said where it belongs, and counted in the navigation", async (t) => {
    const page = await open(t, { document: checkedLibrary });
    const open_ = checkedLibrary.result.questions.filter(({ status }) => status === "not shown" || status === "silent");
    assert.ok(open_.length > 0, "the document leaves something open");
    for (const { part, text } of open_)
      assert.match(await page.locator(`#${part} .note`).innerText(), new RegExp(RegExp.escape(text)));
    assert.equal(await page.locator("nav .count").count(), new Set(open_.map(({ part }) => part)).size);
  });

  test("contrast is AA by day and by night", async (t) => {
    for (const dark of [false, true]) {
      for (const path of ["/", "/errors/wrong-code"])
        assert.deepEqual(await inspect(await open(t, { dark, path }), "contrastFaults"), [], dark ? "dark" : "light");
    }
  });

  test("with the keyboard: the content is one key away, and what scrolls can be scrolled", async (t) => {
    const page = await open(t, { viewport: phone });
    await page.keyboard.press("Tab");
    assert.equal(await inspect(page, "focused"), "Skip to the content");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#content:focus").count(), 1);
    assert.deepEqual(await inspect(page, "stuck"), []);
  });

  test("links lead somewhere", async (t) => {
    const page = await open(t);
    const addresses = (await inspect(page, "addresses")) as readonly string[];
    const { url } = services.get(checkedFlagship) as Running;
    for (const address of new Set(addresses.filter((one) => one.startsWith(url))))
      assert.equal((await fetch(address, { headers: { Accept: "text/html, */*" } })).status, 200, address);
    await page.locator("#errors a[href='errors/no-free-locker']").click();
    assert.equal(await page.locator("h1").innerText(), "no-free-locker");
    await page.locator("a[href='../#operation-announceParcel']").click();
    assert.match(page.url(), /\/#operation-announceParcel$/);
  });
});

/** A question about the page, answered inside it: a function of page-inspection.js. */
function inspect(page: Page, question: string): Promise<unknown> {
  return page.evaluate(`inspection.${question}()`);
}

interface Opening {
  readonly document: Checked;
  readonly path: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly dark: boolean;
}

async function serve({ result, plan }: Checked): Promise<Running> {
  let url = "";
  const pages = servicePages({ result, plan, baseUrl: () => url });
  // A browser that opens every page in a row is faster than anybody the document has in mind.
  const text = result.text.replace(/30\/min per ip.*/, "3000/min per ip");
  const service = await run(text, { store: "memory", pages, environment: { DOOR_SECRET: "a test" } });
  url = service.url;
  return service;
}

function lifecycle(states: string, moves: readonly string[]): Lifecycle {
  return {
    states: Object.fromEntries(states.split(" ").map((state) => [state, ""])),
    start: states.split(" ")[0] ?? "",
    final: ["closed", "cancelled"],
    moves: moves.map((line) => {
      const [from = "", to = "", kind, name = "", guard] = line.split(" ");
      const on =
        kind === "after"
          ? ({ kind: "after", duration: name } as const)
          : kind === "when"
            ? ({ kind: "when", events: name.split(",") } as const)
            : ({ kind: "by", operation: name } as const);
      return {
        from: from === "any" ? "any" : from.split("|"),
        to,
        triggers: [{ on, ...(guard === undefined ? {} : { if: guard }) }],
      };
    }),
  };
}

const order: Lifecycle = lifecycle(
  "draft placed reviewed approved reserved paid picked packed labelled shipped inTransit delayed delivered accepted disputed refunded returned closed held cancelled",
  [
    "draft placed by placeOrder", "placed reviewed by reviewOrder", "reviewed placed by sendBack", "reviewed approved by approve input.total<limit",
    "approved reserved by reserve", "reserved paid by pay", "reserved paid after 3d", "paid picked by pick", "picked packed by pack", "packed labelled by label",
    "labelled packed by unpack", "labelled shipped when carrier.collected,carrier.confirmed", "shipped inTransit after 1h", "inTransit delayed after 5d",
    "delayed inTransit by resume", "inTransit delivered by deliver", "delivered accepted by accept", "delivered accepted after 14d", "delivered disputed by dispute",
    "disputed refunded by refund", "disputed accepted by settle", "delivered returned by sendBack", "returned refunded by refund", "refunded closed after 1d",
    "accepted closed after 30d", "placed|approved|reserved|paid held by hold", "held placed by release", "any cancelled by cancelOrder", "inTransit inTransit by track", "inTransit inTransit after 1d",
  ],
); // biome-ignore format: a table
