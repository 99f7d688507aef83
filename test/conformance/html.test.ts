/**
 * The report's page, as text for every document, and in a real Chromium from a file: marks are on the right lines, evidence opens
 * by keyboard, nothing runs, and everything can be read without colours.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, suite, test, type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { linesOf, lineText } from "../../src/document/source.ts";
import { piecesOf } from "../../src/conformance/report/document-pieces.ts";
import { reportHtml } from "../../src/conformance/report/html.ts";
import type { Report } from "../../src/conformance/result.ts";
import { sampled } from "../nightly.ts";
import { until } from "../until.ts";
import { executable, launch, reason, skip } from "../export/browser.ts";
import { caseResults, hostileReport, reportOf, sampleReport, token } from "./sample-report.ts";

const root = join(import.meta.dirname, "..", "..");

interface Row {
  readonly line: number;
  /** The text without signs. */
  readonly text: string;
  /** The words for those who hear the page: `broken`, `holds`, `not tried`. */
  readonly words: readonly string[];
}

function unescaped(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** The lines of the page's blocks. */
function rowsOf(page: string): readonly Row[] {
  const rows = page.matchAll(
    /<span class="line" id="L(\d+)">\d+<\/span><span class="gutter">(.*?)<\/span><code>(.*?)<\/code>/gs,
  );
  const sign =
    /<span class="sign \w+"><span aria-hidden="true">.<\/span>(?:<span class="hidden">([\w ]+):<\/span>)?<\/span>/g;
  return [...rows].map(([, line, gutter = "", code = ""]) => ({
    line: Number(line),
    text: unescaped(code.replaceAll(sign, "")),
    words: [...`${gutter}</span>${code}`.matchAll(sign)].flatMap(([, word]) => (word === undefined ? [] : [word])),
  }));
}

/** The words that each line should have, in the order of its statements. */
function expectedWords({ statements }: Report): ReadonlyMap<number, readonly string[]> {
  const words = new Map<number, string[]>();
  for (const { statement, kind } of statements) {
    if (statement.path === statement.part) continue;
    const { line } = statement.span.start;
    words.set(line, [...(words.get(line) ?? []), kind]);
  }
  return words;
}

const yaml =
  "title: T\npurpose: { nonet: 1, service: t, operations: none }\nevents: none\nlimits:\n  size: { request: 1MB }\n";
const reports: readonly (readonly [name: string, report: Report])[] = [
  ...sampled(
    globSync(["examples/*.md", "examples/*/*.md", "test/serve/documents/*.md"], { cwd: root }).toSorted(),
    3,
  ).map((path) => [basename(path), reportOf(caseResults, readFileSync(join(root, path), "utf8"), path)] as const),
  ["the sample", sampleReport],
  ["the hostile sample", hostileReport],
  ["a document of YAML", reportOf([], yaml, "t.yaml")],
];
for (const [name, report] of reports) {
  test(`${name}: blocks are shown as they are, and each statement has its word on its line`, () => {
    const lines = linesOf(report.text);
    const rows = rowsOf(reportHtml(report));
    const observed = piecesOf(report.document, report.text).sections.flatMap(({ pieces }) =>
      pieces
        .filter(({ kind }) => kind === "block")
        .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
    );
    assert.deepEqual(
      rows.map(({ line }) => line),
      observed,
    );
    const expected = expectedWords(report);
    const complete = report.statements.filter(({ statement }) => statement.path === statement.part);
    for (const { line, text, words } of rows) {
      assert.equal(text, lineText(lines, line - 1));
      const none = /^none$|: none$/.test(text)
        ? complete.find(({ statement: { span } }) => span.start.line <= line && line <= span.end.line)
        : undefined;
      const kinds = none === undefined ? (expected.get(line) ?? []) : [none.kind];
      assert.deepEqual(words, kinds, `line ${line}: ${text}`);
    }
    assert.equal(rows.flatMap(({ words }) => words).length, report.statements.length);
  });
}

test("prose is shown as prose, and the title once", () => {
  const page = reportHtml(hostileReport);
  for (const part of ["<strong>Couriers</strong>", "<li>leave parcels", '<span class="key">not</span>: this'])
    assert.ok(page.includes(part), part);
  assert.equal(page.match(/<h1/g)?.length, 1);
  assert.equal(page.match(/Parcel Lockers/g)?.length, 2, "in the title and the heading");
  assert.equal(page.match(/<script|onerror="|href="javascript/), null);
});

test("credentials are there unless they are redacted", () => {
  const secret = "pl_courier&#39;\\&#39;&#39;sToken";
  assert.ok(reportHtml(sampleReport).includes(secret));
  const page = reportHtml(sampleReport, { redact: true });
  assert.ok(!page.includes(secret) && !page.includes(token));
  assert.match(page, /\$TOKEN_COURIER/);
});

const inspection = fileURLToPath(new URL("../export/page-inspection.js", import.meta.url));

suite("the report in a browser", { skip }, () => {
  let browser: Browser;
  let folder: string;

  before(async () => {
    assert.ok(executable !== undefined, reason);
    browser = await launch(executable);
    folder = await mkdtemp(join(tmpdir(), "nonet-report-"));
  });

  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a report from a file; at the end of the test the page has to have been quiet, and to have requested nothing. */
  async function open(t: TestContext, report: Report, { dark = false, width = 1280 } = {}): Promise<Page> {
    const path = join(folder, `${t.name.replaceAll(/\W+/g, "-")}.html`);
    await writeFile(path, reportHtml(report));
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    await context.addInitScript({ path: inspection });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (request.url() !== pathToFileURL(path).href) complaints.push(`requested ${request.url()}`);
    });
    t.after(async () => {
      await context.close();
      assert.deepEqual(complaints, []);
    });
    await page.goto(pathToFileURL(path).href);
    return page;
  }

  const inspect = (page: Page, question: string): Promise<unknown> => page.evaluate(`inspection.${question}()`);
  const openAll = (page: Page): Promise<unknown> =>
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");

  test("signs are on the lines of their statements", async (t) => {
    const page = await open(t, sampleReport);
    for (const [line, sign, text] of [
      [16, "✓", "  addSite: Open a site"],
      [48, "✓", "  size: small | medium | large, create-only"],
      [51, "✗", "  recipientEmail: email, personal"],
      [53, "✗", "  labels?: string(1..20)[](0..5)"],
      [94, "✗", "    stored -> stored:"],
      [99, "–", "    stored -> expired: at collectBy"],
      [140, "✗", "  addSite, addLocker, repairLocker: operator"],
    ] as const) {
      const row = page.locator(".row", { has: page.locator(`#L${line}`) });
      assert.equal(await row.locator(".gutter [aria-hidden]").innerText(), sign);
      assert.equal(await row.locator("code").evaluate((code) => code.textContent), text);
      const [code, gutter] = await Promise.all([
        row.locator("code").boundingBox(),
        row.locator(".gutter").boundingBox(),
      ]);
      assert.ok(Math.abs((code?.y ?? 0) - (gutter?.y ?? 99)) < 6, "the sign is beside the text");
    }
    const several = page.locator(".row", { has: page.locator("#L135") }).locator("code .sign [aria-hidden]");
    assert.deepEqual(await several.allInnerTexts(), ["–", "✓", "–", "–", "–"]);
    const plain = page.locator(".row", { has: page.locator("#L44") });
    assert.equal(await plain.locator(".sign").count(), 0, "a heading of statements has no result");
  });

  test("evidence opens by keyboard", async (t) => {
    const page = await open(t, sampleReport);
    const evidence = page.locator("details", { has: page.locator("#L51") }).locator(".evidence");
    assert.equal(await evidence.isVisible(), false);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.id"), "filter-all", "the skip link leads to the filter");
    await page.keyboard.press("Tab");
    const reached = "document.activeElement.querySelector('.line')?.id";
    assert.equal(await page.evaluate(reached), "L6", "then come the statements");
    for (let count = 0; count < 100 && (await page.evaluate(reached)) !== "L51"; count += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await evidence.isVisible(), true);
    const text = await evidence.innerText();
    for (const words of [
      "an address without @ is rejected",
      "422 invalid-request",
      "201 with the record",
      "POST /sites",
      "curl -i -X POST",
      '"recipientEmail":"nobody"',
    ])
      assert.ok(text.includes(words), words);
    await page.keyboard.press("Enter");
    assert.equal(await evidence.isVisible(), false);
  });

  test("a click opens evidence, also of a line with several statements", async (t) => {
    const page = await open(t, sampleReport);
    await page.locator("#L135").click();
    const evidence = page.locator("details", { has: page.locator("#L135") }).locator(".evidence");
    assert.match(
      await evidence.innerText(),
      /lasts: 365d not tried[^]*Not tried whether a key ends after 365 days: the test cannot move the clock\. To try it: an implementation with a test clock/,
    );
    assert.match(await evidence.innerText(), /sent: Authorization Bearer holds[^]*a key is accepted in Authorization/);
  });

  test("the filter leaves what is broken, or what is not tried", async (t) => {
    const page = await open(t, sampleReport);
    const lines = async (): Promise<readonly string[]> => {
      const visible = await page.locator(".block .line").filter({ visible: true }).allInnerTexts();
      return visible.filter((line) => ["6", "16", "44", "51", "94", "95", "99", "135", "140"].includes(line));
    };
    assert.deepEqual(await lines(), ["6", "16", "44", "51", "94", "95", "99", "135", "140"]);
    await page.getByLabel("broken (5)").check();
    assert.deepEqual(await lines(), ["51", "94", "95", "140"]);
    assert.equal(await page.locator("#limits").isVisible(), false, "parts without such a statement are hidden");
    assert.equal(await page.locator(".prose").first().isVisible(), false);
    await page.getByLabel("not tried (154)").check();
    assert.deepEqual(await lines(), ["6", "99", "135"]);
    await page.locator("nav + main").getByRole("link", { name: "line 51" }).first().click();
    assert.deepEqual(await lines(), ["6", "51", "99", "135"], "a link leads to its line, whatever is filtered");
    await page.getByLabel("all (166)").check();
    assert.deepEqual(await lines(), ["6", "16", "44", "51", "94", "95", "99", "135", "140"]);
  });

  test("a filter that leaves nothing says so", async (t) => {
    const page = await open(t, reportOf([]));
    assert.equal(await page.getByText("There is none.").isVisible(), false);
    await page.getByLabel("broken (0)").check();
    assert.equal(await page.getByText("There is none.").isVisible(), true);
    assert.equal(await page.locator(".block").filter({ visible: true }).count(), 0);
  });

  test("the summary has the numbers, the warning, and links to the lines", async (t) => {
    const page = await open(t, sampleReport);
    assert.equal(await page.title(), "5 broken · Parcel Lockers");
    const totals = (await page.locator(".totals").innerText()).replaceAll(/\s+/g, " ");
    assert.equal(totals, "✗ 5 broken ✓ 7 hold – 154 not tried");
    assert.match(
      await page.locator(".opening").innerText(),
      /1,204 requests in 8\.1 s, seed 42, on 2026-11-22 09:30 UTC/,
    );
    assert.match(await page.locator(".warning").innerText(), /^Only 4 of 14 operations succeeded even once/);
    const resources = page.locator("nav tr", { hasText: "Resources" });
    assert.deepEqual(await resources.locator("td").allInnerTexts(), ["3", "2", "22"]);
    await page.locator("main").getByRole("link", { name: "line 94" }).click();
    await until(async () => ((await page.locator("#L94").boundingBox())?.y ?? 9999) < 900, "the line is in sight");
    const box = await page.locator("#L94").boundingBox();
    const filter = await page.locator(".filter").boundingBox();
    assert.ok(box !== null && filter !== null && box.y >= filter.y + filter.height, "the filter does not cover it");
    const unplaced = page.locator(".summary li", { hasText: "about no line of the document" });
    assert.match(await unplaced.innerText(), /a path of no operation is not found: expected 404 not-found, got 200/);
    await unplaced.locator("summary").click();
    assert.match(await unplaced.innerText(), /curl -i http:\/\/127\.0\.0\.1:8080\/nowhere/);
  });

  for (const dark of [false, true]) {
    test(`${dark ? "dark" : "light"}: the contrast is at least 4.5, with all evidence open`, async (t) => {
      for (const report of [sampleReport, hostileReport]) {
        const page = await open(t, report, { dark });
        await openAll(page);
        assert.deepEqual(await inspect(page, "contrastFaults"), []);
      }
    });
  }

  test("headings, landmarks, names and anchors are in order", async (t) => {
    for (const report of [sampleReport, hostileReport]) {
      const page = await open(t, report);
      await openAll(page);
      assert.deepEqual(await inspect(page, "structureFaults"), []);
    }
  });

  test("nothing is wider than the screen, and what scrolls can be scrolled by keyboard", async (t) => {
    for (const report of [sampleReport, hostileReport]) {
      const page = await open(t, report, { width: 390 });
      await openAll(page);
      for (const width of [320, 390, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await inspect(page, "beyond"), 0, `${width}`);
        assert.deepEqual(await inspect(page, "stuck"), []);
      }
    }
  });

  test("nothing in the document or the responses runs", async (t) => {
    const page = await open(t, hostileReport);
    await openAll(page);
    assert.equal(await page.evaluate("typeof evil"), "undefined");
    assert.equal(await page.locator("script, img, iframe, form, link, [onerror]").count(), 0);
    assert.match(
      await page.locator("meta[http-equiv]").getAttribute("content").then(String),
      /^default-src 'none'; style-src 'unsafe-inline'/,
    );
  });

  test("on paper without colours each statement has its sign, and what is broken its evidence", async (t) => {
    const page = await open(t, sampleReport, { dark: true });
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    const inks = await page.evaluate(
      "[...new Set([...document.querySelectorAll('main *')].map((one) => getComputedStyle(one).color))]",
    );
    for (const ink of inks as string[]) {
      const [red, green, blue] = ink.match(/\d+/g) ?? [];
      assert.ok(red === green && green === blue, `${ink} is a colour`);
    }
    assert.equal(await page.locator(".gutter .sign").filter({ visible: true }).count(), 146);
    const printed = page.locator("details", { has: page.locator("#L51") }).locator(".evidence");
    assert.ok(((await printed.boundingBox())?.height ?? 0) > 100, "the evidence of a broken statement");
    const others = page.locator("details", { has: page.locator("#L48") }).locator(".evidence");
    assert.equal((await others.boundingBox())?.height ?? 0, 0, "not that of the others");
    assert.ok((await page.pdf()).length > 10_000);
  });
});
