/** Converts an SQL expression to an expression of the language (CEL), where both mean the same. */
import { isBareField } from "../../language/resources/value-type.ts";
import type { SqlExpression } from "./sql-expression.ts";

export interface NamedColumn {
  /** The name of the column's field. */
  readonly field: string;
  readonly kind: ColumnKind;
  readonly optional: boolean;
}

/**
 * The kinds of values that expressions compute with. `record NAME`: the id of a record of this resource, which is only equal to
 * other ids; `other` can only be compared with null.
 */
export type ColumnKind = "text" | "integer" | "number" | "boolean" | "datetime" | "date" | "other" | `record ${string}`;

export type NamedColumns = ReadonlyMap<string, NamedColumn>;

interface Typed {
  readonly text: string;
  readonly kind: ColumnKind | "null";
}

/** Returns the text of a condition; undefined if the language cannot express it. */
export function expressionText(expression: SqlExpression, columns: NamedColumns): string | undefined {
  const found = typed(expression, columns);
  return found?.kind === "boolean" ? found.text : undefined;
}

/** Returns the text of a value; undefined if the language cannot express it, or it has another kind. */
export function valueText(expression: SqlExpression, columns: NamedColumns, kind: ColumnKind): string | undefined {
  const found = typed(expression, columns);
  return found?.kind === kind ? found.text : undefined;
}

/** The names that a rule reads as a variable, also if the record has a field with the name. */
export const variables: ReadonlySet<string> = new Set(["caller", "now", "old"]);

function typed(expression: SqlExpression, columns: NamedColumns): Typed | undefined {
  switch (expression.kind) {
    case "literal":
      return literal(expression);
    case "column": {
      const column = columns.get(expression.name);
      return column && isBareField(column.field, variables) ? { text: column.field, kind: column.kind } : undefined;
    }
    case "call":
      return call(expression, columns);
    case "not": {
      const of = typed(expression.of, columns);
      return of?.kind === "boolean" ? { text: `!(${of.text})`, kind: "boolean" } : undefined;
    }
    case "negative": {
      const of = typed(expression.of, columns);
      return of?.kind === "integer" || of?.kind === "number" ? { text: `-(${of.text})`, kind: of.kind } : undefined;
    }
    case "operation":
      return operation(expression, columns);
    case "array":
      return undefined;
  }
}

function literal({ text, value }: SqlExpression & { readonly kind: "literal" }): Typed | undefined {
  if (value === null) return { text: "null", kind: "null" };
  if (typeof value === "boolean") return { text: String(value), kind: "boolean" };
  if (typeof value === "number") {
    // An expression has no exponents.
    if (!/^-?[\d.]+$/.test(String(value))) return undefined;
    return /^-?\d+$/.test(text) && Number.isSafeInteger(value)
      ? { text: String(value), kind: "integer" }
      : { text: Number.isInteger(value) ? `${value}.0` : String(value), kind: "number" };
  }
  return /^[^'"\\\p{Cc}]*$/u.test(value) ? { text: `'${value}'`, kind: "text" } : undefined;
}

function call({ name, of }: SqlExpression & { readonly kind: "call" }, columns: NamedColumns): Typed | undefined {
  const [first, ...more] = of.map((one) => typed(one, columns));
  const isLength = /^(?:length|char_length|character_length)$/.test(name);
  return isLength && more.length === 0 && first?.kind === "text"
    ? { text: `size(${first.text})`, kind: "integer" }
    : undefined;
}

const comparisons: Readonly<Record<string, string>> = {
  "=": "==",
  "<>": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function operation(
  { left, right, sign }: SqlExpression & { readonly kind: "operation" },
  columns: NamedColumns,
): Typed | undefined {
  const one = typed(left, columns);
  if (one === undefined) return undefined;
  if (sign === "IN") {
    const items = right.kind === "array" ? right.of.map((item) => typed(item, columns)) : [];
    if (items.length === 0 || items.some((item) => item?.kind !== one.kind)) return undefined;
    return { text: `${one.text} in [${items.map((item) => item?.text).join(", ")}]`, kind: "boolean" };
  }
  const other = typed(right, columns);
  if (other === undefined) return undefined;
  if (sign === "AND" || sign === "OR") {
    if (one.kind !== "boolean" || other.kind !== "boolean") return undefined;
    return { text: `(${one.text}) ${sign === "AND" ? "&&" : "||"} (${other.text})`, kind: "boolean" };
  }
  if (sign === "IS") return { text: `${inBrackets(one)} == ${other.text}`, kind: "boolean" };
  const isNumeric = [one, other].every(({ kind }) => kind === "integer" || kind === "number");
  const compared = comparisons[sign];
  if (compared !== undefined) {
    if (one.kind === "other" || one.kind === "null" || !(isNumeric || one.kind === other.kind)) return undefined;
    // A database orders texts by its collation, the language by their code points.
    const isOrdered = one.kind !== "text" && !one.kind.startsWith("record ");
    if (!isOrdered && sign !== "=" && sign !== "<>") return undefined;
    return { text: `${inBrackets(one)} ${compared} ${inBrackets(other)}`, kind: "boolean" };
  }
  if (["+", "-", "*"].includes(sign) && isNumeric && one.kind === other.kind)
    return { text: `(${one.text} ${sign} ${other.text})`, kind: one.kind };
  if (sign === "||" && one.kind === "text" && other.kind === "text")
    return { text: `(${one.text} + ${other.text})`, kind: "text" };
  return undefined;
}

/** A condition that is compared needs brackets, since comparisons have one precedence. */
function inBrackets({ kind, text }: Typed): string {
  return kind === "boolean" && /\s/.test(text) ? `(${text})` : text;
}
