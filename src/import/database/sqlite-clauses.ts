/**
 * Finds the CHECK constraints and the expressions of generated columns in a CREATE TABLE statement, since SQLite has no pragma
 * for them.
 */
import type { CatalogueCheck } from "./catalogue.ts";
import { type Token, tokensOf } from "./sql-tokens.ts";

export interface TableClauses {
  readonly checks: readonly CatalogueCheck[];
  /** The SQL of generated columns, by the column's name in lower case. */
  readonly generated: ReadonlyMap<string, string>;
  /** Whether the table has row numbers: it is not WITHOUT ROWID. */
  readonly isRowid: boolean;
}

export function clausesOf(sql: string): TableClauses {
  const tokens = tokensOf(sql, "SQLite");
  const open = tokens.findIndex(({ text }) => text === "(");
  const close = open < 0 ? -1 : closing(tokens, open);
  if (close < 0) return { checks: [], generated: new Map(), isRowid: true };
  const checks: CatalogueCheck[] = [];
  const generated = new Map<string, string>();
  for (const definition of definitionsIn(tokens.slice(open + 1, close))) {
    const [first] = definition;
    const column = first === undefined || isConstraintWord(first) ? undefined : first.text;
    let name: string | undefined;
    for (let index = 0; index < definition.length; index += 1) {
      const token = definition[index] as Token;
      const next = definition[index + 1];
      if (isWord(token, "CONSTRAINT") && next !== undefined) name = next.text;
      if (next?.text !== "(") continue;
      const end = closing(definition, index + 1);
      if (end < 0) break;
      const inner = sql.slice(next.end, (definition[end] as Token).start).trim();
      if (isWord(token, "CHECK")) {
        checks.push({ sql: inner, ...(name === undefined ? {} : { name }) });
        name = undefined;
      } else if (isWord(token, "AS") && column !== undefined) generated.set(column.toLowerCase(), inner);
      index = end;
    }
  }
  const options = tokens.slice(close + 1);
  const isRowid = !options.some((token, index) => isWord(token, "WITHOUT") && isWord(options[index + 1], "ROWID"));
  return { checks, generated, isRowid };
}

/** Splits the tokens between the brackets at the commas outside inner brackets. */
function definitionsIn(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const definitions: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
    if (token.text === "," && depth === 0) definitions.push([]);
    else definitions.at(-1)?.push(token);
  }
  return definitions;
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const { text } = tokens[index] as Token;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === "word" && token.text.toUpperCase() === word;
}

function isConstraintWord(token: Token): boolean {
  return ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].some((word) => isWord(token, word));
}
