/**
 * The typed tree: an expression whose names are resolved. `check.ts` builds it; the function, the SQL and the proofs are made
 * from it. It is plain data that can be stored as JSON.
 */

import type { Conversion, Extreme, ListFunction, TextFunction } from "./functions.ts";
import type { Comparison, Extent } from "./syntax.ts";
import { describeType, type ValueType } from "./types.ts";
import type { ZoneFunction } from "./zones.ts";

interface Typed {
  readonly at: Extent;
  readonly type: ValueType;
  /**
   * Whether the document allows the value to be absent. Arithmetic that leaves its range also returns null, but does not count
   * here: `extensions + 1` is an int, not a nullable int.
   */
  readonly nullable: boolean;
}

export type TypedExpression =
  | Constant
  | Field
  | Variable
  | Item
  | ItemField
  | Walk
  | TypedMember
  | List
  | Records
  | Unary
  | Logical
  | Compare
  | Calculate
  | Membership
  | Choose
  | FunctionCall
  | Macro;

/** A literal. Timestamps and durations have the form in which expressions are evaluated. */
export interface Constant extends Typed {
  readonly kind: "constant";
  readonly value: string | number | boolean | null;
}

/** A field of the current record. */
export interface Field extends Typed {
  readonly kind: "field";
  readonly name: string;
}

/** A variable or a member of one: `caller.id` is `["caller", "id"]`. */
export interface Variable extends Typed {
  readonly kind: "variable";
  readonly path: readonly string[];
}

/** The current item of a macro over a list of values. */
export interface Item extends Typed {
  readonly kind: "item";
  /** The number of enclosing macros, which is the index of the item among their current items. */
  readonly slot: number;
}

/** A field of the current record of a macro over records. */
export interface ItemField extends Typed {
  readonly kind: "item-field";
  readonly slot: number;
  readonly resource: string;
  readonly name: string;
}

/** A field of the record to which a reference refers. */
export interface Walk extends Typed {
  readonly kind: "walk";
  readonly reference: TypedExpression;
  readonly resource: string;
  readonly name: string;
}

/** A member of an embedded value, a map or a JSON value that does not come from a variable. */
export interface TypedMember extends Typed {
  readonly kind: "member";
  readonly object: TypedExpression;
  readonly name: string;
}

export interface List extends Typed {
  readonly kind: "list";
  readonly items: readonly TypedExpression[];
}

/** All records of a resource, or the ancestors of one in a tree. Only a macro or `size` can use it. */
export interface Records extends Typed {
  readonly kind: "records";
  readonly resource: string;
  /** Set if only the record to which `from` refers and those above it are meant, nearest first; `field` refers to a parent. */
  readonly ancestors?: { readonly from: TypedExpression; readonly field: string };
}

/** `as` converts a value of unknown type: the value if it has this type, else null. */
export interface Unary extends Typed {
  readonly kind: "not" | "negate" | "as";
  readonly operand: TypedExpression;
}

export interface Logical extends Typed {
  readonly kind: "logical";
  readonly operator: "&&" | "||";
  readonly left: TypedExpression;
  readonly right: TypedExpression;
}

export interface Compare extends Typed {
  readonly kind: "compare";
  readonly operator: Comparison;
  readonly left: TypedExpression;
  readonly right: TypedExpression;
}

/** The calculation of an arithmetic operator, which depends on the types of the operands. */
export type Calculation =
  | "add"
  | "subtract"
  | "multiply"
  | "divide"
  | "remainder"
  /** Joins two texts. */
  | "join"
  /** Appends a list to a list. */
  | "append"
  /** Adds a duration to a timestamp; the timestamp is the first operand. */
  | "later"
  | "earlier"
  /** The duration between two timestamps. */
  | "between"
  /** The sum or the difference of two amounts of money. */
  | "add-money"
  | "subtract-money"
  /** Money times a number; the money is the first operand. */
  | "multiply-money";

export interface Calculate extends Typed {
  readonly kind: "calculate";
  readonly calculation: Calculation;
  readonly left: TypedExpression;
  readonly right: TypedExpression;
}

/** The test `value in list`, or `key in map`. */
export interface Membership extends Typed {
  readonly kind: "within";
  readonly value: TypedExpression;
  readonly list: TypedExpression;
}

export interface Choose extends Typed {
  readonly kind: "choose";
  readonly test: TypedExpression;
  readonly whenTrue: TypedExpression;
  readonly whenFalse: TypedExpression;
}

