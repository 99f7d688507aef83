/** Converts between this folder's values and those of the Language Server Protocol, whose lines and columns count from 0. */
import {
  CompletionItemKind,
  type CompletionItem,
  type Diagnostic as ProtocolDiagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type Position as ProtocolPosition,
  type Range,
  SymbolKind,
  type TextEdit as ProtocolEdit,
} from "vscode-languageserver";
import type { Position, Span } from "../base/span.ts";
import type { Diagnostic, Severity } from "../diagnostics/diagnostic.ts";
import { type Lines, positionIn } from "../document/source.ts";
import type { Completion } from "./complete.ts";
import type { Outline } from "./outline.ts";
import type { TextEdit } from "./rename.ts";
import { type SemanticToken, tokenTypes } from "./tokens.ts";

export function positionOf({ column, line }: Position): ProtocolPosition {
  return { line: line - 1, character: column - 1 };
}

export function rangeOf({ end, start }: Span): Range {
  return { start: positionOf(start), end: positionOf(end) };
}

/** Returns the offset of a position; of one behind the end of its line, the end of the line. */
export function offsetOf({ starts, text }: Lines, { character, line }: ProtocolPosition): number {
  const start = starts[line];
  if (start === undefined) return text.length;
  const next = starts[line + 1];
  return Math.min(start + character, next === undefined ? text.length : next - 1);
}

export function spanOfRange(lines: Lines, { end, start }: Range): Span {
  return { start: positionIn(lines, offsetOf(lines, start)), end: positionIn(lines, offsetOf(lines, end)) };
}

export function editOf({ span, text }: TextEdit): ProtocolEdit {
  return { range: rangeOf(span), newText: text };
}

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Hint,
};

/** `page`: the address of the page about the finding, if it is installed. */
export function diagnosticOf(
  { code, help, message, severity, span, why }: Diagnostic,
  page: string | undefined,
): ProtocolDiagnostic {
  return {
    range: rangeOf(span),
    severity: severities[severity],
    code,
    ...(page === undefined ? {} : { codeDescription: { href: page } }),
    source: "nonet",
    message: [message, ...(why === undefined ? [] : [why]), ...(help === undefined ? [] : [`Help: ${help}`])].join(
      "\n",
    ),
  };
}

const completionKinds: Readonly<Record<Completion["kind"], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  word: CompletionItemKind.Keyword,
  function: CompletionItemKind.Function,
  variable: CompletionItemKind.Variable,
  text: CompletionItemKind.Value,
  resource: CompletionItemKind.Class,
  type: CompletionItemKind.Struct,
  view: CompletionItemKind.Interface,
  schema: CompletionItemKind.Interface,
  operation: CompletionItemKind.Method,
  event: CompletionItemKind.Event,
  error: CompletionItemKind.Constant,
  role: CompletionItemKind.Constant,
  credential: CompletionItemKind.Reference,
  field: CompletionItemKind.Field,
  state: CompletionItemKind.EnumMember,
  member: CompletionItemKind.Field,
};

export function completionOf(item: Completion, range: Range, index: number): CompletionItem {
  const { detail, documentation, insert, kind, label } = item;
  return {
    label,
    kind: completionKinds[kind],
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: { kind: "markdown", value: documentation } }),
    // The order is that of the language: names of the record before functions.
    sortText: String(index).padStart(4, "0"),
    filterText: label,
    textEdit: { range, newText: insert ?? label },
  };
}

const symbolKinds: Readonly<Record<Outline["kind"], SymbolKind>> = {
  part: SymbolKind.Module,
  key: SymbolKind.Key,
  resource: SymbolKind.Class,
  type: SymbolKind.Struct,
  view: SymbolKind.Interface,
  schema: SymbolKind.Interface,
  operation: SymbolKind.Method,
  event: SymbolKind.Event,
  error: SymbolKind.Constant,
  role: SymbolKind.Constant,
  credential: SymbolKind.Object,
  field: SymbolKind.Field,
  state: SymbolKind.EnumMember,
  member: SymbolKind.Field,
};

export function symbolOf({ children, kind, name, selection, span }: Outline): DocumentSymbol {
  return {
    name,
    kind: symbolKinds[kind],
    range: rangeOf(span),
    selectionRange: rangeOf(selection),
    children: children.map(symbolOf),
  };
}

/** Encodes tokens: five numbers each, with positions relative to the token before. */
export function tokenData(tokens: readonly SemanticToken[]): number[] {
  let line = 1;
  let column = 1;
  return tokens.flatMap(({ declares, length, start, type }) => {
    const sameLine = start.line === line;
    const data = [
      start.line - line,
      sameLine ? start.column - column : start.column - 1,
      length,
      tokenTypes.indexOf(type),
      declares ? 1 : 0,
    ];
    ({ column, line } = start);
    return data;
  });
}
