/**
 * Reads a regular expression in RE2's syntax, and writes texts that should match it. A written text is a proposal: anchors, flags and
 * word boundaries have no influence on it, so the caller tests each text with RE2 itself.
 */
import { letters, lettersAndDigits, type Random } from "../random.ts";

export interface Pattern {
  /** The number of characters of the shortest and of the longest match. */
  readonly least: number;
  readonly most: number;
  /** Writes a match of about so many characters. `structure` chooses among alternatives and repetitions. */
  readonly write: (length: number, characters: Random, structure?: Random) => string;
}

/** Returns undefined if the pattern has a construct that this reader does not know. */
export function readPattern(pattern: string): Pattern | undefined {
  const cursor: Cursor = { characters: [...pattern], at: 0 };
  try {
    const part = alternativesAt(cursor);
    if (cursor.at < cursor.characters.length) return undefined;
    const write: Pattern["write"] = (length, characters, structure = characters) =>
      written(part, length, { characters, structure });
    return { least: part.least, most: part.most, write };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined;
    throw thrown;
  }
}

/** A part of a pattern, with the number of characters that it matches at least and at most. */
type Part =
  | { readonly kind: "character"; readonly options: readonly string[]; readonly least: 1; readonly most: 1 }
  | { readonly kind: "sequence"; readonly parts: readonly Part[]; readonly least: number; readonly most: number }
  | { readonly kind: "alternatives"; readonly parts: readonly Part[]; readonly least: number; readonly most: number }
  | {
      readonly kind: "repetition";
      readonly of: Part;
      readonly times: Range;
      readonly least: number;
      readonly most: number;
    };

type Range = readonly [min: number, max: number];

// ── Writing ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Choices {
  readonly characters: Random;
  readonly structure: Random;
}

function written(part: Part, length: number, choices: Choices): string {
  const target = Math.min(Math.max(length, part.least), part.most);
  switch (part.kind) {
    case "character":
      return choices.characters.pick(part.options);
    case "sequence":
      return writtenAll(part.parts, target, choices);
    case "alternatives": {
      const fitting = part.parts.filter(({ least, most }) => least <= target && target <= most);
      return written(choices.structure.pick(fitting.length === 0 ? part.parts : fitting), target, choices);
    }
    case "repetition": {
      const count = countOf(part.of, part.times, target, choices.structure);
      return writtenAll(
        Array.from({ length: count }, () => part.of),
        target,
        choices,
      );
    }
  }
}

/** Writes parts one after the other: each gets its least length, and a share of the rest. */
function writtenAll(parts: readonly Part[], length: number, choices: Choices): string {
  const rooms = parts.map(({ least, most }) => most - least);
  const roomsBehind = rooms.map(() => 0);
  for (let index = rooms.length - 2; index >= 0; index -= 1)
    roomsBehind[index] = (roomsBehind[index + 1] ?? 0) + (rooms[index + 1] ?? 0);
  let rest = length - parts.reduce((sum, { least }) => sum + least, 0);
  return parts
    .map((part, index) => {
      const most = Math.min(Math.max(rest, 0), rooms[index] ?? 0);
      const least = Math.min(most, Math.max(0, rest - (roomsBehind[index] ?? 0)));
      const extra = most === least ? least : choices.structure.integer(least, most);
      rest -= extra;
      return written(part, part.least + extra, choices);
    })
    .join("");
}

/** Returns how often a part is repeated, so that its repetitions can have the length. */
function countOf(of: Part, [min, max]: Range, length: number, structure: Random): number {
  const fewest = of.most === 0 ? min : Math.max(min, Math.ceil(length / of.most));
  const largest = of.least === 0 ? Math.min(max, fewest + 2) : Math.min(max, Math.floor(length / of.least));
  return fewest >= largest ? Math.min(fewest, max) : structure.integer(fewest, largest);
}

// ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Cursor {
  readonly characters: readonly string[];
  at: number;
}

class Unreadable extends Error {}

/** Whether a character belongs to a class. */
type Class = (character: string) => boolean;

