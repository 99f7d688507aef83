/** The diagrams in Mermaid itself, in a real browser: every diagram parses, and those of the examples render. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { diagrams, mermaidMarkdown, stateDiagrams } from "../../src/export/mermaid/mermaid.ts";
import { relations } from "../../src/export/mermaid/relations.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { models } from "../arbitraries/model.ts";
import { executable, launch, reason, skip } from "./browser.ts";
import { everyDocument } from "./every-document.ts";
import { runs, sampled } from "../nightly.ts";
import { installed } from "./installed.ts";

const folder = fileURLToPath(new URL("../validators", import.meta.url));

suite("in Mermaid", { skip }, () => {
  let browser: Browser;
  let page: Page | undefined;

  before(async () => {
    assert.ok(executable !== undefined, reason);
    browser = await launch(executable);
    if (!(await installed({ skip: () => undefined }, folder))) return;
    page = await browser.newPage();
    await page.setContent("<main></main>");
    await page.addScriptTag({ path: join(folder, "node_modules/mermaid/dist/mermaid.min.js") });
    await page.evaluate("mermaid.initialize({ startOnLoad: false })");
  });
  after(async () => {
    await browser.close();
  });

  /** What Mermaid does not understand of each text, with the text. */
  const faultsOf = (texts: readonly string[], how: "parse" | "render"): Promise<readonly string[]> => {
    assert.ok(page !== undefined);
    const call = how === "parse" ? "mermaid.parse(text)" : "mermaid.render('drawn', text)";
    return page.evaluate(`(async () => {
      const faults = [];
      for (const text of ${JSON.stringify(texts)}) {
        try { await ${call}; } catch (thrown) { faults.push(thrown.message + "\\n" + text); }
      }
      return faults;
    })()`);
  };

  test("the diagrams of documents are drawn", async (t) => {
    if (page === undefined) return t.skip("mermaid is not installed");
    const all = sampled(everyDocument, 3).flatMap(({ plans, result }) =>
      diagrams([...plans.values()][0] as Plan, result.model),
    );
    assert.ok(all.length > 10);
    assert.deepEqual(
      await faultsOf(
        all.map(({ text }) => text),
        "render",
      ),
      [],
    );
  });

  test("a state is drawn with its name and its words, whatever they are", async (t) => {
    if (page === undefined) return t.skip("mermaid is not installed");
    const [diagram] = stateDiagrams({
      states: {
        Parcel: {
          states: { end: 'a; b: "c" #d <e> %%{f}%%', note: "--> state [*]", class: "`g` **h** &amp; \\n" },
          start: "end",
          final: ["class"],
          moves: [
            {
              from: ["end"],
              to: "note",
              triggers: [{ on: { kind: "by", operation: "end" }, if: 'a < 1 && b != "x;y"' }],
            },
          ],
        },
      },
    });
    const drawn = await page.evaluate(`mermaid.render("one", ${JSON.stringify(diagram?.text)}).then(({ svg }) => {
      document.body.innerHTML = svg;
      return document.body.textContent.replaceAll(/\\s+/g, " ");
    })`);
    for (const words of [
      "end",
      'a; b: "c" #d <e> %%{f}%%',
      "--> state [*]",
      "`g` **h** &amp;",
      'end if a < 1 && b != "x;y"',
    ])
      assert.ok(String(drawn).includes(words), `${words} in ${String(drawn)}`);
  });

  test("whatever a document says, its diagrams are read", async (t) => {
    if (page === undefined) return t.skip("mermaid is not installed");
    const generated = fc.sample(models, { numRuns: runs(50, 150), seed: 7 });
    const texts = generated.flatMap((model) => [
      ...stateDiagrams(model).map(({ text }) => text),
      ...[relations(model)].filter((text) => text !== undefined),
    ]);
    assert.ok(texts.length > 20);
    assert.deepEqual(await faultsOf(texts, "parse"), []);
  });
});

test("in Markdown each has a heading and a block of its own", () => {
  for (const { plans, result } of everyDocument) {
    const plan = [...plans.values()][0] as Plan;
    const all = diagrams(plan, result.model);
    const text = mermaidMarkdown(plan, all);
    assert.equal([...text.matchAll(/^```mermaid$/gm)].length, all.length);
    assert.equal([...text.matchAll(/^## /gm)].length, all.length);
  }
});
