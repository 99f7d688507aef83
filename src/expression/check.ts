/**
 * Type-checks a syntax tree: resolves every name and types every part, or reports a problem.
 *
 * It checks everything that is known without a record, so that a typed expression has a value for every record: it parses
 * durations, timestamps and patterns, which are literals, and reports a comparison of values that can never be equal.
 */

import { RE2JS } from "@bufbuild/re2";
import { isDate } from "../base/clock.ts";
import { currencyDigits } from "../base/currency-codes.ts";
import { suggestion } from "../base/suggest.ts";
import { isZone } from "../base/timezone-names.ts";
import type { Conversion, Extreme, ListFunction, TextFunction } from "./functions.ts";
import { readDuration, readTimestamp } from "./instant.ts";
import {
  type Arithmetic,
  type Binary,
  type Call,
  type Comparison,
  type Conditional,
  type Expression,
  type ExpressionProblem,
  type Extent,
  limits,
  type Member,
  withChildren,
} from "./syntax.ts";
import {
  type Calculation,
  type FunctionName,
  isRecordList,
  type MacroName,
  parts,
  type TypedExpression,
} from "./typed.ts";
import {
  areComparable,
  commonType,
  describeType,
  type FieldType,
  isAssignable,
  isMoney,
  isNumber,
  isScalar,
  isSecret,
  isVariable,
  money,
  type TextForm,
  type TypeEnvironment,
  type ValueType,
} from "./types.ts";
import type { ZoneFunction } from "./zones.ts";

export type { TypedExpression } from "./typed.ts";

export interface Checked {
  /** The typed tree; absent if there is a problem. */
  readonly typed?: TypedExpression;
  readonly problems: readonly ExpressionProblem[];
}

/**
 * Types an expression in its environment. With `expected`, a value of another type is a problem. The caller decides whether a
 * nullable value is a problem (`typed.nullable`).
 */
export function checkExpression(expression: Expression, env: TypeEnvironment, expected?: ValueType): Checked {
  const checker = newChecker(env);
  const found = checkValue(checker, expression);
  const typed = found && expected ? checkExpected(checker, found, expected) : found;
  if (typed && isOversize(typed)) {
    complain(checker, "too-large", oversize, expression.at, "split it: a computed field (`:=`) can hold a part of it");
  }
  return checked(checker, typed);
}

/**
 * Types an expression that denotes records: those of a resource (`Comment.filter(c, c.recipe == id)`), or those in a list of
 * references. Such an expression has no value: only a `records` member of a view can use it (`compileRecords`).
 */
export function checkRecords(expression: Expression, env: TypeEnvironment, resource: string): Checked {
  const checker = newChecker(env);
  const found = checkNode(checker, expression);
  if (found) {
    const { type } = found;
    const isOfResource = type.kind === "list" && type.of.kind === "record" && type.of.resource === resource;
    const help = `such as \`${resource}.filter(x, …)\``;
    if (isOversize(found)) complain(checker, "too-large", oversize, expression.at, help);
    else if (!isOfResource) {
      complain(checker, "wrong-type", `this is ${describeType(type)}, not a list of ${resource}`, expression.at, help);
    }
  }
  return checked(checker, found);
}

function checked({ problems }: Checker, typed: Found): Checked {
  return typed && problems.length === 0 ? { typed, problems } : { problems };
}

interface Checker {
  readonly env: TypeEnvironment;
  readonly problems: ExpressionProblem[];
  /** The names that the enclosing macros have bound, outermost first. */
  readonly items: Bound[];
  /** The names and paths (`input.code`) that an enclosing condition has proved not null. */
  readonly present: string[];
  recordMacros: number;
  /** The paths of the computed fields whose definitions are being checked, outermost first. */
  readonly defining: string[];
  /** By part, the first slot that no macro in the part uses; cached. */
  readonly slots: Map<TypedExpression, number>;
}

function newChecker(env: TypeEnvironment): Checker {
  return { env, problems: [], items: [], present: [], recordMacros: 0, defining: [], slots: new Map() };
}

type Bound =
  | { readonly name: string; readonly slot: number; readonly resource: string }
  | { readonly name: string; readonly slot: number; readonly type: ValueType; readonly nullable: boolean };

/** The result of a checking function; undefined after it has reported a problem. */
type Found = TypedExpression | undefined;

const bool: ValueType = { kind: "bool" };
const int: ValueType = { kind: "int" };
const text: ValueType = { kind: "string" };
const anyList: ValueType = { kind: "list", of: { kind: "any" }, holes: true };

function complain(checker: Checker, code: string, message: string, at: Extent, help?: string): undefined {
  checker.problems.push({ code, message, ...(help === undefined ? {} : { help }), start: at.start, end: at.end });
  return undefined;
}

const typedNodes = 4 * limits.nodes;
const oversize = `this expression is worked out in more than ${typedNodes} steps`;

/**
 * Whether a typed tree is too large: a comparison of a value of unknown type repeats the value, so the tree can outgrow the
 * text.
 */
function isOversize(typed: TypedExpression): boolean {
  let level: readonly TypedExpression[] = [typed];
  let nodes = 0;
  while (level.length > 0) {
    nodes += level.length;
    if (nodes > typedNodes) return true;
    level = level.flatMap(parts);
  }
  return false;
}

function checkExpected(checker: Checker, found: TypedExpression, wanted: ValueType): Found {
  const typed = fitted(found, wanted);
  if (complainIfStray(checker, [strayValue(typed, wanted)])) return undefined;
  if (isAssignable(typed.type, wanted)) return typed;
  return complain(checker, "wrong-type", `this is ${describeType(typed.type)}, not ${describeType(wanted)}`, typed.at);
}

/** Returns the type of a reference to a record of the resource. */
function recordOf({ env }: Checker, resource: string): ValueType {
  const id = env.resources[resource]?.["id"]?.type;
  const isNumber = id?.kind === "int" || (id?.kind === "record" && id.number === true);
  return { kind: "record", resource, ...(isNumber ? { number: true } : {}) };
}

/**
 * Converts a value to the type that its position requires: an int literal becomes a double, and a value of unknown type gets a
 * conversion.
 */
function fitted(typed: TypedExpression, wanted: ValueType): TypedExpression {
  if (typed.type.kind === "any" && wanted.kind !== "any" && wanted.kind !== "null") return convertedTo(typed, wanted);
  return wanted.kind === "double" ? (promoted(typed) ?? typed) : typed;
}

function convertedTo(operand: TypedExpression, type: ValueType): TypedExpression {
  return { kind: "as", at: operand.at, type, nullable: true, operand };
}

function promoted(typed: TypedExpression): Found {
  const type: ValueType = { kind: "double" };
  if (typed.type.kind !== "int") return undefined;
  if (typed.kind === "constant") return { ...typed, type };
  if (typed.kind !== "negate") return undefined;
  const operand = promoted(typed.operand);
  return operand && { ...typed, type, operand };
}

/** Checks an expression that denotes a value rather than the records of a resource. */
function checkValue(checker: Checker, expression: Expression): Found {
  const typed = checkNode(checker, expression);
  if (!typed || !isRecordList(typed)) return typed;
  const help = "ask `.exists(x, …)`, `.all(x, …)`, `.size()`, or say what of each record: `.map(x, x.id)`";
  return complain(checker, "records-as-value", "records are not a value by themselves", expression.at, help);
}

function checkNode(checker: Checker, expression: Expression): Found {
  const { at } = expression;
  switch (expression.kind) {
    case "int":
    case "double":
    case "string":
    case "bool":
      return constant({ kind: expression.kind }, expression.value, at);
    case "null":
      return constant({ kind: "null" }, null, at);
    case "name":
      return checkName(checker, expression.name, at);
    case "list":
      return checkList(checker, expression.items, at);
    case "member":
      return checkMember(checker, expression);
    case "call":
      return checkCall(checker, expression);
    case "not": {
      const operand = checkCondition(checker, expression.operand);
      return operand && { kind: "not", at, type: bool, nullable: false, operand };
    }
    case "negate":
      return checkNegate(checker, expression.operand, at);
    case "binary":
      return checkBinary(checker, expression);
    case "conditional":
      return checkConditional(checker, expression);
  }
}

// The checks of names and members