function alternativesAt(cursor: Cursor): Part {
  const parts = [sequenceAt(cursor)];
  while (skip(cursor, "|")) parts.push(sequenceAt(cursor));
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const least = Math.min(...parts.map((part) => part.least));
  const most = Math.max(...parts.map((part) => part.most));
  return { kind: "alternatives", parts, least, most };
}

function sequenceAt(cursor: Cursor): Part {
  const parts: Part[] = [];
  while (cursor.at < cursor.characters.length && !isNext(cursor, "|") && !isNext(cursor, ")")) {
    const found = skip(cursor, "\\Q") ? literalAt(cursor) : [partAt(cursor)];
    const last = found.pop();
    parts.push(...found, ...(last === undefined ? [] : [repeatedAt(cursor, last)]));
  }
  return sequence(parts);
}

function sequence(parts: readonly Part[]): Part {
  const least = parts.reduce((sum, part) => sum + part.least, 0);
  const most = parts.reduce((sum, part) => sum + part.most, 0);
  return { kind: "sequence", parts, least, most };
}

const nothing: Part = sequence([]);

/** Reads the quantifiers behind a part; `?` behind one only prefers shorter matches. */
function repeatedAt(cursor: Cursor, part: Part): Part {
  const times = timesAt(cursor);
  if (times === undefined) return part;
  skip(cursor, "?");
  const [min, max] = times;
  const most = part.most === 0 || max === 0 ? 0 : part.most * max;
  return { kind: "repetition", of: part, times, least: part.least * min, most };
}

function timesAt(cursor: Cursor): Range | undefined {
  if (skip(cursor, "*")) return [0, Number.POSITIVE_INFINITY];
  if (skip(cursor, "+")) return [1, Number.POSITIVE_INFINITY];
  if (skip(cursor, "?")) return [0, 1];
  const found = matchAt(cursor, /^\{(\d+)(,?)(\d*)\}/);
  if (found === undefined) return undefined;
  const [, min, comma, max] = found;
  return [Number(min), comma === "" ? Number(min) : max === "" ? Number.POSITIVE_INFINITY : Number(max)];
}

/** Reads the characters up to `\E`. */
function literalAt(cursor: Cursor): Part[] {
  const parts: Part[] = [];
  while (cursor.at < cursor.characters.length && !skip(cursor, "\\E")) parts.push(character([next(cursor)]));
  return parts;
}

function partAt(cursor: Cursor): Part {
  const anchor = matchAt(cursor, /^(?:\^|\$|\\[AzbB])/);
  if (anchor !== undefined) return nothing;
  if (skip(cursor, "(")) return groupAt(cursor);
  if (skip(cursor, "[")) return ofClass(classAt(cursor));
  if (skip(cursor, ".")) return ofClass((one) => one !== "\n");
  const named = namedClassAt(cursor);
  return named === undefined ? character([characterAt(cursor)]) : ofClass(named);
}

function groupAt(cursor: Cursor): Part {
  // A group of flags alone, `(?i)`, matches nothing.
  const flags = matchAt(cursor, /^\?(?:P?<\w+>|[a-zA-Z-]*(:?))/);
  if (flags?.[1] === "" && skip(cursor, ")")) return nothing;
  const part = alternativesAt(cursor);
  if (!skip(cursor, ")")) throw new Unreadable();
  return part;
}

