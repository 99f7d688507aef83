/**
 * Reads YAML as nodes with spans: every scalar is text (YAML 1.2, failsafe), without anchors, tags and merge keys. An error
 * becomes a diagnostic, and reading continues.
 *
 * If the library fails, `trap.ts` fixes lines whose intention is clear, and the library parses again. If an error remains,
 * each entry is parsed separately, so that a broken entry does not affect the others. Most blocks are simple and never reach
 * the library (`plain-yaml.ts`).
 */
import * as yaml from "yaml";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Entry, MapNode, Node, TextNode } from "./document.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { editedSource, type Source, spanAt } from "./source.ts";
import { type QuickFix, fixLine, quotedForm } from "./trap.ts";
import { piecesOf } from "./text-pieces.ts";
import { errorText } from "./yaml-error.ts";

export interface YamlReading {
  /** The parsed value; absent if the text is empty, or nothing of it could be parsed. */
  readonly node?: Node;
  readonly diagnostics: readonly Diagnostic[];
}

/** The most errors of one block that are reported one by one. */
const mostErrors = 20;
/** The deepest nesting that is read: no document needs more, and all later phases recurse. */
const deepest = 64;
/** The most rounds of fixes. Each round fixes every line on which the round before failed; an error can hide later ones. */
const mostRounds = 4;
/** The most errors of a text that are fixed: a text with more was never meant to be YAML. */
const mostMendable = 1000;
/** The most characters of a block that is fixed and parsed again: blocks written by hand have a tenth of this. */
const longestFixed = 200_000;
/** The longest key on one line that YAML allows. */
const longestKey = 1024;

export function readYaml(source: Source): YamlReading {
  const plain = readPlainYaml(source);
  return plain === undefined ? readAnyYaml(source) : { node: plain, diagnostics: [] };
}

/** Parses any text with the library, after fixes of common mistakes. */
export function readAnyYaml(source: Source): YamlReading {
  if (source.text.trim() === "") return { diagnostics: [] };
  const fixed: Diagnostic[] = [];
  let current = source;
  let attempt = attemptAt(current);
  const isShort = source.text.length <= longestFixed;
  for (let round = 0; isShort && round < mostRounds && attempt.errors.length > 0; round++) {
    if (attempt.errors.length > mostMendable) break;
    const fixes = fixesFor(attempt, current);
    if (fixes.length === 0) break;
    for (const fix of fixes) fixed.push(...fix.diagnostics);
    current = editedSource(
      current,
      fixes.flatMap((fix) => fix.edits),
    );
    attempt = attemptAt(current);
  }
  const broken = isShort && attempt.errors.some((parseError) => parseError.breaks);
  const node = broken ? (readByEntries(current, 0, current.text.length, 0) ?? attempt.node) : attempt.node;
  const errors = listed(attempt.errors, current);
  return { ...(node && { node }), diagnostics: [...fixed, ...attempt.diagnostics, ...errors] };
}

/** A syntax error. `breaks`: the text after it may be lost or misread. */
interface ParseError {
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly why?: string;
  readonly help?: string;
  readonly breaks: boolean;
}

