/**
 * SQL under construction: pieces of text with parameters between them. Placeholders are numbered only at the end, so a piece
 * can be moved or repeated before that.
 */

import type { TypedExpression } from "./typed.ts";
import type { ValueType } from "./types.ts";

export type Dialect = "sqlite" | "postgres";

/** A value to be bound to a placeholder, in the order of the placeholders. */
export type Parameter =
  | { readonly kind: "constant"; readonly value: string | number | boolean | null; readonly type: ValueType }
  /** A variable of the evaluation, such as `["caller", "id"]`. */
  | { readonly kind: "variable"; readonly path: readonly string[]; readonly type: ValueType }
  /** A part of the expression that depends on no record: JavaScript computes its value before the statement runs. */
  | { readonly kind: "computed"; readonly expression: TypedExpression; readonly type: ValueType };

export type Sql = string | Parameter | readonly Sql[];

/** Builds SQL from a template with other SQL in it: sql`${left} = ${right}`. */
export function sql(strings: TemplateStringsArray, ...holes: readonly Sql[]): Sql {
  return strings.flatMap((text, i): Sql[] => {
    const hole = holes[i];
    return hole === undefined ? [text] : [text, hole];
  });
}

/** Joins pieces of SQL with a text between each two. */
export function joined(pieces: readonly Sql[], between: string): Sql {
  return pieces.flatMap((piece, i): Sql[] => (i === 0 ? [piece] : [between, piece]));
}

/** Returns a text as an SQL literal. Only for names and JSON paths: values are parameters. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An unnumbered placeholder: this character occurs in no SQL of PostgreSQL. */
export const openPlaceholder = "\0";

/** The most pieces of a statement that a database should get. */
const mostPieces = 20_000;

/**
 * Returns the text with its placeholders, and its parameters; undefined if it has too many pieces, as nested repetitions may
 * produce. PostgreSQL numbers placeholders from `first`.
 */
export function finish(
  piece: Sql,
  dialect: Dialect,
  first: number | "open",
): { readonly sql: string; readonly parameters: readonly Parameter[] } | undefined {
  const parameters: Parameter[] = [];
  const texts: string[] = [];
  const write = (part: Sql): void => {
    if (texts.length > mostPieces) return;
    if (typeof part === "string") texts.push(part);
    else if (isParameter(part)) {
      parameters.push(part);
      const parameter = first === "open" ? openPlaceholder : `$${first + parameters.length - 1}`;
      texts.push(placeholder(dialect, parameter, part.type));
    } else part.forEach(write);
  };
  write(piece);
  if (texts.length > mostPieces) return undefined;
  return { sql: texts.join(""), parameters };
}

/**
 * Returns a placeholder for a value of a known type. SQLite uses the type of the bound value, and a driver may bind every
 * number as a REAL, with which 7 / 2 would be 3.5.
 */
function placeholder(dialect: Dialect, parameter: string, type: ValueType): string {
  if (dialect === "postgres") return `${parameter}::${postgresType(type)}`;
  if (type.kind === "int" || type.kind === "duration") return "CAST(? AS INTEGER)";
  return type.kind === "double" ? "CAST(? AS REAL)" : "?";
}

function isParameter(part: Parameter | readonly Sql[]): part is Parameter {
  return !Array.isArray(part);
}

export function postgresType({ kind }: ValueType): string {
  switch (kind) {
    case "bool":
      return "boolean";
    case "int":
    case "duration":
      return "bigint";
    case "double":
      return "double precision";
    case "timestamp":
      return "timestamptz";
    case "list":
    case "map":
    case "object":
    case "any":
      return "jsonb";
    default:
      return "text";
  }
}
