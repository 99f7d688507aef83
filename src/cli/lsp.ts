/** `nonet lsp`: runs the language server for an editor, over standard input and output. */
import { existsSync, readFileSync } from "node:fs";
import { createConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { referencePages } from "../editor/reference-pages.ts";
import { serveEditor } from "../editor/server.ts";
import { formatDocument } from "../format/format.ts";

const installed = new URL("../../docs/reference/", import.meta.url);
const moduleFolder = new URL("../", import.meta.url);

/** Serves until the editor ends the connection. `reference`: the folder with the pages of the reference. */
export function lsp(version: string, reference: URL = installed): Promise<number> {
  const connection = createConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout));
  serveEditor(connection, {
    version,
    pages: referencePages(textOf(new URL("language.md", reference)), textOf(new URL("expressions.md", reference))),
    addressOf: addresses(reference),
    format: (text) => formatDocument(text).text,
    now: Date.now,
  });
  return new Promise((resolve) => {
    connection.onExit(() => resolve(0));
    process.stdin.once("end", () => resolve(0));
  });
}

/** Returns the text of a page of the reference; empty if the page is not installed. */
function textOf(page: URL): string {
  return existsSync(page) ? readFileSync(page, "utf8") : "";
}

/** Returns a function that finds a page of the reference (`language.md#types`) or about a finding (`limits/unknown-target`). */
function addresses(reference: URL): (page: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (page) => {
    const isThere = (url: URL): boolean => existsSync(new URL(url.pathname, url));
    if (!known.has(page)) known.set(page, candidatesFor(page, reference).find(isThere)?.href);
    return known.get(page);
  };
}

function candidatesFor(page: string, reference: URL): readonly URL[] {
  if (page.includes(".md")) return [new URL(page, reference)];
  const [part = "", slug = ""] = page.split("/");
  return [
    `language/${part}/checks/${slug}.md`,
    `language/${part}/codes/${slug}.md`,
    `language/codes/${slug}.md`,
    `${part}/codes/${slug}.md`,
  ].map((path) => new URL(path, moduleFolder));
}
