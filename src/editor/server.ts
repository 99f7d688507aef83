/**
 * The language server, over the Language Server Protocol: it keeps the open documents, checks them as one types, and answers
 * requests with the functions of this folder. It needs packages that no other command loads.
 */
import {
  CodeActionKind,
  type Connection,
  type InitializeResult,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { concluded } from "../contracts/concluding.ts";
import { dateOf } from "../base/unix-time.ts";
import { linesOf } from "../document/source.ts";
import { examine } from "../language/check.ts";
import { knownContracts } from "../language/endpoints/contract-types.ts";
import { type Analysis, analyse, analysisOf } from "./analysis.ts";
import { isNonetDocument } from "./blocks.ts";
import { complete } from "./complete.ts";
import { fixesFor } from "./fixes.ts";
import { hover } from "./hover.ts";
import { declarationsOf, nameAt, type Occurrence, occurrencesOf } from "./names.ts";
import { folds, lenses, outline } from "./outline.ts";
import { completionOf, diagnosticOf, editOf, offsetOf, rangeOf, spanOfRange, symbolOf, tokenData } from "./protocol.ts";
import type { ReferencePages } from "./reference-pages.ts";
import { rename, renameable } from "./rename.ts";
import { semanticTokens, tokenTypes } from "./tokens.ts";

export interface ServerOptions {
  readonly version: string;
  readonly pages: ReferencePages;
  /** Returns the address of a page of the reference, `language.md#types`, or of a finding, `limits/rate-loose`, if it is installed. */
  readonly addressOf: (page: string) => string | undefined;
  /** Returns the formatted text; without it, the server does not format. */
  readonly format?: (text: string, name: string) => string;
  /** The time in milliseconds, for the durations of checks and the name of a new version. */
  readonly now: () => number;
}

/** The longest wait for a further change before a check, in milliseconds; a fast check waits less. */
const longestWait = 25;
/** The wait before the slower comparison of operations with their contracts, in milliseconds. */
const contractWait = 300;

/** An open document. */
interface Open {
  readonly analysis: Analysis;
  readonly version: number;
}

/** Serves a connection until the client ends it. */
export function serveEditor(connection: Connection, options: ServerOptions): void {
  const documents = new TextDocuments(TextDocument);
  const open = new Map<string, Open>();
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  let lastCheck = 0;

  connection.onInitialize((): InitializeResult => capabilities(options));

  /** Returns the analysis of the present text; undefined for a document of another language. */
  const current = (uri: string): Analysis | undefined => {
    const document = documents.get(uri);
    if (document === undefined) return undefined;
    const known = open.get(uri);
    if (known?.version === document.version) return known.analysis;
    const text = document.getText();
    if (!isNonetDocument(text)) return undefined;
    const start = options.now();
    const analysis = analyse(uri, text);
    lastCheck = options.now() - start;
    open.set(uri, { analysis, version: document.version });
    return analysis;
  };

  const publish = (uri: string, analysis: Analysis | undefined): void => {
    const found = analysis?.result.diagnostics ?? [];
    const version = documents.get(uri)?.version;
    const diagnostics = found.map((one) => diagnosticOf(one, options.addressOf(one.code)));
    void connection.sendDiagnostics({ uri, diagnostics, ...(version === undefined ? {} : { version }) });
  };

  const check = (uri: string): void => {
    waiting.delete(uri);
    const analysis = current(uri);
    publish(uri, analysis);
    if (analysis !== undefined && knownContracts(analysis.index.model.endpoints).size > 0)
      later(uri, contractWait, () => void checkContracts(uri, analysis));
  };

  const checkContracts = async (uri: string, { name, text }: Analysis): Promise<void> => {
    waiting.delete(uri);
    const examined = examine(name, text);
    const analysis = analysisOf(examined, await concluded(examined));
    const document = documents.get(uri);
    if (document?.getText() !== text) return;
    open.set(uri, { analysis, version: document.version });
    publish(uri, analysis);
  };

  const later = (uri: string, wait: number, run: () => void): void => {
    clearTimeout(waiting.get(uri));
    waiting.set(
      uri,
      setTimeout(() => attempt(connection, undefined, run), wait),
    );
  };

  documents.onDidChangeContent(({ document: { uri } }) =>
    later(uri, Math.min(lastCheck / 4, longestWait), () => check(uri)),
  );
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(waiting.get(uri));
    waiting.delete(uri);
    open.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });

  /** Makes a handler that answers with `nothing` for a document of another language, and if there is a bug. */
  const handler =
    <Params extends { readonly textDocument: { readonly uri: string } }, Result>(
      nothing: Result,
      answer: (analysis: Analysis, params: Params) => Result,
    ) =>
    (params: Params): Result =>
      attempt(connection, nothing, () => {
        const analysis = current(params.textDocument.uri);
        return analysis === undefined ? nothing : answer(analysis, params);
      });

  const locations = (uri: string, found: readonly Occurrence[]) =>
    found.map(({ span }) => ({ uri, range: rangeOf(span) }));

  connection.onCompletion(({ position, textDocument: { uri } }) =>
    attempt(connection, [], () => {
      const text = documents.get(uri)?.getText() ?? "";
      // The last analysis is enough for the other parts, so completion does not wait for a check.
      const analysis = open.get(uri)?.analysis ?? current(uri);
      if (analysis === undefined) return [];
      const lines = linesOf(text);
      const { end, items, start } = complete(analysis, text, offsetOf(lines, position), options.pages);
      const range = { start: position, end: position };
      const at = offsetOf(lines, position);
      range.start = { ...position, character: position.character - (at - start) };
      range.end = { ...position, character: position.character + (end - at) };
      return items.map((item, index) => completionOf(item, range, index));
    }),
  );

  connection.onHover(
    handler(null, (analysis, { position }) => {
      const found = hover(analysis, offsetOf(analysis.lines, position), options.pages);
      if (found === undefined) return null;
      const address = found.page === undefined ? undefined : options.addressOf(found.page);
      const link = address === undefined ? "" : `\n\n[Reference](${address})`;
      return { contents: { kind: "markdown" as const, value: found.text + link }, range: rangeOf(found.span) };
    }),
  );

  connection.onDefinition(
    handler(null, (analysis, { position, textDocument: { uri } }) => {
      const name = nameAt(analysis, offsetOf(analysis.lines, position));
      return name === undefined ? null : locations(uri, declarationsOf(analysis, name));
    }),
  );

  connection.onReferences(
    handler(null, (analysis, { context, position, textDocument: { uri } }) => {
      const name = nameAt(analysis, offsetOf(analysis.lines, position));
      if (name === undefined) return null;
      const found = occurrencesOf(analysis, name);
      return locations(uri, context.includeDeclaration ? found : found.filter(({ declares }) => !declares));
    }),
  );

  connection.onDocumentHighlight(
    handler(null, (analysis, { position }) => {
      const name = nameAt(analysis, offsetOf(analysis.lines, position));
      return name === undefined ? null : occurrencesOf(analysis, name).map(({ span }) => ({ range: rangeOf(span) }));
    }),
  );

  connection.onPrepareRename((params) => {
    const found = handler(undefined, (analysis, { position }: typeof params) =>
      renameable(analysis, offsetOf(analysis.lines, position)),
    )(params);
    if (found === undefined) return null;
    if ("rejected" in found) return new ResponseError(rejected, found.rejected);
    return { range: rangeOf(found.span), placeholder: found.name };
  });

  connection.onRenameRequest((params) => {
    const {
      newName,
      position,
      textDocument: { uri },
    } = params;
    const found = handler(undefined, (analysis, _: typeof params) =>
      rename(analysis, offsetOf(analysis.lines, position), newName, dateOf(options.now())),
    )(params);
    if (found === undefined) return null;
    if ("rejected" in found) return new ResponseError(rejected, found.rejected);
    return { changes: { [uri]: found.edits.map(editOf) } };
  });

  connection.onCodeAction(
    handler(null, (analysis, { range, textDocument: { uri } }) =>
      fixesFor(analysis, spanOfRange(analysis.lines, range)).map(({ diagnostic, edit, isPreferred, title }) => ({
        title: title.charAt(0).toUpperCase() + title.slice(1),
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnosticOf(diagnostic, options.addressOf(diagnostic.code))],
        edit: { changes: { [uri]: [editOf(edit)] } },
        isPreferred,
      })),
    ),
  );

  connection.onDocumentSymbol(handler(null, (analysis) => outline(analysis).map(symbolOf)));
  connection.onFoldingRanges(
    handler(null, (analysis) => folds(analysis).map(({ end, start }) => ({ startLine: start - 1, endLine: end - 1 }))),
  );
  connection.onCodeLens(
    handler(null, (analysis) =>
      // A command without a name is a text that cannot be clicked.
      lenses(analysis).map(({ span, title }) => ({ range: rangeOf(span), command: { title, command: "" } })),
    ),
  );
  connection.languages.semanticTokens.on(
    handler({ data: [] as number[] }, (analysis) => ({ data: tokenData(semanticTokens(analysis)) })),
  );
  connection.onDocumentFormatting(
    handler(null, ({ lines, name, text }) => {
      const formatted = options.format?.(text, name);
      if (formatted === undefined || formatted === text) return [];
      return [
        {
          range: { start: { line: 0, character: 0 }, end: { line: lines.starts.length, character: 0 } },
          newText: formatted,
        },
      ];
    }),
  );

  documents.listen(connection);
  connection.listen();
}

/** The code of a rejected rename: RequestFailed of the protocol. */
const rejected = -32_803;

function capabilities({ format, version }: ServerOptions): InitializeResult {
  return {
    serverInfo: { name: "nonet", version },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: [".", ":", " ", "'", "|", ",", "{"] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      documentSymbolProvider: true,
      foldingRangeProvider: true,
      codeLensProvider: {},
      semanticTokensProvider: { legend: { tokenTypes: [...tokenTypes], tokenModifiers: ["declaration"] }, full: true },
      documentFormattingProvider: format !== undefined,
    },
  };
}

/** Runs a handler; reports a bug in the log of the client, and goes on. */
function attempt<Result>(connection: Connection, nothing: Result, run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    connection.console.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    return nothing;
  }
}
