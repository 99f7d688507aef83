/** `nonet lsp` as a child process, over the protocol. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type {
  CodeAction,
  CodeLens,
  CompletionItem,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  Position,
  SemanticTokens,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { type Editor, marked, startEditor, withLine } from "./client.ts";

const lockers = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");
let editor: Editor;
let opened = 0;

before(async () => {
  editor = await startEditor();
});
after(async () => {
  assert.deepEqual(editor.logged, [], "no request met a bug");
  await editor[Symbol.asyncDispose]();
});

/** Opens a document with a mark; returns how to ask about the mark. */
async function at(text: string, name = "lockers.md") {
  const { position, text: plain } = marked(text);
  const uri = `file:///documents/${++opened}/${name}`;
  const { diagnostics } = await editor.open(uri, plain);
  const ask = <Result>(method: string, more: object = {}): Promise<Result> =>
    editor.request(`textDocument/${method}`, { textDocument: { uri }, position, ...more });
  return { ask, diagnostics, position, text: plain, uri };
}

function lineAt(text: string, { line }: Position): string {
  return text.split("\n")[line] ?? "";
}

function edited(text: string, edits: readonly TextEdit[]): string {
  const lines = text.split("\n");
  const offset = ({ character, line }: Position): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  return edits
    .toSorted((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce(
      (all, { newText, range }) => all.slice(0, offset(range.start)) + newText + all.slice(offset(range.end)),
      text,
    );
}

test("findings follow what one types", async () => {
  const { diagnostics, text, uri } = await at(`▮${lockers}`);
  assert.deepEqual(diagnostics, []);
  const line = text.split("\n").findIndex((one) => one.startsWith("  start: announced"));
  const range = { start: { line, character: 9 }, end: { line, character: 18 } };
  const broken = await editor.change(uri, [{ range, text: "anounced" }]);
  assert.deepEqual(
    broken.diagnostics.map(({ code, range: { start }, severity, source }) => [code, start, severity, source]),
    [["states/unknown-state", { line, character: 9 }, 1, "nonet"]],
  );
  const mended = await editor.change(uri, [{ range: { ...range, end: { line, character: 17 } }, text: "announced" }]);
  assert.deepEqual(mended.diagnostics, []);
});

test("another Markdown document gets no findings", async () => {
  const { diagnostics } = await at("▮# Notes\n\n## Errors\n\n```yaml\na: [\n```\n", "notes.md");
  assert.deepEqual(diagnostics, []);
});

test("completion replaces the word, in Markdown and in the one-file form", async () => {
  const markdown = await at(withLine(lockers, "  start: announced", "  start: st▮or"));
  const items = await markdown.ask<CompletionItem[]>("completion");
  const stored = items.find(({ label }) => label === "stored");
  const end = markdown.position.character + 2;
  assert.deepEqual(stored?.textEdit, {
    range: { start: { ...markdown.position, character: end - 4 }, end: { ...markdown.position, character: end } },
    newText: "stored",
  });
  const data = await at(
    "purpose: { nonet: 1, service: a }\nresources:\n  Site: { id: id(site), name: string }\nendpoints:\n  endpoints:\n    getSite: { at: 'GET /sites/{id}', if: ▮ }\n",
    "service.yaml",
  );
  const labels = (await data.ask<CompletionItem[]>("completion")).map(({ label }) => label);
  assert.ok(labels.includes("name") && labels.includes("caller"), labels.join(" "));
});

const hovers: readonly (readonly [line: string, by: string, says: RegExp])[] = [
  ["  start: announced", "  start: anno▮unced", /\*\*state\*\* `Parcel.announced`[^]*expected[^]*announced -> stored/],
  [
    "  dropOff: POST",
    "  drop▮Off: POST /parcels/{id}/drop-off",
    /Confirm[^]*POST \/parcels\/\{id\}\/drop-off[^]*courier if own/,
  ],
  ["      if: extensions", "      if: extens▮ions < 2", /\*\*field\*\* `Parcel.extensions`[^]*integer\(0..2\)/],
  ["      if: extensions", "      if: labels.si▮ze() < 2", /\*\*function\*\*[^]*x.size\(\)[^]*labels.size\(\) → 2/],
  ["  weightKg: decimal", "  weightKg: deci▮mal(0.1..30)", /15 significant digits/],
  ["  weightKg: decimal", "  weightKg: decimal(0.1..30), create-▮only", /set when the record is created/],
  ["unseen: 404", "uns▮een: 404", /language\.md#/],
  ["edits: If-Match", "ed▮its: If-Match required", /If-Match optional/],
];

for (const [line, by, says] of hovers) {
  test(`hover explains ${by.trim()}`, async () => {
    const { ask } = await at(withLine(lockers, line, by));
    const found = await ask<Hover | null>("hover");
    assert.match((found?.contents as { readonly value: string } | undefined)?.value ?? "", says);
  });
}

test("definition, references and rename of a field", async () => {
  const { ask, text, uri } = await at(
    withLine(lockers, "    stored -> expired:", "    stored -> expired: at collect▮By"),
  );
  const definitions = await ask<Location[]>("definition");
  assert.deepEqual(
    definitions.map(({ range }) => lineAt(text, range.start)),
    ["  collectBy?: datetime, read-only"],
  );
  const uses = await ask<Location[]>("references", { context: { includeDeclaration: false } });
  assert.equal(uses.length, 5);
  assert.equal((await ask<unknown[]>("documentHighlight")).length, 6);
  const { changes } = await ask<WorkspaceEdit>("rename", { newName: "fetchBy" });
  const renamed = edited(text, changes?.[uri] ?? []);
  assert.ok(!/collectBy(?! ->)/.test(renamed));
  assert.match(renamed, /- rename Parcel\.collectBy -> fetchBy\n/);
  assert.match(renamed, /fetchBy: fetchBy \+ duration\('24h'\)/);
});

test("a rename that would break the document is refused with the reason", async () => {
  const { ask } = await at(withLine(lockers, "  start: announced", "  start: anno▮unced"));
  await assert.rejects(ask("rename", { newName: "stored" }), /stands twice/);
});

test("a near miss has a quick fix, and a warning can be accepted with a reason", async () => {
  const { ask, position, text, uri } = await at(
    withLine(lockers, "  weightKg:", "  weightKg: decimal(0.1..30), create-onl▮y2"),
  );
  const range = { start: position, end: position };
  const [fix] = await ask<CodeAction[]>("codeAction", { range, context: { diagnostics: [] } });
  assert.equal(fix?.title, "Write `create-only`");
  assert.match(edited(text, fix.edit?.changes?.[uri] ?? []), /decimal\(0\.1\.\.30\), create-only\n/);

  const warned = await at(
    withLine(lockers, "  collect: anyone", "  coll▮ect: anyone").replace(
      / {2}parcel.stored: +.*\n/,
      "  parcel.stored:\n",
    ),
  );
  const [warning] = warned.diagnostics;
  assert.ok(warning);
  const [accept] = await warned.ask<CodeAction[]>("codeAction", { range: warning.range, context: { diagnostics: [] } });
  const { diagnostics } = await at(`▮${edited(warned.text, accept?.edit?.changes?.[warned.uri] ?? [])}`);
  assert.deepEqual(diagnostics, []);
});

test("outline, folding, tokens and lines above operations", async () => {
  const { ask, text } = await at(`▮${lockers}`);
  const symbols = await ask<DocumentSymbol[]>("documentSymbol");
  assert.deepEqual(
    [symbols.length, symbols[1]?.children?.map(({ name }) => name)],
    [9, ["Site", "Locker", "Parcel", "types", "rules"]],
  );
  const contains = ({ children = [], range }: DocumentSymbol): boolean =>
    children.every(
      (child) =>
        child.range.start.line >= range.start.line && child.range.end.line <= range.end.line && contains(child),
    );
  assert.ok(symbols.every(contains), "every symbol is inside the one around it");
  const folds = await ask<FoldingRange[]>("foldingRange");
  assert.ok(folds.some(({ startLine }) => lineAt(text, { line: startLine, character: 0 }) === "Parcel:"));
  const { data } = await ask<SemanticTokens>("semanticTokens/full");
  assert.equal(data.length % 5, 0);
  assert.ok(data.length > 1000);
  const lenses = await ask<CodeLens[]>("codeLens");
  assert.ok(lenses.some(({ command }) => command?.title === "POST /parcels/{id}/drop-off · courier if own"));
});