/** Reads the rest of a class in brackets. */
function classAt(cursor: Cursor): Class {
  const negated = skip(cursor, "^");
  const classes: Class[] = [];
  do {
    const named = namedClassAt(cursor);
    if (named !== undefined) {
      classes.push(named);
      continue;
    }
    const first = characterAt(cursor);
    const isRange = isNext(cursor, "-") && cursor.characters[cursor.at + 1] !== "]";
    if (isRange) next(cursor);
    const last = isRange ? characterAt(cursor) : first;
    classes.push((one) => codeOf(first) <= codeOf(one) && codeOf(one) <= codeOf(last));
  } while (!isNext(cursor, "]"));
  next(cursor);
  return (one) => classes.some((holds) => holds(one)) !== negated;
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  d: /[0-9]/, s: /[\t\n\f\r ]/, w: /[0-9A-Za-z_]/,
  alnum: /[0-9A-Za-z]/, alpha: /[A-Za-z]/, ascii: /[\0-\x7f]/, blank: /[\t ]/, cntrl: /[\0-\x1f\x7f]/, digit: /[0-9]/,
  graph: /[!-~]/, lower: /[a-z]/, print: /[ -~]/, punct: /[!-/:-@[-`{-~]/, space: /[\t\n\v\f\r ]/, upper: /[A-Z]/,
  word: /[0-9A-Za-z_]/, xdigit: /[0-9A-Fa-f]/,
}; // biome-ignore format: a table

/** Reads `\d`, `[:alpha:]` in brackets, `\pL`, `\p{Greek}`, and their opposites. */
function namedClassAt(cursor: Cursor): Class | undefined {
  const [, perl, caret, posix, p, short, not, long] =
    matchAt(cursor, /^(?:\\([dswDSW])|\[:(\^?)(\w+):\]|\\([pP])(?:([A-Z])|\{(\^?)(\w+)\}))/) ?? [];
  if (perl !== undefined) return classOf(namedClasses[perl.toLowerCase()], perl !== perl.toLowerCase());
  if (posix !== undefined) return classOf(namedClasses[posix], caret === "^");
  const name = short ?? long;
  return name === undefined ? undefined : classOf(unicodeClass(name), (p === "P") !== (not === "^"));
}

function classOf(pattern: RegExp | undefined, negated: boolean): Class {
  if (pattern === undefined) throw new Unreadable();
  return (one) => pattern.test(one) !== negated;
}

function unicodeClass(name: string): RegExp | undefined {
  if (name === "Any") return /./su;
  for (const property of [name, `Script=${name}`]) {
    try {
      return new RegExp(`\\p{${property}}`, "u");
    } catch {
      // It is no category; perhaps it is a script.
    }
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function characterAt(cursor: Cursor): string {
  if (!skip(cursor, "\\")) return next(cursor);
  const [, short, long, octal] = matchAt(cursor, /^(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|([0-7]{1,3}))/) ?? [];
  const hex = short ?? long;
  if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  const escaped = next(cursor);
  return escapes[escaped] ?? escaped;
}

function character(options: readonly string[]): Part {
  return { kind: "character", options, least: 1, most: 1 };
}

/** The characters from which a text is written, the plainest first: a class uses the first list that has some of it. */
const alphabets: readonly (readonly string[])[] = [
  [...lettersAndDigits],
  [...letters.toUpperCase()],
  ".-_~!$&'()*+,;=:@/?%#\"<>[\\]^`{|} ".split(""),
  Array.from({ length: 0x2fff }, (_, code) => String.fromCodePoint(code + 1)),
  Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(0x1f300 + code)),
];

function ofClass(holds: Class): Part {
  for (const alphabet of alphabets) {
    const options = alphabet.filter(holds);
    if (options.length > 0) return character(options);
  }
  throw new Unreadable();
}

function codeOf(one: string): number {
  return one.codePointAt(0) ?? 0;
}

function isNext(cursor: Cursor, text: string): boolean {
  return cursor.characters[cursor.at] === text;
}

function next(cursor: Cursor): string {
  const found = cursor.characters[cursor.at];
  if (found === undefined) throw new Unreadable();
  cursor.at += 1;
  return found;
}

function skip(cursor: Cursor, text: string): boolean {
  const found = cursor.characters.slice(cursor.at, cursor.at + text.length).join("") === text;
  if (found) cursor.at += text.length;
  return found;
}

/** Skips a match of a regular expression that begins with `^`. */
function matchAt(cursor: Cursor, pattern: RegExp): readonly (string | undefined)[] | undefined {
  const found = pattern.exec(cursor.characters.slice(cursor.at, cursor.at + 64).join(""));
  if (found === null) return undefined;
  cursor.at += [...found[0]].length;
  return found;
}