function checkName(checker: Checker, name: string, at: Extent): Found {
  const { env, items } = checker;
  const item = items.findLast((bound) => bound.name === name);
  if (item && "resource" in item)
    return itemField(item, "id", { type: recordOf(checker, item.resource), nullable: false }, at);
  if (item) return { kind: "item", at, type: item.type, nullable: item.nullable, slot: item.slot };
  if (Object.hasOwn(env.names, name)) {
    const named = env.names[name] as (typeof env.names)[string];
    if (isDefined(named)) return checkDefined(checker, named, name, at);
    const { type } = named;
    const nullable = named.nullable && !checker.present.includes(name);
    return isVariable(name, named)
      ? { kind: "variable", at, type, nullable, path: [name] }
      : { kind: "field", at, type, nullable, name };
  }
  if (Object.hasOwn(env.resources, name)) {
    const type: ValueType = { kind: "list", of: recordOf(checker, name) };
    return { kind: "records", at, type, nullable: false, resource: name };
  }
  const known = [...items.map((bound) => bound.name), ...Object.keys(env.names), ...Object.keys(env.resources)];
  const isValue = Object.values(env.names).some(({ type }) => type.kind === "string" && type.values?.includes(name));
  const help = isValue ? `a text is written in quotes: \`'${name}'\`` : listed(known);
  const near = isValue ? "" : suggestion(name, known);
  return complain(checker, "unknown-name", `there is no \`${name}\` here${near}`, at, help);
}

function listed(known: readonly string[]): string | undefined {
  return known.length > 0 && known.length <= 12 ? `known here: ${known.join(", ")}` : undefined;
}

function itemField(
  item: { slot: number; resource: string },
  name: string,
  field: FieldType,
  at: Extent,
): TypedExpression {
  const { type, nullable } = field;
  return { kind: "item-field", at, type, nullable, slot: item.slot, resource: item.resource, name };
}

/** Macros cannot bind a name that already has a meaning, so the same text has the same value everywhere. */
function checkMember(checker: Checker, member: Member): Found {
  const found = checkPath(checker, member);
  const path = pathOf(member);
  return found?.nullable && path !== undefined && checker.present.includes(path)
    ? { ...found, nullable: false }
    : found;
}

function checkPath(checker: Checker, member: Member): Found {
  const { object, name, nameAt, at } = member;
  const item = object.kind === "name" && checker.items.findLast((bound) => bound.name === object.name);
  if (item && "resource" in item) {
    const field = findField(checker, item.resource, name, nameAt);
    if (field && isDefined(field))
      return checkDefined(checker, field, name, nameAt, object, fieldsOf(checker, item.resource));
    return field && itemField(item, name, field, at);
  }
  const owner = checkNode(checker, object);
  if (!owner) return undefined;
  if (isRecordList(owner)) {
    const help = "ask `.exists(x, …)`, `.all(x, …)`, `.filter(x, …)`, `.map(x, …)` or `.size()`";
    return complain(checker, "unknown-field", `a list of records has no \`${name}\``, nameAt, help);
  }
  return memberOf(checker, owner, member);
}

function memberOf(checker: Checker, owner: TypedExpression, member: Member): Found {
  const { type } = owner;
  const { name, nameAt, at } = member;
  switch (type.kind) {
    case "record":
      return walk(checker, owner, type.resource, member);
    case "object": {
      if (Object.hasOwn(type.members, name)) {
        const field = type.members[name] as FieldType;
        return isDefined(field)
          ? checkDefined(checker, field, name, nameAt, member.object, type.members)
          : below(owner, name, field, at);
      }
      const known = Object.keys(type.members);
      const whose = owner.kind === "variable" ? ` in \`${owner.path.join(".")}\`` : "";
      return complain(
        checker,
        "unknown-field",
        `there is no \`${name}\`${whose}${suggestion(name, known)}`,
        nameAt,
        listed(known),
      );
    }
    case "map":
      return below(owner, name, { type: type.of, nullable: true }, at);
    case "any":
      return below(owner, name, { type, nullable: true }, at);
    default: {
      const help = type.kind === "list" ? "ask `.exists(x, …)`, `.all(x, …)` or `.size()`" : undefined;
      return complain(checker, "unknown-field", `${describeType(type)} has no \`${name}\``, nameAt, help);
    }
  }
}

function below(owner: TypedExpression, name: string, field: FieldType, at: Extent): TypedExpression {
  const { type } = field;
  const nullable = owner.nullable || field.nullable;
  if (owner.kind === "variable") return { kind: "variable", at, type, nullable, path: [...owner.path, name] };
  return { kind: "member", at, type, nullable, object: owner, name };
}

function walk(checker: Checker, owner: TypedExpression, resource: string, member: Member): Found {
  const { object, name, nameAt, at } = member;
  const field = findField(checker, resource, name, nameAt);
  if (!field) return undefined;
  if (isDefined(field)) return checkDefined(checker, field, name, nameAt, object, fieldsOf(checker, resource));
  // A reference has the id of the referenced record as its value.
  if (name === "id") return { ...owner, at };
  if (walksOf(owner) >= limits.walks) {
    const message = `a walk goes through at most ${limits.walks} references`;
    const help = `ask it of all records: \`${resource}.exists(x, x.id == … && x.${name} == …)\``;
    return complain(checker, "walk-too-long", message, nameAt, help);
  }
  const nullable = owner.nullable || field.nullable;
  return { kind: "walk", at, type: field.type, nullable, reference: owner, resource, name };
}

/** Returns through how many references the path to the value leads. */
function walksOf(typed: TypedExpression): number {
  if (typed.kind === "walk") return walksOf(typed.reference) + 1;
  if (typed.kind === "member") return walksOf(typed.object);
  return typed.kind === "choose" ? Math.max(walksOf(typed.whenTrue), walksOf(typed.whenFalse)) : 0;
}

function findField(checker: Checker, resource: string, name: string, at: Extent): FieldType | undefined {
  const fields = fieldsOf(checker, resource);
  if (Object.hasOwn(fields, name)) return fields[name];
  const known = Object.keys(fields);
  return complain(
    checker,
    "unknown-field",
    `${resource} has no field \`${name}\`${suggestion(name, known)}`,
    at,
    listed(known),
  );
}

type Defined = FieldType & { readonly definition: NonNullable<FieldType["definition"]> };

function isDefined(field: FieldType): field is Defined {
  return field.definition !== undefined;
}

function fieldsOf({ env }: Checker, resource: string): Readonly<Record<string, FieldType>> {
  return env.resources[resource] ?? {};
}

/** Checks the expression of a computed field in its place: of the current record, or of `object`, which has the `fields`. */
function checkDefined(
  checker: Checker,
  { definition: { expression, path }, type }: Defined,
  name: string,
  at: Extent,
  object?: Expression,
  fields: Readonly<Record<string, FieldType>> = {},
): Found {
  if (checker.defining.includes(path))
    return complain(checker, "computed-circle", `\`${name}\` is computed from itself`, at);
  const before = checker.problems.length;
  checker.defining.push(path);
  const of = object === undefined ? {} : { object, fields };
  const value = checkValue(checker, inlined(expression, { at, level: checker.items.length, ...of }, []));
  const found = value && checkExpected(checker, value, type);
  checker.defining.pop();
  const [problem] = checker.problems.splice(before);
  if (problem?.code === "computed-circle") return complain(checker, "computed-circle", problem.message, at);
  if (problem !== undefined) {
    const message = `\`${name}\` cannot be used here, since it is computed: ${problem.message}`;
    checker.problems.push({
      ...problem,
      code: "computed-unusable",
      message,
      definition: path,
      start: at.start,
      end: at.end,
    });
    return undefined;
  }
  return found && checker.present.includes(name) && object === undefined ? { ...found, nullable: false } : found;
}

/** Where a computed field is used, and whose fields its definition reads: those of the current record without an `object`. */
interface Use {
  readonly at: Extent;
  /** How many macros are around it. */
  readonly level: number;
  readonly object?: Expression;
  readonly fields?: Readonly<Record<string, FieldType>>;
}

