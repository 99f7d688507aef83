/**
 * Reads types (language, section 4):
 *
 *     type        = alternative { "|" alternative }
 *     alternative = scalar [bounds] [pattern] | "datetime(" unit ")" | pattern | "id" [ "(" prefix ")" ]
 *                 | "id(" [ prefix "," ] length [ "," alphabet ] ")"   alphabet: `0-9a-f`
 *                 | "map(" type ")" | Name | value
 *                 | "(" type ")"                                   each followed by any number of "[]" [bounds]
 *                 | "file(.." size [ "," media { "|" media } ] ")" media: `image/png`, `image/*`
 *     bounds      = "(" n ")" | "(" [a] ".." [b] ")"
 *     pattern     = "/" regular expression "/"                     a slash in it is written \/ or inside a class
 *     value       = word | quoted text
 *
 * Two or more alternatives, not counting `null`, are a list of values: open if `string` is among them, else closed. A list
 * whose values are all names of types is an error, since it could mean either; quotes make them values. A single word is a
 * type; a single quoted text is a closed list with one value.
 */
import { RE2JS } from "@bufbuild/re2";
import { parseSize } from "../../base/bytes.ts";
import type { Span } from "../../base/span.ts";
import { unixUnits } from "../../base/unix-time.ts";
import { didYouMean } from "../../base/suggest.ts";
import { toJson } from "../../document/data.ts";
import type { Node } from "../../document/document.ts";
import { type SourceText, sourceTextOf, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import { expectText, knownEntries, type Path, locateAll, type Reader, report } from "../grammar/reader.ts";
import { charactersOf, leastBits, longestId, usualAlphabet } from "./id-form.ts";
import { type FieldType, type ScalarName, scalarNames } from "./model.ts";

/** The reader's position in a one-line form; `part` is the first half of the codes of its findings. */
export interface Cursor {
  readonly reader: Reader;
  readonly part: string;
  readonly sourceText: SourceText;
  at: number;
}

/** Reads a type: on one line, or `{ type }` or `{ schema }`. Reports anything else and returns undefined. */
export function readFieldType(reader: Reader, path: Path, node: Node): FieldType | undefined {
  const part = path[0] ?? "";
  if (node.kind !== "map") {
    const text = expectText(reader, path, node, "A type");
    return text && readType(reader, part, sourceTextOf(text));
  }
  const { type, schema } = knownEntries(reader, path, node, ["type", "schema"], "A type");
  if (schema !== undefined && type === undefined) {
    locateAll(reader, [...path, "schema"], schema.value);
    return { kind: "schema", schema: toJson(schema.value) };
  }
  if (type !== undefined && schema === undefined) return readFieldType(reader, [...path, "type"], type.value);
  report(reader, `${part}/no-type`, node.span, "This needs either a type or a schema", {
    help: "write `string(1..80)`",
  });
  return undefined;
}

/** Reads a type that is the whole text. Reports any other text and returns undefined. */
export function readType(reader: Reader, part: string, sourceText: SourceText): FieldType | undefined {
  const cursor: Cursor = { reader, part, sourceText, at: 0 };
  const type = typeAt(cursor);
  if (type !== undefined && skipBlanks(cursor) < sourceText.text.length) {
    const rest = slice(sourceText, cursor.at);
    complain(cursor, "unexpected-words", spanOf(rest), `\`${rest.text}\` does not belong to a type`);
    return undefined;
  }
  return type;
}

/** Reads the type that starts at the cursor, and moves the cursor behind it. */
export function typeAt(cursor: Cursor): FieldType | undefined {
  const start = skipBlanks(cursor);
  const alternatives: Alternative[] = [];
  do {
    skipBlanks(cursor);
    const alternative = alternativeAt(cursor);
    if (alternative === undefined) return undefined;
    alternatives.push(alternative);
  } while (eat(cursor, "|"));
  const rest = alternatives.filter((one) => !(one.kind === "word" && one.text === "null"));
  const type = joined(cursor, rest, spanOf(slice(cursor.sourceText, start, cursor.at)));
  return type === undefined || rest.length === alternatives.length ? type : { kind: "nullable", of: type };
}

/** Skips blanks and returns the position of the cursor. */
export function skipBlanks(cursor: Cursor): number {
  while (/\s/.test(cursor.sourceText.text[cursor.at] ?? "")) cursor.at++;
  return cursor.at;
}

/** One alternative between two `|`: only the other alternatives decide whether a bare word is a type or a value. */
type Alternative =
  | { readonly kind: "word"; readonly text: string; readonly span: Span }
  | { readonly kind: "quoted"; readonly text: string; readonly span: Span }
  | { readonly kind: "type"; readonly type: FieldType; readonly span: Span };

function joined(cursor: Cursor, alternatives: readonly Alternative[], span: Span): FieldType | undefined {
  const [first] = alternatives;
  if (first === undefined) {
    return complain(cursor, "unknown-type", span, "`null` alone is not a type", "add the other type: `string | null`");
  }
  if (alternatives.length === 1) return single(cursor, first);
  const typed = alternatives.find((one) => one.kind === "type");
  if (typed !== undefined) {
    const help = "write a list of values as `a | b`, an open one as `a | b | string`, a list of them as `(a | b)[]`";
    return complain(
      cursor,
      "not-a-value",
      typed.span,
      "Alternatives separated by `|` have to be values, not types",
      help,
    );
  }
  if (alternatives.every((one) => one.kind === "word" && isScalar(one.text))) {
    const quoted = alternatives.map((one) => (one.kind === "type" ? "" : `"${one.text}"`)).join(" | ");
    return complain(
      cursor,
      "union-of-types",
      span,
      "A field has one type, but these words are all names of types",
      `if they are values, write \`${quoted}\``,
    );
  }
  const values: string[] = [];
  let open = false;
  for (const one of alternatives) {
    if (one.kind === "word" && one.text === "string") open = true;
    else if (one.kind !== "type") values.push(one.text);
  }
  return { kind: "one-of", values, open };
}

function single(cursor: Cursor, one: Alternative): FieldType | undefined {
  if (one.kind === "type") return one.type;
  if (one.kind === "quoted") return { kind: "one-of", values: [one.text], open: false };
  return named(cursor, one.text, one.span);
}

function named(cursor: Cursor, word: string, span: Span): FieldType | undefined {
  if (isScalar(word)) return { kind: "scalar", name: word };
  if (word === "id") return { kind: "id", made: "server" };
  if (/^[A-Z][A-Za-z0-9]*$/.test(word)) return { kind: "named", name: word };
  const near = didYouMean(word, typeWords) ?? foreignNames[word.toLowerCase()];
  report(cursor.reader, `${cursor.part}/unknown-type`, span, `There is no type \`${word}\``, {
    known: typeWords,
    help:
      near === undefined
        ? `the types are ${scalarNames.join(", ")}, id(prefix), map(T), file(..5MB), or a name with a capital`
        : `did you mean \`${near}\`?`,
    ...(near === undefined ? {} : { fix: { title: `write \`${near}\``, span, text: near } }),
  });
  return undefined;
}

const typeWords: readonly string[] = [...scalarNames, "id", "map"];

/** Names of types in other languages, with the type of this language. */
const foreignNames: Readonly<Record<string, ScalarName>> = {
  int: "integer", int32: "integer", int64: "integer", long: "integer", str: "string", varchar: "string", char: "string",
  bool: "boolean", float: "number", double: "number", timestamp: "datetime", instant: "datetime", uri: "url", guid: "uuid",
  binary: "bytes", blob: "bytes", object: "json", any: "json", amount: "money", interval: "duration",
}; // biome-ignore format: a table

function alternativeAt(cursor: Cursor): Alternative | undefined {
  const start = cursor.at;
  const { text } = cursor.sourceText;
  const here = (): Span => spanOf(slice(cursor.sourceText, start, cursor.at));
  const character = text[start];
  let base: Alternative | undefined;
  if (character === '"' || character === "'") base = quotedAt(cursor, start, character);
  else if (character === "(") base = groupAt(cursor);
  else if (character === "/") base = patternAt(cursor, "string");
  else base = wordAt(cursor);
  if (base === undefined) return undefined;
  let type = base.kind === "type" ? base.type : undefined;
  while (text.startsWith("[]", cursor.at)) {
    type ??= single(cursor, base);
    cursor.at += 2;
    const bounds = text[cursor.at] === "(" ? boundsAt(cursor, "length") : {};
    if (type === undefined || bounds === undefined) return undefined;
    type = { kind: "list", of: type, ...bounds };
  }
  return type === undefined ? base : { kind: "type", type, span: here() };
}

function groupAt(cursor: Cursor): Alternative | undefined {
  const start = cursor.at++;
  const type = typeAt(cursor);
  if (type === undefined || !close(cursor, start)) return undefined;
  return { kind: "type", type, span: spanOf(slice(cursor.sourceText, start, cursor.at)) };
}

/** Reads a quoted value: `"in transit"`; a backslash escapes the next character. */
function quotedAt(cursor: Cursor, start: number, quote: string): Alternative | undefined {
  const { text } = cursor.sourceText;
  let value = "";
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") value += text[++index] ?? "";
    else if (text[index] === quote) {
      cursor.at = index + 1;
      return { kind: "quoted", text: value, span: spanOf(slice(cursor.sourceText, start, cursor.at)) };
    } else value += text[index];
  }
  const span = spanOf(slice(cursor.sourceText, start));
  return complain(cursor, "unclosed", span, "This quoted value does not end", `end it with \`${quote}\``);
}