export type FunctionName =
  | TextFunction
  | ListFunction
  | Conversion
  /** Of two values, or of a list. */
  | Extreme
  /** Of a moment and a time zone. */
  | ZoneFunction
  /** The moment of a date and a time in a time zone. */
  | "timestamp"
  | "hash"
  | "first"
  /** The money of an amount and a currency. */
  | "money"
  | "size"
  | "startsWith"
  | "endsWith"
  | "contains"
  | "matches"
  | "replace"
  | "join"
  | "sum";

/** A call of a function of the language; the target of a method call is its first argument. */
export interface FunctionCall extends Typed {
  readonly kind: "call";
  readonly function: FunctionName;
  readonly arguments: readonly TypedExpression[];
}

export type MacroName = "exists" | "all" | "filter" | "map" | "sortBy";

export interface Macro extends Typed {
  readonly kind: "macro";
  readonly macro: MacroName;
  /** Whether the items are records rather than values. */
  readonly records: boolean;
  readonly slot: number;
  readonly list: TypedExpression;
  readonly body: TypedExpression;
}

/** Returns the nodes directly below, in the order of the text. */
export function parts(typed: TypedExpression): readonly TypedExpression[] {
  switch (typed.kind) {
    case "walk":
      return [typed.reference];
    case "records":
      return typed.ancestors === undefined ? [] : [typed.ancestors.from];
    case "member":
      return [typed.object];
    case "list":
      return typed.items;
    case "not":
    case "negate":
    case "as":
      return [typed.operand];
    case "logical":
    case "compare":
    case "calculate":
      return [typed.left, typed.right];
    case "within":
      return [typed.value, typed.list];
    case "choose":
      return [typed.test, typed.whenTrue, typed.whenFalse];
    case "call":
      return typed.arguments;
    case "macro":
      return [typed.list, typed.body];
    default:
      return [];
  }
}

/** Returns the expression and all nodes below it, outermost first. */
export function nodesOf(typed: TypedExpression): readonly TypedExpression[] {
  return [typed, ...parts(typed).flatMap(nodesOf)];
}

/** Whether the expression is or contains a node of one of the kinds. */
export function mentions(typed: TypedExpression, ...kinds: readonly TypedExpression["kind"][]): boolean {
  return kinds.includes(typed.kind) || parts(typed).some((part) => mentions(part, ...kinds));
}

/** Whether the expression reads other records: it follows a reference or uses all records of a resource. */
export function readsOtherRecords(typed: TypedExpression): boolean {
  return mentions(typed, "walk", "records");
}

/** Whether the expression reads the given variable of a request, such as `caller`, `input` or `tokens`. */
export function readsVariable(typed: TypedExpression, name: string): boolean {
  return (
    (typed.kind === "variable" && typed.path[0] === name) || parts(typed).some((part) => readsVariable(part, name))
  );
}

/** Returns the names of the current record's fields in the expression. */
export function fieldsIn(typed: TypedExpression): readonly string[] {
  return nodesOf(typed).flatMap((node) => (node.kind === "field" ? [node.name] : []));
}

/**
 * Whether a node denotes records rather than values: all records of a resource, or those that a filter selects, in any order.
 */
export function isRecordList(typed: TypedExpression): boolean {
  if (typed.kind === "call") return typed.function === "reverse" && typed.arguments.some(isRecordList);
  const isFiltering = typed.kind === "macro" && (typed.macro === "filter" || typed.macro === "sortBy");
  return typed.kind === "records" || (isFiltering && typed.records);
}

/** Returns a text that is equal for two nodes with the same meaning, wherever they are in the expression. */
export function keyOf(typed: TypedExpression): string {
  return JSON.stringify(typed, function (this: { kind?: string }, name, value: unknown) {
    if (name === "at" || name === "nullable") return undefined;
    // Omitted, since the type of every other node follows from its operands.
    if (name === "type") return this.kind === "as" ? describeType(value as ValueType) : undefined;
    return value;
  });
}

/** Builds the condition that a field of the current record equals a variable of this type. */
export function fieldEquals(field: string, variable: readonly string[], type: ValueType): TypedExpression {
  const at = { start: 0, end: 0 };
  const side = { at, type, nullable: true } as const;
  return {
    kind: "compare",
    operator: "==",
    at,
    type: { kind: "bool" },
    nullable: false,
    left: { kind: "field", name: field, ...side },
    right: { kind: "variable", path: variable, ...side },
  };
}
