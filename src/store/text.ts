/**
 * A record at hand as the JSON text of a view, made in JavaScript: what a write answers with. The texts that a database
 * assembles for reads are the same, character for character.
 */
import type { Value, Variables } from "../expression/evaluate.ts";
import type { TypedExpression } from "../expression/typed.ts";
import type { Row, View, ViewMember } from "./store.ts";

/** A condition or a computed value, ready to be run on a record. */
export type Evaluate = (row: Row, variables: Variables) => Value;

export type Write = (row: Row, variables: Variables) => string;

/** The view as a function from a record to its text. `compile` makes its expressions ready, once. */
export function viewWriter(view: View, compile: (expression: TypedExpression) => Evaluate): Write {
  const members = view.members.map((member) => memberWriter(member, compile));
  return (row, variables) => {
    let text = "";
    for (const member of members) text += member(row, variables);
    return text === "" ? "{}" : `{${text.slice(1)}}`;
  };
}

/** The member with a comma before it, or nothing. */
function memberWriter(member: ViewMember, compile: (expression: TypedExpression) => Evaluate): Write {
  const { absent, source, type, when } = member;
  const start = `,${JSON.stringify(member.name)}:`;
  const none = absent === "null" ? `${start}null` : "";
  const value = source.kind === "expression" ? compile(source.expression) : (row: Row) => row[source.column] ?? null;
  const write: Write = (row, variables) => {
    const given = value(row, variables);
    return given === null ? none : start + valueText(given, type);
  };
  if (!when) return write;
  const conditions = when.map(compile);
  return (row, variables) => (conditions.some((holds) => holds(row, variables) === true) ? write(row, variables) : "");
}

function valueText(value: Value, type: ViewMember["type"]): string {
  return type === "boolean" || type === "integer" ? `${value as number | boolean}` : JSON.stringify(value);
}
