/**
 * Completes a word of a document. The language answers itself what is possible at the cursor: a placeholder replaces the word
 * there, the part around it is read, and the readers tell which keys and words they know in its place, the references which
 * kind of name it is, and the expressions which names it can use. So a text that is half-written elsewhere does no harm.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { readDocument } from "../document/read.ts";
import type { Node } from "../document/document.ts";
import { checks } from "../language/checks.ts";
import { diagnosticOf } from "../language/analysis/finding-diagnostic.ts";
import { type DocumentIndex, indexDocument } from "../language/analysis/document-index.ts";
import { expressionSites } from "../language/analysis/expressions.ts";
import { anyRole } from "../language/authentication/grants.ts";
import { standardErrors } from "../language/errors/model.ts";
import type { Reference, ReferenceKind } from "../language/grammar/references.ts";
import { documentKeys, partHeadings, partOfHeading } from "../language/grammar/sections.ts";
import { type Model, type PartName, partNames } from "../language/model.ts";
import { readModel } from "../language/read.ts";
import { defaults } from "../language/resources/field.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Analysis } from "./analysis.ts";
import { type PartText, partAt } from "./blocks.ts";
import { describe, summary } from "./describe.ts";
import { completeExpression } from "./complete-expression.ts";
import { declarationsIn, referencesOf } from "./names.ts";
import type { ReferencePages } from "./reference-pages.ts";

export interface Completion {
  readonly label: string;
  readonly kind: "key" | "word" | "function" | "variable" | "text" | ReferenceKind;
  /** One line: the type, the owner, or what it is. */
  readonly detail?: string;
  /** Markdown. */
  readonly documentation?: string;
  /** The text to write, if it differs from the label. */
  readonly insert?: string;
}

export interface Completions {
  /** The offsets of the word that a completion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
}

/** No author writes this word. It is a valid name of everything that begins with a small letter. */
const placeholder = "zqnonetcursorqz";
const capital = `Z${placeholder}`;

/** `analysis`: the last analysis of the document; its text may be an older one. `text`: the text at present. */
export function complete(analysis: Analysis, text: string, offset: number, pages: ReferencePages): Completions {
  const [start, end] = wordAt(text, offset);
  const around = partAt(analysis.name, text, offset);
  const found = new Map<string, Completion>();
  const add = (items: readonly Completion[]): void => {
    for (const item of items) if (!found.has(item.label)) found.set(item.label, item);
  };
  if (around.part === undefined || !around.isBlock) add(outside(text, start, around));
  else {
    const { part } = around;
    for (const one of placeholders(text, start, end, around)) {
      const answer = probe(analysis, text, [start, end], { ...around, part }, one);
      const expressions = expressionItems(answer, pages);
      add(expressions.length > 0 ? expressions : itemsOf(answer, analysis, pages));
      // An expression is nothing else too.
      if (expressions.length > 0) break;
    }
  }
  return quoted({ start, end, items: [...found.values()] }, text);
}

/** A key that is completed in quotes ends its quote: `"type": `. */
function quoted({ end, items, start }: Completions, text: string): Completions {
  const { after, before } = quoteAround(text, start, end);
  if (before === "") return { start, end, items };
  return {
    start,
    end: end + after.length,
    items: items.map((item) => ({
      ...item,
      insert:
        item.insert?.endsWith(": ") === true ? `${item.insert.slice(0, -2)}${before}: ` : `${item.label}${before}`,
    })),
  };
}

/** Returns the offsets of the word around an offset. */
function wordAt(text: string, offset: number): readonly [start: number, end: number] {
  const before = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0] ?? "";
  const after = /^[\w-]*/.exec(text.slice(offset, offset + 100))?.[0] ?? "";
  // The minus of a computation or of an order belongs to no word.
  const start = offset - before.replace(/^-+/, "").length;
  return [start, offset + after.length];
}

