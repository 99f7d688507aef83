/** Makes texts with a length, a pattern and a format. */
import { countryCodes, textFormats } from "../../base/formats.ts";
import { instantText } from "../../base/clock.ts";
import { letters, lettersAndDigits, numbered, type Random, seeded } from "../random.ts";
import { matches } from "./fits.ts";
import { readPattern } from "./pattern.ts";

export interface TextRules {
  /** The length in characters (code points). */
  readonly least: number;
  readonly most: number;
  readonly pattern?: string | undefined;
  /** The name of a format, as in `textFormats`. */
  readonly format?: string | undefined;
  /** The name of a format that a text usually has, and need not have. */
  readonly usualFormat?: string | undefined;
}

/** How often a text for a pattern is tried. */
const tries = 200;

/** How many characters are tried in all, as a long text takes long to compare. */
const triedCharacters = 100_000;

/** Texts without a least length have about so many characters. */
const usualLength = 12;

/** Returns a text that follows the rules; undefined if none is found. `now`: dates and times are near it. */
export function textFor(rules: TextRules, random: Random, now: number): string | undefined {
  if (rules.least > rules.most) return undefined;
  for (const text of proposals(rules, random, now)) if (followsRules(text, rules)) return text;
  return undefined;
}

/** Returns a text of so many characters, which follows the other rules as far as that is possible. */
export function textOfLength(rules: TextRules, length: number, random: Random, now: number): string {
  const exact = { ...rules, least: length, most: length };
  const found = textFor(exact, random, now);
  if (found !== undefined) return found;
  const formatted = formats[rules.format ?? ""]?.(random, now, exact) ?? "";
  return [...formatted].length === length ? formatted : random.text(length);
}

/** Whether a text follows the rules. */
export function followsRules(text: string, { least, most, pattern, format }: TextRules): boolean {
  const length = [...text].length;
  if (length < least || length > most) return false;
  if (format !== undefined && textFormats[format]?.(text) === false) return false;
  return pattern === undefined || matches(pattern, text);
}

/** Returns a text that differs for each number, if the rules leave room for that. The rest of it is random. */
export function distinctText(rules: TextRules, random: Random, now: number, number: number): string | undefined {
  const { least, most, pattern, format, usualFormat } = rules;
  if (pattern === undefined && format === undefined)
    return numberedText(Math.min(most, Math.max(least, usualLength + 4)), random, number);
  const text = distinctFormats[format ?? usualFormat ?? ""]?.(random, number);
  if (text !== undefined && followsRules(text, rules)) return text;
  return distinctMatch(rules, random, number) ?? textFor(rules, numbered(number), now);
}

/** Returns a text of letters that ends in the number, which has always the same number of digits. */
export function numberedText(length: number, random: Random, number: number): string {
  const digits = Math.min(length, 6);
  const code = (number % 36 ** digits).toString(36).padStart(digits, "0");
  return random.text(length - digits, letters) + (digits === 0 ? "" : code);
}

/**
 * Returns a match in which only the characters depend on the number, so that two numbers cannot give the same text: in `a+b+` two
 * structures could.
 */
function distinctMatch(rules: TextRules, random: Random, number: number): string | undefined {
  const pattern = readPattern(rules.pattern ?? "");
  if (pattern === undefined) return undefined;
  for (const length of [16, 24, 64, 8, 4, 2, 1]) {
    for (const structure of ["a", "b", "c"]) {
      const characters = numbered(number);
      const target = Math.min(Math.max(length, rules.least), rules.most);
      const text = pattern.write(target, characters, seeded(structure));
      if (characters.isUsedUp() && followsRules(text, rules)) return text;
      // A pattern need not match the whole text.
      const match = pattern.write(pattern.least, seeded(structure));
      const room = target - [...match].length;
      if (room < 1 || 36 ** room <= number) continue;
      const rest = numberedText(room, random, number);
      for (const around of [match + rest, rest + match]) if (followsRules(around, rules)) return around;
    }
  }
  // With little room, the number determines the structure, too.
  const text = pattern.write(Math.max(pattern.least, rules.least), numbered(number));
  return followsRules(text, rules) ? text : undefined;
}

