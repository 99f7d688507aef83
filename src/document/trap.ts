/**
 * Fixes common mistakes in YAML: invalid lines whose intention is clear. For a line that the library cannot parse, it returns
 * the edit that makes the line valid. The reader applies the edit to continue, and offers it as the fix of the diagnostic.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { type Edit, type Source, spanAt } from "./source.ts";

export interface QuickFix {
  readonly edits: readonly Edit[];
  readonly diagnostics: readonly Diagnostic[];
}

/** An invalid line of a source. `fault` is the column (from 0) at which the library stopped. */
export interface BrokenLine {
  readonly text: string;
  readonly start: number;
  readonly parseError: number;
  readonly source: Source;
}

/** The most columns of a line that gets a fix, since the lookahead below takes quadratic time. */
const mostColumns = 1000;

export function fixLine(line: BrokenLine): QuickFix | undefined {
  if (line.text.length > mostColumns) return undefined;
  return fixTabs(line) ?? fixKey(line) ?? fixValue(line);
}

/** Returns `text` as quoted YAML, in single quotes if double quotes would need escapes. */
export function quotedForm(text: string): string {
  return /["\\]/.test(text) && !text.includes("'") ? `'${text}'` : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function fixTabs(line: BrokenLine): QuickFix | undefined {
  const indent = /^ *\t[ \t]*/.exec(line.text)?.[0];
  if (indent === undefined) return undefined;
  const spaces = indent.replaceAll("\t", "  ");
  const span = spanAt(line.source, line.start, line.start + indent.length);
  return {
    edits: [{ at: line.start, remove: indent.length, insert: spaces }],
    diagnostics: [
      {
        code: "document/tab-indentation",
        severity: "error",
        message: "A tab indents this line; YAML only takes spaces.",
        span,
        help: "Write two spaces for each level.",
        fix: { title: "Write spaces", span, text: spaces },
      },
    ],
  };
}

/** Fixes a key that starts with a YAML indicator: `*: anyone`, `@type: text`. */
function fixKey(line: BrokenLine): QuickFix | undefined {
  const { keyAt, valueAt, colon } = partsOf(line.text);
  if (colon < 0 || !isReserved(line.text, keyAt)) return undefined;
  const key = line.text.slice(keyAt, colon).trimEnd();
  if (/^(&[\w-]+|![\w!-]*)$/.test(key.split(" ")[0] ?? "") && key.includes(" ")) return undefined;
  return valueAt > colon ? quoting(line, [{ from: keyAt, to: keyAt + key.length, reason: reasonFor(key) }]) : undefined;
}

function fixValue(line: BrokenLine): QuickFix | undefined {
  const { text, parseError } = line;
  const { keyAt, valueAt, colon } = partsOf(text);
  const end = valueEnd(text, valueAt);
  const value = text.slice(valueAt, end);
  if (colon < 0) {
    if (unspacedKey(text, keyAt) !== undefined) return spacing(line, keyAt, end);
  }
  if (value.startsWith("{") || value.startsWith("[")) {
    const after = closingBracket(value, 0);
    // Text after a closing bracket means that the value is text; more closing brackets alone are a different mistake.
    const trails = after > 0 && /[^\s}\]),]/.test(value.slice(after + 1));
    const isComplete = trails || /^\{[\w.-]+\}$/.test(value);
    return isComplete ? quoting(line, [{ from: valueAt, to: end, reason: bracketReason }]) : fixFlow(line, valueAt);
  }
  if (value.startsWith('"') || value.startsWith("'")) {
    const after = value.indexOf(value[0] ?? "", 1);
    const trails = after > 0 && !/^\s*([,:}\]]|$)/.test(value.slice(after + 1));
    return trails ? quoting(line, [{ from: valueAt, to: end, reason: "goes on after its closing quote" }]) : undefined;
  }
  // These characters end an unquoted value only inside braces or brackets, so the line is fixed as a part of a flow map or
  // list.
  if ("{[".includes(text[parseError] ?? " ") && parseError > valueAt) return fixFlow(line, colon < 0 ? keyAt : valueAt);
  if (needsQuotes(value)) return quoting(line, [{ from: valueAt, to: end, reason: reasonFor(value) }]);
  const colonInside = /:(\s|$)/.test(value) && colon >= 0;
  return colonInside
    ? quoting(line, [{ from: valueAt, to: end, reason: "holds a colon and a space, which YAML reads as a map" }])
    : undefined;
}

