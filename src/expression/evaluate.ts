/**
 * Compiles a typed expression to a function: a tree of closures, built once, each specialized for its types.
 *
 * Evaluation is total. An absent value is null (undefined counts as null). A comparison with null is false, except `==` and
 * `!=`; a computation with null is null, and so is one whose result is out of range or that divides by zero. `compileSql` has
 * the same semantics, so every change here needs a change there.
 *
 * Evaluation ends: nested macros count each item that they visit, and functions each step, up to a bound. SQL needs no bound,
 * since statements have deadlines.
 */

import { bytesInBase64 } from "../base/formats.ts";
import { RE2JS } from "@bufbuild/re2";
import { compareValues, conversions, extremeOf, hash, join, listFunctions, textFunctions } from "./functions.ts";
import { durationOf, readTimestamp, timestampAt } from "./instant.ts";
import { addMoney, compareMoney, isSameMoney, multiplyMoney, sumMoney } from "./money.ts";
import { type Comparison, limits } from "./syntax.ts";
import { compareText, lengthOf } from "./text.ts";
import {
  type Calculate,
  type Compare,
  type FunctionCall,
  isRecordList,
  type Macro,
  parts,
  type Records,
  type TypedExpression,
  type Walk,
} from "./typed.ts";
import { isBytes, isMoney, isScalar, type ValueType } from "./types.ts";
import { inZone, momentAt, type ZoneFunction, zoneFunctions } from "./zones.ts";

/** The value of an expression: a JSON value. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [member: string]: Value };

export type Row = Readonly<Record<string, unknown>>;

/** The values of `input`, `caller`, `now`, `old`, `value` and other variables of the environment, by name. */
export type Variables = Row;

/** The current record and the variables for one evaluation. */
export interface Scope {
  readonly record: Row;
  readonly variables: Variables;
  /** Returns the record with an id, for paths through references. */
  readonly reference?: (resource: string, id: string | number) => Row | undefined;
  /** Returns all records of a resource, for macros over the resource. */
  readonly records?: (resource: string) => Iterable<Row>;
  /** The most steps of an evaluation; default `mostSteps`. */
  readonly steps?: number;
  /** Called periodically; throws to end the evaluation. */
  readonly stop?: () => void;
}

/** The default bound on steps. Each item that a macro visits is a step and takes some 50 ns. */
export const mostSteps = 1_000_000;

/** Thrown if an evaluation exceeds its steps. Neither the expression nor its values are invalid. */
export class TooManySteps extends Error {
  constructor() {
    super("an expression takes more steps than one evaluation may");
    this.name = "TooManySteps";
  }
}

/**
 * Compiles the expression to a function. The function does not throw on any value that has the type declared in the
 * environment.
 *
 * @throws TooManySteps if macros or texts multiply beyond the bound
 */
export function compileFunction(typed: TypedExpression): (scope: Scope) => Value {
  const run = compile(typed);
  if (!mayMultiply(typed)) return (scope) => run(scope, unbounded) ?? null;
  return (scope) => {
    const left = scope.steps ?? mostSteps;
    return run(scope, { items: [], left, pauseAt: left, stop: scope.stop }) ?? null;
  };
}

/** The state of one evaluation. */
interface Frame {
  /** The current items of the enclosing macros, by slot. */
  readonly items: unknown[];
  /** The remaining steps. */
  left: number;
  /** The number of remaining steps at which to call `stop` next. */
  pauseAt: number;
  readonly stop: (() => void) | undefined;
}

type Run = (scope: Scope, frame: Frame) => Value | undefined;

/** The state for expressions whose time is linear in their values: infinity minus any steps stays infinity. */
const unbounded: Frame = { items: [], left: Number.POSITIVE_INFINITY, pauseAt: 0, stop: undefined };

const stepsBetweenPauses = 1024;

