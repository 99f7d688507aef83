/**
 * Converts CHECK constraints: to bounds, lengths, patterns and closed lists of one field where the language has them, else to a
 * rule of the record.
 */
import { columnsIn, conjuncts, parseSql, type SqlExpression } from "./sql-expression.ts";
import type { Dialect } from "./sql-tokens.ts";
import { expressionText, type NamedColumns } from "./sql-to-expression.ts";

/** What a CHECK demands of one column. */
export type ColumnCheck = { readonly column: string } & (
  | { readonly kind: "least" | "most"; readonly value: number; readonly of: "value" | "length" }
  | { readonly kind: "values"; readonly values: readonly (string | number)[] }
  | { readonly kind: "pattern"; readonly pattern: string }
  | { readonly kind: "json" }
  | { readonly kind: "required" }
);

export interface ReadCheck {
  readonly columns: readonly ColumnCheck[];
  /** The text of the rule for what remains; undefined if nothing remains. */
  readonly rule?: string;
  /** The SQL that the language cannot express. */
  readonly lost?: string;
}

/** Reads a CHECK. `value`: the column for which `VALUE` of a domain stands. */
export function readCheck(sql: string, dialect: Dialect, columns: NamedColumns, value?: string): ReadCheck {
  const parsed = parseSql(sql, dialect);
  if (parsed === undefined) return { columns: [], lost: sql };
  const condition = value === undefined ? parsed : withValue(parsed, value);
  const found: ColumnCheck[] = [];
  const rest: string[] = [];
  for (const one of conjuncts(condition)) {
    const ofColumn = columnCheckOf(one, columns);
    if (ofColumn !== undefined) {
      found.push(ofColumn);
      continue;
    }
    const text = expressionText(one, columns);
    if (text === undefined) return { columns: [], lost: sql };
    // A CHECK is not violated if a value that it reads is null, but a comparison with null is false in a rule.
    const tested = testedColumns(one);
    if (hasTestAndUse(one)) return { columns: [], lost: sql };
    const absent = [...new Set(columnsIn(one))].filter(
      (name) => columns.get(name)?.optional === true && !tested.includes(name),
    );
    rest.push([...absent.map((name) => `${columns.get(name)?.field} == null`), text].join(" || "));
  }
  if (rest.length === 0) return { columns: found };
  return { columns: found, rule: rest.length === 1 ? `${rest[0]}` : rest.map((text) => `(${text})`).join(" && ") };
}

/** Returns the columns that `IS NULL` tests. */
function testedColumns(expression: SqlExpression): readonly string[] {
  if (expression.kind === "operation" && expression.sign === "IS") return columnsIn(expression.left);
  if (expression.kind === "operation") return [...testedColumns(expression.left), ...testedColumns(expression.right)];
  return expression.kind === "not" || expression.kind === "negative" ? testedColumns(expression.of) : [];
}

/**
 * Whether a column is both tested by `IS NULL` and used besides. Only as `a IS NULL OR …` this means the same with two truth
 * values as with the three of SQL.
 */
function hasTestAndUse(expression: SqlExpression): boolean {
  const tested = testedColumns(expression);
  const guards = disjuncts(expression).filter((one) => one.kind === "operation" && one.sign === "IS");
  const guarded = guards.flatMap(columnsIn);
  const uses = columnsIn(expression);
  return tested.some((name) => {
    const count = (all: readonly string[]): number => all.filter((one) => one === name).length;
    return count(uses) > count(tested) && !guarded.includes(name);
  });
}

function disjuncts(expression: SqlExpression): readonly SqlExpression[] {
  return expression.kind === "operation" && expression.sign === "OR"
    ? [...disjuncts(expression.left), ...disjuncts(expression.right)]
    : [expression];
}

/** Replaces `VALUE` in the CHECK of a domain. */
function withValue(expression: SqlExpression, column: string): SqlExpression {
  const replaced = (one: SqlExpression): SqlExpression => withValue(one, column);
  switch (expression.kind) {
    case "literal":
      return expression;
    case "column":
      return expression.name.toUpperCase() === "VALUE" ? { kind: "column", name: column } : expression;
    case "call":
    case "array":
      return { ...expression, of: expression.of.map(replaced) };
    case "not":
    case "negative":
      return { ...expression, of: replaced(expression.of) };
    case "operation":
      return { ...expression, left: replaced(expression.left), right: replaced(expression.right) };
  }
}

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>" };

