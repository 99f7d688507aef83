/** `nonet lsp`: runs the language server for an editor, over standard input and output. */
import { existsSync, readFileSync } from "node:fs";
import { createConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { referencePages } from "../editor/reference-pages.ts";
import { serveEditor } from "../editor/server.ts";
import { releaseVersion } from "../server/terminal.ts";

const reference = new URL("../../docs/reference/", import.meta.url);
const moduleFolder = new URL("../", import.meta.url);

/** Resolves when the editor ends the connection. */
export function lsp(): Promise<number> {
  const connection = createConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout));
  serveEditor(connection, {
    version: releaseVersion(),
    pages: referencePages(pageText("language.md"), pageText("expressions.md")),
    addressOf,
    now: Date.now,
  });
  return new Promise((resolve) => {
    connection.onExit(() => resolve(0));
    process.stdin.once("end", () => resolve(0));
  });
}

/** Returns the text of a page of the reference; empty if the page is not installed. */
function pageText(name: string): string {
  const url = new URL(name, reference);
  return existsSync(url) ? readFileSync(url, "utf8") : "";
}

const addresses = new Map<string, string | undefined>();

/** Returns the address of a page of the reference (`language.md#types`) or about a finding (`limits/unknown-target`). */
function addressOf(page: string): string | undefined {
  if (!addresses.has(page))
    addresses.set(page, candidatesFor(page).find((url) => existsSync(new URL(url.pathname, url)))?.href);
  return addresses.get(page);
}

function candidatesFor(page: string): readonly URL[] {
  if (page.includes(".md")) return [new URL(page, reference)];
  const [part = "", slug = ""] = page.split("/");
  return [
    `language/${part}/checks/${slug}.md`,
    `language/${part}/codes/${slug}.md`,
    `language/codes/${slug}.md`,
    `${part}/codes/${slug}.md`,
  ].map((path) => new URL(path, moduleFolder));
}