function mayMultiply(typed: TypedExpression): boolean {
  return (
    typed.kind === "macro" ||
    (typed.kind === "call" && multiplying.has(typed.function)) ||
    parts(typed).some(mayMultiply)
  );
}

/** Functions whose result may be much longer than their arguments, so that they count as many steps. */
const multiplying: ReadonlySet<string> = new Set(["join", "replace"]);

function spend(frame: Frame, steps: number): void {
  frame.left -= steps;
  if (frame.left < frame.pauseAt) pause(frame);
}

function pause(frame: Frame): void {
  if (frame.left < 0) throw new TooManySteps();
  frame.stop?.();
  frame.pauseAt = Math.max(0, frame.left - stepsBetweenPauses);
}

/** How many characters of a text that is searched or compared for equality count as one step. */
const charactersInStep = 64;

/** How many times longer JavaScript takes to process a character than to search one. */
const byItself = 16;

/** How many steps an item of a sorted list counts as. */
const sorting = 8;

function spendText(frame: Frame, characters: number): void {
  if (characters >= charactersInStep) spend(frame, Math.floor(characters / charactersInStep));
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
      return (_, frame) => frame.items[slot] as Value;
    }
    case "item-field": {
      const { slot, name } = typed;
      return (_, frame) => (frame.items[slot] as Row)[name] as Value;
    }
    case "walk":
      return compileWalk(typed);
    case "member": {
      const object = compile(typed.object);
      const { name } = typed;
      return (scope, frame) => memberOf(object(scope, frame), name);
    }
    case "list": {
      const runs = typed.items.map(compile);
      return (scope, frame) => runs.map((run) => run(scope, frame) ?? null);
    }
    case "records":
      // Only macros and `size` read records, and pass the rows on; no code uses them as a value.
      return compileRecords(typed);
    case "not": {
      const operand = compile(typed.operand);
      return (scope, frame) => operand(scope, frame) !== true;
    }
    case "negate": {
      const operand = compile(typed.operand);
      // An int is never negative zero.
      const zero = typed.type.kind === "int" ? 0 : -0;
      return (scope, frame) => {
        const value = operand(scope, frame);
        return typeof value === "number" ? zero - value : null;
      };
    }
    case "logical": {
      const left = compile(typed.left);
      const right = compile(typed.right);
      return typed.operator === "&&"
        ? (scope, frame) => left(scope, frame) === true && right(scope, frame) === true
        : (scope, frame) => left(scope, frame) === true || right(scope, frame) === true;
    }
    case "compare":
      return compileCompare(typed);
    case "calculate":
      return compileCalculate(typed);
    case "within":
      return compileMembership(typed.value, typed.list);
    case "choose": {
      const test = compile(typed.test);
      const whenTrue = compile(typed.whenTrue);
      const whenFalse = compile(typed.whenFalse);
      return (scope, frame) => (test(scope, frame) === true ? whenTrue(scope, frame) : whenFalse(scope, frame));
    }
    case "call":
      return compileCall(typed);
    case "macro":
      return compileMacro(typed);
    case "as": {
      const operand = compile(typed.operand);
      const { type } = typed;
      return (scope, frame) => convertTo(operand(scope, frame), type);
    }
  }
}

// Variables and conversions

function compileVariable(path: readonly string[]): Run {
  const [first = "", second = "", ...rest] = path;
  if (path.length === 1) return (scope) => scope.variables[first] as Value;
  if (path.length === 2) return (scope) => memberOf(scope.variables[first], second);
  return (scope) => rest.reduce<unknown>(memberOf, memberOf(scope.variables[first], second)) as Value;
}

/** Returns an own member of an object: an inherited one, such as `constructor`, counts as absent. */
function memberOf(object: unknown, name: string): Value | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return undefined;
  return Object.hasOwn(object, name) ? (object as Record<string, Value>)[name] : undefined;
}