/** Returns the definition with its fields read from the record of its use, and with names of items that nothing else has. */
function inlined(expression: Expression, use: Use, bound: readonly string[]): Expression {
  const { at, level, object, fields = {} } = use;
  if (expression.kind === "name") {
    const { name } = expression;
    if (bound.includes(name)) return { kind: "name", at, name: `${name}'${level}` };
    return object !== undefined && Object.hasOwn(fields, name)
      ? { kind: "member", at, object, name, nameAt: at }
      : { ...expression, at };
  }
  const [item] = expression.kind === "call" && expression.target !== undefined ? expression.arguments : [];
  const names = item?.kind === "name" && macroNames.has((expression as Call).function) ? [...bound, item.name] : bound;
  const target = expression.kind === "call" ? expression.target : undefined;
  const rewritten = withChildren(expression, (child) => inlined(child, use, child === target ? bound : names));
  return "nameAt" in rewritten ? { ...rewritten, at, nameAt: at } : { ...rewritten, at };
}

// The checks of lists and conditions

function checkList(checker: Checker, expressions: readonly Expression[], at: Extent): Found {
  const found = expressions.map((expression) => checkValue(checker, expression));
  if (!found.every((item) => item !== undefined)) return undefined;
  const double = found.find((item) => item.type.kind === "double")?.type;
  const items = double ? found.map((item) => fitted(item, double)) : found;
  let of: ValueType | undefined;
  for (const item of items) {
    const common: ValueType | undefined = of === undefined ? item.type : commonType(of, item.type);
    if (!common) {
      const message = `${describeType(item.type)} in a list that began with ${describeType(items[0]?.type ?? item.type)}`;
      return complain(checker, "mixed-list", message, item.at);
    }
    of = common;
  }
  const holes = items.some((item) => item.nullable);
  const type: ValueType = { kind: "list", of: of ?? { kind: "null" }, ...(holes ? { holes } : {}) };
  return { kind: "list", at, type, nullable: false, items };
}

/** Checks a condition: null counts as false, and so does a value of unknown type that is not `true`. */
function checkCondition(checker: Checker, expression: Expression): Found {
  const typed = checkValue(checker, expression);
  return typed && checkCalled(checker, typed, "bool");
}

function checkConditional(checker: Checker, { test, whenTrue, whenFalse, at }: Conditional): Found {
  const condition = checkCondition(checker, test);
  const first = knowing(checker, namesPresent(test, true), () => checkValue(checker, whenTrue));
  const second = knowing(checker, namesPresent(test, false), () => checkValue(checker, whenFalse));
  if (!condition || !first || !second) return undefined;
  const [a, b] = [fitted(first, promotionFor(second)), fitted(second, promotionFor(first))];
  const type = commonType(a.type, b.type);
  if (!type) {
    const message = `one side is ${describeType(a.type)}, the other ${describeType(b.type)}`;
    return complain(checker, "wrong-type", message, at);
  }
  return { kind: "choose", at, type, nullable: a.nullable || b.nullable, test: condition, whenTrue: a, whenFalse: b };
}

/** Returns the names and paths that cannot be null if the expression is true (`holds`), or if it is not true. */
function namesPresent(expression: Expression, holds: boolean): readonly string[] {
  if (expression.kind === "not") return namesPresent(expression.operand, !holds);
  if (expression.kind === "call" && expression.function === "has" && !expression.target && holds) {
    return expression.arguments.flatMap(pathsTo);
  }
  if (expression.kind !== "binary") return [];
  const { operator, left, right } = expression;
  if (operator === (holds ? "&&" : "||")) return [...namesPresent(left, holds), ...namesPresent(right, holds)];
  if (operator !== (holds ? "!=" : "==")) return [];
  const [operand, against] = left.kind === "null" ? [right, left] : [left, right];
  return against.kind === "null" ? pathsTo(operand) : [];
}

/** Returns a path and the paths that it begins with: if `locker.site` is not null, `locker` is not null either. */
function pathsTo(expression: Expression): readonly string[] {
  const path = pathOf(expression);
  if (path === undefined) return [];
  return expression.kind === "member" ? [path, ...pathsTo(expression.object)] : [path];
}

/** Returns the text of a path such as `input.code`. */
function pathOf(expression: Expression): string | undefined {
  if (expression.kind === "name") return expression.name;
  if (expression.kind !== "member") return undefined;
  const owner = pathOf(expression.object);
  return owner === undefined ? undefined : `${owner}.${expression.name}`;
}

function knowing(checker: Checker, names: readonly string[], check: () => Found): Found {
  const before = checker.present.length;
  checker.present.push(...names);
  const found = check();
  checker.present.length = before;
  return found;
}

/** Returns the type to which an int literal is promoted next to this value. */
function promotionFor(other: TypedExpression): ValueType {
  return other.type.kind === "double" ? other.type : { kind: "any" };
}

// The checks of operators

function checkBinary(checker: Checker, { operator, left, right, at }: Binary): Found {
  if (operator === "&&" || operator === "||") {
    const a = checkCondition(checker, left);
    // The right side of `&&` is evaluated only if the left side is true, so it may rely on the facts of the left side.
    const b = knowing(checker, operator === "&&" ? namesPresent(left, true) : [], () => checkCondition(checker, right));
    return a && b && { kind: "logical", at, type: bool, nullable: false, operator, left: a, right: b };
  }
  const a = checkValue(checker, left);
  const b = checkValue(checker, right);
  if (!a || !b) return undefined;
  if (operator === "in") return checkMembership(checker, a, b, at);
  if (operator === "==" || operator === "!=") return checkEqual(checker, operator, a, b, at);
  const first = promotedWith(fitted(a, b.type), b);
  const second = promotedWith(fitted(b, a.type), a);
  if (operator === "<" || operator === "<=" || operator === ">" || operator === ">=") {
    return checkOrder(checker, operator, first, second, at);
  }
  return checkArithmetic(checker, operator, first, second, at);
}

function constant(type: ValueType, value: string | number | boolean | null, at: Extent): TypedExpression {
  return { kind: "constant", at, type, nullable: value === null, value };
}

function compare(operator: Comparison, left: TypedExpression, right: TypedExpression, at: Extent): TypedExpression {
  return { kind: "compare", at, type: bool, nullable: false, operator, left, right };
}

function logical(operator: "&&" | "||", left: TypedExpression, right: TypedExpression, at: Extent): TypedExpression {
  return { kind: "logical", at, type: bool, nullable: false, operator, left, right };
}

function checkEqual(
  checker: Checker,
  operator: "==" | "!=",
  first: TypedExpression,
  second: TypedExpression,
  at: Extent,
): Found {
  const a = numbered(first, second.type);
  const b = numbered(second, first.type);
  if (isSecret(a.type) !== isSecret(b.type) && a.type.kind !== "null" && b.type.kind !== "null") {
    const help =
      "let callers log in with it (`kind: password` or `basic` in part 5), or make it `write-only`; `== null` asks whether there is one";
    return complain(
      checker,
      "secret-compared",
      "only a hash of a `secret` is stored, so this is never equal",
      at,
      help,
    );
  }
  if (!areComparable(a.type, b.type)) {
    const message = `${describeType(a.type)} and ${describeType(b.type)} are never equal`;
    return complain(checker, "never-equal", message, at, comparisonHelp(a, b));
  }
  if (complainIfStray(checker, [strayValue(a, b.type), strayValue(b, a.type)])) return undefined;
  const equal = equality(a, b, at);
  if (operator === "==") return equal;
  return equal.kind === "compare"
    ? { ...equal, operator }
    : { kind: "not", at, type: bool, nullable: false, operand: equal };
}

/**
 * Compares two values of which one has an unknown type: they are equal if they have the same type and value, or if both are
 * absent.
 */
function equality(a: TypedExpression, b: TypedExpression, at: Extent): TypedExpression {
  if (a.type.kind === "any" && isScalar(b.type)) return equality(b, a, at);
  if (b.type.kind !== "any" || !isScalar(a.type)) return compare("==", promotedWith(a, b), promotedWith(b, a), at);
  const same = compare("==", a, convertedTo(b, a.type), at);
  if (!a.nullable) return same;
  const nothing = constant({ kind: "null" }, null, at);
  const both = logical("&&", compare("==", a, nothing, at), compare("==", b, nothing, at), at);
  return logical("||", both, logical("&&", compare("!=", a, nothing, at), same, at), at);
}

/** Converts a reference to a numeric id to a number if the other operand is a number. */
function numbered(typed: TypedExpression, other: ValueType): TypedExpression {
  const isNumber = typed.type.kind === "record" && typed.type.number === true && other.kind === "int";
  const isNamed = ["field", "item-field", "walk", "variable", "member"].includes(typed.kind);
  return isNumber && isNamed ? ({ ...typed, type: int } as TypedExpression) : typed;
}

