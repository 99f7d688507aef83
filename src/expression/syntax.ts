/**
 * The syntax tree of an expression, before names are resolved: `parse.ts` returns it and `print.ts` prints it.
 *
 * The syntax is CEL's (https://github.com/google/cel-spec, langdef.md). A macro such as `exists` is a call here; the type checker
 * resolves it. There are no negative literals: `-1` is a negated `1`.
 */

/** A span of the expression's text in UTF-16 code units, from `start` up to but not including `end`. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%";
export type BinaryOperator = "||" | "&&" | "in" | Comparison | Arithmetic;

export type Expression =
  | { readonly kind: "int"; readonly at: Extent; readonly value: number }
  | { readonly kind: "double"; readonly at: Extent; readonly value: number }
  | { readonly kind: "string"; readonly at: Extent; readonly value: string }
  | { readonly kind: "bool"; readonly at: Extent; readonly value: boolean }
  | { readonly kind: "null"; readonly at: Extent }
  | { readonly kind: "name"; readonly at: Extent; readonly name: string }
  | { readonly kind: "list"; readonly at: Extent; readonly items: readonly Expression[] }
  | Member
  | Call
  | { readonly kind: "not"; readonly at: Extent; readonly operand: Expression }
  | { readonly kind: "negate"; readonly at: Extent; readonly operand: Expression }
  | Binary
  | Conditional;

/** A member access, `object.name`. */
export interface Member {
  readonly kind: "member";
  readonly at: Extent;
  readonly object: Expression;
  readonly name: string;
  /** The span of the name, for problems with the name alone. */
  readonly nameAt: Extent;
}

/** A call: `function(…)`, or `target.function(…)`. */
export interface Call {
  readonly kind: "call";
  readonly at: Extent;
  readonly target?: Expression;
  readonly function: string;
  readonly nameAt: Extent;
  readonly arguments: readonly Expression[];
}

export interface Binary {
  readonly kind: "binary";
  readonly at: Extent;
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** A conditional: `test ? whenTrue : whenFalse`. */
export interface Conditional {
  readonly kind: "conditional";
  readonly at: Extent;
  readonly test: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

/** A problem of an expression. Its offsets are into the expression's text. */
export interface ExpressionProblem {
  /** A stable slug, such as `unknown-name`. */
  readonly code: string;
  readonly message: string;
  /** What to write instead, or how to avoid the problem. */
  readonly help?: string;
  /** The path of the computed field that cannot be used here, if that is the problem. */
  readonly definition?: string;
  readonly start: number;
  readonly end: number;
}

/** The precedence of each binary operator, loosest first, as in CEL's grammar. A conditional binds looser than all of them. */
export const precedence: Readonly<Record<BinaryOperator, number>> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  in: 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
  "%": 5,
};

/** Words that can never be names. */
export const keywords: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);

/** The words that CEL reserves for its host languages: they may follow a dot, but not be used alone. */
export const reservedWords: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "namespace",
  "package",
  "return",
  "var",
  "void",
  "while",
]);

/** The limits that bound the work of an expression, whatever its author writes. */
export const limits = {
  /** The most UTF-16 code units of the text. */
  text: 8000,
  /** The most nodes of the tree. */
  nodes: 1000,
  /** Levels of the tree, brackets included. A chain of n operands of `&&` or `||` has n - 1 levels. */
  depth: 100,
  /** The deepest nesting of macros of any kind. */
  macros: 3,
  /** The deepest nesting of macros over all records of a resource. */
  recordMacros: 2,
  /** References in a path: each is one more query. */
  walks: 4,
  /** The most ancestors of a record in a tree; those further above are as if they were absent. */
  ancestors: 1000,
} as const;

/** Returns the nodes directly below, in the order of the text. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "list":
      return expression.items;
    case "member":
      return [expression.object];
    case "call":
      return expression.target === undefined ? expression.arguments : [expression.target, ...expression.arguments];
    case "not":
    case "negate":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "conditional":
      return [expression.test, expression.whenTrue, expression.whenFalse];
    default:
      return [];
  }
}

/** Returns the expression with each node directly below replaced. */
export function withChildren(expression: Expression, each: (child: Expression) => Expression): Expression {
  switch (expression.kind) {
    case "list":
      return { ...expression, items: expression.items.map(each) };
    case "member":
      return { ...expression, object: each(expression.object) };
    case "call": {
      const { target } = expression;
      return {
        ...expression,
        ...(target === undefined ? {} : { target: each(target) }),
        arguments: expression.arguments.map(each),
      };
    }
    case "not":
    case "negate":
      return { ...expression, operand: each(expression.operand) };
    case "binary":
      return { ...expression, left: each(expression.left), right: each(expression.right) };
    case "conditional":
      return {
        ...expression,
        test: each(expression.test),
        whenTrue: each(expression.whenTrue),
        whenFalse: each(expression.whenFalse),
      };
    default:
      return expression;
  }
}

/** Returns the expression and all nodes below it, in the order of the text. */
export function syntaxNodes(expression: Expression): readonly Expression[] {
  return [expression, ...children(expression).flatMap(syntaxNodes)];
}