function columnCheckOf(expression: SqlExpression, columns: NamedColumns): ColumnCheck | undefined {
  if (expression.kind === "call") return jsonCheckOf(expression, columns);
  if (expression.kind === "not") {
    const { of } = expression;
    const isNullTest = of.kind === "operation" && of.sign === "IS" && of.left.kind === "column" && isNull(of.right);
    return isNullTest && of.left.kind === "column" && columns.has(of.left.name)
      ? { kind: "required", column: of.left.name }
      : undefined;
  }
  if (expression.kind !== "operation") return undefined;
  const { left, right, sign } = expression;
  if (left.kind === "literal" && Object.hasOwn(mirrored, sign))
    return columnCheckOf({ kind: "operation", sign: mirrored[sign] ?? sign, left: right, right: left }, columns);
  const subject = subjectOf(left, columns);
  if (subject === undefined) return undefined;
  const { column, of } = subject;
  if (sign === "OR") return undefined;
  if (sign === "IN" && right.kind === "array" && of === "value") return valuesOf(column, right.of);
  if (right.kind !== "literal") return undefined;
  const { value } = right;
  const isInteger = of === "length" || columns.get(column)?.kind === "integer";
  if (typeof value === "number" && (of === "length" || isNumeric(columns, column))) {
    if (sign === ">=") return { kind: "least", column, of, value };
    if (sign === "<=") return { kind: "most", column, of, value };
    if (sign === ">" && isInteger) return { kind: "least", column, of, value: Math.floor(value) + 1 };
    if (sign === "<" && isInteger) return { kind: "most", column, of, value: Math.ceil(value) - 1 };
    return undefined;
  }
  if (typeof value !== "string" || of !== "value" || columns.get(column)?.kind !== "text") return undefined;
  if (sign === "<>" && value === "") return { kind: "least", column, of: "length", value: 1 };
  if (sign === "=") return { kind: "values", column, values: [value] };
  if (sign === "~" && isPlainPattern(value)) return { kind: "pattern", column, pattern: value };
  return undefined;
}

function jsonCheckOf(
  { name, of: [only, ...more] }: SqlExpression & { readonly kind: "call" },
  columns: NamedColumns,
): ColumnCheck | undefined {
  const isOf = name === "json_valid" && more.length === 0 && only?.kind === "column" && columns.has(only.name);
  return isOf ? { kind: "json", column: only.name } : undefined;
}

/** Returns the column, or the column whose length is compared. */
function subjectOf(
  expression: SqlExpression,
  columns: NamedColumns,
): { readonly column: string; readonly of: "value" | "length" } | undefined {
  if (expression.kind === "column")
    return columns.has(expression.name) ? { column: expression.name, of: "value" } : undefined;
  if (expression.kind !== "call" || !/^(?:length|char_length|character_length)$/.test(expression.name))
    return undefined;
  const [only, ...more] = expression.of;
  if (only?.kind !== "column" || more.length > 0 || columns.get(only.name)?.kind !== "text") return undefined;
  return { column: only.name, of: "length" };
}

function valuesOf(column: string, items: readonly SqlExpression[]): ColumnCheck | undefined {
  const values = items.flatMap((one) =>
    one.kind === "literal" && (typeof one.value === "string" || typeof one.value === "number") ? [one.value] : [],
  );
  return values.length === items.length && values.length > 0 ? { kind: "values", column, values } : undefined;
}

function isNumeric(columns: NamedColumns, column: string): boolean {
  const kind = columns.get(column)?.kind;
  return kind === "integer" || kind === "number";
}

function isNull(expression: SqlExpression): boolean {
  return expression.kind === "literal" && expression.value === null;
}

/** Whether a pattern of PostgreSQL means the same in RE2: it has no group with a `?`, back-reference or POSIX bracket. */
function isPlainPattern(pattern: string): boolean {
  if (/\(\?|\\[^dwsDWS.\\/^$|?*+()[\]{}-]|\[[:=.]|[/\n\r]/.test(pattern)) return false;
  try {
    void new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
