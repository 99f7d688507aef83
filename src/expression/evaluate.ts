/**
 * A typed expression as a function: a tree of closures, made once, each knowing the types it works on.
 *
 * The meaning is total. Absent is null (undefined counts as null); what asks something of null is false, but for `==` and
 * `!=`; what computes with null is null, and so is what leaves its range or divides by zero. `compileSql` says the same in
 * SQL, and a change here is a change there.
 */

import { RE2JS } from "@bufbuild/re2";
import { compareValues, conversions, join, listFunctions, textFunctions } from "./functions.ts";
import { durationOf, readTimestamp, timestampAt } from "./instant.ts";
import type { Comparison } from "./syntax.ts";
import { compareText, lengthOf } from "./text.ts";
import type { Calculate, Compare, FunctionCall, Macro, TypedExpression, Walk } from "./typed.ts";
import { isScalar, type ValueType } from "./types.ts";

/** What an expression gives: a JSON value. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [member: string]: Value };

export type Row = Readonly<Record<string, unknown>>;

/** `input`, `caller`, `now`, `old`, `value` and whatever else the environment named. */
export type Variables = Row;

/** What an expression is asked about. */
export interface Scope {
  readonly record: Row;
  readonly variables: Variables;
  /** The record of an id, for walks. */
  readonly reference?: (resource: string, id: string | number) => Row | undefined;
  /** All records, for macros over a resource. */
  readonly records?: (resource: string) => Iterable<Row>;
}

/** The expression as a function. It does not throw on any value that has the type the environment said. */
export function compileFunction(typed: TypedExpression): (scope: Scope) => Value {
  const run = compile(typed);
  if (!hasMacro(typed)) return (scope) => run(scope, noItems) ?? null;
  return (scope) => run(scope, []) ?? null;
}

/** What the macros around are at, by slot. */
type Items = unknown[];

type Run = (scope: Scope, items: Items) => Value | undefined;

const noItems: Items = [];

function hasMacro(typed: TypedExpression): boolean {
  return JSON.stringify(typed).includes('"kind":"macro"');
}

function compile(typed: TypedExpression): Run {
  switch (typed.kind) {
    case "constant": {
      const { value } = typed;
      return () => value;
    }
    case "field": {
      const { name } = typed;
      return (scope) => scope.record[name] as Value;
    }
    case "variable":
      return compileVariable(typed.path);
    case "item": {
      const { slot } = typed;
      return (_, items) => items[slot] as Value;
    }
    case "item-field": {
      const { slot, name } = typed;
      return (_, items) => (items[slot] as Row)[name] as Value;
    }
    case "walk":
      return compileWalk(typed);
    case "member": {
      const object = compile(typed.object);
      const { name } = typed;
      return (scope, items) => memberOf(object(scope, items), name);
    }
    case "list": {
      const runs = typed.items.map(compile);
      return (scope, items) => runs.map((run) => run(scope, items) ?? null);
    }
    case "records":
      // Only macros and size ask for records, and they hand the rows on; nothing sees this as a value.
      return (scope) => [...rowsOf(scope, typed.resource)] as Value[];
    case "not": {
      const operand = compile(typed.operand);
      return (scope, items) => operand(scope, items) !== true;
    }
    case "negate": {
      const operand = compile(typed.operand);
      // There is no negative zero among the ints.
      const zero = typed.type.kind === "int" ? 0 : -0;
      return (scope, items) => {
        const value = operand(scope, items);
        return typeof value === "number" ? zero - value : null;
      };
    }
    case "logical": {
      const left = compile(typed.left);
      const right = compile(typed.right);
      return typed.operator === "&&"
        ? (scope, items) => left(scope, items) === true && right(scope, items) === true
        : (scope, items) => left(scope, items) === true || right(scope, items) === true;
    }
    case "compare":
      return compileCompare(typed);
    case "calculate":
      return compileCalculate(typed);
    case "within":
      return compileWithin(typed.value, typed.list);
    case "choose": {
      const test = compile(typed.test);
      const whenTrue = compile(typed.whenTrue);
      const whenFalse = compile(typed.whenFalse);
      return (scope, items) => (test(scope, items) === true ? whenTrue(scope, items) : whenFalse(scope, items));
    }
    case "call":
      return compileCall(typed);
    case "macro":
      return compileMacro(typed);
    case "as": {
      const operand = compile(typed.operand);
      const { type } = typed;
      return (scope, items) => takeAs(operand(scope, items), type);
    }
  }
}

