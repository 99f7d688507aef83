/**
 * Parses the SQL expressions of CHECK constraints, defaults and generated columns, as far as the language can express them.
 * Casts are dropped, since the types of the columns are known. What is not parsed is reported as lost.
 */
import { type Dialect, type Token, tokensOf } from "./sql-tokens.ts";

export type SqlExpression =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null; readonly text: string }
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "call"; readonly name: string; readonly of: readonly SqlExpression[] }
  | { readonly kind: "array"; readonly of: readonly SqlExpression[] }
  | { readonly kind: "not" | "negative"; readonly of: SqlExpression }
  | { readonly kind: "operation"; readonly sign: string; readonly left: SqlExpression; readonly right: SqlExpression };

/** Parses an expression; undefined if some part of it is not understood. */
export function parseSql(sql: string, dialect: Dialect): SqlExpression | undefined {
  const tokens = tokensOf(sql, dialect);
  if (tokens.length > mostTokens) return undefined;
  const parser = new Parser(tokens);
  try {
    const found = parser.expression(0);
    return parser.isAtEnd() ? found : undefined;
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return undefined;
    throw thrown;
  }
}

/** The most tokens of an expression, which also bounds its depth. */
const mostTokens = 2_000;

class NotUnderstood extends Error {}

/** How tightly the operators bind. */
const powers: Readonly<Record<string, number>> = {
  OR: 1, AND: 2, IS: 4, IN: 5, BETWEEN: 5, LIKE: 5, "~": 5, "~*": 5, "!~": 5, "~~": 5,
  "=": 4, "==": 4, "<>": 4, "!=": 4, "<": 6, "<=": 6, ">": 6, ">=": 6, "||": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9,
}; // biome-ignore format: a table

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  expression(power: number): SqlExpression {
    this.#depth += 1;
    if (this.#depth > 100) throw new NotUnderstood();
    let left = this.#operand();
    for (;;) {
      const sign = this.#operator();
      if (sign === undefined || (powers[sign] ?? 0) <= power) break;
      left = this.#operation(left, sign);
    }
    this.#depth -= 1;
    return left;
  }

  /** Returns the next operator without taking it. `NOT` is one before `IN`, `BETWEEN` and `LIKE`. */
  #operator(): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === "text" || token.kind === "name") return undefined;
    const sign = token.text.toUpperCase();
    if (sign === "NOT") return this.#tokens[this.#at + 1]?.text.toUpperCase();
    return Object.hasOwn(powers, sign) ? sign : undefined;
  }

  #operation(left: SqlExpression, sign: string): SqlExpression {
    const isNegated = this.#accept("NOT");
    this.#at += 1;
    const power = powers[sign] ?? 0;
    const made = this.#right(left, sign, power);
    return isNegated ? { kind: "not", of: made } : made;
  }

  #right(left: SqlExpression, sign: string, power: number): SqlExpression {
    switch (sign) {
      case "IS": {
        const isNegated = this.#accept("NOT");
        const right = this.#operand();
        if (right.kind !== "literal" || typeof right.value === "string" || typeof right.value === "number")
          throw new NotUnderstood();
        const same: SqlExpression = { kind: "operation", sign: "IS", left, right };
        return isNegated ? { kind: "not", of: same } : same;
      }
      case "IN":
        this.#expect("(");
        return { kind: "operation", sign: "IN", left, right: { kind: "array", of: this.#list(")") } };
      case "BETWEEN": {
        const low = this.expression(power);
        this.#expect("AND");
        const high = this.expression(power);
        return {
          kind: "operation",
          sign: "AND",
          left: { kind: "operation", sign: ">=", left, right: low },
          right: { kind: "operation", sign: "<=", left, right: high },
        };
      }
      default: {
        if (!this.#accept("ANY")) {
          const plain = sign === "==" ? "=" : sign === "!=" ? "<>" : sign;
          return { kind: "operation", sign: plain, left, right: this.expression(power) };
        }
        // `a = ANY (ARRAY[…])` is how PostgreSQL stores `a IN (…)`.
        if (sign !== "=") throw new NotUnderstood();
        this.#expect("(");
        const right = this.expression(0);
        this.#expect(")");
        this.#casts();
        if (right.kind !== "array") throw new NotUnderstood();
        return { kind: "operation", sign: "IN", left, right };
      }
    }
  }

  #operand(): SqlExpression {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new NotUnderstood();
    this.#at += 1;
    const found = this.#primary(token);
    this.#casts();
    return found;
  }

  #primary(token: Token): SqlExpression {
    const { kind, text } = token;
    if (kind === "text") return { kind: "literal", value: text, text };
    if (kind === "number") return { kind: "literal", value: Number(text), text };
    if (kind === "name") return this.#columnOf(text);
    if (kind === "word") return this.#word(text);
    if (text === "(") {
      const inner = this.expression(0);
      this.#expect(")");
      return inner;
    }
    if (text === "+") return this.#operand();
    if (text === "-") {
      const of = this.expression(9);
      return of.kind === "literal" && typeof of.value === "number"
        ? { kind: "literal", value: -of.value, text: `-${of.text}` }
        : { kind: "negative", of };
    }
    throw new NotUnderstood();
  }

  #word(text: string): SqlExpression {
    const word = text.toUpperCase();
    const next = this.#tokens[this.#at];
    switch (word) {
      case "NOT":
        return { kind: "not", of: this.expression(3) };
      case "NULL":
        return { kind: "literal", value: null, text };
      case "TRUE":
      case "FALSE":
        return { kind: "literal", value: word === "TRUE", text };
      case "ARRAY":
        this.#expect("[");
        return { kind: "array", of: this.#list("]") };
      case "CAST": {
        this.#expect("(");
        const inner = this.expression(0);
        this.#expect("AS");
        this.#type();
        this.#expect(")");
        return inner;
      }
      case "CURRENT_TIMESTAMP":
      case "CURRENT_DATE":
      case "CURRENT_TIME":
      case "LOCALTIMESTAMP":
        return { kind: "call", name: word.toLowerCase(), of: [] };
      default:
    }
    if (next?.kind === "text") {
      // A text with its type before it: DATE '2026-01-01'.
      this.#at += 1;
      return { kind: "literal", value: next.text, text: next.text };
    }
    if (next?.text === "(" && next.kind === "sign") {
      this.#at += 1;
      return { kind: "call", name: text.toLowerCase(), of: this.#list(")") };
    }
    return this.#columnOf(text);
  }

  /** Reads a name, which may have the name of its table or schema before it. */
  #columnOf(first: string): SqlExpression {
    let name = first;
    while (this.#accept(".")) {
      const token = this.#tokens[this.#at];
      if (token === undefined || (token.kind !== "word" && token.kind !== "name")) throw new NotUnderstood();
      this.#at += 1;
      name = token.text;
    }
    const next = this.#tokens[this.#at];
    if (name === first || next?.kind !== "sign" || next.text !== "(") return { kind: "column", name };
    this.#at += 1;
    return { kind: "call", name: name.toLowerCase(), of: this.#list(")") };
  }

  #list(end: string): readonly SqlExpression[] {
    const items: SqlExpression[] = [];
    if (this.#accept(end)) return items;
    do items.push(this.expression(0));
    while (this.#accept(","));
    this.#expect(end);
    return items;
  }

  /** Skips `::type` and `COLLATE name`. */
  #casts(): void {
    for (;;) {
      if (this.#accept("::")) this.#type();
      else if (this.#accept("COLLATE")) this.#at += 1;
      else return;
    }
  }

  /** Skips a type: `character varying(40)[]`, `"public"."mood"`, `timestamp(3) without time zone`. */
  #type(): void {
    let isFirst = true;
    for (;;) {
      const token = this.#tokens[this.#at];
      const words = isFirst || /^(?:varying|precision|with|without|time|zone)$/i.test(token?.text ?? "");
      if (token !== undefined && (token.kind === "name" || (token.kind === "word" && words))) {
        this.#at += 1;
        isFirst = this.#accept(".");
      } else if (this.#accept("(")) this.#list(")");
      else if (this.#accept("[")) this.#expect("]");
      else return;
    }
  }

  #accept(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === "text" || token.kind === "name" || token.text.toUpperCase() !== text)
      return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new NotUnderstood();
  }
}

/** Returns the conditions that are joined by AND. */
export function conjuncts(expression: SqlExpression): readonly SqlExpression[] {
  return expression.kind === "operation" && expression.sign === "AND"
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];
}

/** Returns the names of the columns in an expression. */
export function columnsIn(expression: SqlExpression): readonly string[] {
  switch (expression.kind) {
    case "literal":
      return [];
    case "column":
      return [expression.name];
    case "call":
    case "array":
      return expression.of.flatMap(columnsIn);
    case "not":
    case "negative":
      return columnsIn(expression.of);
    case "operation":
      return [...columnsIn(expression.left), ...columnsIn(expression.right)];
  }
}
