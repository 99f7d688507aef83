/**
 * Summaries: lists of groups of records with counts and sums, instead of the records themselves.
 *
 *     group    field, field                               map: { name: expression }
 *     gives    { name: count | count(condition) | sum(x) | average(x) | min(x) | max(x) }
 */
import { parseExpression } from "../../expression/parse.ts";
import type { Call, Expression } from "../../expression/syntax.ts";
import { keyOf, type TypedExpression } from "../../expression/typed.ts";
import { isMoney, type ValueType } from "../../expression/types.ts";
import { named } from "../grammar/collections.ts";
import { type Grammar, labelOf } from "../grammar/grammar.ts";
import { locateAt, report } from "../grammar/reader.ts";
import { mapEntries } from "../grammar/references.ts";
import { either, shared } from "../grammar/schema.ts";
import { spanOf } from "../grammar/source-text.ts";
import { namesAt } from "../grammar/values.ts";
import { expression } from "../grammar/words.ts";
import type { ResponseTemplate } from "./model.ts";

const groups = named(
  expression((path) => `The group \`${path.at(-1)}\``),
  { example: "{ day: date(createdAt, 'Europe/Oslo') }" },
);

/** Reads the groups: fields on one line or in a list, or a map from names to expressions. */
export const group: Grammar<Readonly<Record<string, string>>> = {
  schema: either(shared("names"), groups.schema),
  mapNames: (value, scope) =>
    mapEntries(value, scope, { declares: "member" }, (text, at) => at.walk.expression(text, at)),
  read: (reader, path, statement, label) => {
    const { value } = statement;
    if (value.kind === "map") return groups.read(reader, path, statement, label);
    const found: Record<string, string> = {};
    for (const name of namesAt(reader, path, value, labelOf(label ?? "`group`", path))) {
      if (!/^[A-Za-z_]\w*$/.test(name.text)) {
        const help = "a group that is no field has a name: `group: { day: date(createdAt, 'Europe/Oslo') }`";
        report(reader, "endpoints/bad-group", spanOf(name), `\`${name.text}\` is not the name of a field`, { help });
        continue;
      }
      locateAt(reader, [...path, name.text], name);
      found[name.text] = name.text;
    }
    return Object.keys(found).length === 0 ? undefined : found;
  },
  print: (value, below) => {
    const isPlain = Object.entries(value).every(([name, text]) => name === text);
    return isPlain && !below() ? Object.keys(value).join(", ") : groups.print(value, below);
  },
};

export const measureFunctions = ["count", "sum", "average", "min", "max"] as const;
export type MeasureFunction = (typeof measureFunctions)[number];

/** A value of a group, such as `sum(amount)`. Without an argument it counts the records. */
export interface Measure {
  readonly function: MeasureFunction;
  readonly argument?: Expression;
}

/** Reads the text of a measure; undefined if it is none. */
export function measureOf(text: string): Measure | undefined {
  if (text.trim() === "count") return { function: "count" };
  const call = parseExpression(text).expression;
  if (call === undefined || !isMeasure(call)) return undefined;
  const [argument] = call.arguments;
  return argument && { function: call.function as MeasureFunction, argument };
}

function isMeasure(node: Expression): node is Call {
  return (
    node.kind === "call" &&
    node.target === undefined &&
    node.arguments.length === 1 &&
    (measureFunctions as readonly string[]).includes(node.function)
  );
}

/** Returns the members of a summary's `gives` that are measures, by name. */
export function measuresOf(gives: ResponseTemplate | undefined): Readonly<Record<string, Measure>> {
  if (typeof gives !== "object") return {};
  return Object.fromEntries(
    Object.entries(gives).flatMap(([name, text]) => {
      const measure = typeof text === "string" ? measureOf(text) : undefined;
      return measure === undefined ? [] : [[name, measure] as const];
    }),
  );
}

/** Whether a measure of the function exists for values of a type. */
export function isMeasurable(name: MeasureFunction, type: ValueType): boolean {
  if (name === "count") return true;
  const isSummable = type.kind === "int" || type.kind === "double" || isMoney(type);
  return isSummable || ((name === "min" || name === "max") && (type.kind === "string" || type.kind === "timestamp"));
}

/** Whether records can be grouped by values of a type. */
export function isGroupable({ kind }: ValueType): boolean {
  return ["bool", "int", "double", "string", "timestamp", "record"].includes(kind);
}

/**
 * Returns the name of the group that has the currency of a measure of money; undefined if there is none. Only such a measure
 * has one currency.
 */
export function currencyGroup(
  argument: TypedExpression,
  typedGroups: Readonly<Record<string, TypedExpression | undefined>>,
): string | undefined {
  const wanted = keyOf(currencyOf(argument));
  return Object.entries(typedGroups).find(([, one]) => one !== undefined && keyOf(one) === wanted)?.[0];
}

function currencyOf(argument: TypedExpression): TypedExpression {
  // A multiple has the currency of the money.
  if (argument.kind === "calculate" && argument.calculation === "multiply-money") return currencyOf(argument.left);
  const { at, nullable } = argument;
  return { kind: "member", at, type: { kind: "string" }, nullable, object: argument, name: "currency" };
}