// Values from outside

function compileVariable(path: readonly string[]): Run {
  const [first = "", second = "", ...rest] = path;
  if (path.length === 1) return (scope) => scope.variables[first] as Value;
  if (path.length === 2) return (scope) => memberOf(scope.variables[first], second);
  return (scope) => rest.reduce<unknown>(memberOf, memberOf(scope.variables[first], second)) as Value;
}

/** A member that is the object's own: `constructor` of an unknown value is absent. */
function memberOf(object: unknown, name: string): Value | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return undefined;
  return Object.hasOwn(object, name) ? (object as Record<string, Value>)[name] : undefined;
}

function compileWalk({ reference, resource, name }: Walk): Run {
  const referred = compile(reference);
  return (scope, items) => {
    const id = referred(scope, items);
    if (typeof id !== "string" && typeof id !== "number") return null;
    if (!scope.reference) throw new Error(`a walk to ${resource} needs \`reference\` in the scope`);
    return scope.reference(resource, id)?.[name] as Value;
  };
}

function rowsOf(scope: Scope, resource: string): Iterable<Row> {
  if (!scope.records) throw new Error(`a macro over ${resource} needs \`records\` in the scope`);
  return scope.records(resource);
}

/** A value of unknown type as one of a type, or null. */
function takeAs(value: unknown, type: ValueType): Value {
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean" ? value : null;
    case "int":
    case "duration":
      return Number.isSafeInteger(value) ? (value as number) : null;
    case "double":
      return typeof value === "number" ? value : null;
    case "string":
    case "record":
      return typeof value === "string" ? value : null;
    case "timestamp":
      return typeof value === "string" ? (readTimestamp(value) ?? null) : null;
    case "list":
      return Array.isArray(value) ? takeItems(value, type.of) : null;
    default:
      return (value ?? null) as Value;
  }
}

function takeItems(list: readonly unknown[], of: ValueType): Value {
  return of.kind === "any" ? (list as Value) : list.map((item) => takeAs(item, of));
}

// Comparisons

function compileCompare({ operator, left, right }: Compare): Run {
  const a = compile(left);
  const b = compile(right);
  if (operator !== "==" && operator !== "!=") return compileOrder(operator, a, b, left.type.kind === "string");
  const same = isScalar(left.type) && isScalar(right.type) ? isSame : isDeeplySame;
  return operator === "=="
    ? (scope, items) => same(a(scope, items), b(scope, items))
    : (scope, items) => !same(a(scope, items), b(scope, items));
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  return a === b || (a ?? null) === (b ?? null);
}

function isDeeplySame(a: Value | undefined, b: Value | undefined): boolean {
  if (isSame(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isDeeplySame(item, b[i]))
    );
  }
  // Absent is null, in members as well.
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isDeeplySame(memberOf(a, name), memberOf(b, name)));
}

type Order = string | number | boolean;

function compileOrder(operator: Exclude<Comparison, "==" | "!=">, a: Run, b: Run, isText: boolean): Run {
  const holds = isText ? textOrders[operator] : plainOrders[operator];
  return (scope, items) => {
    const x = a(scope, items);
    if (x === null || x === undefined) return false;
    const y = b(scope, items);
    return y !== null && y !== undefined && holds(x as Order, y as Order);
  };
}

/** Numbers, truth values, and timestamps, whose texts are all digits. */
const plainOrders: Readonly<Record<Exclude<Comparison, "==" | "!=">, (a: Order, b: Order) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const textOrders: typeof plainOrders = {
  "<": (a, b) => compareText(a as string, b as string) < 0,
  "<=": (a, b) => compareText(a as string, b as string) <= 0,
  ">": (a, b) => compareText(a as string, b as string) > 0,
  ">=": (a, b) => compareText(a as string, b as string) >= 0,
};