// ── Proposals ──────────────────────────────────────────────────────────────────────────────────────────────────────

function* proposals(rules: TextRules, random: Random, now: number): Iterable<string> {
  const { least, most, pattern, format, usualFormat } = rules;
  const plain = (): string => plainText(rules, random);
  const formatted = formats[format ?? usualFormat ?? ""];
  if (pattern === undefined && formatted === undefined) return yield plain();
  if (formatted !== undefined) for (let attempt = 0; attempt < 20; attempt += 1) yield formatted(random, now, rules);
  if (pattern === undefined) return;
  yield plain();
  const read = readPattern(pattern);
  if (read === undefined) return;
  const shortest = Math.max(least, read.least);
  const longest = Math.max(shortest, Math.min(most, read.most, Math.max(shortest, usualLength) + 4));
  const attempts = Math.min(tries, Math.ceil(triedCharacters / (longest + 1)));
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const text = read.write(random.integer(Math.min(shortest, longest), longest), random);
    yield text;
    const missing = least - [...text].length;
    // A pattern need not match the whole text: letters may stand around the match.
    if (missing > 0) {
      const padding = random.text(missing, letters);
      yield text + padding;
      yield padding + text;
    }
    if (format === undefined) continue;
    const word = random.text(8, letters);
    yield word + text;
    yield text + word;
    yield `${text}${word}.example.com`;
    const around = formatted?.(random, now, rules) ?? "";
    yield text + around;
    yield around + text;
  }
}

function plainText({ least, most }: TextRules, random: Random): string {
  const length = Math.min(most, Math.max(least, random.integer(3, usualLength)));
  // It begins with a letter, so that nobody reads it as a number.
  return length === 0 ? "" : random.text(1, letters) + random.text(length - 1);
}

type Lengths = Pick<TextRules, "least" | "most">;

const millisecondsPerDay = 86_400_000;

/** Texts by format, of the length if the format has several. */
const formats: Readonly<Record<string, (random: Random, now: number, lengths: Lengths) => string>> = {
  email: (random, _, lengths) => email(lengthIn(lengths, 22), random),
  uri: (random, _, lengths) => address(lengthIn(lengths, 30), random),
  date: (random, now) => instantText(now + random.integer(-30, 30) * millisecondsPerDay).slice(0, 10),
  "date-time": (random, now) => instantText(now + random.integer(-2_592_000, 2_592_000) * 1000),
  duration: (random) => `PT${random.integer(1, 90)}M`,
  uuid: (random) => uuid(random.text(12, hexDigits), random),
  hostname: (random) => `${random.text(8, letters)}.example.com`,
  ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: (random) => `2001:db8::${random.integer(1, 9999)}`,
  byte: (random, _, { least, most }) =>
    base64(Math.floor(lengthIn({ least: Math.ceil(least / 4) * 4, most }, 8) / 4) * 3, random),
  phone: (random, _, lengths) => phone(lengthIn(lengths, 11), random.text(16, digits)),
  time: (random) => `${two(random.integer(0, 23))}:${two(random.integer(0, 59))}`,
  country: (random) => random.pick(["NO", "DE", "FR", "GB", "US", "JP", "BR", "ZA"]),
  currency: (random) => random.pick(["EUR", "USD", "NOK", "GBP", "CHF"]),
  language: (random) => random.pick(["en", "nb", "de", "fr-CA", "en-GB"]),
  timezone: (random) => random.pick(["Europe/Oslo", "UTC", "America/New_York", "Asia/Tokyo", "Europe/Berlin"]),
};

