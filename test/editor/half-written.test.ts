/** Half-written documents: deleting, typing and moving text of the examples leads to no crash, whatever one asks then. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { type Analysis, analyse } from "../../src/editor/analysis.ts";
import { complete } from "../../src/editor/complete.ts";
import { fixesFor } from "../../src/editor/fixes.ts";
import { hover } from "../../src/editor/hover.ts";
import { declarationsOf, nameAt, namesIn } from "../../src/editor/names.ts";
import { folds, lenses, outline } from "../../src/editor/outline.ts";
import { rename } from "../../src/editor/rename.ts";
import { semanticTokens } from "../../src/editor/tokens.ts";
import { startEditor } from "./client.ts";
import { installedPages } from "./pages.ts";

const folder = new URL("../../examples/", import.meta.url);
const examples = globSync("*.md", { cwd: folder }).map((name) => readFileSync(new URL(name, folder), "utf8"));
const pages = installedPages();

/** What one types, besides letters: what opens and closes things. */
const typed = fc.oneof(
  fc.constantFrom(
    ":",
    ": ",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ",",
    "|",
    "- ",
    "\n",
    "\n  ",
    "```",
    "## ",
    "#",
    ".",
    "(",
    "&a ",
    "*a",
    "\t",
    "é",
    "\r\n",
  ),
  fc.string({ maxLength: 3 }),
);

/** An edit at a share of the text: removes characters, and writes others. */
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), remove: fc.nat({ max: 40 }), write: typed });

const half = fc.record({
  example: fc.constantFrom(...examples),
  edits: fc.array(edit, { minLength: 1, maxLength: 6 }),
});

function askEverything(last: Analysis, text: string, offset: number): void {
  complete(last, text, offset, pages);
  const analysis = analyse("half.md", text);
  const name = nameAt(analysis, offset) ?? namesIn(analysis)[0];
  if (name !== undefined) {
    declarationsOf(analysis, name);
    rename(analysis, name.span.start.offset, "fresh", "2026-11-27");
  }
  hover(analysis, offset, pages);
  fixesFor(analysis, { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: text.length } });
  for (const all of [folds, lenses, outline, semanticTokens]) all(analysis);
}

test("no question about a half-written document fails", () => {
  fc.assert(
    fc.property(half, ({ edits, example }) => {
      let text = example;
      const last = analyse("half.md", text);
      for (const { at, remove, write } of edits) {
        const offset = Math.floor(at * text.length);
        text = text.slice(0, offset) + write + text.slice(offset + remove);
        askEverything(last, text, offset + write.length);
      }
    }),
    { numRuns: 12 },
  );
});

test("the server answers while one types a document letter by letter", async () => {
  const editor = await startEditor();
  const text = examples.find((one) => one.startsWith("# Todo")) ?? "";
  const uri = "file:///documents/typed.md";
  await editor.open(uri, "");
  for (let at = 0; at < text.length; at += 23) {
    await editor.change(uri, [{ text: text.slice(0, at) }]);
    const line = text.slice(0, at).split("\n");
    const position = { line: line.length - 1, character: line.at(-1)?.length ?? 0 };
    for (const method of ["completion", "hover", "definition", "documentSymbol", "codeLens"])
      await editor.request(`textDocument/${method}`, { textDocument: { uri }, position });
  }
  assert.deepEqual(editor.logged, []);
  await editor[Symbol.asyncDispose]();
});