function promotedWith(typed: TypedExpression, other: TypedExpression): TypedExpression {
  return other.type.kind === "double" ? (promoted(typed) ?? typed) : typed;
}

function comparisonHelp(a: TypedExpression, b: TypedExpression): string | undefined {
  for (const { type } of [a, b])
    if (type.kind === "record" && type.number === true)
      return `a ${type.resource} is known by a number: compare its text, \`string(…)\``;
  for (const [literal, other] of [
    [a, b],
    [b, a],
  ] as const) {
    if (literal.kind !== "constant" || literal.type.kind !== "string") continue;
    if (other.type.kind === "timestamp") return "a moment is written `timestamp('2026-01-31T12:00:00Z')`";
    if (other.type.kind === "duration") return durationForm;
    if (isNumber(other.type)) return "a number stands without quotes";
    if (other.type.kind === "bool") return "`true` and `false` stand without quotes";
  }
  return undefined;
}

interface Stray {
  readonly message: string;
  readonly at: Extent;
  readonly among: readonly string[];
}

/** Finds a text that is not among the values of a closed list, or two closed lists without a common value. */
function strayValue(typed: TypedExpression, type: ValueType): Stray | undefined {
  if (type.kind !== "string" || !type.values || typed.type.kind !== "string") return undefined;
  const { at } = typed;
  const among = type.values;
  if (typed.kind === "constant" && typeof typed.value === "string") {
    const message = `it is never '${typed.value}'${suggestion(typed.value, among)}`;
    return among.includes(typed.value) ? undefined : { message, at, among };
  }
  const { values } = typed.type;
  if (!values || values.length === 0 || values.some((value) => among.includes(value))) return undefined;
  return { message: "these two have no value in common", at, among };
}

/** Reports the first stray value; false if there is none. */
function complainIfStray(checker: Checker, strays: readonly (Stray | undefined)[]): boolean {
  const stray = strays.find((one) => one !== undefined);
  if (stray === undefined) return false;
  const { message, at, among } = stray;
  complain(checker, "never-equal", message, at, among.length <= 20 ? `it is one of: ${among.join(", ")}` : undefined);
  return true;
}

const ordered: ReadonlySet<string> = new Set(["bool", "int", "double", "string", "timestamp", "duration"]);

function hasOrder(type: ValueType): boolean {
  return ordered.has(type.kind) || isMoney(type);
}

function checkOrder(checker: Checker, operator: Comparison, a: TypedExpression, b: TypedExpression, at: Extent): Found {
  if (a.type.kind === "null" || b.type.kind === "null") {
    return complain(checker, "never-true", `\`${operator}\` with null is never true`, at, "ask `== null` or `!= null`");
  }
  const same = a.type.kind === b.type.kind || (isNumber(a.type) && isNumber(b.type));
  if (same && hasOrder(a.type) && hasOrder(b.type)) return compare(operator, a, b, at);
  const message = `${describeType(a.type)} and ${describeType(b.type)} have no order`;
  return complain(checker, "no-order", message, at, comparisonHelp(a, b));
}

function checkMembership(checker: Checker, value: TypedExpression, list: TypedExpression, at: Extent): Found {
  if (list.type.kind === "any") return checkMembership(checker, value, convertedTo(list, anyList), at);
  if (list.type.kind === "map") {
    const key = checkCalled(checker, value, "string");
    return key && { kind: "within", at, type: bool, nullable: false, value: key, list };
  }
  if (list.type.kind !== "list") {
    const message = `\`in\` looks into a list or a map, and this is ${describeType(list.type)}`;
    return complain(checker, "wrong-type", message, list.at);
  }
  const { of } = list.type;
  if (value.type.kind === "null")
    return complain(checker, "never-true", "null is in no list", value.at, "ask `.exists(x, x == null)`");
  if (!areComparable(value.type, of)) {
    const message = `${describeType(value.type)} is never in ${describeType(list.type)}`;
    return complain(checker, "never-equal", message, at);
  }
  const items = list.kind === "list" ? list.items : [];
  const strays = [...items.map((item) => strayValue(item, value.type)), strayValue(value, of)];
  if (complainIfStray(checker, strays)) return undefined;
  if (of.kind === "any" && isScalar(value.type)) return existsEqual(checker, value, list, at);
  const looked = of.kind === "null" ? value : fitted(value, of);
  return { kind: "within", at, type: bool, nullable: false, value: looked, list };
}

/** Builds `value in list` for items of unknown type: true if an item has the value's type and is equal to it. */
function existsEqual(checker: Checker, value: TypedExpression, list: TypedExpression, at: Extent): TypedExpression {
  // The value is inside this macro and may contain macros itself, whose slots are in use.
  const slot = Math.max(checker.items.length, slotAfter(checker, value));
  const item: TypedExpression = { kind: "item", at: list.at, type: { kind: "any" }, nullable: true, slot };
  const body = compare("==", value, convertedTo(item, value.type), at);
  const nothing = constant({ kind: "null" }, null, at);
  const guarded = value.nullable ? logical("&&", compare("!=", value, nothing, at), body, at) : body;
  return { kind: "macro", at, type: bool, nullable: false, macro: "exists", records: false, slot, list, body: guarded };
}

/** Returns the first slot that no macro in a value uses. Cached, since equalities repeat their sides. */
function slotAfter(checker: Checker, typed: TypedExpression): number {
  const known = checker.slots.get(typed);
  if (known !== undefined) return known;
  const below = parts(typed).map((part) => slotAfter(checker, part));
  const slot = Math.max(0, ...below, typed.kind === "macro" ? typed.slot + 1 : 0);
  checker.slots.set(typed, slot);
  return slot;
}

function checkNegate(checker: Checker, expression: Expression, at: Extent): Found {
  const operand = checkValue(checker, expression);
  if (!operand) return undefined;
  if (isMoney(operand.type)) {
    const { type, nullable } = operand;
    const right = constant(int, -1, at);
    return { kind: "calculate", at, type, nullable, calculation: "multiply-money", left: operand, right };
  }
  if (isNumber(operand.type)) return { kind: "negate", at, type: operand.type, nullable: operand.nullable, operand };
  return complain(checker, "wrong-type", `${describeType(operand.type)} has no negative`, at);
}

function checkArithmetic(
  checker: Checker,
  operator: Arithmetic,
  a: TypedExpression,
  b: TypedExpression,
  at: Extent,
): Found {
  if (operator === "-" && isDateText(a) && isDateText(b))
    return checkArithmetic(checker, operator, midnightOf(a), midnightOf(b), at);
  const chosen = calculationOf(operator, a.type, b.type);
  if (!chosen) return complainArithmetic(checker, operator, a, b, at);
  const { calculation, type } = chosen;
  const divides = calculation === "divide" || calculation === "remainder";
  const nullable = a.nullable || b.nullable || (divides && !isNonZero(b));
  // The instant, or the money, becomes the first operand, whichever operand the text has first.
  const swap =
    (calculation === "later" && a.type.kind === "duration") || (calculation === "multiply-money" && isNumber(a.type));
  return { kind: "calculate", at, type, nullable, calculation, left: swap ? b : a, right: swap ? a : b };
}

function isDateText({ type }: TypedExpression): boolean {
  return type.kind === "string" && type.form === "date";
}

/** Returns the moment at which the day begins in UTC, in which every day has 24 hours. */
function midnightOf(day: TypedExpression): TypedExpression {
  const { at } = day;
  return called("timestamp", { kind: "timestamp" }, [day, constant(text, "00:00", at), constant(text, "UTC", at)], at);
}

function isNonZero(typed: TypedExpression): boolean {
  if (typed.kind === "negate") return isNonZero(typed.operand);
  return typed.kind === "constant" && typed.value !== 0;
}

interface ResolvedCalculation {
  readonly calculation: Calculation;
  readonly type: ValueType;
}

const numberCalculations: Readonly<Record<Arithmetic, Calculation>> = {
  "+": "add",
  "-": "subtract",
  "*": "multiply",
  "/": "divide",
  "%": "remainder",
};