function wordAt(cursor: Cursor): Alternative | undefined {
  const { sourceText } = cursor;
  const start = cursor.at;
  const [word = ""] = /^[^\s|,()[\]{}=:"'/]+/.exec(sourceText.text.slice(start)) ?? [];
  if (word === "") {
    const rest = slice(sourceText, start);
    const what = rest.text === "" ? "The type is missing" : `A type cannot start with \`${rest.text[0]}\``;
    const span = rest.text === "" ? spanOf(sourceText) : spanOf(slice(sourceText, start, start + 1));
    return complain(cursor, "unknown-type", span, what, "write the type, as in `string(1..80)`");
  }
  cursor.at += word.length;
  const span = spanOf(slice(sourceText, start, cursor.at));
  if (isScalar(word)) return scalarAt(cursor, word, start, span);
  if (sourceText.text[cursor.at] !== "(") return { kind: "word", text: word, span };
  if (word === "id") return idAt(cursor, start);
  if (word === "map") return mapAt(cursor, start);
  if (word === "file") return fileAt(cursor, start);
  const near = foreignNames[word.toLowerCase()];
  if (near !== undefined) {
    report(cursor.reader, `${cursor.part}/unknown-type`, span, `There is no type \`${word}\``, {
      help: `did you mean \`${near}\`?`,
      fix: { title: `write \`${near}\``, span, text: near },
    });
    return undefined;
  }
  const help =
    word === "enum" ? "write a list of values as `a | b | c`" : "only scalars, id, map and file take brackets";
  return complain(cursor, "unknown-type", span, `\`${word}\` takes no brackets`, help);
}

function scalarAt(cursor: Cursor, name: ScalarName, start: number, span: Span): Alternative | undefined {
  const { text } = cursor.sourceText;
  if (text[cursor.at] === "(") {
    if (name === "datetime") return unixTimeAt(cursor, start);
    const open = cursor.at;
    const measure = measures[name];
    const bounds = boundsAt(cursor, measure ?? "value");
    if (bounds === undefined) return undefined;
    if (measure === undefined) {
      const brackets = spanOf(slice(cursor.sourceText, open, cursor.at));
      return complain(
        cursor,
        "no-bounds",
        brackets,
        `\`${name}\` has neither a length nor a range`,
        `write \`${name}\``,
      );
    }
    const type: FieldType = { kind: "scalar", name, ...bounds };
    const before = cursor.at;
    if (text[skipBlanks(cursor)] === "/") return patternAt(cursor, name, bounds);
    cursor.at = before;
    return { kind: "type", type, span: spanOf(slice(cursor.sourceText, start, cursor.at)) };
  }
  const before = cursor.at;
  if (text[skipBlanks(cursor)] === "/") return patternAt(cursor, name);
  cursor.at = before;
  return { kind: "word", text: name, span };
}

/** Reads `datetime(seconds)`: the unit of Unix time. */
function unixTimeAt(cursor: Cursor, start: number): Alternative | undefined {
  const open = cursor.at;
  const end = cursor.sourceText.text.indexOf(")", open);
  if (end < 0) return unclosed(cursor, open);
  const written = slice(cursor.sourceText, open + 1, end).text.trim();
  cursor.at = end + 1;
  const span = spanOf(slice(cursor.sourceText, start, cursor.at));
  const unit = unixUnits.find((one) => one === written);
  if (unit !== undefined) return { kind: "type", type: { kind: "scalar", name: "datetime", unix: unit }, span };
  const near = /^(?:s|sec|second|unix|epoch)$/.test(written) ? "seconds" : "milliseconds";
  return complain(
    cursor,
    "bad-unix-time",
    span,
    `\`${written}\` is no unit of Unix time`,
    `write \`datetime(${didYouMean(written, unixUnits) ?? near})\`, or \`datetime\` for a text of RFC 3339`,
  );
}

/** Reads `file(..5MB, image/png | image/jpeg)`. The size is required, so that the space for files is known. */
function fileAt(cursor: Cursor, start: number): Alternative | undefined {
  const { text } = cursor.sourceText;
  const end = text.indexOf(")", cursor.at);
  if (end < 0) return unclosed(cursor, cursor.at);
  const [size = "", ...listed] = text.slice(cursor.at + 1, end).split(",");
  cursor.at = end + 1;
  const span = spanOf(slice(cursor.sourceText, start, cursor.at));
  const max = parseSize(size.trim().replace(/^\.\.\s*/, ""));
  const media =
    listed.length === 0
      ? []
      : listed
          .join(",")
          .split("|")
          .map((one) => one.trim().toLowerCase());
  if (max === undefined || max === 0 || !size.trim().startsWith("..") || !media.every((one) => mediaRange.test(one))) {
    const written = slice(cursor.sourceText, start, cursor.at).text;
    return complain(
      cursor,
      "bad-file",
      span,
      `\`${written}\` needs the largest size of the file, and may list media types`,
      "write `file(..5MB)`, `file(..5MB, image/*)` or `file(..1MB, image/png | image/jpeg)`",
    );
  }
  return { kind: "type", type: { kind: "file", max, media }, span };
}

const mediaRange = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

/** What the bounds of a scalar limit; other scalars take no bounds. */
export const measures: { readonly [Name in ScalarName]?: "length" | "value" } = {
  string: "length", text: "length", email: "length", url: "length", phone: "length", bytes: "length",
  integer: "value", number: "value", decimal: "value", money: "value",
}; // biome-ignore format: a table

/** The scalars that take a pattern. */
export const patterned: readonly ScalarName[] = ["string", "text", "email", "url", "phone"];

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** Reads bounds: `(n)`, `(a..b)`, `(a..)`, `(..b)`. */
function boundsAt(cursor: Cursor, measure: "length" | "value"): Bounds | undefined {
  const start = cursor.at;
  const end = cursor.sourceText.text.indexOf(")", start);
  if (end < 0) return unclosed(cursor, start);
  cursor.at = end + 1;
  const inner = slice(cursor.sourceText, start + 1, end);
  const number = measure === "length" ? "\\d+" : "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
  const match = new RegExp(`^(?:(${number})|(${number})?\\s*\\.\\.\\s*(${number})?)$`).exec(inner.text);
  const [, exact, low, high] = match ?? [];
  if (exact !== undefined) return { min: Number(exact), max: Number(exact) };
  const span = spanOf(slice(cursor.sourceText, start, end + 1));
  if (low === undefined && high === undefined) {
    const help =
      measure === "length"
        ? "write `(6)`, `(1..80)`, `(1..)` or `(..80)` with whole numbers"
        : "write `(0.1..30)`, `(0..)` or `(..100)`";
    return complain(
      cursor,
      "bad-bounds",
      span,
      `\`(${inner.text})\` is not a ${measure === "length" ? "length" : "range"}`,
      help,
    );
  }
  const bounds: Bounds = {
    ...(low === undefined ? {} : { min: Number(low) }),
    ...(high === undefined ? {} : { max: Number(high) }),
  };
  if (bounds.min !== undefined && bounds.max !== undefined && bounds.min > bounds.max) {
    return complain(
      cursor,
      "empty-range",
      span,
      `The range \`(${inner.text})\` contains no value`,
      `write \`(${high}..${low})\``,
    );
  }
  return bounds;
}

/** Reads a pattern `/…/`. A slash ends it unless the slash is escaped or in a character class, as in JavaScript. */
function patternAt(cursor: Cursor, name: ScalarName, bounds: Bounds = {}): Alternative | undefined {
  const { text } = cursor.sourceText;
  const start = cursor.at;
  let pattern = "";
  let inClass = false;
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index] as string;
    if (character === "\\") {
      const next = text[++index] ?? "";
      pattern += next === "/" ? "/" : character + next;
    } else if (character === "/" && !inClass) {
      cursor.at = index + 1;
      return patternType(cursor, name, bounds, pattern, start);
    } else {
      if (character === "[") inClass = true;
      if (character === "]") inClass = false;
      pattern += character;
    }
  }
  const span = spanOf(slice(cursor.sourceText, start));
  return complain(cursor, "unclosed", span, "This regular expression does not end", "end it with `/`");
}

