/**
 * Finds the expressions of further writes (`also`). In `each`, `if` and `with` a bare name is a field of the
 * record around the write, in `where` and `set` of the record that is written; `this` is the record around the write, `old`
 * the same record before the operation.
 */
import { checkExpression } from "../../expression/check.ts";
import { parseExpression } from "../../expression/parse.ts";
import type { Expression } from "../../expression/syntax.ts";
import type { FieldType as ExpressionField, NamedType, TypeEnvironment, ValueType } from "../../expression/types.ts";
import type { Model } from "../model.ts";
import { fieldsOf, lookup } from "../resources/fields.ts";
import { valueOf } from "../resources/value-type.ts";
import type { FurtherWriteSite } from "../states/further-writes.ts";
import { condition, recordNames } from "./variables.ts";

/** The names of a further write's expressions. */
export interface Surrounding {
  /** The fields of the record around the write, as bare names. */
  readonly record: Readonly<Record<string, NamedType>>;
  /** `this` and, if it exists, `old`. */
  readonly records: Readonly<Record<string, NamedType>>;
  /** `input`, `caller`, `now`. */
  readonly moment: Readonly<Record<string, NamedType>>;
}

/** An expression with its names and its expected type. */
interface WriteExpression {
  readonly path: string;
  readonly text: string;
  readonly names: Readonly<Record<string, NamedType>>;
  readonly expected?: ExpressionField;
}

/** Returns the expressions of one write. */
export function writeExpressions(
  model: Model,
  { at, write }: Pick<FurtherWriteSite, "at" | "write">,
  { moment, record, records }: Surrounding,
  resources: TypeEnvironment["resources"],
): readonly WriteExpression[] {
  const { each, resource, where } = write;
  // A field named `this` or `old` hides the variable.
  const before = { ...records, ...record, ...moment };
  const item = each === undefined ? {} : { [each.name]: itemType(each.list, { names: before, resources }) };
  const outer = { ...before, ...item };
  const inner = { ...records, ...recordNames(model, resource), ...moment, ...item };
  const present = write.if === undefined ? [] : presentIn(write.if);
  const values = (member: "with" | "set", known: WriteExpression["names"]): readonly WriteExpression[] => {
    const names = present.reduce(asPresent, known);
    return Object.entries(write[member] ?? {}).map(([name, text]) => {
      const field = lookup(fieldsOf(model, resource), name);
      const expected = field === undefined ? {} : { expected: valueOf(model, field) };
      return { path: `${at}/${member}/${name}`, text, names, ...expected };
    });
  };
  return [
    ...(each === undefined ? [] : [{ path: `${at}/each`, text: each.list, names: before, expected: anyList }]),
    ...(write.if === undefined ? [] : [{ path: `${at}/if`, text: write.if, names: outer, expected: condition }]),
    ...(where === undefined ? [] : [{ path: `${at}/where`, text: where, names: inner, expected: condition }]),
    ...values("with", outer),
    ...values("set", inner),
  ];
}

/** Returns the paths that a condition compares with `!= null`, such as `input.extra`: where it is true, they have a value. */
function presentIn(text: string): readonly (readonly string[])[] {
  const { expression } = parseExpression(text);
  const operands = (node: Expression): readonly Expression[] =>
    node.kind === "binary" && node.operator === "&&" ? [...operands(node.left), ...operands(node.right)] : [node];
  return (expression === undefined ? [] : operands(expression)).flatMap((node) => {
    if (node.kind !== "binary" || node.operator !== "!=" || node.right.kind !== "null") return [];
    const path = pathOf(node.left);
    return path === undefined ? [] : [path];
  });
}

function pathOf(node: Expression): readonly string[] | undefined {
  if (node.kind === "name") return [node.name];
  const around = node.kind === "member" ? pathOf(node.object) : undefined;
  return node.kind === "member" && around !== undefined ? [...around, node.name] : undefined;
}

/** Returns the names with a value at a path that cannot be null. */
function asPresent<Names extends Readonly<Record<string, ExpressionField>>>(
  names: Names,
  [name = "", ...rest]: readonly string[],
): Names {
  const found = lookup(names, name);
  if (found === undefined) return names;
  if (rest.length === 0) return { ...names, [name]: { ...found, nullable: false } };
  if (found.type.kind !== "object") return names;
  const members = asPresent(found.type.members, rest);
  return { ...names, [name]: { ...found, type: { ...found.type, members } } };
}

const any: ValueType = { kind: "any" };
/** An absent list has no items. */
const anyList: ExpressionField = { type: { kind: "list", of: any }, nullable: true };

/** Returns the type of the items of a list; unknown if the expression has a problem, which is reported elsewhere. */
function itemType(list: string, environment: TypeEnvironment): NamedType {
  const { expression } = parseExpression(list);
  const typed = expression && checkExpression(expression, environment).typed;
  const isList = typed?.type.kind === "list";
  return {
    type: isList ? typed.type.of : any,
    nullable: isList && typed.type.holes === true,
    from: "variables",
  };
}
