/** `nonet mcp`: the tools of an author for agents, over standard input and output (Model Context Protocol). */
import { readFileSync } from "node:fs";
import process from "node:process";
import type * as Protocol from "@modelcontextprotocol/server";
import type * as Stdio from "@modelcontextprotocol/server/stdio";
import { UsageError } from "../server/errors.ts";
import { releaseVersion, type Terminal } from "../server/terminal.ts";
import { workingFolder } from "./agent/files.ts";
import { createProcesses } from "./agent/processes.ts";
import { type AuthorTool, authorTools } from "./agent/tools.ts";

/** The pages of the language, which agents read before they write a document. */
const pages = [
  { name: "language", title: "The language of documents: the nine parts" },
  { name: "expressions", title: "Expressions in guards, permissions and shapes" },
  { name: "checks", title: "All findings of a check" },
] as const;

const instructions =
  "Nonet serves a document with nine parts. Read nonet://reference/language first, write the document, call `check` until it has no errors, " +
  "answer each `next_question` with what the person says, then `serve` and `test` it. Paths are below the working folder.";

export async function mcp(path: string | undefined, terminal: Terminal): Promise<number> {
  const { fromJsonSchema, McpServer, serveStdio } = await protocol();
  const folder = workingFolder(path ?? ".");
  const processes = createProcesses(folder.path);
  const tools = authorTools({ terminal, folder, processes });
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: "nonet", title: "Nonet", version: releaseVersion() }, { instructions });
      for (const tool of tools)
        server.registerTool(
          tool.name,
          { ...described(tool), inputSchema: fromJsonSchema(tool.inputSchema) },
          (supplied) => called(tool, supplied),
        );
      for (const { name, title } of pages) {
        const uri = `nonet://reference/${name}`;
        server.registerResource(name, uri, { title, mimeType: "text/markdown" }, () => ({
          contents: [{ uri, mimeType: "text/markdown", text: pageText(name) }],
        }));
      }
      return server;
    },
    { onerror: (error) => terminal.err(`nonet mcp: ${error.message}\n`) },
  );
  const ended = new Promise((resolve) => process.stdin.once("end", resolve).once("close", resolve));
  await Promise.race([ended, terminal.stopped()]);
  await processes.stopAll();
  await handle.close();
  return 0;
}

function described({ description, name, reads }: AuthorTool): object {
  const annotations = { readOnlyHint: reads, destructiveHint: name === "export", openWorldHint: name === "serve" };
  return { title: name.replace("_", " "), description, annotations };
}

async function called(tool: AuthorTool, supplied: unknown): Promise<{ content: { type: "text"; text: string }[] }> {
  const { isError, structured, text } = await tool.run(supplied as Parameters<AuthorTool["run"]>[0]);
  return {
    content: [{ type: "text", text: text === "" ? "nothing to report\n" : text }],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(isError === true ? { isError } : {}),
  };
}

function pageText(name: string): string {
  return readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), "utf8");
}

/** Loads the package of the protocol. @throws UsageError if it is not installed */
async function protocol(): Promise<typeof Protocol & typeof Stdio> {
  try {
    return {
      ...(await import("@modelcontextprotocol/server")),
      ...(await import("@modelcontextprotocol/server/stdio")),
    };
  } catch (thrown) {
    if ((thrown as { readonly code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new UsageError(
      "this needs the package @modelcontextprotocol/server, which is not installed: npm install @modelcontextprotocol/server@2",
    );
  }
}
