/** Runs `nonet playground [DOC]`: shows the editor with the checks and the engine, one page that needs no server, in the browser. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { UsageError } from "../server/errors.ts";
import { readDocument } from "../server/document.ts";
import type { Terminal } from "../server/terminal.ts";

export interface PlaygroundOptions {
  readonly port: number;
  /** The file to which to write the page, instead of showing it. */
  readonly out: string | undefined;
}

export async function playground(
  document: string | undefined,
  { out, port }: PlaygroundOptions,
  terminal: Terminal,
): Promise<number> {
  const text = document === undefined ? "" : new TextDecoder().decode(await readDocument(document, terminal));
  const page = pageWith(text);
  if (out !== undefined) {
    await terminal.write(out, page);
    return 0;
  }
  const server = createServer((request, response) => {
    const isPage = request.method === "GET" && request.url === "/";
    response.writeHead(isPage ? 200 : 404, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" });
    response.end(isPage ? page : undefined);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((thrown: NodeJS.ErrnoException) => {
    throw new UsageError(
      `cannot listen on port ${port}: ${thrown.code === "EADDRINUSE" ? "it is in use" : thrown.message}`,
    );
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  terminal.out(
    `The playground is at ${address}\nIt changes no file: copy the document from the page. Ctrl-C ends it.\n`,
  );
  if (terminal.interactive) open(address);
  await terminal.stopped();
  server.close();
  server.closeAllConnections();
  return 0;
}

/** Returns the page with a document in its editor. @throws UsageError if the page is not built */
function pageWith(text: string): string {
  let page: string;
  try {
    page = readFileSync(new URL("../../playground.html", import.meta.url), "utf8");
  } catch {
    throw new UsageError("the page is not built here: npm run playground builds it");
  }
  // No text ends the element in which it stands.
  const value = JSON.stringify(text).replaceAll("<", "\\u003c");
  return page.replace('id="document">""', () => `id="document">${value}`);
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the browser, if the machine has one; the address is printed as well. */
function open(address: string): void {
  const [program, ...args] = openers[process.platform] ?? [];
  if (program === undefined) return;
  spawn(program, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
