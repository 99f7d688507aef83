/**
 * Parses templates, which describe one-line forms of constructs: `{count}/{window}[ per {per}][, burst {burst}]`. Braces
 * contain the name of a member, which is some words; brackets contain optional pieces. Optional pieces that begin with a comma
 * are clauses and may follow in any order.
 */
import { type SourceText, slice, splitAt } from "./source-text.ts";
import { type Grammar, nothingBelow } from "./grammar.ts";

export type LineMembers = Readonly<
  Record<string, Grammar<never> & { readonly absent?: unknown; readonly needed?: true }>
>;

export interface Line {
  /** The fixed words of the template. */
  readonly words: readonly string[];
  readonly members: readonly string[];
  readonly read: (line: SourceText) => LineReading;
  /** Prints the line; undefined if a line cannot express all values. */
  readonly print: (values: Readonly<Record<string, unknown>>) => string | undefined;
}

export interface LineReading {
  /** The text before the first clause. */
  readonly head: SourceText;
  /** The words of each member; undefined if the head does not match the template. */
  readonly found: Readonly<Record<string, SourceText>> | undefined;
  /** The unknown and repeated clauses. */
  readonly wrong: readonly SourceText[];
}

type Member = { readonly member: string };
type Piece = string | Member | readonly Piece[];

export function lineOf(template: string, members: LineMembers): Line {
  const pieces = parse(template);
  const isClause = (piece: Piece): piece is readonly [string, ...Piece[]] =>
    isGroup(piece) && typeof piece[0] === "string" && piece[0].startsWith(",");
  const clauses = pieces
    .filter(isClause)
    .map(([comma, ...rest]) => pattern([comma.replace(/^, */, ""), ...rest], members));
  const heads = pieces.filter((piece) => !isClause(piece));
  const head = pattern(heads, members);
  return {
    members: membersIn(pieces),
    words: wordsIn(pieces),
    read: (line) => {
      const all = clauses.length === 0 || !line.text.includes(",") ? [line] : splitAt(line, ",");
      const first = heads.length === 0 ? line : (all.shift() as SourceText);
      const found = heads.length === 0 ? {} : wordsOf(first, head);
      const wrong = all.filter((clause) => {
        const declared = clauses.map((one) => wordsOf(clause, one)).find((one) => one !== undefined);
        if (declared === undefined || Object.keys(declared).some((name) => found !== undefined && name in found))
          return true;
        Object.assign(found ?? {}, declared);
        return false;
      });
      return { head: first, found, wrong };
    },
    print: (values) => printed(pieces, members, values)?.replace(/^, /, ""),
  };
}

function isGroup(piece: Piece): piece is readonly Piece[] {
  return Array.isArray(piece);
}

function parse(template: string): readonly Piece[] {
  return [...template.matchAll(/\[([^\]]*)\]|\{(\w+)\}|[^[{]+/g)].map(([literal, group, member]) =>
    group === undefined ? (member === undefined ? literal : { member }) : parse(group),
  );
}

function membersIn(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) =>
    typeof piece === "string" ? [] : isGroup(piece) ? membersIn(piece) : [piece.member],
  );
}

function wordsIn(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => {
    if (typeof piece !== "string") return isGroup(piece) ? wordsIn(piece) : [];
    return piece.match(/[a-z][\w-]*(?: [a-z][\w-]*)*/gi) ?? [];
  });
}

/**
 * A regular expression in which every piece of the template is a capture group, so that the groups' lengths locate the pieces.
 */
interface Pattern {
  readonly form: RegExp;
  /** By number of the capture group, the member that it contains. */
  readonly groups: readonly (string | undefined)[];
}

function pattern(pieces: readonly Piece[], members: LineMembers): Pattern {
  const literals = pieces.flat().filter((piece) => typeof piece === "string");
  const punctuation = literals
    .join("")
    .replaceAll(/[\w\s-]/g, "")
    .replaceAll(/./g, String.raw`\$&`);
  const groups: (string | undefined)[] = [];
  const source = (some: readonly Piece[]): string => some.map(sourceOf).join("");
  const sourceOf = (piece: Piece): string => {
    if (isGroup(piece)) return `(?:${isAnnounced(piece, members) ? announced(piece) : source(piece)})?`;
    groups.push(typeof piece === "string" ? undefined : piece.member);
    if (typeof piece === "string") return `(${literal(piece)})`;
    return `(${members[piece.member]?.pattern ?? String.raw`[^\s${punctuation}]+`})`;
  };
  const announced = ([word, member]: readonly [string, Member]): string =>
    `${sourceOf(word.trimEnd())}(?:${sourceOf(" ")}${sourceOf(member)})?`;
  return { form: new RegExp(`^${source(pieces)}$`, "s"), groups };
}

/**
 * Whether the piece is a word and a required member: then the line may end after the word, and the member is reported as
 * missing.
 */
function isAnnounced(piece: readonly Piece[], members: LineMembers): piece is readonly [string, Member] {
  return piece.length === 2 && membersIn(piece).some((name) => members[name]?.needed === true);
}

/** Returns the regular expression for fixed text: a word needs blanks around it; around punctuation they are optional. */
function literal(text: string): string {
  const words = text
    .trim()
    .replaceAll(/[^\w\s-]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, String.raw`\s+`);
  const blank = (word: RegExp, edge: RegExp): string =>
    word.test(text) ? String.raw`\s*` : edge.test(text) ? String.raw`\s+` : "";
  return blank(/^\s*[^\w\s]/, /^\s/) + words + (words === "" ? "" : blank(/[^\w\s-]\s*$/, /\s$/));
}

function wordsOf(line: SourceText, { form, groups }: Pattern): Record<string, SourceText> | undefined {
  const match = form.exec(line.text);
  if (match === null) return undefined;
  const found: Record<string, SourceText> = {};
  let at = 0;
  for (let index = 0; index < groups.length; index++) {
    const member = groups[index];
    const text = match[index + 1];
    if (text === undefined) continue;
    if (member !== undefined) found[member] = slice(line, at, at + text.length);
    at += text.length;
  }
  return found;
}

function printed(
  pieces: readonly Piece[],
  members: LineMembers,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const absent = (name: string): boolean => isAbsent(values[name], members[name]?.absent);
  const done = new Set<string>();
  let line = "";
  for (const piece of pieces) {
    if (typeof piece === "string") line += piece;
    else if (isGroup(piece)) {
      const names = membersIn(piece);
      if (names.some((name) => absent(name) || done.has(name))) continue;
      for (const name of names) done.add(name);
      line += printed(piece, members, values) ?? "";
    } else {
      const member = members[piece.member];
      if (member === undefined || absent(piece.member)) return undefined;
      const value = values[piece.member] as never;
      const words = member.printWords?.(value) ?? member.print(value, nothingBelow);
      if (typeof words !== "string") return undefined;
      line += words;
    }
  }
  return line;
}

/** Whether a value equals the default of its member, which need not be printed. */
export function isAbsent(value: unknown, absent: unknown): boolean {
  if (value === undefined || value === absent) return true;
  if (typeof value !== "object" || value === null || typeof absent !== "object") return false;
  return Object.keys(value).length === 0;
}
