/**
 * Reads a regular expression in RE2's syntax, and writes texts that should match it. A written text is a proposal: anchors, flags and
 * word boundaries have no influence on it, so the caller tests each text with RE2 itself.
 */
import { letters, lettersAndDigits, type Random } from "../random.ts";

/** What matches a pattern, or a part of one. */
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
    const found = alternativesAt(cursor);
    return cursor.at < cursor.characters.length ? undefined : found;
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined;
    throw thrown;
  }
}

// ── Writing ────────────────────────────────────────────────────────────────────────────────────────────────────────

function character(options: readonly string[]): Pattern {
  return { least: 1, most: 1, write: (_, characters) => characters.pick(options) };
}

/** Parts one after the other: each gets its least length, and a share of the rest. */
function sequence(parts: readonly Pattern[]): Pattern {
  const least = parts.reduce((sum, part) => sum + part.least, 0);
  const most = parts.reduce((sum, part) => sum + part.most, 0);
  const rooms = parts.map((part) => part.most - part.least);
  const roomsBehind = rooms.map(() => 0);
  for (let index = rooms.length - 2; index >= 0; index -= 1)
    roomsBehind[index] = (roomsBehind[index + 1] ?? 0) + (rooms[index + 1] ?? 0);
  return {
    ...{ least, most },
    write(length, characters, structure = characters) {
      let rest = Math.min(Math.max(length, least), most) - least;
      const written = parts.map((part, index) => {
        const largest = Math.min(Math.max(rest, 0), rooms[index] ?? 0);
        const smallest = Math.min(largest, Math.max(0, rest - (roomsBehind[index] ?? 0)));
        const extra = largest === smallest ? smallest : structure.integer(smallest, largest);
        rest -= extra;
        return part.write(part.least + extra, characters, structure);
      });
      return written.join("");
    },
  };
}

function alternatives(parts: readonly Pattern[]): Pattern {
  const least = Math.min(...parts.map((part) => part.least));
  const most = Math.max(...parts.map((part) => part.most));
  return {
    ...{ least, most },
    write(length, characters, structure = characters) {
      const target = Math.min(Math.max(length, least), most);
      const fitting = parts.filter((part) => part.least <= target && target <= part.most);
      return structure.pick(fitting.length === 0 ? parts : fitting).write(target, characters, structure);
    },
  };
}

function repetition(of: Pattern, [min, max]: Range): Pattern {
  const least = of.least * min;
  const most = of.most === 0 || max === 0 ? 0 : of.most * max;
  return {
    ...{ least, most },
    write(length, characters, structure = characters) {
      const target = Math.min(Math.max(length, least), most);
      // As many repetitions as can have the length.
      const fewest = of.most === 0 ? min : Math.max(min, Math.ceil(target / of.most));
      const largest = of.least === 0 ? Math.min(max, fewest + 2) : Math.min(max, Math.floor(target / of.least));
      const count = fewest >= largest ? Math.min(fewest, max) : structure.integer(fewest, largest);
      return sequence(Array.from({ length: count }, () => of)).write(target, characters, structure);
    },
  };
}

type Range = readonly [min: number, max: number];

// ── Reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Cursor {
  readonly characters: readonly string[];
  at: number;
}

class Unreadable extends Error {}

/** Whether a character belongs to a class. */
type Class = (character: string) => boolean;

function alternativesAt(cursor: Cursor): Pattern {
  const parts = [sequenceAt(cursor)];
  while (skip(cursor, "|")) parts.push(sequenceAt(cursor));
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : alternatives(parts);
}

function sequenceAt(cursor: Cursor): Pattern {
  const parts: Pattern[] = [];
  while (cursor.at < cursor.characters.length && !isNext(cursor, "|") && !isNext(cursor, ")")) {
    const found = skip(cursor, "\\Q") ? literalAt(cursor) : [partAt(cursor)];
    const last = found.pop();
    parts.push(...found, ...(last === undefined ? [] : [repeatedAt(cursor, last)]));
  }
  return sequence(parts);
}

const nothing: Pattern = sequence([]);

/** Reads the quantifiers behind a part; `?` behind one only prefers shorter matches. */
function repeatedAt(cursor: Cursor, part: Pattern): Pattern {
  const times = timesAt(cursor);
  if (times === undefined) return part;
  skip(cursor, "?");
  return repetition(part, times);
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
function literalAt(cursor: Cursor): Pattern[] {
  const parts: Pattern[] = [];
  while (cursor.at < cursor.characters.length && !skip(cursor, "\\E")) parts.push(character([next(cursor)]));
  return parts;
}

function partAt(cursor: Cursor): Pattern {
  const anchor = matchAt(cursor, /^(?:\^|\$|\\[AzbB])/);
  if (anchor !== undefined) return nothing;
  if (skip(cursor, "(")) return groupAt(cursor);
  if (skip(cursor, "[")) return ofClass(classAt(cursor));
  if (skip(cursor, ".")) return ofClass((one) => one !== "\n");
  const named = namedClassAt(cursor);
  return named === undefined ? character([characterAt(cursor)]) : ofClass(named);
}

function groupAt(cursor: Cursor): Pattern {
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

/** The characters from which a text is written, the plainest first: a class uses the first list that has some of it. */
const alphabets: readonly (readonly string[])[] = [
  [...lettersAndDigits],
  [...letters.toUpperCase()],
  ".-_~!$&'()*+,;=:@/?%#\"<>[\\]^`{|} ".split(""),
  Array.from({ length: 0x2fff }, (_, code) => String.fromCodePoint(code + 1)),
  Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(0x1f300 + code)),
];

function ofClass(holds: Class): Pattern {
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
