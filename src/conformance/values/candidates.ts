/** Values at the edges of a range and one step outside, as proposals: the caller compares each with its type. */
import type { Json } from "../../base/json.ts";
import { letters, type Random } from "../random.ts";
import { counted, kindOf } from "./problem.ts";
import { above, below, type NumberRules } from "./numbers.ts";
import { textFor, textOfLength, type TextRules } from "./texts.ts";

/** A value that should be valid. */
export interface Edge {
  /** What the value is, with its article: `a text of 80 characters`. */
  readonly what: string;
  readonly value: Json;
  /** Whether the document writes the limit. */
  readonly stated: boolean;
  /** The members and indexes from the value to the part that is at the edge; by default it is the value itself. */
  readonly where?: readonly string[];
}

/** A value that should be invalid. */
export interface Mistake {
  readonly what: string;
  readonly value: Json;
  /** The code of the violated rule. */
  readonly code: string;
  /** The members and indexes from the value to the part that was changed; by default it is the value itself. */
  readonly where?: readonly string[];
  /** The member of this part to which an error points, such as a missing one. */
  readonly member?: string;
  /** Whether the document writes the rule; by default the comparison with the type decides it. */
  readonly stated?: boolean;
  /** Further codes with which an implementation may answer. */
  readonly codes?: readonly string[];
  /** The error that the request gets, if it is not `invalid-request`. */
  readonly error?: string;
  /** Whether a merge patch with the value would mean something else: null removes a member, and a missing member is retained. */
  readonly completeOnly?: boolean;
}

/** Which of the limits the document writes. */
export interface Stated {
  readonly min: boolean;
  readonly max: boolean;
}

/** Longer texts are not tried, since they are near the size of a request. */
const mostCharacters = 100_000;

/** Characters that take two UTF-16 code units each. */
const outsidePlane = Array.from({ length: 64 }, (_, index) => String.fromCodePoint(0x1f600 + index)).join("");

export function* textEdges(rules: TextRules, stated: Stated, random: Random, now: number): Iterable<Edge> {
  const { least, most, pattern, format } = rules;
  const ends = [
    { length: least, stated: stated.min },
    { length: most, stated: stated.max },
  ];
  for (const end of ends.filter(({ length }) => length <= mostCharacters)) {
    const value = textFor({ ...rules, least: end.length, most: end.length }, random, now);
    if (value !== undefined) yield { what: textOf(end.length), value, stated: end.stated };
  }
  if (pattern !== undefined || format !== undefined || most === 0 || most > mostCharacters) return;
  // A unique text must differ from those of earlier runs, too.
  const value = random.text(most, outsidePlane);
  yield { what: `a text of ${counted(most, "character")}, each outside the basic plane`, value, stated: stated.max };
}

export function* textMistakes(rules: TextRules, random: Random, now: number): Iterable<Mistake> {
  const { least, most, pattern, format } = rules;
  for (const { length, code } of [
    { length: least - 1, code: "too-short" },
    { length: most + 1, code: "too-long" },
  ]) {
    if (length < 0 || length > mostCharacters) continue;
    yield { what: textOf(length), value: textOfLength(rules, length, random, now), code };
  }
  const fit = textFor(rules, random, now) ?? "";
  if (pattern !== undefined) {
    for (const value of unlike(fit, rules, random))
      yield { what: "a text that does not match the pattern", value, code: "wrong-pattern" };
  }
  if (format !== undefined) {
    for (const value of [random.text(Math.max(least, 8), letters), ...unlike(fit, rules, random)]) {
      for (const code of ["wrong-format", "wrong-pattern"])
        yield { what: `a text that is not of the format ${format}`, value, code };
    }
  }
  if (fit !== "")
    yield { what: "a text with U+0000", value: `${fit.slice(0, -1)}\0`, code: "wrong-pattern", stated: false };
}

/** Texts that hardly any pattern or format allows, within the bounds of the length. `fit`: a text that follows the rules. */
function unlike(fit: string, { least, most }: TextRules, random: Random): readonly string[] {
  const length = Math.max(least, Math.min(most, 8));
  const filled = ["!", " ", "a", "A", "0", "-", "é", "."].map((one) => one.repeat(length));
  const changed = ["!", "a", "0", "/"].flatMap((one) => [
    one + fit.slice(1),
    fit.slice(0, -1) + one,
    fit.slice(0, fit.length / 2) + one + fit.slice(fit.length / 2 + 1),
  ]);
  return [...changed, ...filled, random.text(length)].filter((text) => text.length >= least && text.length <= most);
}

export function* numberEdges({ min, max, multipleOf }: NumberRules, stated: Stated): Iterable<Edge> {
  const least = min === undefined ? undefined : inside(min, multipleOf, 1);
  const most = max === undefined ? undefined : inside(max, multipleOf, -1);
  if (least !== undefined) yield { what: `the number ${least}`, value: least, stated: stated.min };
  if (most !== undefined) yield { what: `the number ${most}`, value: most, stated: stated.max };
  yield { what: "the number 0", value: 0, stated: stated.min && stated.max };
}

/** Returns the multiple that is next to a limit, on the side of the sign. */
function inside(limit: number, multipleOf: number | undefined, sign: 1 | -1): number {
  if (multipleOf === undefined) return limit;
  return (sign === 1 ? Math.ceil(limit / multipleOf) : Math.floor(limit / multipleOf)) * multipleOf + 0;
}

export function* numberMistakes({ min, max, multipleOf }: NumberRules): Iterable<Mistake> {
  if (min !== undefined)
    for (const value of below(min, multipleOf)) yield { what: `a number below ${min}`, value, code: "too-small" };
  if (max !== undefined)
    for (const value of above(max, multipleOf)) yield { what: `a number above ${max}`, value, code: "too-large" };
}

/** Values of other types. What is accepted: `a text`. */
const otherTypes: Readonly<Record<string, readonly Json[]>> = {
  "a text": [{}, 12],
  "a number": ["twelve", true],
  "true or false": ["yes", 1],
  "a list": [{}, "text"],
  "an object": ["text", []],
};

export function* typeMistakes(expected: string): Iterable<Mistake> {
  for (const value of otherTypes[expected] ?? [])
    yield { what: `${kindOf(value)} instead of ${expected}`, value, code: "wrong-type" };
  yield { what: `null instead of ${expected}`, value: null, code: "wrong-type", completeOnly: true };
}

export function textOf(length: number): string {
  return length === 0 ? "an empty text" : `a text of ${counted(length, "character")}`;
}

export function listText(count: number): string {
  return count === 0 ? "an empty list" : `a list of ${counted(count, "item")}`;
}