function compileWalk({ reference, resource, name }: Walk): Run {
  const referred = compile(reference);
  return (scope, frame) => {
    const id = referred(scope, frame);
    if (typeof id !== "string" && typeof id !== "number") return null;
    if (!scope.reference) throw new Error(`a walk to ${resource} needs \`reference\` in the scope`);
    return scope.reference(resource, id)?.[name] as Value;
  };
}

function compileRecords({ ancestors, resource }: Records): Run {
  if (ancestors === undefined) return (scope) => [...rowsOf(scope, resource)] as Value[];
  const from = compile(ancestors.from);
  return (scope, frame) => {
    if (!scope.reference) throw new Error(`the ancestors of a ${resource} need \`reference\` in the scope`);
    const rows: Row[] = [];
    for (let id = from(scope, frame); rows.length < limits.ancestors; ) {
      if (typeof id !== "string" && typeof id !== "number") break;
      const row = scope.reference(resource, id);
      if (row === undefined) break;
      spend(frame, 1);
      rows.push(row);
      id = row[ancestors.field] as Value;
    }
    return rows as Value[];
  };
}

function rowsOf(scope: Scope, resource: string): Iterable<Row> {
  if (!scope.records) throw new Error(`a macro over ${resource} needs \`records\` in the scope`);
  return scope.records(resource);
}

/** Returns a value of unknown type if it has the wanted type, else null. */
function convertTo(value: unknown, type: ValueType): Value {
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
      return Array.isArray(value) ? convertItems(value, type.of) : null;
    default:
      return (value ?? null) as Value;
  }
}

function convertItems(list: readonly unknown[], of: ValueType): Value {
  return of.kind === "any" ? (list as Value) : list.map((item) => convertTo(item, of));
}

// The compilation of comparisons

function compileCompare({ operator, left, right }: Compare): Run {
  const a = compile(left);
  const b = compile(right);
  if (isMoney(left.type) && isMoney(right.type)) return compileMoneyCompare(operator, a, b);
  if (operator !== "==" && operator !== "!=") return compileOrder(operator, a, b, left.type.kind === "string");
  const same = isScalar(left.type) && isScalar(right.type) ? isSame : isDeeplySame;
  return operator === "=="
    ? (scope, frame) => same(frame, a(scope, frame), b(scope, frame))
    : (scope, frame) => !same(frame, a(scope, frame), b(scope, frame));
}

function isSame(frame: Frame, a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) spendText(frame, a.length);
  return a === b || (a ?? null) === (b ?? null);
}

function isDeeplySame(frame: Frame, a: Value | undefined, b: Value | undefined): boolean {
  spend(frame, 1);
  if (isSame(frame, a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => isDeeplySame(frame, item, b[i]))
    );
  }
  // An absent member equals a member that is null.
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isDeeplySame(frame, memberOf(a, name), memberOf(b, name)));
}

/** Compiles a comparison of money: amounts of two currencies are different, and have no order. */
function compileMoneyCompare(operator: Comparison, a: Run, b: Run): Run {
  if (operator === "==" || operator === "!=") {
    const wanted = operator === "==";
    return (scope, frame) => isSameMoney(a(scope, frame), b(scope, frame)) === wanted;
  }
  const holds = plainOrders[operator];
  return (scope, frame) => {
    const order = compareMoney(a(scope, frame), b(scope, frame));
    return order !== undefined && holds(order, 0);
  };
}

type Order = string | number | boolean;

function compileOrder(operator: Exclude<Comparison, "==" | "!=">, a: Run, b: Run, isText: boolean): Run {
  const holds = isText ? textOrders[operator] : plainOrders[operator];
  return (scope, frame) => {
    const x = a(scope, frame);
    if (x === null || x === undefined) return false;
    const y = b(scope, frame);
    if (y === null || y === undefined) return false;
    if (isText) spendText(frame, Math.min((x as string).length, (y as string).length) * byItself);
    return holds(x as Order, y as Order);
  };
}

/** The order of numbers, booleans and timestamps. Timestamps are ASCII texts, which JavaScript compares like code points. */
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