/** Texts by format that differ for each number. */
const distinctFormats: Readonly<Record<string, (random: Random, number: number) => string>> = {
  email: (random, number) => `${numberedText(16, random, number)}@example.com`,
  uri: (random, number) => `https://example.com/${numberedText(16, random, number)}`,
  date: (_, number) => instantText(Date.UTC(2000, 0, 1) + (number % 2_900_000) * millisecondsPerDay).slice(0, 10),
  "date-time": (_, number) => instantText(Date.UTC(2020, 0, 1) + (number % 1e11) * 1000),
  duration: (_, number) => `PT${number + 1}S`,
  uuid: (random, number) => uuid((number % 16 ** 12).toString(16).padStart(12, "0"), random),
  hostname: (random, number) => `${numberedText(16, random, number)}.example.com`,
  ipv4: (_, number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
  ipv6: (_, number) => `2001:db8::${((number >> 16) & 0xffff).toString(16)}:${(number & 0xffff).toString(16)}`,
  byte: (random, number) => numberedText(16, random, number),
  phone: (_, number) => phone(13, String(number % 1e9).padStart(9, "0")),
  time: (_, number) => instantText((number % 86_400) * 1000).slice(11, 19),
  country: (_, number) => [...countryCodes][number % countryCodes.size] ?? "NO",
};

const digits = "0123456789";
const hexDigits = `${digits}abcdef`;

function lengthIn({ least, most }: Lengths, usual: number): number {
  return Math.min(most, Math.max(least, usual));
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function phone(length: number, digitsOfIt: string): string {
  return `+47${digitsOfIt.padEnd(length, "1").slice(0, Math.max(0, length - 3))}`.slice(0, Math.max(0, length));
}

/** Returns a UUID of version 4 (RFC 9562) that ends in these 12 digits. */
function uuid(last: string, random: Random): string {
  const [one, other] = [random.text(8, hexDigits), random.text(4, hexDigits)];
  return `${one}-${other}-4${random.text(3, hexDigits)}-8${random.text(3, hexDigits)}-${last}`;
}

/** Returns an e-mail address of so many characters, 5 or more. Its parts are as long as RFC 5321 (4.5.3.1) allows at most. */
function email(length: number, random: Random): string {
  if (length < 13) {
    const domain = length < 6 ? "b.c" : "b.co";
    return `${random.text(Math.max(1, length - domain.length - 1))}@${domain}`;
  }
  const local = Math.min(64, length - 12);
  const rest = length - 12 - local;
  // A label in front of the domain needs its dot.
  const labels = rest === 0 ? "" : rest === 1 ? undefined : `${hostLabels(rest - 1, random)}.`;
  return labels === undefined
    ? `${random.text(local - 1)}@${hostLabels(1, random)}.example.com`
    : `${random.text(local)}@${labels}example.com`;
}

/** Returns labels of a host name, of at most 63 characters each, with dots between them. */
function hostLabels(length: number, random: Random): string {
  if (length <= 63) return random.text(length, letters);
  const first = Math.min(63, length - 2);
  return `${random.text(first, letters)}.${hostLabels(length - first - 1, random)}`;
}

/** Returns an address of so many characters, 8 or more. */
function address(length: number, random: Random): string {
  const start = length > 20 ? "https://example.com/" : length > 12 ? "https://a.co/" : "http://";
  return start + random.text(Math.max(0, length - start.length), letters);
}

const base64Digits = `${letters.toUpperCase()}${lettersAndDigits.slice(0, 26)}${digits}+/`;

/** Returns so many random bytes in base 64. */
export function base64(bytes: number, random: Random): string {
  const rest = bytes % 3;
  // The last digit before the padding has bits that encode nothing: they have to be zero.
  const tail = rest === 0 ? "" : rest === 1 ? "Qw" : "TWE";
  return random.text(((bytes - rest) / 3) * 4, base64Digits) + tail.padEnd(rest === 0 ? 0 : 4, "=");
}