const bracketReason = "holds `{}` or `[]`, which YAML reads as a map or a list";

const commaReason = "holds a comma, which ends a value inside `{}` and `[]`";

/** Whether a whole value starts like other YAML syntax without being valid syntax, so that it needs quotes. */
function needsQuotes(value: string): boolean {
  if (/^[@`%,}\]]/.test(value)) return true;
  if (/^[|>]/.test(value)) return !/^[|>][-+0-9]*$/.test(value);
  if (value.startsWith("&")) return !/^&[\w-]+(\s|$)/.test(value);
  if (value.startsWith("*")) return !/^\*[\w-]+$/.test(value);
  return value.startsWith("!") && !value.startsWith("!!");
}

function isReserved(text: string, at: number): boolean {
  return "!&*|>@%`".includes(text[at] ?? " ");
}

function reasonFor(text: string): string {
  return `starts with ${text[0] === "`" ? "a backtick" : `\`${text[0] ?? ""}\``}, a sign of YAML`;
}

// The positions of the key and the value in a line.

interface LineParts {
  readonly keyAt: number;
  /** The column of the colon after the key; -1 if the line has no key. */
  readonly colon: number;
  readonly valueAt: number;
}

function partsOf(text: string): LineParts {
  const keyAt = /^\s*(?:-\s+)*/.exec(text)?.[0].length ?? 0;
  const colon = keyColon(text, keyAt);
  if (colon < 0) return { keyAt, colon, valueAt: keyAt };
  const valueAt = colon + 1 + (/^\s*/.exec(text.slice(colon + 1))?.[0].length ?? 0);
  return { keyAt, colon, valueAt };
}

function keyColon(text: string, keyAt: number): number {
  const first = text[keyAt] ?? "";
  if (first === "{" || first === "[") return -1;
  const from = first === '"' || first === "'" ? text.indexOf(first, keyAt + 1) + 1 : keyAt;
  const found = /:(?=\s|$)/g;
  found.lastIndex = from;
  return found.exec(text)?.index ?? -1;
}

/** Returns the end of a value: before a comment, or at the last non-blank character. */
function valueEnd(text: string, valueAt: number): number {
  const comment = /\s#(?=\s|$)/g;
  comment.lastIndex = Math.max(0, valueAt - 1);
  const found = comment.exec(text);
  return Math.max(valueAt, text.slice(0, found ? found.index : text.length).trimEnd().length);
}

/** Returns the index of the colon in `key:value` at `keyAt`, unless the text is a URL (`https://…`). */
function unspacedKey(text: string, keyAt: number): number | undefined {
  const key = /^[\w.?-]+:(?=[^\s:/])/.exec(text.slice(keyAt))?.[0];
  return key === undefined ? undefined : keyAt + key.length - 1;
}

// Inside braces and brackets

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** Quotes the unquoted values with invalid characters in `{ … }`, from column `from` to the end of the line. */
function fixFlow(line: BrokenLine, from: number): QuickFix | undefined {
  const { text } = line;
  const stretches: Stretch[] = [];
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === "#" && /\s/.test(text[at - 1] ?? " ")) break;
    if (/[\s,{}[\]:]/.test(character) && !opensText(text, at)) at += 1;
    else if (character === '"' || character === "'") at = afterQuote(text, at);
    else {
      const to = flowValueEnd(text, at);
      const value = text.slice(at, to);
      if (/[{}[\]]/.test(value)) stretches.push({ from: at, to, reason: bracketReason });
      else if (/\([^)]*,/.test(value)) stretches.push({ from: at, to, reason: commaReason });
      else if (needsQuotes(value)) stretches.push({ from: at, to, reason: reasonFor(value) });
      else if (at === line.parseError && unspacedKey(value, 0) !== undefined) return spacing(line, at, to);
      at = Math.max(to, at + 1);
    }
  }
  return stretches.length > 0 ? quoting(line, stretches) : undefined;
}