function patternType(
  cursor: Cursor,
  name: ScalarName,
  bounds: Bounds,
  pattern: string,
  start: number,
): Alternative | undefined {
  const span = spanOf(slice(cursor.sourceText, start, cursor.at));
  if (!patterned.includes(name)) {
    return complain(
      cursor,
      "no-pattern",
      span,
      `\`${name}\` takes no regular expression`,
      `only ${patterned.join(", ")} do`,
    );
  }
  if (pattern === "") return complain(cursor, "bad-pattern", span, "This regular expression is empty");
  if (!compiles(pattern)) {
    const help = "the service matches it in linear time, so look-around and back-references are not supported";
    return complain(cursor, "bad-pattern", span, `\`${pattern}\` is not a regular expression of RE2`, help);
  }
  return { kind: "type", type: { kind: "scalar", name, ...bounds, pattern }, span };
}

function compiles(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

function idAt(cursor: Cursor, start: number): Alternative | undefined {
  const open = cursor.at;
  const end = cursor.sourceText.text.indexOf(")", open);
  if (end < 0) return unclosed(cursor, open);
  const inner = slice(cursor.sourceText, open + 1, end);
  const [first = inner, ...more] = splitAt(inner, ",");
  cursor.at = end + 1;
  const span = spanOf(slice(cursor.sourceText, start, cursor.at));
  if (inner.text === "counter") return { kind: "type", type: { kind: "id", made: "counter" }, span };
  const prefix = /^[0-9]+$/.test(first.text) ? undefined : first.text;
  if (prefix !== undefined && !prefixes.test(prefix)) return badPrefix(cursor, first, span);
  const named = prefix === undefined ? {} : { prefix };
  const isUsual = prefix !== undefined && more.length === 0;
  const form = isUsual ? {} : randomForm(cursor, prefix === undefined ? [first, ...more] : more, prefix, span);
  return form && { kind: "type", type: { kind: "id", ...named, made: "server", ...form }, span };
}

const prefixes = /^[a-z][a-z0-9_]*$/;

function badPrefix(cursor: Cursor, prefix: SourceText, span: Span): undefined {
  const at = prefix.text === "" ? span : spanOf(prefix);
  const message = `\`${prefix.text}\` cannot be the prefix of an id`;
  return complain(cursor, "bad-prefix", at, message, "write a few small letters, as in `id(par)`");
}

/** Reads the length and the alphabet of random ids. Fewer combinations could be guessed, and would collide. */
function randomForm(
  cursor: Cursor,
  [length, alphabet, rest]: readonly SourceText[],
  prefix: string | undefined,
  span: Span,
): { readonly length: number; readonly alphabet?: string } | undefined {
  const count = /^[1-9][0-9]?$/.test(length?.text ?? "") ? Number(length?.text) : undefined;
  if (length === undefined || count === undefined || rest !== undefined) {
    const at = length === undefined || rest !== undefined ? span : spanOf(length);
    const written = (length ?? rest)?.text ?? "";
    const message = `\`${written}\` is not the length of an id`;
    return complain(cursor, "bad-id", at, message, "write `id(cus, 14)`, or `id(cus, 24, 0-9a-f)` with the characters");
  }
  const characters = charactersOf(alphabet?.text ?? usualAlphabet);
  if (characters === undefined) {
    const message = `\`${alphabet?.text}\` does not list the characters of an id`;
    const help = "write ranges and characters, each once, the hyphen last: `0-9a-f`, `A-Za-z0-9_-`";
    return complain(cursor, "bad-id", alphabet === undefined ? span : spanOf(alphabet), message, help);
  }
  const all = (prefix === undefined ? 0 : prefix.length + 1) + count;
  if (all > longestId) {
    const message = `An id of ${all} characters is too long; ${longestId} are allowed`;
    return complain(cursor, "bad-id", spanOf(length), message, "write a smaller length");
  }
  const needed = Math.ceil(leastBits / Math.log2(characters.length));
  if (count < needed) {
    const message = `${count} of ${characters.length} characters are too few combinations: ids could be guessed, and collide`;
    return complain(
      cursor,
      "bad-id",
      spanOf(length),
      message,
      `write a length of at least ${needed}, or \`id(counter)\``,
    );
  }
  const written = alphabet?.text;
  return { length: count, ...(written === undefined || written === usualAlphabet ? {} : { alphabet: written }) };
}

function mapAt(cursor: Cursor, start: number): Alternative | undefined {
  const open = cursor.at++;
  const of = typeAt(cursor);
  if (of === undefined || !close(cursor, open)) return undefined;
  return { kind: "type", type: { kind: "map", of }, span: spanOf(slice(cursor.sourceText, start, cursor.at)) };
}

function close(cursor: Cursor, open: number): boolean {
  skipBlanks(cursor);
  if (eat(cursor, ")")) return true;
  unclosed(cursor, open);
  return false;
}

function unclosed(cursor: Cursor, open: number): undefined {
  return complain(
    cursor,
    "unclosed",
    spanOf(slice(cursor.sourceText, open)),
    "This bracket is not closed",
    "end it with `)`",
  );
}

/** Skips blanks and `separator`; returns whether `separator` came next. */
function eat(cursor: Cursor, separator: string): boolean {
  const before = cursor.at;
  if (cursor.sourceText.text[skipBlanks(cursor)] === separator) {
    cursor.at++;
    return true;
  }
  cursor.at = before;
  return false;
}

function complain(cursor: Cursor, slug: string, span: Span, message: string, help?: string): undefined {
  report(cursor.reader, `${cursor.part}/${slug}`, span, message, help === undefined ? {} : { help });
  return undefined;
}

function isScalar(word: string): word is ScalarName {
  return (scalarNames as readonly string[]).includes(word);
}
