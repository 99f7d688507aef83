/**
 * Renders a record as the JSON text of a view in JavaScript: the response to a write. A read, for which the database renders the
 * text, returns the same bytes.
 */
import { unixTimeOf } from "../../base/unix-time.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Row, View, ViewMember, ViewSource } from "../port/store.ts";

/** A compiled condition or computed value. */
export type Evaluate = (row: Row, variables: Variables) => Value;

export type Write = (row: Row, variables: Variables) => string;

/** Compiles the parts of a view that depend on the store. */
export interface Compile {
  readonly expression: (expression: TypedExpression) => Evaluate;
  /** Renders the nested records; null if the expression is null. */
  readonly nested: (source: NestedSource) => (row: Row, variables: Variables) => string | null;
}

/** The source of a member that shows other records. */
export type NestedSource = Extract<ViewSource, { readonly view: View }>;

/** Compiles a view to a function from a record to JSON text. */
export function viewWriter({ members }: Pick<View, "members">, compile: Compile): Write {
  const writers = members.map((member) => memberWriter(member, compile));
  return (row, variables) => {
    let text = "";
    for (const write of writers) text += write(row, variables);
    return text === "" ? "{}" : `{${text.slice(1)}}`;
  };
}

/** Writes `,"name":value`, or nothing for an omitted member. */
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

/** Writes the JSON text of the value; null for an absent value. */
function valueWriter(
  { absent, source, type }: ViewMember,
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
    case "object": {
      const write = viewWriter(source, compile);
      if (absent === "null") return write;
      return (row, variables) => {
        const text = write(row, variables);
        return text === "{}" ? null : text;
      };
    }
    default:
      return compile.nested(source);
  }
}

function valueText(value: Value, type: ViewMember["type"]): string | null {
  if (value === null) return null;
  if (type === "seconds" || type === "milliseconds") return `${unixTimeOf(value as string, type)}`;
  return type === "boolean" || type === "integer" ? `${value as number | boolean}` : JSON.stringify(value);
}