/** Whether the bracket at `at` begins text rather than a list or map: `{id}/x`, `[a-z]+`. */
function opensText(text: string, at: number): boolean {
  if (text[at] !== "{" && text[at] !== "[") return false;
  const close = closingBracket(text, at);
  return close > 0 && /[^\s,}\]:]/.test(text[close + 1] ?? " ");
}

function flowValueEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (",}]".includes(character)) break;
    if (character === ":" && /[\s,}\]]|^$/.test(text[at + 1] ?? "")) break;
    if (character === "#" && /\s/.test(text[at - 1] ?? "")) break;
    const close = "{[(".includes(character) ? closingBracket(text, at) : -1;
    at = close > 0 ? close + 1 : at + 1;
  }
  return text.slice(0, at).trimEnd().length;
}

function afterQuote(text: string, at: number): number {
  const quote = text[at] ?? "";
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === "\\" && quote === '"') index += 1;
    else if (text[index] === quote) return index + 1;
  }
  return text.length;
}

/** Returns the index of the bracket that closes the one at `at`; -1 if there is none. */
function closingBracket(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    const character = text[index] ?? "";
    if ("{[(".includes(character)) depth += 1;
    else if ("}])".includes(character)) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

// Edits that fix a line

function quoting(line: BrokenLine, stretches: readonly Stretch[]): QuickFix {
  const edits: Edit[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { from, to, reason } of stretches) {
    const value = line.text.slice(from, to);
    const quoted = quotedForm(value);
    const span = spanAt(line.source, line.start + from, line.start + to);
    edits.push(...quotingEdits(value, quoted, line.start + from));
    diagnostics.push({
      code: "document/value-needs-quotes",
      severity: "error",
      message: `\`${value}\` ${reason}.`,
      span,
      help: `Write \`${quoted}\`.`,
      fix: { title: "Put it in quotes", span, text: quoted },
    });
  }
  return { edits, diagnostics };
}

/**
 * Returns the edits that quote a value. They only insert characters, so that each character of the value keeps its position in
 * the file.
 */
function quotingEdits(value: string, quoted: string, start: number): readonly Edit[] {
  const quote = quoted[0] ?? '"';
  const edits: Edit[] = [{ at: start, remove: 0, insert: quote }];
  if (quote === '"') {
    for (const sign of value.matchAll(/["\\]/g)) edits.push({ at: start + sign.index, remove: 0, insert: "\\" });
  }
  edits.push({ at: start + value.length, remove: 0, insert: quote });
  return edits;
}

/** Inserts a space after the colon of the `key:value` from `from` to `to`. */
function spacing(line: BrokenLine, from: number, to: number): QuickFix {
  const written = line.text.slice(from, to);
  const colon = from + written.indexOf(":");
  const spaced = `${line.text.slice(from, colon)}: ${line.text.slice(colon + 1, to)}`;
  const at = line.start + colon + 1;
  return {
    edits: [{ at, remove: 0, insert: " " }],
    diagnostics: [
      {
        code: "document/space-after-colon",
        severity: "error",
        message: `\`${written}\` has no space after its colon, so YAML reads it as one word.`,
        span: spanAt(line.source, line.start + from, line.start + to),
        help: `Write \`${spaced}\`.`,
        fix: { title: "Write a space after the colon", span: spanAt(line.source, at, at), text: " " },
      },
    ],
  };
}