/** Completes headings of parts that are missing, and the keys of the one-file form. */
function outside(text: string, start: number, { isData }: PartText): readonly Completion[] {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  if (isData) {
    if (line.trim() !== "" && !/^[\s{"]*$/.test(line)) return [];
    return documentKeys.map((label) => ({ label, kind: "key", insert: `${label}: ` }));
  }
  if (!/^##\s/.test(line)) return [];
  const present = new Set([...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => partOfHeading(heading)));
  return partNames
    .filter((part) => !present.has(part))
    .map((part) => ({ label: partHeadings[part][0], kind: "text", detail: `part ${partNames.indexOf(part) + 1}` }));
}

// ── Placeholders ───────────────────────────────────────────────────────────────────────────────────────────────────

/** What to write in place of the word, and the brackets that are missing at the end of its line. */
interface Placeholder {
  readonly written: string;
  readonly closing: string;
}

/** Returns a placeholder for each thing that the word might be: a key, a value, a name with a capital. */
function placeholders(text: string, start: number, end: number, { start: from }: PartText): readonly Placeholder[] {
  const quote = quoteAround(text, start, end);
  const line = text.slice(Math.max(from, text.lastIndexOf("\n", start - 1) + 1), start - quote.before.length);
  const rest = restOfLine(text, end).slice(quote.after.length);
  const flow = openBrackets(line).at(-1);
  const piece = flow === undefined ? line : line.slice(lastBreak(line));
  const isKeyed = /^\s*:(\s|$)/.test(rest);
  const mayBeKey = flow === undefined ? /^\s*(?:- +)*$/.test(line) : flow === "{" && !/:\s/.test(piece);
  const mayBeValue = !mayBeKey || /^\s*(?:- +)+$/.test(line);
  // The quote that closes the word closes the value of a new key.
  const keyed = (word: string): string => (isKeyed ? word : `${word}${quote.before}: ${quote.after}x`);
  const open = quote.after === "" ? quote.before : "";
  // A guard without its error is no part of the model yet.
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const error = flow === undefined ? `\n${indent}else: x` : ", else: x";
  const guarded = /(?:^|[\s{,])if:\s/.test(piece) ? [`${placeholder}${open}${error}`] : [];
  const closing = openBrackets(line + rest)
    .toReversed()
    .map((one) => (one === "{" ? "}" : "]"))
    .join("");
  return [
    ...(mayBeKey || isKeyed ? [placeholder, capital].map(keyed) : []),
    ...(mayBeValue && !isKeyed ? [`${placeholder}${open}`, ...guarded, `${capital}${open}`] : []),
  ].map((written) => ({ written, closing }));
}

/** Returns the text from an offset to the end of its line, or to a comment. */
function restOfLine(text: string, offset: number): string {
  return /^(?:(?!\s#)[^\r\n])*/.exec(text.slice(offset))?.[0] ?? "";
}

/** Returns the quotes around a word that is a text in quotes: both empty if it is none, `after` if the text is not closed. */
function quoteAround(text: string, start: number, end: number): { readonly before: string; readonly after: string } {
  const before = /(?:^|[\s{[,:])(["'])$/.exec(text.slice(Math.max(0, start - 2), start))?.[1] ?? "";
  return { before, after: before !== "" && text.startsWith(before, end) ? before : "" };
}

/** Returns the brackets that are open at the end of a line, outermost first. */
function openBrackets(line: string): readonly string[] {
  const open: string[] = [];
  let quote = "";
  for (const [index, character] of [...line].entries()) {
    if (quote !== "") quote = character === quote ? "" : quote;
    // An apostrophe is no quote.
    else if (character === '"' || (character === "'" && /[\s{[,:]/.test(line.charAt(index - 1)))) quote = character;
    else if (character === "{" || character === "[") open.push(character);
    else if (character === "}" || character === "]") open.pop();
  }
  return open;
}

function lastBreak(line: string): number {
  return Math.max(line.lastIndexOf("{"), line.lastIndexOf("["), line.lastIndexOf(",")) + 1;
}

// ── Probes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Probe {
  readonly part: PartName;
  readonly word: string;
  readonly index: Pick<DocumentIndex, "document" | "model" | "places" | "sections">;
  readonly diagnostics: readonly Diagnostic[];
  /** The offset of the placeholder in the text that was read. */
  readonly at: number;
  readonly isKey: boolean;
}

/** Reads the part with the placeholder; the other parts are those of the last analysis. */
function probe(
  { index, name }: Analysis,
  text: string,
  [start, end]: readonly [number, number],
  around: PartText & { readonly part: PartName },
  { closing, written }: Placeholder,
): Probe {
  const { part } = around;
  const rest = restOfLine(text, end);
  const chunk = text.slice(around.start, start) + written + rest + closing + text.slice(end + rest.length, around.end);
  const { document } = readDocument(around.isData ? name : "part.md", chunk, { topLevelKeys: documentKeys });
  const { diagnostics, model: found, places, sections } = readModel(document);
  const model: Model = {
    ...index.model,
    [part]: found[part],
    status: { ...index.model.status, [part]: found.status[part] },
  };
  return {
    part,
    word: written.startsWith(capital) ? capital : placeholder,
    index: { document, model, places, sections },
    diagnostics,
    at: start - around.start,
    isKey: written.includes(":"),
  };
}

function itemsOf(found: Probe, analysis: Analysis, pages: ReferencePages): readonly Completion[] {
  const { index, part, word } = found;
  const words = knownWords(found, found.diagnostics);
  const inPart = referencesOf({ model: index.model }, [part]);
  const others = declarationsIn(analysis).filter(({ at }) => !at.startsWith(`${part}/`));
  const declared = [...inPart.filter(({ declares, name }) => declares && name !== word), ...others];
  const names = inPart
    .filter(({ declares, name }) => name === word && !declares)
    .flatMap((one) => namesFor(one, declared, found, analysis));
  const items = [...wordItems(words, found, pages), ...names, ...defaultItems(found, pages)];
  const present = wordsAround(found);
  const missing = items.filter(({ label }) => !present.has(label));
  if (items.length > 0 || word === capital) return missing;
  // No reader and no reference knows the word, but a check of the part may know which names are possible.
  return wordItems(knownWords(found, findingsOf(found, analysis)), found, pages)
    .filter(({ label }) => !present.has(label))
    .map((item) => ({
      ...item,
      ...(index.model.resources.resources[item.label] === undefined ? {} : { kind: "resource" }),
    }));
}

function knownWords({ at, word }: Probe, diagnostics: readonly Diagnostic[]): readonly string[] {
  const isHere = ({ span }: Diagnostic): boolean => span.start.offset <= at + word.length && span.end.offset >= at;
  return diagnostics.flatMap((one) => (one.known !== undefined && isHere(one) ? one.known : []));
}

function wordItems(words: readonly string[], { isKey, part }: Probe, pages: ReferencePages): Completion[] {
  return words.map((label): Completion => {
    const explanation = pages.explanation(part, label);
    return {
      label,
      kind: isKey ? "key" : "word",
      ...(explanation === undefined ? {} : { documentation: explanation.text }),
      ...(isKey ? { insert: `${label}: ` } : {}),
    };
  });
}

/**
 * Returns the words that are already written beside the placeholder, which nobody writes twice: other keys of its map, other
 * items of its list, and what the commas, `|` and `+` of one line separate.
 */
function wordsAround({ index: { document }, word }: Probe): ReadonlySet<string> {
  const { root, sections } = document;
  const nodes = root === undefined ? sections.flatMap(({ fences }) => fences.map(({ body }) => body)) : [root];
  const texts = firstDefined(nodes, (node) => node && textsAround(node, word)) ?? [];
  const pieces = texts.flatMap((text) => text.replace(/^unique\s/, "").split(/[,|+]/)).map((piece) => piece.trim());
  const before = pieces.find((piece) => piece.includes(word))?.split(word, 1)[0] ?? "";
  // `50 per page` has the words `per page`.
  const words = pieces.map((piece) => piece.replaceAll(/(?:^|\s)\d\S*/g, "").trim());
  return new Set(words.flatMap((one) => (one.startsWith(before) ? [one.slice(before.length)] : [])));
}

/** Returns the text that has the placeholder, and the texts beside it: the keys of its map, or the items of its list. */
function textsAround(node: Node, word: string): readonly string[] | undefined {
  if (node.kind === "text") return node.value.includes(word) ? [node.value] : undefined;
  const texts =
    node.kind === "list"
      ? node.items.flatMap((item) => (item.kind === "text" ? [item.value] : []))
      : node.entries.map(({ key }) => key.value);
  if (texts.some((text) => text.includes(word))) return texts;
  return firstDefined(node.kind === "list" ? node.items : node.entries.map(({ value }) => value), (one) =>
    textsAround(one, word),
  );
}

function firstDefined<One, Value>(all: readonly One[], find: (one: One) => Value | undefined): Value | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

// ── Names ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `all`: the references that declare a name. */
function namesFor(
  reference: Reference,
  all: readonly Reference[],
  found: Probe,
  analysis: Analysis,
): readonly Completion[] {
  const { at, form, kinds, of } = reference;
  const { model } = found.index;
  const isField = at.startsWith("resources/") && !at.startsWith("resources/views/");
  const wanted = kinds.filter((kind) => !(isField && kind === "view"));
  const owned = (kind: ReferenceKind): boolean => kind === "field" || kind === "state" || kind === "member";
  const declared = all.filter((one) =>
    wanted.some((kind) => one.kinds.includes(kind) && (!owned(kind) || one.of === of)),
  );
  const items = declared.map(({ kinds: [kind = "resource"], name }) => {
    const declaration = { kind, name, of };
    return {
      label: name,
      kind,
      detail: summary(analysis, declaration),
      documentation: describe(analysis, declaration),
      ...(form === "key" && found.isKey ? { insert: `${name}: ` } : {}),
    };
  });
  return [...items, ...furtherNames(wanted, of, model)];
}

/** Returns the names that the language itself declares. */
function furtherNames(kinds: readonly ReferenceKind[], of: string | undefined, model: Model): readonly Completion[] {
  const hasStates = of !== undefined && lookup(model.states, of) !== undefined && model.states[of] !== "none";
  return [
    ...(kinds.includes("error")
      ? Object.entries(standardErrors).map(([label, { status, title }]) => {
          return { label, kind: "error" as const, detail: `${status} ${title}` };
        })
      : []),
    ...(kinds.includes("role") ? anyRole.map((label) => ({ label, kind: "word" as const })) : []),
    ...(kinds.includes("field") && hasStates ? [{ label: "state", kind: "field" as const }] : []),
  ];
}

/** Completes the default of a field: the words that declare one, and the values of its type. */
function defaultItems({ at, index, part, word }: Probe, pages: ReferencePages): readonly Completion[] {
  if (word === capital) return [];
  for (const path of index.places.keys()) {
    if (!path.endsWith("/default")) continue;
    const span = index.places.get(`${path}#value`);
    if (span === undefined || span.start.offset !== at) continue;
    const [, resource = "", field = ""] = path.split("/");
    const type = lookup(
      lookup(index.model.resources.resources, resource)?.fields ?? {},
      field.replace(/\?$/, ""),
    )?.type;
    const values = type?.kind === "one-of" ? type.values : [];
    return [
      ...values.map((label) => ({ label, kind: "text" as const })),
      ...Object.keys(defaults).map((label): Completion => {
        const explanation = pages.explanation(part, label);
        return { label, kind: "word", ...(explanation && { documentation: explanation.text }) };
      }),
    ];
  }
  return [];
}

// ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────────

function expressionItems({ index, part, word }: Probe, pages: ReferencePages): readonly Completion[] {
  const site = expressionSites(index.model, part).find(({ text }) => text.includes(word));
  return site === undefined ? [] : completeExpression(index.model, site, site.text.indexOf(word), pages);
}

// ── Checks ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function findingsOf({ index, part }: Probe, { index: { typed, texts } }: Analysis): readonly Diagnostic[] {
  const documentIndex = indexDocument({ ...index, expressions: { typed, texts, problems: [] } });
  return checks
    .filter(({ code }) => code.startsWith(`${part}/`))
    .flatMap((check) =>
      [...check.run(documentIndex)].map((finding, at) => diagnosticOf(check, finding, documentIndex, at)),
    );
}