/** The calculations that are neither between two numbers of one kind nor between two lists. */
const otherCalculations: Readonly<Record<string, ResolvedCalculation>> = {
  "string + string": { calculation: "join", type: text },
  "timestamp + duration": { calculation: "later", type: { kind: "timestamp" } },
  "duration + timestamp": { calculation: "later", type: { kind: "timestamp" } },
  "timestamp - duration": { calculation: "earlier", type: { kind: "timestamp" } },
  "timestamp - timestamp": { calculation: "between", type: { kind: "duration" } },
  "duration + duration": { calculation: "add", type: { kind: "duration" } },
  "duration - duration": { calculation: "subtract", type: { kind: "duration" } },
  "duration * int": { calculation: "multiply", type: { kind: "duration" } },
  "int * duration": { calculation: "multiply", type: { kind: "duration" } },
};

function calculationOf(operator: Arithmetic, a: ValueType, b: ValueType): ResolvedCalculation | undefined {
  if (isNumber(a) && a.kind === b.kind) {
    if (operator === "%" && a.kind === "double") return undefined;
    return { calculation: numberCalculations[operator], type: a };
  }
  if (isMoney(a) || isMoney(b)) return moneyCalculation(operator, a, b);
  if (a.kind === "list" && b.kind === "list" && operator === "+") {
    const type = commonType(a, b);
    return type && { calculation: "append", type };
  }
  return otherCalculations[`${a.kind} ${operator} ${b.kind}`];
}

function moneyCalculation(operator: Arithmetic, a: ValueType, b: ValueType): ResolvedCalculation | undefined {
  const type = money;
  if (isMoney(a) && isMoney(b)) {
    if (operator === "+") return { calculation: "add-money", type };
    return operator === "-" ? { calculation: "subtract-money", type } : undefined;
  }
  return operator === "*" && (isNumber(a) || isNumber(b)) ? { calculation: "multiply-money", type } : undefined;
}

function complainArithmetic(
  checker: Checker,
  operator: Arithmetic,
  a: TypedExpression,
  b: TypedExpression,
  at: Extent,
): undefined {
  if (isNumber(a.type) && isNumber(b.type) && a.type.kind !== b.type.kind) {
    const message = `\`${operator}\` does not mix an int and a double`;
    return complain(checker, "mixed-numbers", message, at, "give both fields the same type; a literal may be either");
  }
  const message = `there is no \`${operator}\` between ${describeType(a.type)} and ${describeType(b.type)}`;
  return complain(checker, "wrong-type", message, at, arithmeticHelp(operator, a.type, b.type));
}

const durationForm = "a length of time is written `duration('72h')`, or `duration('1m') * minutes`";

const lengthHelp =
  "lengths of time are added, subtracted, compared and multiplied by an int: `duration('1m') * minutes`; `(b - a).getHours()` are whole hours";

function arithmeticHelp(operator: Arithmetic, a: ValueType, b: ValueType): string | undefined {
  const joined = operator === "+" && [a, b].some(({ kind }) => kind === "string");
  const other = [a, b].find(({ kind }) => kind === "record" || kind === "int" || kind === "bool");
  if (joined && other !== undefined) return "`string(…)` makes a text of it";
  const instants = [a.kind, b.kind].some((kind) => kind === "timestamp");
  if (instants && (operator === "+" || operator === "-")) return durationForm;
  if (a.kind === "duration" || b.kind === "duration") return lengthHelp;
  if (operator === "%" && (a.kind === "double" || b.kind === "double")) return "`%` is for ints";
  if (isMoney(a) || isMoney(b)) return "money is added to money, subtracted from it, or multiplied by a number";
  return undefined;
}

// The checks of functions and macros

/** Checks `ancestors(parent)`: the record to which a reference refers, and the records above that one in its tree. */
function checkAncestors(checker: Checker, call: Call): Found {
  const [reference, more] = call.arguments;
  if (call.target || !reference || more) return wrongUse(checker, call);
  const from = checkValue(checker, reference);
  if (!from) return undefined;
  const field = treeField(checker, from);
  if (field === undefined || from.type.kind !== "record") {
    const message = "this is no reference to a record in a tree";
    const help = "name a field with the modifier `tree`, or another field that refers to such records";
    return complain(checker, "no-tree", message, from.at, help);
  }
  const { resource } = from.type;
  const type: ValueType = { kind: "list", of: recordOf(checker, resource) };
  return { kind: "records", at: call.at, type, nullable: false, resource, ancestors: { from, field } };
}

/**
 * Returns the field that refers to the parent of the record to which the expression refers. If a resource has two trees, the
 * expression must be a field of one of them. An id is excluded, since no record is its own ancestor.
 */
function treeField({ env }: Checker, { type, ...from }: TypedExpression): string | undefined {
  if (type.kind !== "record") return undefined;
  const name = "name" in from ? from.name : undefined;
  if (name === "id") return undefined;
  const fields = env.resources[type.resource] ?? {};
  const trees = Object.keys(fields).filter((one) => fields[one]?.tree === true);
  const isOwn =
    from.kind === "field" ? env.names[from.name]?.tree === true : "resource" in from && from.resource === type.resource;
  return isOwn && trees.includes(name ?? "") ? name : trees.length === 1 ? trees[0] : undefined;
}

const macroNames: ReadonlySet<string> = new Set<MacroName>(["exists", "all", "filter", "map", "sortBy"]);

type CheckedFunction = FunctionName | "ancestors" | "has" | "duration" | "token" | "refreshToken" | "expiry";

const functions: { readonly [Name in CheckedFunction]: (checker: Checker, call: Call, name: Name) => Found } = {
  has: checkHas,
  ancestors: checkAncestors,
  size: checkSize,
  startsWith: checkTextTest,
  endsWith: checkTextTest,
  contains: checkTextTest,
  matches: checkMatches,
  duration: checkTimeLiteral,
  timestamp: (checker, call, name) =>
    call.arguments.length === 3 && !call.target ? checkMoment(checker, call) : checkTimeLiteral(checker, call, name),
  date: checkInZone,
  time: checkInZone,
  month: checkInZone,
  week: checkInZone,
  getFullYear: checkInZone,
  getMonth: checkInZone,
  getDate: checkInZone,
  getDayOfMonth: checkInZone,
  getDayOfWeek: checkInZone,
  getDayOfYear: checkInZone,
  getHours: checkInZone,
  getMinutes: checkInZone,
  getSeconds: checkInZone,
  getMilliseconds: checkInZone,
  min: checkExtreme,
  max: checkExtreme,
  first: checkFirst,
  hash: checkHash,
  money: checkMoney,
  slugify: checkTextFunction,
  sum: checkSum,
  trim: checkTextFunction,
  lowerAscii: checkTextFunction,
  upperAscii: checkTextFunction,
  replace: checkReplace,
  join: checkJoin,
  flatten: checkListFunction,
  distinct: checkListFunction,
  sort: checkListFunction,
  reverse: checkListFunction,
  string: checkConversion,
  int: checkConversion,
  double: checkConversion,
  token: checkToken,
  refreshToken: checkToken,
  expiry: checkToken,
};

/** How each function and macro is called, by an example: of a value `x` or a `list`, or with the value as an argument. */
export const callForms: Readonly<Record<CheckedFunction | MacroName, readonly [form: string, ...others: string[]]>> = {
  has: ["has(x.y)"],
  ancestors: ["ancestors(parent)"],
  size: ["x.size()", "size(x)"],
  startsWith: ["x.startsWith('…')"],
  endsWith: ["x.endsWith('…')"],
  contains: ["x.contains('…')"],
  matches: ["x.matches('…')"],
  duration: ["duration('72h')"],
  timestamp: ["timestamp('2026-01-31T12:00:00Z')", "timestamp('2026-01-31', '09:30', 'Europe/Oslo')"],
  date: ["date(x, 'Europe/Oslo')"],
  time: ["time(x, 'Europe/Oslo')"],
  month: ["month(x, 'Europe/Oslo')"],
  week: ["week(x, 'Europe/Oslo')"],
  getFullYear: ["x.getFullYear('Europe/Oslo')"],
  getMonth: ["x.getMonth('Europe/Oslo')"],
  getDate: ["x.getDate('Europe/Oslo')"],
  getDayOfMonth: ["x.getDayOfMonth('Europe/Oslo')"],
  getDayOfWeek: ["x.getDayOfWeek('Europe/Oslo')"],
  getDayOfYear: ["x.getDayOfYear('Europe/Oslo')"],
  getHours: ["x.getHours('Europe/Oslo')"],
  getMinutes: ["x.getMinutes('Europe/Oslo')"],
  getSeconds: ["x.getSeconds('Europe/Oslo')"],
  getMilliseconds: ["x.getMilliseconds('Europe/Oslo')"],
  min: ["min(a, b)", "list.min()"],
  max: ["max(a, b)", "list.max()"],
  first: ["list.first()"],
  hash: ["hash(x)"],
  money: ["money('12.50', 'EUR')"],
  slugify: ["slugify(x)"],
  sum: ["list.sum()"],
  trim: ["x.trim()"],
  lowerAscii: ["x.lowerAscii()"],
  upperAscii: ["x.upperAscii()"],
  replace: ["x.replace('a', 'b')"],
  join: ["list.join(', ')"],
  flatten: ["list.flatten()"],
  distinct: ["list.distinct()"],
  sort: ["list.sort()"],
  reverse: ["list.reverse()"],
  string: ["string(x)"],
  int: ["int(x)"],
  double: ["double(x)"],
  token: ["token(session)"],
  refreshToken: ["refreshToken(session)"],
  expiry: ["expiry(session)"],
  exists: ["list.exists(x, …)"],
  all: ["list.all(x, …)"],
  filter: ["list.filter(x, …)"],
  map: ["list.map(x, …)"],
  sortBy: ["list.sortBy(x, …)"],
};