function compileMembership(value: TypedExpression, list: TypedExpression): Run {
  const looked = compile(value);
  if (list.type.kind === "map") {
    const map = compile(list);
    return (scope, frame) => (memberOf(map(scope, frame), looked(scope, frame) as string) ?? null) !== null;
  }
  const same = isScalar(value.type) ? isSame : isDeeplySame;
  if (list.kind === "list" && list.items.every((item) => item.kind === "constant")) {
    const set = new Set<unknown>(list.items.map((item) => item.value).filter((one) => one !== null));
    return (scope, frame) => set.has(looked(scope, frame));
  }
  const target = compile(list);
  return (scope, frame) => {
    const wanted = looked(scope, frame);
    const values = target(scope, frame);
    if (wanted === null || wanted === undefined || !Array.isArray(values)) return false;
    spend(frame, values.length);
    return values.some((item) => same(frame, item, wanted));
  };
}

// The compilation of arithmetic

function compileCalculate(typed: Calculate): Run {
  const a = compile(typed.left);
  const b = compile(typed.right);
  const calculate = calculationFor(typed);
  return (scope, frame) => {
    const x = a(scope, frame);
    if (x === null || x === undefined) return null;
    const y = b(scope, frame);
    return y === null || y === undefined ? null : calculate(x, y, frame);
  };
}

type Operation = (a: Value, b: Value, frame: Frame) => Value;

