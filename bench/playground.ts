/**
 * How long a keystroke takes in the playground, in Chromium: from the key to the findings, with each tab open. Prints percentiles in
 * milliseconds.
 *
 *     node bench/playground.ts                  200 keystrokes for each tab
 *     node bench/playground.ts --times 50
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { playground } from "../scripts/playground.ts";
import { executable, launch } from "../test/export/browser.ts";

const { values } = parseArgs({ options: { times: { type: "string", default: "200" } } });
const times = Number(values.times);
/** Keystrokes before the measured ones. */
const warmUp = 30;
const text = "A word. ";

const folder = await mkdtemp(join(tmpdir(), "nonet-bench-"));
const file = join(folder, "page.html");
await writeFile(file, await playground(false));
const browser = await launch(executable ?? "");
const page = await browser.newPage();
await page.goto(pathToFileURL(file).href);
await page.getByText("Served.").waitFor();
await page.getByLabel("Example").selectOption("parcel-lockers");
await page.locator(".cm-line", { hasText: "# Parcel Lockers" }).waitFor();
// The list of findings is made anew for each analysis.
await page.evaluate(`
  let start;
  globalThis.spent = [];
  document.addEventListener("beforeinput", () => (start ??= performance.now()));
  new MutationObserver(() => {
    if (start !== undefined) spent.push(performance.now() - start);
    start = undefined;
  }).observe(document.querySelector("#findings"), { childList: true });
`);
for (const tab of ["Findings", "Try it", "Page", "OpenAPI"]) {
  await page.getByRole("tab", { name: tab }).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  for (let index = 0; index < warmUp + times; index++) {
    await page.keyboard.insertText(text.charAt(index % text.length));
    await page.waitForFunction(`spent.length > ${index}`);
  }
  const spent = await page.evaluate<number[]>("spent.splice(0)");
  const ordered = spent.slice(warmUp).toSorted((a, b) => a - b);
  const at = (share: number): string => (ordered[Math.floor(share * (ordered.length - 1))] ?? 0).toFixed(1).padStart(7);
  process.stdout.write(`${tab.padEnd(12)} p50 ${at(0.5)}   p95 ${at(0.95)}   p99 ${at(0.99)}\n`);
}
await browser.close();
await rm(folder, { recursive: true });
