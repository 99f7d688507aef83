/**
 * The VS Code extension: it is packed without network, unpacked, and its server answers over the protocol. A real VS Code is not
 * part of the test.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import type { CompletionItem, Hover } from "vscode-languageserver-protocol";
import { marked, startEditor, withLine } from "./client.ts";

const root = join(import.meta.dirname, "../..");

/** Returns the files of a ZIP archive, by the records of its central directory (APPNOTE 4.3.12). */
function filesOf(archive: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06"));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(start, start + size);
    files.set(archive.toString("utf8", at + 46, at + 46 + name), method === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + name + extra + comment;
  }
  return files;
}

test("the extension has a server that checks, completes and explains", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nonet-extension-"));
  try {
    const packed = join(folder, "nonet.vsix");
    execFileSync(process.execPath, [join(root, "scripts/vscode-extension.ts"), packed], { stdio: "pipe" });
    const archive = readFileSync(packed);
    assert.ok(archive.length < 1_000_000, `${archive.length} bytes`);
    const files = filesOf(archive);
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    const { main } = JSON.parse(String(files.get("extension/package.json"))) as { readonly main: string };
    assert.ok(files.has(join("extension", main)), main);

    await using editor = await startEditor([join(folder, "extension/dist/server.mjs")]);
    const lockers = readFileSync(join(root, "examples/parcel-lockers.md"), "utf8");
    const { position, text } = marked(withLine(lockers, "  start: announced", "  sta▮rt: anounced"));
    const uri = "file:///lockers.md";
    const { diagnostics } = await editor.open(uri, text);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["states/unknown-state"],
    );
    const hover = await editor.request<Hover>("textDocument/hover", { textDocument: { uri }, position });
    assert.match(
      (hover.contents as { readonly value: string }).value,
      /state of a new record[^]*reference\/language\.md#/,
    );
    const items = await editor.request<CompletionItem[]>("textDocument/completion", {
      textDocument: { uri },
      position: { ...position, character: 9 },
    });
    assert.ok(items.some(({ label }) => label === "announced"));
    assert.deepEqual(editor.logged, []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