function calculationFor({ calculation, right, type }: Calculate): Operation {
  switch (calculation) {
    case "add-money":
      return (a, b) => addMoney(a, b, 1);
    case "subtract-money":
      return (a, b) => addMoney(a, b, -1);
    case "multiply-money":
      return (a, b) => multiplyMoney(a, b, right.type.kind === "int");
    case "join":
      return (a, b) => (a as string) + (b as string);
    case "append":
      return (a, b, frame) => {
        spend(frame, (a as Value[]).length + (b as Value[]).length);
        return [...(a as Value[]), ...(b as Value[])];
      };
    case "later":
      return (a, b) => timestampAt(Date.parse(a as string) + (b as number));
    case "earlier":
      return (a, b) => timestampAt(Date.parse(a as string) - (b as number));
    case "between":
      return (a, b) => durationOf(Date.parse(a as string) - Date.parse(b as string));
    default: {
      const target = type.kind === "int" ? asInt : type.kind === "duration" ? durationOf : asDouble;
      const compute = numberOperations(calculation, type.kind === "int");
      return (a, b) => target(compute(a as number, b as number));
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

/** Returns an int, or null for NaN and for the infinities of a division by zero. Adding 0 turns a negative zero into zero. */
function asInt(value: number): number | null {
  return Number.isSafeInteger(value) ? value + 0 : null;
}

function asDouble(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

// The compilation of functions and macros

function compileCall({ function: name, arguments: operands }: FunctionCall): Run {
  const [operand, pattern] = operands;
  const runs = operands.map(compile);
  const [run, second, third] = runs;
  if (!operand || !run) throw new Error(`${name} without an argument passed the type check`);
  if (Object.hasOwn(zoneFunctions, name))
    return ofPresent(runs, ([moment, zone]) => inZone(name as ZoneFunction, moment as string, zone as string));
  switch (name) {
    case "timestamp":
      return ofPresent(runs, ([date, time, zone]) => momentAt(date as string, time as string, zone as string));
    case "money":
      return ofPresent(runs, ([amount, currency]) => ({ amount: amount as Value, currency: currency as Value }));
    case "hash":
      return ofPresent(runs, ([text], frame) => {
        spendText(frame, (text as string).length * byItself);
        return hash(text as string);
      });
    case "min":
    case "max":
      if (second) return ofPresent(runs, (both) => extremeOf(name, both));
      return (scope, frame) => {
        const list = run(scope, frame);
        if (!Array.isArray(list)) return null;
        spend(frame, list.length);
        return extremeOf(name, list as readonly Value[]);
      };
    case "first":
      return compileFirst(operand, run);
    case "slugify":
    case "trim":
    case "lowerAscii":
    case "upperAscii":
      return onText(run, textFunctions[name]);
    case "flatten":
    case "distinct":
    case "sort":
    case "reverse":
      return onList(run, listFunctions[name], name === "sort" ? sorting : 1);
    case "string":
    case "int":
    case "double":
      return (scope, frame) => {
        const value = run(scope, frame) ?? null;
        return value === null ? null : conversions[name](value, operand.type);
      };
    case "size":
      if (isBytes(operand.type)) {
        return (scope, frame) => {
          const value = run(scope, frame);
          return typeof value === "string" ? bytesInBase64(value) : null;
        };
      }
      return (scope, frame) => {
        const value = run(scope, frame);
        if (typeof value === "string") spendText(frame, value.length * byItself);
        return sizeOf(value);
      };
    case "sum": {
      const sum = operand.type.kind === "list" ? sumFor(operand.type.of) : sumOfInts;
      return (scope, frame) => {
        const value = run(scope, frame);
        if (Array.isArray(value)) spend(frame, value.length);
        return sum(value);
      };
    }
    case "matches":
      return compileMatches(run, pattern);
    case "join":
      return compileJoin(run, second);
    case "replace":
      return compileReplace(run, second, third);
    case "startsWith":
    case "endsWith":
    case "contains":
      return compileTextTest(name, run, second);
    default:
      throw new Error(`${name} has no implementation`);
  }
}

/** Compiles a function of values that are all present; it is null if one is absent. */
function ofPresent(runs: readonly Run[], apply: (values: readonly Value[], frame: Frame) => Value): Run {
  return (scope, frame) => {
    const values = runs.map((run) => run(scope, frame) ?? null);
    return values.includes(null) ? null : apply(values, frame);
  };
}

/** Compiles `first`; of records, it returns the id of the first one. */
function compileFirst(operand: TypedExpression, run: Run): Run {
  const isOfRecords = isRecordList(operand);
  return (scope, frame) => {
    const list = run(scope, frame);
    const [first] = Array.isArray(list) ? (list as readonly Value[]) : [];
    return isOfRecords ? memberOf(first, "id") : first;
  };
}

function sumFor(type: ValueType): (list: Value | undefined) => Value {
  if (isMoney(type)) return (list) => (Array.isArray(list) ? sumMoney(list as readonly Value[]) : null);
  return type.kind === "double" ? sumOfDoubles : sumOfInts;
}

function onText(run: Run, apply: (text: string) => string): Run {
  return (scope, frame) => {
    const text = run(scope, frame);
    if (typeof text !== "string") return null;
    spendText(frame, text.length * byItself);
    return apply(text);
  };
}

function onList(run: Run, apply: (list: readonly Value[]) => Value, steps: number): Run {
  return (scope, frame) => {
    const list = run(scope, frame);
    if (!Array.isArray(list)) return null;
    spend(frame, list.length * steps);
    const made = apply(list as readonly Value[]);
    // A list of lists contains more values than its length, so they are counted too.
    if (Array.isArray(made) && made.length > list.length) spend(frame, made.length);
    return made;
  };
}

function compileJoin(run: Run, between: Run = () => ""): Run {
  return (scope, frame) => {
    const list = run(scope, frame);
    const separator = between(scope, frame);
    if (!Array.isArray(list) || typeof separator !== "string") return null;
    spend(frame, list.length);
    const texts = (list as readonly Value[]).reduce<number>(
      (sum, one) => sum + (typeof one === "string" ? one.length : 0),
      0,
    );
    spendText(frame, texts + list.length * separator.length);
    return join(list as readonly Value[], separator);
  };
}

function compileReplace(run: Run, old: Run | undefined, fresh: Run | undefined): Run {
  if (!old || !fresh) throw new Error("replace without a text to replace passed the type check");
  return (scope, frame) => {
    const text = run(scope, frame);
    const [a, b] = [old(scope, frame), fresh(scope, frame)];
    if (typeof text !== "string" || typeof a !== "string" || typeof b !== "string") return null;
    const times = a === "" ? text.length + 1 : text.split(a).length - 1;
    spend(frame, times);
    spendText(frame, text.length * byItself + times * b.length);
    return text.replaceAll(a, () => b);
  };
}

function compileTextTest(name: keyof typeof textTests, run: Run, part: Run | undefined): Run {
  if (!part) throw new Error(`${name} without a second argument passed the type check`);
  return (scope, frame) => {
    const text = run(scope, frame);
    const looked = part(scope, frame);
    if (typeof text !== "string" || typeof looked !== "string") return false;
    spendText(frame, text.length);
    return text[textTests[name]](looked);
  };
}

const textTests = { startsWith: "startsWith", endsWith: "endsWith", contains: "includes" } as const;

function compileMatches(run: Run, pattern: TypedExpression | undefined): Run {
  if (pattern?.kind !== "constant") throw new Error("a pattern that is no literal passed the type check");
  const regex = RE2JS.compile(String(pattern.value));
  return (scope, frame) => {
    const text = run(scope, frame);
    if (typeof text !== "string") return false;
    spend(frame, text.length);
    return regex.test(text);
  };
}

function sizeOf(value: Value | undefined): number | null {
  if (typeof value === "string") return lengthOf(value);
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return null;
  return Object.values(value).filter((member) => member !== null && member !== undefined).length;
}

/** Sums ints like SQL's SUM: absent items do not count, and the sum of an empty list is 0. */
function sumOfInts(value: Value | undefined): number | null {
  if (!Array.isArray(value)) return null;
  // A bigint, since intermediate sums may exceed the safe integers.
  let total = 0n;
  for (const item of value) if (typeof item === "number") total += BigInt(item);
  return asInt(Number(total));
}

/** Sums doubles by Neumaier's algorithm, like SQLite's TOTAL, so that the order of the items does not change the result. */
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
  const valuesOf = compile(list);
  const perform = compile(body);
  const holds = (scope: Scope, frame: Frame, item: unknown): boolean => {
    spend(frame, 1);
    frame.items[slot] = item;
    return perform(scope, frame) === true;
  };
  if (list.kind === "records" && list.ancestors === undefined && macro === "exists")
    return existsRecord(list.resource, holds);
  return (scope, frame) => {
    const values = valuesOf(scope, frame);
    const isList = Array.isArray(values);
    switch (macro) {
      case "exists":
        return isList && values.some((item) => holds(scope, frame, item));
      case "all":
        return isList && values.every((item) => holds(scope, frame, item));
      case "filter":
        return isList ? values.filter((item) => holds(scope, frame, item)) : null;
      case "map":
        return isList ? values.map((item) => mapped(perform, scope, frame, slot, item)) : null;
      case "sortBy":
        return isList ? sortedBy(frame, values as Value[], (item) => mapped(perform, scope, frame, slot, item)) : null;
    }
  };
}

function mapped(perform: Run, scope: Scope, frame: Frame, slot: number, item: unknown): Value {
  spend(frame, 1);
  frame.items[slot] = item;
  return perform(scope, frame) ?? null;
}

function sortedBy(frame: Frame, values: readonly Value[], key: (item: Value) => Value): Value {
  spend(frame, values.length * sorting);
  return values
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareValues(a.key, b.key))
    .map(({ item }) => item);
}

/** Compiles `exists` over records: stops at the first matching record without reading the rest. */
function existsRecord(resource: string, holds: (scope: Scope, frame: Frame, item: unknown) => boolean): Run {
  return (scope, frame) => {
    for (const row of rowsOf(scope, resource)) if (holds(scope, frame, row)) return true;
    return false;
  };
}
