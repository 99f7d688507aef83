/**
 * A record at hand as the JSON text of a view, made in JavaScript: what a write answers with. The texts that a database
 * assembles for reads are the same, character for character.
 */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Row, View, ViewMember, ViewSource } from "../port/store.ts";

/** A condition or a computed value, ready to be run on a record. */
export type Evaluate = (row: Row, variables: Variables) => Value;

export type Write = (row: Row, variables: Variables) => string;

/** What a view needs of a store, made ready once. */
export interface Compile {
  readonly expression: (expression: TypedExpression) => Evaluate;
  /** The text of other records as a view; null where the expression is. */
  readonly nested: (source: NestedSource) => (row: Row, variables: Variables) => string | null;
}

/** A member's source that is of other records. */
export type NestedSource = Extract<ViewSource, { readonly view: View }>;

/** The view as a function from a record to its text. */
export function viewWriter({ members }: Pick<View, "members">, compile: Compile): Write {
  const writers = members.map((member) => memberWriter(member, compile));
  return (row, variables) => {
    let text = "";
    for (const write of writers) text += write(row, variables);
    return text === "" ? "{}" : `{${text.slice(1)}}`;
  };
}

/** The member with a comma before it, or nothing. */
function memberWriter(member: ViewMember, compile: Compile): Write {
  const { absent, when } = member;
  const start = `,${JSON.stringify(member.name)}:`;
  const none = absent === "null" ? `${start}null` : "";
  const value = valueWriter(member, compile);
  const write: Write = (row, variables) => {
    const text = value(row, variables);
    return text === null ? none : start + text;
  };
  if (!when) return write;
  const conditions = when.map(compile.expression);
  return (row, variables) => (conditions.some((holds) => holds(row, variables) === true) ? write(row, variables) : "");
}

/** The text of the member's value; null where there is none. */
function valueWriter(
  { source, type }: ViewMember,
  compile: Compile,
): (row: Row, variables: Variables) => string | null {
  switch (source.kind) {
    case "column": {
      const { column } = source;
      return (row) => valueText(row[column] ?? null, type);
    }
    case "expression": {
      const value = compile.expression(source.expression);
      return (row, variables) => valueText(value(row, variables), type);
    }
    case "object":
      return viewWriter(source, compile);
    default:
      return compile.nested(source);
  }
}

function valueText(value: Value, type: ViewMember["type"]): string | null {
  if (value === null) return null;
  return type === "boolean" || type === "integer" ? `${value as number | boolean}` : JSON.stringify(value);
}