function compileWithin(value: TypedExpression, list: TypedExpression): Run {
  const looked = compile(value);
  if (list.type.kind === "map") {
    const map = compile(list);
    return (scope, items) => (memberOf(map(scope, items), looked(scope, items) as string) ?? null) !== null;
  }
  const same = isScalar(value.type) ? isSame : isDeeplySame;
  if (list.kind === "list" && list.items.every((item) => item.kind === "constant")) {
    const set = new Set<unknown>(list.items.map((item) => item.value).filter((one) => one !== null));
    return (scope, items) => set.has(looked(scope, items));
  }
  const within = compile(list);
  return (scope, items) => {
    const wanted = looked(scope, items);
    const values = within(scope, items);
    if (wanted === null || wanted === undefined || !Array.isArray(values)) return false;
    return values.some((item) => same(item, wanted));
  };
}

// Arithmetic

function compileCalculate({ calculation, left, right, type }: Calculate): Run {
  const a = compile(left);
  const b = compile(right);
  const calculate = calculationFor(calculation, type);
  return (scope, items) => {
    const x = a(scope, items);
    if (x === null || x === undefined) return null;
    const y = b(scope, items);
    return y === null || y === undefined ? null : calculate(x, y);
  };
}

type Operation = (a: Value, b: Value) => Value;

function calculationFor(calculation: Calculate["calculation"], type: ValueType): Operation {
  switch (calculation) {
    case "join":
      return (a, b) => (a as string) + (b as string);
    case "append":
      return (a, b) => [...(a as Value[]), ...(b as Value[])];
    case "later":
      return (a, b) => timestampAt(Date.parse(a as string) + (b as number));
    case "earlier":
      return (a, b) => timestampAt(Date.parse(a as string) - (b as number));
    case "between":
      return (a, b) => durationOf(Date.parse(a as string) - Date.parse(b as string));
    default: {
      const within = type.kind === "int" ? asInt : type.kind === "duration" ? durationOf : asDouble;
      const operate = numberOperations(calculation, type.kind === "int");
      return (a, b) => within(operate(a as number, b as number));
    }
  }
}

function numberOperations(calculation: Calculate["calculation"], isInt: boolean): (a: number, b: number) => number {
  switch (calculation) {
    case "add":
      return (a, b) => a + b;
    case "subtract":
      return (a, b) => a - b;
    case "multiply":
      return (a, b) => a * b;
    case "divide":
      // Two safe integers never divide to a double that rounds up to the next integer, so truncation is exact.
      return isInt ? (a, b) => Math.trunc(a / b) : (a, b) => a / b;
    default:
      return (a, b) => a % b;
  }
}

/** NaN and the infinities, which division by zero gives, are not safe either. Adding 0 makes a zero of a negative zero. */
function asInt(value: number): number | null {
  return Number.isSafeInteger(value) ? value + 0 : null;
}

