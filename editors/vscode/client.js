/** The extension: starts the language server for Markdown, YAML and JSON; the server decides which documents are Nonet's. */
import { workspace } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

let client;

export async function activate(context) {
  const [command, ...args] = workspace.getConfiguration("nonet").get("server.command") ?? [];
  const bundled = { module: context.asAbsolutePath("dist/server.mjs"), transport: TransportKind.stdio };
  const server = command === undefined ? bundled : { command, args, transport: TransportKind.stdio };
  client = new LanguageClient("nonet", "Nonet", server, {
    documentSelector: ["markdown", "yaml", "json"].map((language) => ({ language })),
  });
  await client.start();
}

export function deactivate() {
  return client?.stop();
}