const missing: Readonly<Record<string, string>> = {
  exists_one: "count them: `.filter(x, …).size() == 1`",
  existsOne: "count them: `.filter(x, …).size() == 1`",
  type: "the type of everything is known beforehand",
  dyn: "the type of everything is known beforehand",
  count: "write `.size()`",
  length: "write `.size()`",
  any: "write `.exists(x, …)`",
  some: "write `.exists(x, …)`",
  every: "write `.all(x, …)`",
  toLowerCase: "write `.lowerAscii()`",
  toUpperCase: "write `.upperAscii()`",
  unique: "write `.distinct()`",
  includes: "write `.contains('…')` for texts, `… in list` for lists",
};

function checkCall(checker: Checker, call: Call): Found {
  const { function: name, nameAt, target } = call;
  if (target && macroNames.has(name)) return checkMacro(checker, call, target, name as MacroName);
  if (Object.hasOwn(functions, name)) {
    const check = functions[name as CheckedFunction] as (checker: Checker, call: Call, name: string) => Found;
    return check(checker, call, name);
  }
  const known = [...Object.keys(functions), ...macroNames];
  const help = Object.hasOwn(missing, name) ? missing[name] : `there are: ${known.join(", ")}`;
  const message = `there is no function \`${name}\`${suggestion(name, known)}`;
  return complain(checker, "unknown-function", message, nameAt, help);
}

function wrongUse(checker: Checker, { function: name, at, target }: Call): undefined {
  const forms = callForms[name as CheckedFunction | MacroName];
  const form = forms.find((one) => one.startsWith(name) === (target === undefined)) ?? forms[0];
  return complain(checker, "wrong-arguments", `this is not how \`${name}\` is called`, at, `write \`${form}\``);
}

/** Returns the target and the arguments of a call, if it has the required number of them. */
function operandsOf(call: Call): readonly Expression[] {
  return call.target === undefined ? call.arguments : [call.target, ...call.arguments];
}

/** Requires a value of one type. A value of unknown type is accepted and converted. */
function checkCalled(checker: Checker, found: TypedExpression, kind: "bool" | "string"): Found {
  const typed = fitted(found, { kind });
  const fits =
    typed.type.kind === kind ||
    typed.type.kind === "null" ||
    (kind === "string" && typed.type.kind === "record" && typed.type.number !== true);
  if (fits) return typed;
  const help = kind === "bool" ? "compare it with something" : undefined;
  return complain(checker, "wrong-type", `this is ${describeType(typed.type)} where a ${kind} is due`, typed.at, help);
}

function checkHas(checker: Checker, call: Call): Found {
  const [operand, more] = call.arguments;
  if (call.target || more || (operand?.kind !== "member" && operand?.kind !== "name")) return wrongUse(checker, call);
  const left = checkValue(checker, operand);
  return left && compare("!=", left, constant({ kind: "null" }, null, call.at), call.at);
}

function checkTimeLiteral(checker: Checker, call: Call, name: "duration" | "timestamp"): Found {
  const [literal, more] = call.arguments;
  if (call.target) return wrongUse(checker, call);
  if (literal?.kind !== "string" || more) {
    const help =
      name === "duration"
        ? "write `duration('72h')`, or `duration('1m') * minutes` for an amount in a field"
        : "write `timestamp('2026-01-31T12:00:00Z')`, or `timestamp(day, '00:00', 'Europe/Oslo')` for a `date`";
    return complain(checker, "wrong-arguments", `\`${name}\` takes one text that stands here`, call.at, help);
  }
  const { at } = call;
  const value = name === "duration" ? readDuration(literal.value) : readTimestamp(literal.value);
  if (value !== undefined) return constant({ kind: name }, value, at);
  const help =
    name === "duration" ? durationHelp(literal.value) : "such as `2026-01-31T12:00:00Z`, to the millisecond at most";
  return complain(checker, `bad-${name}`, `'${literal.value}' is no ${name}`, literal.at, help);
}

function durationHelp(written: string): string {
  const days = /^(\d+)d$/.exec(written)?.[1];
  if (days !== undefined) return `hours are the largest unit: \`${Number(days) * 24}h\``;
  return "numbers with the units h, m, s, ms, such as `72h` or `1h30m`, to the millisecond at most";
}

function checkSize(checker: Checker, call: Call): Found {
  const [operand, more] = operandsOf(call);
  if (!operand || more) return wrongUse(checker, call);
  const typed = checkNode(checker, operand);
  if (!typed) return undefined;
  const isNumber = typed.type.kind === "record" && typed.type.number === true;
  if (isNumber || !["string", "list", "map", "any", "null", "record"].includes(typed.type.kind)) {
    return complain(checker, "wrong-type", `${describeType(typed.type)} has no size`, typed.at);
  }
  const nullable = typed.nullable || typed.type.kind === "any";
  return called("size", int, [typed], call.at, nullable);
}

function checkSum(checker: Checker, call: Call): Found {
  const { target } = call;
  if (!target || call.arguments.length > 0) return wrongUse(checker, call);
  const list = checkValue(checker, target);
  if (!list) return undefined;
  const of = list.type.kind === "list" ? list.type.of : undefined;
  if (of === undefined || !(["int", "double", "duration"].includes(of.kind) || isMoney(of))) {
    const help = "say what of each: `.map(x, x.amount).sum()`";
    return complain(checker, "wrong-type", `${describeType(list.type)} has no sum`, list.at, help);
  }
  return called("sum", of, [list], call.at, list.nullable || isMoney(of));
}

/** Checks `min(a, b)`, of two or more values, and `list.min()`; `max` likewise. */
function checkExtreme(checker: Checker, call: Call, name: Extreme): Found {
  if (call.target) return checkExtremeOf(checker, call, call.target, name);
  const found = call.arguments.map((one) => checkValue(checker, one));
  if (found.length < 2) return wrongUse(checker, call);
  if (!found.every((one) => one !== undefined)) return undefined;
  const double = found.find(({ type }) => type.kind === "double")?.type;
  const [first, ...others] = double ? found.map((one) => fitted(one, double)) : found;
  return others.reduce<Found>((best, value) => {
    if (best === undefined) return undefined;
    const type = commonType(best.type, value.type);
    if (type !== undefined && ordered.has(type.kind) && type.kind !== "bool")
      return called(name, type, [best, value], call.at);
    const message = `there is no \`${name}\` of ${describeType(best.type)} and ${describeType(value.type)}`;
    const help = isNumber(best.type) && isNumber(value.type) ? "`double(…)` makes a double of an int" : undefined;
    return complain(checker, "wrong-type", message, value.at, help);
  }, first);
}

function checkExtremeOf(checker: Checker, call: Call, target: Expression, name: Extreme): Found {
  if (call.arguments.length > 0) return wrongUse(checker, call);
  const list = checkValue(checker, target);
  if (!list) return undefined;
  const of = list.type.kind === "list" ? list.type.of : undefined;
  if (of !== undefined && ordered.has(of.kind) && of.kind !== "bool") return called(name, of, [list], call.at, true);
  const help = "say what of each: `.map(x, x.amount)`";
  return complain(checker, "wrong-type", `there is no \`${name}\` of ${describeType(list.type)}`, list.at, help);
}

