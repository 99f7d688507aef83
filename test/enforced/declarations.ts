/**
 * Parses the declarations of a part's `model.ts`: interfaces, unions and lists of words, in the simple form of the models. So the
 * walk over the language needs no second list of constructs. Throws for any other form, and never skips one.
 */

export type Type =
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "union"; readonly of: readonly Type[] }
  | { readonly kind: "list"; readonly of: Type }
  /** `Record<string, T>`. */
  | { readonly kind: "record"; readonly of: Type }
  /** A text or number that the language fixes. */
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "named"; readonly name: string; readonly member?: string }
  /** The items of a list of words: `(typeof marks)[number]`. */
  | { readonly kind: "items"; readonly of: string };

export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly type: Type;
}

export interface Declarations {
  readonly types: ReadonlyMap<string, Type>;
  /** `export const marks = ["unique", …] as const`. */
  readonly words: ReadonlyMap<string, readonly string[]>;
}

export function readDeclarations(source: string): Declarations {
  const types = new Map<string, Type>();
  const words = new Map<string, readonly string[]>();
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  for (const [, keyword, name = "", rest = ""] of code.matchAll(
    /^export (interface|type|const) (\w+)([\s\S]*?)(?=^export |^import |^const |^function |$(?![\s\S]))/gm,
  )) {
    // What it extends is a type of another part, which has no constructs here.
    if (keyword === "interface") types.set(name, typeOf(rest.replace(/^\s*extends \w+/, "")));
    if (keyword === "type") types.set(name, typeOf(rest.replace(/^\s*=/, "")));
    if (keyword === "const" && /\]\s*as const;\s*$/.test(rest)) words.set(name, wordsOf(rest));
  }
  return { types, words };
}

function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
}

interface Cursor {
  readonly tokens: readonly string[];
  at: number;
}

function typeOf(text: string): Type {
  const cursor: Cursor = { tokens: text.match(/"[^"]*"|\w+|[^\s\w]/g) ?? [], at: 0 };
  const type = unionAt(cursor);
  eat(cursor, ";");
  if (cursor.at < cursor.tokens.length) throw unexpected(cursor);
  return type;
}

function unionAt(cursor: Cursor): Type {
  eat(cursor, "|");
  const of = [suffixedAt(cursor)];
  while (eat(cursor, "|")) of.push(suffixedAt(cursor));
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: "union", of };
}

function suffixedAt(cursor: Cursor): Type {
  let type = plainAt(cursor);
  while (eat(cursor, "[")) {
    if (eat(cursor, "]")) type = { kind: "list", of: type };
    else {
      const key = next(cursor);
      if (type.kind === "named" && key.startsWith('"')) type = { ...type, member: key.slice(1, -1) };
      else if (key !== "number") throw unexpected(cursor);
      expect(cursor, "]");
    }
  }
  return type;
}

function plainAt(cursor: Cursor): Type {
  const token = next(cursor);
  if (token === "readonly") return suffixedAt(cursor);
  if (token === "{") return objectAt(cursor);
  if (token.startsWith('"')) return { kind: "word", word: token.slice(1, -1) };
  if (/^\d+$/.test(token)) return { kind: "word", word: token };
  if (token === "(") {
    const inner = unionAt(cursor);
    expect(cursor, ")");
    return inner;
  }
  if (token === "typeof") return { kind: "items", of: next(cursor) };
  if (!/^\w+$/.test(token)) throw unexpected(cursor);
  if (!eat(cursor, "<")) return { kind: "named", name: token };
  return appliedAt(cursor, token);
}

/** `Readonly<T>` is T; `Record<string, T>` a record. */
function appliedAt(cursor: Cursor, name: string): Type {
  const first = unionAt(cursor);
  const second = eat(cursor, ",") ? unionAt(cursor) : undefined;
  expect(cursor, ">");
  if (name === "Readonly" && second === undefined) return first;
  if (name === "Record" && second !== undefined) return { kind: "record", of: second };
  throw new Error(`a model has no ${name}<…>`);
}

function objectAt(cursor: Cursor): Type {
  const members: Member[] = [];
  while (!eat(cursor, "}")) {
    expect(cursor, "readonly");
    if (eat(cursor, "[")) return indexedAt(cursor);
    const name = next(cursor);
    const optional = eat(cursor, "?");
    expect(cursor, ":");
    members.push({ name, optional, type: unionAt(cursor) });
    if (!eat(cursor, ";") && cursor.tokens[cursor.at] !== "}") throw unexpected(cursor);
  }
  return { kind: "object", members };
}

/** `{ readonly [member: string]: T }`, the one way to write a record that holds itself. */
function indexedAt(cursor: Cursor): Type {
  next(cursor);
  for (const token of [":", "string", "]", ":"]) expect(cursor, token);
  const of = unionAt(cursor);
  eat(cursor, ";");
  expect(cursor, "}");
  return { kind: "record", of };
}

function next(cursor: Cursor): string {
  const token = cursor.tokens[cursor.at++];
  if (token === undefined) throw unexpected(cursor);
  return token;
}

function eat(cursor: Cursor, token: string): boolean {
  if (cursor.tokens[cursor.at] !== token) return false;
  cursor.at++;
  return true;
}

function expect(cursor: Cursor, token: string): void {
  if (!eat(cursor, token)) throw unexpected(cursor);
}

function unexpected({ tokens, at }: Cursor): Error {
  return new Error(
    `this walk does not know what a model says here: ${tokens.slice(Math.max(at - 8, 0), at + 3).join(" ")}`,
  );
}