interface Attempt {
  readonly node?: Node;
  readonly errors: readonly ParseError[];
  /** Diagnostics that no fix removes. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses `source` from `from` to `to`, which must be the start and the end of lines. */
function attemptAt(source: Source, from: number = 0, to: number = source.text.length): Attempt {
  const walk: Walk = { source, from, errors: [], diagnostics: [] };
  const text = withoutDepths(source.text.slice(from, to));
  const parsed = yaml.parseAllDocuments(text, {
    schema: "failsafe",
    strict: true,
    // The library's own test for repeated keys compares all pairs of keys; this reader uses a set.
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    keepSourceTokens: false,
    logLevel: "silent",
  });
  if (!Array.isArray(parsed)) return { errors: [], diagnostics: [] };
  reportExtraValues(parsed, walk);
  const document = parsed[0];
  if (!document) return walk;
  for (const error of [...document.errors, ...document.warnings]) walk.errors.push(parseErrorOf(error, text, from));
  if (document.directives.yaml.explicit || /^%/m.test(text.slice(0, document.range[0]))) reportDirective(text, walk);
  const node = document.contents ? convert(document.contents, walk, 0) : undefined;
  if (node?.kind === "text" && !node.quoted) reportUnspacedText(node, rangeOf(document.contents, walk), walk);
  return { ...walk, ...(node && !isNothing(node) && { node }) };
}

function reportDepth(start: number, end: number, walk: Walk): void {
  walk.diagnostics.push({
    code: "document/too-deep",
    severity: "error",
    message: `Values are nested more than ${deepest} deep here; the rest was not read.`,
    span: spanAt(walk.source, start, end),
    help: "Give the inner value a name of its own and refer to it.",
  });
}

/** Texts with fewer brackets than this are parsed fast, however deep their nesting is. */
const fewBrackets = 1000;
/** The nesting depth from which brackets are removed; `convert` has already reported the nesting around them. */
const hidden = deepest + 2;

/**
 * Replaces values that are nested deeper than any document needs by a word, because the library takes a hundred times as long
 * for each of their characters.
 */
function withoutDepths(text: string): string {
  if ((text.match(/[[{]/g)?.length ?? 0) < fewBrackets) return text;
  const pieces: string[] = [];
  let [at, depth, copiedUntil, deep] = [0, 0, 0, 0];
  const leave = (end: number): void => {
    pieces.push(text.slice(copiedUntil, deep), "x", text.slice(deep + 1, end).replace(/[^\n]/g, " "));
    copiedUntil = end;
  };
  let isScalar = false;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    // Marks that the lexer adds and the text does not contain: for a document, an error that ends all brackets, and a scalar.
    if (!isScalar && (lexeme === "\u0002" || lexeme === "\u0018" || lexeme === "\u001f")) {
      isScalar = lexeme === "\u001f";
      if (lexeme !== "\u0018") continue;
      if (depth >= hidden) leave(at);
      depth = 0;
      continue;
    }
    if (isScalar) isScalar = false;
    else if (lexeme === "[" || lexeme === "{") {
      depth += 1;
      if (depth === hidden) deep = at;
    } else if ((lexeme === "]" || lexeme === "}") && depth > 0) {
      depth -= 1;
      if (depth === hidden - 1) leave(at + 1);
    }
    at += lexeme.length;
  }
  if (depth >= hidden) leave(text.length);
  return pieces.length === 0 ? text : pieces.join("") + text.slice(copiedUntil);
}

function isNothing(node: Node): boolean {
  return node.kind === "text" && node.value === "" && !node.quoted;
}

interface Walk {
  readonly source: Source;
  /** The offset in the source at which the library's input starts. */
  readonly from: number;
  readonly errors: ParseError[];
  readonly diagnostics: Diagnostic[];
}

function reportError(walk: Walk, start: number, end: number, text: Omit<ParseError, "start" | "end" | "breaks">): void {
  walk.errors.push({ ...text, start, end, breaks: false });
}

type ParsedNode = yaml.Scalar | yaml.YAMLMap | yaml.YAMLSeq | yaml.Alias;

function convert(parsed: unknown, walk: Walk, depth: number): Node {
  const node = parsed as ParsedNode;
  const [start, end] = rangeOf(node, walk);
  if (yaml.isAlias(node)) {
    reportError(walk, start, end, {
      code: "document/yaml-anchor",
      message: `\`*${node.source}\` is an alias of YAML; a Nonet document does not follow them.`,
      why: "Each fact of a document stands once, at the place that needs it.",
      help: "Write the value out, or put it in quotes if text was meant.",
    });
    return emptyText(walk, start);
  }
  reportProperties(node, start, walk);
  if (yaml.isScalar(node)) return convertScalar(node, start, end, walk);
  if (depth >= deepest) {
    reportDepth(start, Math.min(end, start + 1), walk);
    return emptyText(walk, start);
  }
  if (yaml.isMap(node)) return convertMap(node, start, end, walk, depth);
  return {
    kind: "list",
    items: node.items.map((item) => (item === null ? emptyText(walk, start) : convert(item, walk, depth + 1))),
    span: spanAt(walk.source, start, end),
  };
}

function convertMap(node: yaml.YAMLMap, start: number, end: number, walk: Walk, depth: number): Node {
  const { source } = walk;
  const braced = bracedName(node, source.text.slice(start, end));
  if (braced !== undefined) {
    reportError(walk, start, end, {
      code: "document/value-needs-quotes",
      message: `YAML reads \`${braced}\` as a map, not as text.`,
      help: `Write \`"${braced}"\`.`,
    });
  }
  reportCutCalls(node, walk);
  const entries: Entry[] = [];
  const first = new Map<string, TextNode>();
  for (const pair of node.items) {
    const key = pair.key === null ? undefined : convert(pair.key, walk, depth + 1);
    if (key?.kind !== "text") {
      reportKey(pair, walk, start, end);
      continue;
    }
    if (key.value.length > longestKey) {
      const [keyStart, keyEnd] = rangeOf(pair.key, walk);
      reportError(walk, keyStart, keyEnd, errorText("KEY_OVER_1024_CHARS", ""));
      continue;
    }
    if (key.value === "<<" && !key.quoted) {
      walk.diagnostics.push(mergeKey(key));
      continue;
    }
    if (pair.value === null && /^[^\s:]+:[^\s:]/.test(key.value) && !key.quoted) reportUnspaced(pair, key, walk);
    const value =
      pair.value === null ? emptyText(walk, rangeOf(pair.key, walk)[1]) : convert(pair.value, walk, depth + 1);
    const earlier = first.get(key.value);
    if (earlier) {
      walk.diagnostics.push(duplicateKey(key, earlier));
      continue;
    }
    first.set(key.value, key);
    entries.push({ key, value });
  }
  return { kind: "map", entries, span: spanAt(source, start, end) };
}

/** Reports `{ if: a.exists(x, x > 1) }`: inside braces, the comma between the parentheses ends the value. */
function reportCutCalls(node: yaml.YAMLMap, walk: Walk): void {
  if (node.flow !== true) return;
  for (const [index, { value }] of node.items.entries()) {
    const rest = node.items[index + 1];
    if (!yaml.isScalar(value) || value.type !== "PLAIN" || rest === undefined || rest.value !== null) continue;
    if (!yaml.isScalar(rest.key) || rest.key.type !== "PLAIN") continue;
    const [start, end] = rangeOf(value, walk);
    const written = walk.source.text.slice(start, end);
    if (!/\w\([^)]*$/.test(written)) continue;
    reportError(walk, start, end, {
      code: "document/value-needs-quotes",
      message: `\`${written}\` ends at the comma, in the middle of its parentheses.`,
      help: "Put the whole value in quotes.",
    });
  }
}

/** Returns `{base_url}` as text: YAML reads it as a map with one key without a value, which no author means. */
function bracedName(node: yaml.YAMLMap, written: string): string | undefined {
  const single = node.flow === true && node.items.length === 1 && node.items[0]?.value === null;
  return single && /^\{[\w.-]+\}$/.test(written) ? written : undefined;
}

function convertScalar(node: yaml.Scalar, start: number, end: number, walk: Walk): TextNode {
  const { source } = walk;
  const value = typeof node.value === "string" ? node.value : "";
  const quoted = node.type !== undefined && node.type !== "PLAIN";
  const span = spanAt(source, start, end);
  const written = source.text.slice(start, end);
  if (!quoted) reportCutComment(written, end, walk);
  const plain = quoted ? written.slice(1, -1) === value : written === value;
  const inFile = span.end.offset - span.start.offset === end - start && span.end.line === span.start.line;
  if (plain && inFile) return { kind: "text", value, quoted, span };
  return { kind: "text", value, quoted, span, pieces: piecesOf(value, written, node.type ?? "PLAIN", start, source) };
}

function emptyText(walk: Walk, at: number): TextNode {
  return { kind: "text", value: "", quoted: false, span: spanAt(walk.source, at, at) };
}

function rangeOf(node: unknown, walk: Walk): readonly [start: number, end: number] {
  const range = (node as ParsedNode | null)?.range;
  return range ? [range[0] + walk.from, range[1] + walk.from] : [walk.from, walk.from];
}

// Diagnostics

function parseErrorOf(error: yaml.YAMLError, text: string, from: number): ParseError {
  const breaks = error.name === "YAMLParseError";
  if (error.message.startsWith("Missing closing") && error.message.endsWith("quote")) {
    // The library reports the end of the text; the position of the opening quote is more useful to the author.
    const quote = error.message.includes('"') ? '"' : "'";
    const opening = openingQuote(text, error.pos[0], quote) + from;
    return { start: opening, end: opening + 1, breaks, ...errorText("MISSING_CHAR", error.message) };
  }
  return { start: error.pos[0] + from, end: error.pos[1] + from, breaks, ...errorText(error.code, error.message) };
}

/** Returns the last quote before `end` that can open a value, because only the start of a value precedes it. */
function openingQuote(text: string, end: number, quote: string): number {
  let at = text.lastIndexOf(quote, end);
  while (at > 0 && !/[\s,{[]/.test(text[at - 1] ?? " ")) at = text.lastIndexOf(quote, at - 1);
  return Math.max(0, at);
}

/** Reports tags and anchors. The library does not return their positions: in the text they are directly before the value. */
function reportProperties(node: yaml.Scalar | yaml.YAMLMap | yaml.YAMLSeq, start: number, walk: Walk): void {
  const { text } = walk.source;
  if (node.anchor !== undefined) {
    const at = text.lastIndexOf(`&${node.anchor}`, start);
    reportError(walk, at, at + node.anchor.length + 1, {
      code: "document/yaml-anchor",
      message: `\`&${node.anchor}\` is an anchor of YAML; a Nonet document does not follow them.`,
      help: "Leave it out, or put the value in quotes if text was meant.",
    });
  }
  // A tag of the failsafe schema (`!!str`) is reported too, although the library warns only about unknown tags.
  if (node.tag !== undefined) {
    const last = text.lastIndexOf("!", start);
    const at = text[last - 1] === "!" ? last - 1 : last;
    const end = at + (/^!\S*/.exec(text.slice(at))?.[0].length ?? 1);
    reportError(walk, at, end, errorText("TAG_RESOLVE_FAILED", ""));
  }
}

function reportKey(pair: yaml.Pair, walk: Walk, start: number, end: number): void {
  const [keyStart, keyEnd] = pair.key === null ? [start, Math.min(end, start + 1)] : rangeOf(pair.key, walk);
  walk.diagnostics.push({
    code: "document/key-not-text",
    severity: "error",
    message: pair.key === null ? "A value stands here without a key." : "A list or a map cannot be a key.",
    span: spanAt(walk.source, keyStart, keyEnd),
    help: "Write `name: value`; put a key that starts with `{` or `[` in quotes.",
  });
}

function reportUnspaced(pair: yaml.Pair, key: TextNode, walk: Walk): void {
  const [start, end] = rangeOf(pair.key, walk);
  reportError(walk, start, end, missingSpace(key.value));
}

/** Reports a whole block that is one word with a colon in it (`key:value`): the author meant an entry. */
function reportUnspacedText(node: TextNode, [start, end]: readonly [number, number], walk: Walk): void {
  if (!/^[\w.?-]+:[^\s:/]\S*$/.test(node.value)) return;
  reportError(walk, start, end, missingSpace(node.value));
}

function missingSpace(written: string): { readonly code: string; readonly message: string; readonly help: string } {
  const colon = written.indexOf(":");
  return {
    code: "document/space-after-colon",
    message: `\`${written}\` has no space after its colon, so YAML reads it as one word.`,
    help: `Write \`${written.slice(0, colon)}: ${written.slice(colon + 1)}\`.`,
  };
}

function mergeKey(key: TextNode): Diagnostic {
  return {
    code: "document/merge-key",
    severity: "error",
    message: "`<<` is a merge key of YAML; a Nonet document does not follow them.",
    span: key.span,
    help: "Write the entries out here.",
  };
}

function duplicateKey(key: TextNode, earlier: TextNode): Diagnostic {
  return {
    code: "document/duplicate-key",
    severity: "error",
    message: `\`${key.value}\` stands twice in this map; it is already on line ${earlier.span.start.line}.`,
    span: key.span,
    why: "Each fact stands once; only the first was read.",
    help: "Leave one of the two out, or give it a name of its own.",
  };
}

/**
 * Reports a suspect comment. ` #` ends an unquoted value and starts a comment, which the author may not have intended if no
 * space follows (`/a #b/`) or if the value before it has an open bracket (`string(1..80 # …`).
 */
function reportCutComment(written: string, end: number, walk: Walk): void {
  const { text } = walk.source;
  if (written === "" || text[end] === undefined || (text[end] !== " " && text[end] !== "\t")) return;
  const comment = /[ \t]+(#[^\n]*)/y;
  comment.lastIndex = end;
  const found = comment.exec(text);
  const cut = found?.[1];
  if (found === null || cut === undefined || !(/^#[^\s#]/.test(cut) || isOpen(written))) return;
  const entryText = (written + found[0]).trimEnd();
  const start = end - written.length;
  walk.diagnostics.push({
    code: "document/comment-cuts-value",
    severity: "warning",
    message: `The value ends before \`${cut.trimEnd()}\`: a \`#\` after a space starts a comment.`,
    span: spanAt(walk.source, end + found[0].length - cut.length, end + found[0].trimEnd().length),
    help: `Write \`${quotedForm(entryText)}\` if it belongs to the value, or \`# \` with a space if it is a comment.`,
    fix: {
      title: "Put the whole value in quotes",
      span: spanAt(walk.source, start, start + entryText.length),
      text: quotedForm(entryText),
    },
  });
}

function isOpen(written: string): boolean {
  const count = (character: string): number => written.split(character).length;
  return count("(") > count(")") || count("[") > count("]") || count("{") > count("}");
}

function reportExtraValues(parsed: readonly yaml.Document[], walk: Walk): void {
  const extra = parsed.slice(1).find((document) => document.contents !== null && !isEmptyScalar(document.contents));
  if (!extra) return;
  const start = (extra.contents as ParsedNode).range?.[0] ?? extra.range?.[0] ?? 0;
  walk.diagnostics.push({
    code: "document/several-values",
    severity: "error",
    message: "A second YAML value starts here; a block holds one.",
    span: spanAt(walk.source, walk.from + start, walk.from + start + 1),
    why: "Only the first was read.",
    help: "Leave the line `---` out, or write a second block.",
  });
}

function isEmptyScalar(contents: unknown): boolean {
  return yaml.isScalar(contents) && contents.value === "";
}

function reportDirective(text: string, walk: Walk): void {
  const line = /^%.*/m.exec(text);
  if (!line) return;
  walk.diagnostics.push({
    code: "document/yaml-directive",
    severity: "error",
    message: `\`${line[0].trimEnd()}\` is a directive of YAML and has no meaning here.`,
    span: spanAt(walk.source, walk.from + line.index, walk.from + line.index + line[0].trimEnd().length),
    help: "Leave the line out.",
  });
}

// Fixes

function fixesFor(attempt: Attempt, source: Source): readonly QuickFix[] {
  const fixes: QuickFix[] = [];
  // The end of the last examined line: errors are sorted, and each line is examined once.
  let done = -1;
  for (const [index, parseError] of attempt.errors.toSorted((a, b) => a.start - b.start).entries()) {
    // An error that follows from an earlier one is not fixed on its own line.
    if (parseError.start <= done || (parseError.code === "document/yaml-out-of-place" && index > 0)) continue;
    const start = source.text.lastIndexOf("\n", parseError.start - 1) + 1;
    const end = source.text.indexOf("\n", parseError.start);
    done = end < 0 ? source.text.length : end;
    const fix = fixLine({ text: source.text.slice(start, done), start, parseError: parseError.start - start, source });
    if (fix) fixes.push(fix);
  }
  return fixes;
}

/** Returns the remaining errors, one for each line, without errors that only follow from the first break. */
function listed(errors: readonly ParseError[], source: Source): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const lines = new Set<number>();
  let adrift = false;
  for (const parseError of errors) {
    const lost = parseError.code === "document/yaml-out-of-place";
    if (lost && adrift) continue;
    adrift ||= parseError.breaks;
    const span = spanAt(source, parseError.start, Math.max(parseError.end, parseError.start));
    if (lines.has(span.start.line)) continue;
    lines.add(span.start.line);
    const { code, message, why, help } = parseError;
    diagnostics.push({ code, severity: "error", message, span, ...(why && { why }), ...(help && { help }) });
    if (diagnostics.length === mostErrors) break;
  }
  return diagnostics;
}

// Parsing each entry separately

/**
 * Parses the map from `from` to `to` entry by entry; undefined if the lines do not look like a map. Reports nothing, since the
 * whole text has already been reported.
 */
function readByEntries(source: Source, from: number, to: number, depth: number): MapNode | undefined {
  const chunks = entryChunks(source.text, from, to);
  if (chunks.length === 0 || depth > deepest) return undefined;
  const entries: Entry[] = [];
  const keys = new Set<string>();
  for (const chunk of chunks) {
    for (const entry of readChunk(source, chunk, depth)) {
      if (keys.has(entry.key.value)) continue;
      keys.add(entry.key.value);
      entries.push(entry);
    }
  }
  const first = entries[0];
  const last = entries.at(-1);
  return first && last && { kind: "map", entries, span: { start: first.key.span.start, end: last.value.span.end } };
}

function readChunk(source: Source, chunk: Chunk, depth: number): readonly Entry[] {
  const attempt = attemptAt(source, chunk.from, chunk.to);
  const read = attempt.node?.kind === "map" ? attempt.node.entries : [];
  if (!attempt.errors.some((parseError) => parseError.breaks)) return read;
  const entry = read[0];
  const inner = entry && chunk.body !== undefined && readByEntries(source, chunk.body, chunk.to, depth + 1);
  return inner ? [{ key: entry.key, value: inner }] : read;
}

interface Chunk {
  readonly from: number;
  readonly to: number;
  /** The offset of the lines below a `key:` that is alone on its line. */
  readonly body?: number;
}

/** Splits the text into pieces that start with a `key:` at the smallest indentation. */
function entryChunks(text: string, from: number, to: number): readonly Chunk[] {
  const lines = [...text.slice(from, to).matchAll(/^( *)([^\s#].*)$/gm)];
  // `reduce` instead of one call of `Math.min`, since a call cannot have an argument for each line of a long text.
  const indent = lines.reduce((least, line) => Math.min(least, line[1]?.length ?? 0), Number.POSITIVE_INFINITY);
  const heads = lines.filter(
    (line) => line[1]?.length === indent && /^[^\s{["'#-][^#]*?:(\s|$)|^"[^"]*":(\s|$)/.test(line[2] ?? ""),
  );
  if (heads.length === 0 || (heads.length < 2 && lines.length < 2)) return [];
  return heads.map((head, index) => {
    const start = from + head.index;
    const next = heads[index + 1];
    const hasBody = /:\s*(#.*)?$/.test(head[2] ?? "");
    return { from: start, to: next ? from + next.index : to, ...(hasBody && { body: start + head[0].length + 1 }) };
  });
}