/** Checks `list.first()`; of records, the first one as a reference. */
function checkFirst(checker: Checker, call: Call): Found {
  if (!call.target || call.arguments.length > 0) return wrongUse(checker, call);
  const list = checkNode(checker, call.target);
  if (!list) return undefined;
  const of = list.type.kind === "list" ? list.type.of : undefined;
  if (of !== undefined && isScalar(of)) return called("first", of, [list], call.at, true);
  return complain(checker, "wrong-type", `there is no \`first\` of ${describeType(list.type)}`, list.at);
}

function checkHash(checker: Checker, call: Call): Found {
  const [operand, more] = call.arguments;
  if (call.target || !operand || more) return wrongUse(checker, call);
  const typed = checkText(checker, operand);
  return typed && called("hash", int, [typed], call.at);
}

/** Checks `money('12.50', 'EUR')`, whose amount is a literal; the currency may be that of other money. */
function checkMoney(checker: Checker, call: Call): Found {
  const [amount, currency, more] = call.arguments;
  if (call.target || !amount || !currency || more) return wrongUse(checker, call);
  const code = checkText(checker, currency);
  if (amount.kind !== "string" || !/^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,4})?$/.test(amount.value)) {
    const help = "such as `money('12.50', 'EUR')`";
    return complain(
      checker,
      "wrong-arguments",
      "the amount must be a literal: a number in quotes, with at most 4 decimal places",
      amount.at,
      help,
    );
  }
  if (code?.kind === "constant" && !currencyDigits.has(String(code.value))) {
    return complain(checker, "wrong-arguments", `\`${code.value}\` is no currency`, currency.at, "such as `'EUR'`");
  }
  return code && called("money", money, [constant(text, amount.value, amount.at), code], call.at);
}

/** Checks a function of a moment in a time zone. CEL's own functions may omit the zone, which is then UTC. */
function checkInZone(checker: Checker, call: Call, name: ZoneFunction): Found {
  const isGlobal = !name.startsWith("get");
  const [operand, zone, more] = operandsOf(call);
  if (isGlobal === (call.target !== undefined) || !operand || more || (isGlobal && !zone))
    return wrongUse(checker, call);
  const found = checkValue(checker, operand);
  const unit = units[name];
  if (found?.type.kind === "duration" && unit !== undefined && zone === undefined) return inUnits(found, unit, call.at);
  const moment = found && fitted(found, { kind: "timestamp" });
  const where = zone === undefined ? constant(text, "UTC", call.at) : checkForm(checker, zone, "timezone");
  if (!moment || !where) return undefined;
  if (moment.type.kind !== "timestamp" && moment.type.kind !== "null")
    return complain(checker, "wrong-type", `this is ${describeType(moment.type)}, not a moment`, moment.at);
  const isForm = name === "date" || name === "time";
  const type: ValueType = isForm ? { kind: "string", form: name } : isGlobal ? text : int;
  return called(name, type, [moment, where], call.at);
}

/** By function, the milliseconds of the unit in which it returns a length of time, as in CEL: whole hours, minutes or seconds. */
const units: Readonly<Partial<Record<ZoneFunction, number>>> = {
  getHours: 3_600_000,
  getMinutes: 60_000,
  getSeconds: 1000,
};

function inUnits(length: TypedExpression, milliseconds: number, at: Extent): TypedExpression {
  const { nullable } = length;
  const left: TypedExpression = { ...length, type: int };
  return {
    kind: "calculate",
    at,
    type: int,
    nullable,
    calculation: "divide",
    left,
    right: constant(int, milliseconds, at),
  };
}

/** Checks `timestamp(date, time, zone)`. */
function checkMoment(checker: Checker, call: Call): Found {
  const forms: readonly FormOfTime[] = ["date", "time", "timezone"];
  const found = call.arguments.map((one, index) => checkForm(checker, one, forms[index] as FormOfTime));
  if (!found.every((one) => one !== undefined)) return undefined;
  return called("timestamp", { kind: "timestamp" }, found, call.at);
}

const formHelp: Readonly<Record<FormOfTime, string>> = {
  date: "a field of type `date`, `date(…, zone)`, or a text such as `'2026-01-31'`",
  time: "a field of type `time`, `time(…, zone)`, or a text such as `'09:30'`",
  timezone: "a field of type `timezone`, or a name of the IANA database such as `'Europe/Oslo'`",
};

/** Checks a text that must have a form in every record, so that a function never meets another one. */
function checkForm(checker: Checker, expression: Expression, form: FormOfTime): Found {
  const typed = checkValue(checker, expression);
  if (typed === undefined || typed.type.kind === "null") return typed;
  const isForm = typed.type.kind === "string" && typed.type.form === form;
  const isLiteral = typed.kind === "constant" && typeof typed.value === "string" && hasForm(typed.value, form);
  if (isForm || isLiteral) return typed;
  return complain(checker, `bad-${form}`, `this is no ${formNames[form]}`, typed.at, `write ${formHelp[form]}`);
}

type FormOfTime = Exclude<TextForm, "bytes" | "secret">;

const formNames: Readonly<Record<FormOfTime, string>> = { date: "date", time: "time", timezone: "time zone" };

function hasForm(value: string, form: FormOfTime): boolean {
  if (form === "timezone") return isZone(value);
  return form === "date" ? isDate(value) : /^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$/.test(value);
}

function called(
  name: FunctionName,
  type: ValueType,
  operands: readonly TypedExpression[],
  at: Extent,
  nullable: boolean = operands.some((one) => one.nullable),
): TypedExpression {
  return { kind: "call", at, type, nullable, function: name, arguments: operands };
}

function checkTextFunction(checker: Checker, call: Call, name: TextFunction): Found {
  const [operand, more] = operandsOf(call);
  if (name !== "slugify" && !call.target) return wrongUse(checker, call);
  if (!operand || more) return wrongUse(checker, call);
  const typed = checkText(checker, operand);
  return typed && called(name, text, [typed], call.at);
}

function checkText(checker: Checker, expression: Expression): Found {
  const found = checkValue(checker, expression);
  return found && checkCalled(checker, found, "string");
}

/** Checks `replace`. The replaced text must be a literal, as CEL and SQL treat an empty text differently. */
function checkReplace(checker: Checker, call: Call): Found {
  const [old, replacement, more] = call.arguments;
  if (!call.target || !old || !replacement || more) return wrongUse(checker, call);
  const target = checkText(checker, call.target);
  const fresh = checkText(checker, replacement);
  if (old.kind !== "string" || old.value === "") {
    const help = "write `x.replace('a', 'b')`";
    return complain(
      checker,
      "wrong-arguments",
      "what is replaced is a text that stands here, and not empty",
      old.at,
      help,
    );
  }
  return target && fresh && called("replace", text, [target, constant(text, old.value, old.at), fresh], call.at);
}

function checkJoin(checker: Checker, call: Call): Found {
  const [separator, more] = call.arguments;
  if (!call.target || more) return wrongUse(checker, call);
  const list = checkValue(checker, call.target);
  const between = separator && checkText(checker, separator);
  if (!list || (separator && !between)) return undefined;
  const of = list.type.kind === "list" ? list.type.of.kind : undefined;
  if (of !== "string" && of !== "record" && of !== "null") {
    const help = "texts are joined; others become texts by `.map(x, string(x))`";
    return complain(checker, "wrong-type", `${describeType(list.type)} cannot be joined`, list.at, help);
  }
  return called("join", text, between ? [list, between] : [list], call.at);
}

function checkListFunction(checker: Checker, call: Call, name: ListFunction): Found {
  if (!call.target || call.arguments.length > 0) return wrongUse(checker, call);
  const list = name === "reverse" ? checkNode(checker, call.target) : checkValue(checker, call.target);
  if (!list) return undefined;
  const type = list.type.kind === "list" ? listMade(name, list.type) : undefined;
  if (type) return called(name, type, [list], call.at);
  const help: Readonly<Partial<Record<ListFunction, string>>> = {
    flatten: "`flatten` takes a list of lists",
    sort: "say by what: `.sortBy(x, x.name)`",
  };
  return complain(checker, "wrong-type", `there is no \`${name}\` of ${describeType(list.type)}`, list.at, help[name]);
}

