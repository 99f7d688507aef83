/** Splits SQL into tokens, as PostgreSQL and SQLite both write it. */
export interface Token {
  /** `name`: a quoted identifier; `word`: a bare one, or a keyword. */
  readonly kind: "word" | "name" | "text" | "number" | "sign";
  /** The token as written; of a `name` or `text` its content. */
  readonly text: string;
  /** Where the token starts and ends in the SQL. */
  readonly start: number;
  readonly end: number;
}

/** The alternatives in order: blanks and comments, texts, quoted names, numbers, words, signs. */
const pattern = new RegExp(
  [
    String.raw`(?<skip>\s+|--[^\n]*|/\*[\s\S]*?\*/)`,
    String.raw`(?<escaped>[eE]'(?:[^'\\]|''|\\[\s\S])*')`,
    String.raw`(?<text>'(?:[^']|'')*')`,
    String.raw`(?<name>"(?:[^"]|"")*"|\x60(?:[^\x60]|\x60\x60)*\x60|\[[^\]]*\])`,
    String.raw`(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{M}\p{N}_$]*)`,
    String.raw`(?<sign>::|<=|>=|<>|!=|==|\|\||!~~\*|!~~|!~\*|!~|~~\*|~~|~\*|[\s\S])`,
  ].join("|"),
  "yu",
);

export type Dialect = "PostgreSQL" | "SQLite";

/** Returns the tokens. `[` begins a quoted name in SQLite, and is a sign of arrays in PostgreSQL. */
export function tokensOf(sql: string, dialect: Dialect): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < sql.length) {
    const start = pattern.lastIndex;
    const groups = pattern.exec(sql)?.groups;
    if (groups === undefined) break;
    if (groups["name"]?.startsWith("[") === true && dialect === "PostgreSQL") {
      pattern.lastIndex = start + 1;
      tokens.push({ kind: "sign", text: "[", start, end: start + 1 });
      continue;
    }
    const token = tokenOf(groups);
    if (token !== undefined) tokens.push({ ...token, start, end: pattern.lastIndex });
  }
  return tokens;
}

function tokenOf(groups: Readonly<Record<string, string | undefined>>): Pick<Token, "kind" | "text"> | undefined {
  const { escaped, name, number, sign, text, word } = groups;
  if (text !== undefined) return { kind: "text", text: text.slice(1, -1).replaceAll("''", "'") };
  if (escaped !== undefined) return { kind: "text", text: unescaped(escaped.slice(2, -1)) };
  if (name !== undefined) return { kind: "name", text: unquoted(name) };
  if (number !== undefined) return { kind: "number", text: number };
  if (word !== undefined) return { kind: "word", text: word };
  return sign === undefined ? undefined : { kind: "sign", text: sign };
}

/** Returns the content of PostgreSQL's `E'…'`. */
function unescaped(content: string): string {
  const characters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
  return content.replaceAll(/\\([\s\S])|''/g, (_, one?: string) =>
    one === undefined ? "'" : (characters[one] ?? one),
  );
}

function unquoted(name: string): string {
  const quote = name.charAt(0);
  const inner = name.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}
