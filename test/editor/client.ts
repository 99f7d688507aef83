/** A client of `nonet lsp` as a child process, and documents with a mark where the cursor is. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  createProtocolConnection,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentContentChangeEvent,
} from "vscode-languageserver-protocol/node";

const command = fileURLToPath(new URL("../../src/cli.mjs", import.meta.url));

export interface Editor extends AsyncDisposable {
  readonly initialized: InitializeResult;
  readonly request: ProtocolConnection["sendRequest"];
  /** Opens a document and returns the findings about it. */
  open(uri: string, text: string): Promise<PublishDiagnosticsParams>;
  /** Changes a document and returns the findings about its new text. */
  change(uri: string, changes: TextDocumentContentChangeEvent[]): Promise<PublishDiagnosticsParams>;
  /** The lines that the server has logged. */
  readonly logged: readonly string[];
}

/** Starts a server: the command, or another one. */
export async function startEditor(args: readonly string[] = [command, "lsp", "--stdio"]): Promise<Editor> {
  const child: ChildProcess = spawn(process.execPath, [...args], { stdio: ["pipe", "pipe", "inherit"] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("the server has no pipes");
  const connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  const logged: string[] = [];
  const waiting = new Map<string, (found: PublishDiagnosticsParams) => void>();
  const versions = new Map<string, number>();
  connection.onNotification("textDocument/publishDiagnostics", (found: PublishDiagnosticsParams) => {
    waiting.get(`${found.uri} ${found.version}`)?.(found);
  });
  connection.onNotification("window/logMessage", ({ message }: { readonly message: string }) => {
    logged.push(message);
  });
  connection.listen();
  const initialized: InitializeResult = await connection.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    capabilities: {},
  });
  await connection.sendNotification("initialized", {});
  const findings = (uri: string, version: number): Promise<PublishDiagnosticsParams> =>
    new Promise((resolve) => waiting.set(`${uri} ${version}`, resolve));
  return {
    initialized,
    logged,
    request: connection.sendRequest.bind(connection) as ProtocolConnection["sendRequest"],
    open: async (uri, text) => {
      versions.set(uri, 1);
      const found = findings(uri, 1);
      await connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "markdown", version: 1, text },
      });
      return found;
    },
    change: async (uri, contentChanges) => {
      const version = (versions.get(uri) ?? 0) + 1;
      versions.set(uri, version);
      const found = findings(uri, version);
      await connection.sendNotification("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
      return found;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      await ended;
      connection.dispose();
    },
  };
}

/** Splits a text at the mark `▮`, which is the cursor. */
export function marked(text: string): { readonly text: string; readonly offset: number; readonly position: Position } {
  const offset = text.indexOf("▮");
  if (offset < 0) throw new Error("the text has no mark");
  const before = text.slice(0, offset).split("\n");
  return {
    text: text.slice(0, offset) + text.slice(offset + 1),
    offset,
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
  };
}

/** Returns the text with one line replaced; the line is found by its beginning, and there has to be only one. */
export function withLine(text: string, start: string, line: string): string {
  const lines = text.split("\n");
  const found = lines.flatMap((one, index) => (one.startsWith(start) ? [index] : []));
  if (found.length !== 1) throw new Error(`${found.length} lines begin with ${start}`);
  return lines.with(found[0] as number, line).join("\n");
}