/** Returns the result type of the function for a list of this type; undefined if the function does not accept the list. */
function listMade(name: ListFunction, type: Extract<ValueType, { kind: "list" }>): ValueType | undefined {
  const { of } = type;
  switch (name) {
    case "reverse":
      return type;
    case "flatten":
      return of.kind === "list" ? of : undefined;
    case "distinct":
      return isScalar(of) || of.kind === "null" ? type : undefined;
    case "sort":
      return ordered.has(of.kind) || of.kind === "null" ? type : undefined;
  }
}

const convertible: Readonly<Record<Conversion, readonly ValueType["kind"][]>> = {
  string: ["string", "record", "int", "bool"],
  int: ["int", "double", "string", "timestamp"],
  double: ["double", "int"],
};

function checkConversion(checker: Checker, call: Call, name: Conversion): Found {
  const [operand, more] = call.arguments;
  if (call.target || !operand || more) return wrongUse(checker, call);
  const typed = checkValue(checker, operand);
  if (!typed) return undefined;
  const isTime = typed.type.kind === "string" && (typed.type.form === "date" || typed.type.form === "time");
  if (convertible[name].includes(typed.type.kind) && !(isTime && name !== "string")) {
    const mayFail = name === "int" && typed.type.kind === "string";
    return called(name, { kind: name }, [typed], call.at, typed.nullable || mayFail);
  }
  const isLength = typed.type.kind === "duration";
  const help = isLength ? lengthHelp : `\`${name}\` takes ${convertible[name].join(", ")}`;
  return complain(checker, "wrong-type", `${describeType(typed.type)} is not made ${name}`, typed.at, help);
}

function checkTextTest(checker: Checker, call: Call, name: "startsWith" | "endsWith" | "contains"): Found {
  const [argument, more] = call.arguments;
  if (!call.target || !argument || more) return wrongUse(checker, call);
  const target = checkValue(checker, call.target);
  const part = checkValue(checker, argument);
  if (target?.type.kind === "list" && name === "contains") {
    return complain(checker, "wrong-type", "`contains` looks into a text", call.at, "write `… in list`");
  }
  const a = target && checkCalled(checker, target, "string");
  const b = part && checkCalled(checker, part, "string");
  return a && b && called(name, bool, [a, b], call.at, false);
}

/**
 * Checks `token(session)`, which issues a token for the current record. The server creates the token just before it sends the
 * response, so here the value is a placeholder: `tokens.session.token`, the record's id, `tokens.end`.
 */
function checkToken(checker: Checker, call: Call, name: "token" | "refreshToken" | "expiry"): Found {
  const [credential, more] = call.arguments;
  if (call.target || credential?.kind !== "name" || more) return wrongUse(checker, call);
  const { tokens } = checker.env;
  const { at } = call;
  if (tokens === undefined || checker.items.length > 0) {
    const message = `\`${name}\` is only for answers: there is no token to give here`;
    return complain(checker, "token-misplaced", message, at, "write it as a member of `gives`, or of a view");
  }
  const known = Object.keys(tokens);
  if (!Object.hasOwn(tokens, credential.name)) {
    const message = `no record at hand has tokens of a credential \`${credential.name}\`${suggestion(credential.name, known)}`;
    const help = known.length > 0 ? listed(known) : "`of:` of a `password` credential says whose tokens there are";
    return complain(checker, "no-such-token", message, credential.at, help);
  }
  if (name === "refreshToken" && tokens[credential.name]?.renewed !== true) {
    const message = `\`${credential.name}\` has no tokens to renew it with`;
    return complain(checker, "no-such-token", message, credential.at, "say for how long: `renewed: 90d`");
  }
  if (name === "expiry" && tokens[credential.name]?.ends !== true) {
    const message = `the tokens of \`${credential.name}\` do not end by themselves`;
    return complain(checker, "no-such-token", message, credential.at, "say for how long they are good: `lasts: 30d`");
  }
  const variable = (path: readonly string[]): TypedExpression => {
    return { kind: "variable", at: credential.at, type: text, nullable: false, path: ["tokens", ...path] };
  };
  const joined = (left: TypedExpression, right: TypedExpression): TypedExpression => {
    return { kind: "calculate", at, type: text, nullable: false, calculation: "join", left, right };
  };
  const id = checkName(checker, "id", at);
  const tokenText = id && joined(joined(variable([credential.name, name]), id), variable(["end"]));
  return tokenText && name === "expiry" ? { ...tokenText, type: { kind: "timestamp" } } : tokenText;
}

function checkMatches(checker: Checker, call: Call): Found {
  const [operand, pattern, more] = operandsOf(call);
  if (!operand || !pattern || more) return wrongUse(checker, call);
  const found = checkValue(checker, operand);
  const typed = found && checkCalled(checker, found, "string");
  if (pattern.kind !== "string") {
    return complain(checker, "pattern-not-literal", "a pattern is a text that stands here", pattern.at);
  }
  const error = patternError(pattern.value);
  if (error !== undefined) return complain(checker, "bad-pattern", `this pattern does not hold: ${error}`, pattern.at);
  return typed && called("matches", bool, [typed, constant(text, pattern.value, pattern.at)], call.at, false);
}

function patternError(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}

function checkMacro(checker: Checker, call: Call, target: Expression, macro: MacroName): Found {
  const { at } = call;
  const [name, first, second, more] = call.arguments;
  const arity = macro === "map" ? more === undefined : second === undefined;
  if (name?.kind !== "name" || !first || !arity) return wrongUse(checker, call);
  if (second) {
    const filter: Call = { ...call, function: "filter", arguments: [name, first] };
    return checkMacro(checker, { ...call, target: filter, arguments: [name, second] }, filter, macro);
  }
  const found = checkNode(checker, target);
  if (!found) return undefined;
  const list = fitted(found, anyList);
  if (list.type.kind !== "list") {
    return complain(
      checker,
      "wrong-type",
      `\`${macro}\` goes through a list, and this is ${describeType(list.type)}`,
      target.at,
    );
  }
  if (!mayBind(checker, name.name, name.at)) return undefined;
  const records = isRecordList(list);
  const slot = checker.items.length;
  // An empty list may have items of any type.
  const of: ValueType = list.type.of.kind === "null" ? { kind: "any" } : list.type.of;
  const bound: Bound =
    records && of.kind === "record"
      ? { name: name.name, slot, resource: of.resource }
      : { name: name.name, slot, type: of, nullable: list.type.holes === true };
  const body = checkBody(checker, bound, records, macro, first, at);
  if (!body) return undefined;
  if (macro === "sortBy" && !ordered.has(body.type.kind)) {
    return complain(checker, "no-order", `${describeType(body.type)} has no order`, body.at);
  }
  return { kind: "macro", at, ...macroType(macro, list, body), macro, records, slot, list, body };
}

function mayBind(checker: Checker, name: string, at: Extent): boolean {
  const { env, items } = checker;
  const isUsed =
    items.some((bound) => bound.name === name) || Object.hasOwn(env.names, name) || Object.hasOwn(env.resources, name);
  if (isUsed)
    complain(checker, "name-taken", `\`${name}\` already means something here`, at, "take another name for the item");
  return !isUsed;
}

function checkBody(
  checker: Checker,
  bound: Bound,
  records: boolean,
  macro: MacroName,
  body: Expression,
  at: Extent,
): Found {
  if (checker.items.length >= limits.macros) {
    const message = `macros stand at most ${limits.macros} deep inside each other`;
    return complain(checker, "macros-too-deep", message, at);
  }
  if (records && checker.recordMacros >= limits.recordMacros) {
    const message = `macros over all records of a resource stand at most ${limits.recordMacros} deep inside each other`;
    return complain(checker, "macros-too-deep", message, at, "each level multiplies the work by the number of records");
  }
  checker.items.push(bound);
  checker.recordMacros += records ? 1 : 0;
  const typed = macro === "map" || macro === "sortBy" ? checkValue(checker, body) : checkCondition(checker, body);
  checker.recordMacros -= records ? 1 : 0;
  checker.items.pop();
  return typed;
}

function macroType(
  macro: MacroName,
  list: TypedExpression,
  body: TypedExpression,
): { type: ValueType; nullable: boolean } {
  if (macro === "exists" || macro === "all") return { type: bool, nullable: false };
  if (macro === "filter" || macro === "sortBy") return { type: list.type, nullable: list.nullable };
  const type: ValueType = { kind: "list", of: body.type, ...(body.nullable ? { holes: true } : {}) };
  return { type, nullable: list.nullable };
}