function asDouble(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

// Functions and macros

function compileCall({ function: name, arguments: operands }: FunctionCall): Run {
  const [operand, second, third] = operands;
  if (!operand) throw new Error(`${name} without an argument passed the type check`);
  const run = compile(operand);
  switch (name) {
    case "slugify":
    case "trim":
    case "lowerAscii":
    case "upperAscii":
      return onText(run, textFunctions[name]);
    case "flatten":
    case "distinct":
    case "sort":
    case "reverse":
      return onList(run, listFunctions[name]);
    case "string":
    case "int":
    case "double":
      return (scope, items) => {
        const value = run(scope, items) ?? null;
        return value === null ? null : conversions[name](value, operand.type);
      };
    case "size":
      return (scope, items) => sizeOf(run(scope, items));
    case "sum": {
      const sum = operand.type.kind === "list" && operand.type.of.kind === "double" ? sumOfDoubles : sumOfInts;
      return (scope, items) => sum(run(scope, items));
    }
    case "matches":
      return compileMatches(run, second);
    case "join":
      return compileJoin(run, second);
    case "replace":
      return compileReplace(run, second, third);
    default:
      return compileTextTest(name, run, second);
  }
}

function onText(run: Run, apply: (text: string) => string): Run {
  return (scope, items) => {
    const text = run(scope, items);
    return typeof text === "string" ? apply(text) : null;
  };
}

function onList(run: Run, apply: (list: readonly Value[]) => Value): Run {
  return (scope, items) => {
    const list = run(scope, items);
    return Array.isArray(list) ? apply(list as readonly Value[]) : null;
  };
}

function compileJoin(run: Run, second: TypedExpression | undefined): Run {
  const between = second === undefined ? () => "" : compile(second);
  return (scope, items) => {
    const list = run(scope, items);
    const separator = between(scope, items);
    return Array.isArray(list) && typeof separator === "string" ? join(list as readonly Value[], separator) : null;
  };
}

function compileReplace(run: Run, wanted: TypedExpression | undefined, replacement: TypedExpression | undefined): Run {
  if (!wanted || !replacement) throw new Error("replace without a text to replace passed the type check");
  const [old, fresh] = [compile(wanted), compile(replacement)];
  return (scope, items) => {
    const text = run(scope, items);
    const [a, b] = [old(scope, items), fresh(scope, items)];
    return typeof text === "string" && typeof a === "string" && typeof b === "string"
      ? text.replaceAll(a, () => b)
      : null;
  };
}

function compileTextTest(name: keyof typeof textTests, run: Run, second: TypedExpression | undefined): Run {
  if (!second) throw new Error(`${name} without a second argument passed the type check`);
  const part = compile(second);
  return (scope, items) => {
    const text = run(scope, items);
    const looked = part(scope, items);
    return typeof text === "string" && typeof looked === "string" && text[textTests[name]](looked);
  };
}

const textTests = { startsWith: "startsWith", endsWith: "endsWith", contains: "includes" } as const;

function compileMatches(run: Run, pattern: TypedExpression | undefined): Run {
  if (pattern?.kind !== "constant") throw new Error("a pattern that is no literal passed the type check");
  const regex = RE2JS.compile(String(pattern.value));
  return (scope, items) => {
    const text = run(scope, items);
    return typeof text === "string" && regex.test(text);
  };
}

function sizeOf(value: Value | undefined): number | null {
  if (typeof value === "string") return lengthOf(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return null;
  return Object.values(value).filter((member) => member !== null && member !== undefined).length;
}

/** As SQL's SUM: absent items do not count, and the sum of nothing is 0. */
function sumOfInts(value: Value | undefined): number | null {
  if (!Array.isArray(value)) return null;
  // Sums may pass through what a number cannot hold and come back.
  let total = 0n;
  for (const item of value) if (typeof item === "number") total += BigInt(item);
  return asInt(Number(total));
}

/** Neumaier's sum, as SQLite's TOTAL has it: the order of the items does not show. */
function sumOfDoubles(value: Value | undefined): number | null {
  if (!Array.isArray(value)) return null;
  let total = 0;
  let lost = 0;
  for (const item of value) {
    if (typeof item !== "number") continue;
    const next = total + item;
    lost += Math.abs(total) >= Math.abs(item) ? total - next + item : item - next + total;
    total = next;
  }
  return asDouble(total + lost);
}

function compileMacro({ macro, list, body, slot }: Macro): Run {
  const items = compile(list);
  const each = compile(body);
  const holds = (scope: Scope, frame: Items, item: unknown): boolean => {
    frame[slot] = item;
    return each(scope, frame) === true;
  };
  if (list.kind === "records" && macro === "exists") return existsRecord(list.resource, holds);
  return (scope, frame) => {
    const values = items(scope, frame);
    const isList = Array.isArray(values);
    switch (macro) {
      case "exists":
        return isList && values.some((item) => holds(scope, frame, item));
      case "all":
        return isList && values.every((item) => holds(scope, frame, item));
      case "filter":
        return isList ? values.filter((item) => holds(scope, frame, item)) : null;
      case "map":
        return isList ? values.map((item) => mapped(each, scope, frame, slot, item)) : null;
      case "sortBy":
        return isList ? sortedBy(values as Value[], (item) => mapped(each, scope, frame, slot, item)) : null;
    }
  };
}

function mapped(each: Run, scope: Scope, frame: Items, slot: number, item: unknown): Value {
  frame[slot] = item;
  return each(scope, frame) ?? null;
}

function sortedBy(values: readonly Value[], key: (item: Value) => Value): Value {
  return values
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareValues(a.key, b.key))
    .map(({ item }) => item);
}

/** Stops at the first record that will do, without having asked for the rest. */
function existsRecord(resource: string, holds: (scope: Scope, frame: Items, item: unknown) => boolean): Run {
  return (scope, frame) => {
    for (const row of rowsOf(scope, resource)) if (holds(scope, frame, row)) return true;
    return false;
  };
}
