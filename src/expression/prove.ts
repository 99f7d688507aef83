/**
 * Proves facts about expressions without any record: whether an expression is constant, always or never true, and whether two
 * can be true together.
 *
 * The proofs are sound but not complete: `false` from `satisfiable` and `true` from `always` and `exclusive` are proved; the
 * opposite results mean "not proved". An expression is split into alternatives, each a list of atoms (tests of values); in an
 * alternative, each tested value has a set of possible values, and an empty set refutes the alternative.
 */

import { compileFunction, TooManySteps, type Value } from "./evaluate.ts";
import type { Comparison } from "./syntax.ts";
import { compareText } from "./text.ts";
import { type Choose, type Compare, keyOf, mentions, parts, type TypedExpression } from "./typed.ts";
import type { ValueType } from "./types.ts";

/** The known bounds, both inclusive, of the numeric fields of the current record. */
export type Ranges = Readonly<Record<string, { readonly min?: number; readonly max?: number }>>;

/**
 * Returns the value of an expression that has the same value for every record at every moment; undefined for other
 * expressions.
 */
export function constantValue(typed: TypedExpression): { readonly value: Value } | undefined {
  if (!mentions(typed, ...readingKinds)) return evaluated(typed);
  if (typed.kind === "choose") return constantChoice(typed);
  if (typed.type.kind !== "bool" || (typed.nullable && typed.kind !== "logical")) return undefined;
  if (!satisfiable(typed)) return { value: false };
  return always(typed) ? { value: true } : undefined;
}

/** Returns false only if the expression is proved never to be true. A value that is not a boolean is never true. */
export function satisfiable(typed: TypedExpression, ranges: Ranges = {}): boolean {
  const alternatives = alternativesOf(typed, true);
  return alternatives === undefined || alternatives.some((atoms) => isConsistent(atoms, ranges));
}

/** Returns true only if the expression is proved true for every record at every moment. */
export function always(typed: TypedExpression, ranges: Ranges = {}): boolean {
  const alternatives = alternativesOf(typed, false);
  return alternatives !== undefined && !alternatives.some((atoms) => isConsistent(atoms, ranges));
}

/** Returns true only if the two expressions, evaluated for the same record at the same moment, are proved never both true. */
export function exclusive(a: TypedExpression, b: TypedExpression): boolean {
  const [first, second] = [alternativesOf(a, true), alternativesOf(b, true)];
  const both = first && second && combined(first, second);
  return both !== undefined && !both.some((atoms) => isConsistent(atoms, {}));
}

const readingKinds = ["field", "variable", "walk", "records", "item-field"] as const;

function constantChoice({ test, whenTrue, whenFalse }: Choose): { value: Value } | undefined {
  const chosen = constantValue(test);
  if (chosen) return constantValue(chosen.value === true ? whenTrue : whenFalse);
  const [a, b] = [constantValue(whenTrue), constantValue(whenFalse)];
  return a && b && JSON.stringify(a.value) === JSON.stringify(b.value) ? a : undefined;
}

// The alternatives of a condition

/** A test of a value, and whether the test is true or not true. */
interface Atom {
  readonly typed: TypedExpression;
  readonly holds: boolean;
}

type Alternatives = readonly (readonly Atom[])[];

/** The most alternatives that a proof examines. */
const mostAlternatives = 256;

/**
 * Splits the condition that an expression is true (or not true) into alternatives of atoms; undefined if there are too many.
 */
function alternativesOf(typed: TypedExpression, holds: boolean): Alternatives | undefined {
  switch (typed.kind) {
    case "not":
      return alternativesOf(typed.operand, !holds);
    case "logical": {
      const a = alternativesOf(typed.left, holds);
      const b = alternativesOf(typed.right, holds);
      const isAnd = (typed.operator === "&&") === holds;
      return a && b && (isAnd ? combined(a, b) : bounded([...a, ...b]));
    }
    case "choose":
      return chosenAlternatives(typed, holds);
    case "constant":
      return (typed.value === true) === holds ? [[]] : [];
    default:
      return [[{ typed, holds }]];
  }
}

function chosenAlternatives({ test, whenTrue, whenFalse }: Choose, holds: boolean): Alternatives | undefined {
  const [yes, no] = [alternativesOf(test, true), alternativesOf(test, false)];
  const [a, b] = [alternativesOf(whenTrue, holds), alternativesOf(whenFalse, holds)];
  const [first, second] = [yes && a && combined(yes, a), no && b && combined(no, b)];
  return first && second && bounded([...first, ...second]);
}

function combined(a: Alternatives, b: Alternatives): Alternatives | undefined {
  if (a.length * b.length > mostAlternatives) return undefined;
  return a.flatMap((left) => b.map((right) => [...left, ...right]));
}

function bounded(alternatives: Alternatives): Alternatives | undefined {
  return alternatives.length > mostAlternatives ? undefined : alternatives;
}

// The values that are still possible

type Plain = string | number | boolean;

/** The possible values of one value: whether null, between two bounds, one of a set, none of another set. */
interface Domain {
  null: boolean;
  readonly type: ValueType;
  low: Bound | undefined;
  high: Bound | undefined;
  among: ReadonlySet<Plain> | undefined;
  readonly not: Set<Plain>;
}

interface Bound {
  readonly value: Plain;
  readonly open: boolean;
}

/** How two values compare: by order, or because one or both of them are null. */
type Relation = "less" | "equal" | "greater" | "one-null" | "both-null";

interface Knowledge {
  readonly ranges: Ranges;
  readonly domains: Map<string, Domain>;
  readonly relations: Map<string, Set<Relation>>;
}

function isConsistent(atoms: readonly Atom[], ranges: Ranges): boolean {
  const knowledge: Knowledge = { ranges, domains: new Map(), relations: new Map() };
  return atoms.every((atom) => learn(knowledge, atom)) && [...knowledge.domains.values()].every(isPossible);
}

/** Adds the fact of an atom; returns false if it contradicts the known facts. */
function learn(knowledge: Knowledge, { typed, holds }: Atom): boolean {
  switch (typed.kind) {
    case "compare":
      return learnComparison(knowledge, typed, holds);
    case "within":
      if (typed.list.kind === "list") return learnMembership(knowledge, typed.value, typed.list.items, holds);
      return learnTruth(knowledge, typed, holds);
    default:
      return learnTruth(knowledge, typed, holds);
  }
}

/** Adds the fact that a boolean without parts (a field, or a test of a list) is true or not true. */
function learnTruth(knowledge: Knowledge, typed: TypedExpression, holds: boolean): boolean {
  const domain = domainOf(knowledge, typed);
  if (holds) intersect(domain, [true]);
  else domain.not.add(true);
  if (holds) domain.null = false;
  if (holds && typed.kind === "call" && !typed.arguments.every((argument) => learnPresence(knowledge, argument)))
    return false;
  return isPossible(domain);
}

/** Adds the fact that a value is present, which a true condition on the value implies. */
function learnPresence(knowledge: Knowledge, typed: TypedExpression): boolean {
  const constant = constantOf(typed);
  if (constant) return constant.value !== null;
  const domain = domainOf(knowledge, typed);
  domain.null = false;
  return isPossible(domain);
}

function domainOf({ domains, ranges }: Knowledge, typed: TypedExpression): Domain {
  const key = keyOf(typed);
  const known = domains.get(key);
  if (known) return known;
  const { type } = typed;
  const values = type.kind === "bool" ? [true, false] : type.kind === "string" ? type.values : undefined;
  const range = typed.kind === "field" && Object.hasOwn(ranges, typed.name) ? ranges[typed.name] : undefined;
  const isSize = typed.kind === "call" && typed.function === "size";
  const domain: Domain = {
    null: mayBeNull(typed),
    type,
    low: isSize ? { value: 0, open: false } : boundOf(range?.min),
    high: boundOf(range?.max),
    among: values && new Set<Plain>(values),
    not: new Set(),
  };
  domains.set(key, domain);
  return domain;
}

function boundOf(value: number | undefined): Bound | undefined {
  return value === undefined ? undefined : { value, open: false };
}

/**
 * Whether a value may be null although its type is not nullable: arithmetic can leave its range, and a reference can be
 * dangling.
 */
function mayBeNull(typed: TypedExpression): boolean {
  return (
    typed.nullable ||
    typed.kind === "walk" ||
    typed.kind === "calculate" ||
    typed.kind === "as" ||
    parts(typed).some(mayBeNull)
  );
}

function constantOf(typed: TypedExpression): { readonly value: Value } | undefined {
  return mentions(typed, ...readingKinds, "item") ? undefined : evaluated(typed);
}

/** Evaluates a constant expression; undefined if that takes too long for the check of a document. */
function evaluated(typed: TypedExpression): { readonly value: Value } | undefined {
  try {
    return { value: compileFunction(typed)({ record: {}, variables: {}, steps: 10_000 }) };
  } catch (thrown) {
    if (thrown instanceof TooManySteps) return undefined;
    throw thrown;
  }
}

const mirrored: Readonly<Record<Comparison, Comparison>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

function learnComparison(knowledge: Knowledge, compare: Compare, holds: boolean): boolean {
  const [left, right] = [constantOf(compare.left), constantOf(compare.right)];
  if (left && right) {
    const known = evaluated(compare);
    return known === undefined || (known.value === true) === holds;
  }
  if (right) return learnConstant(knowledge, compare.left, compare.operator, right.value, holds);
  if (left) return learnConstant(knowledge, compare.right, mirrored[compare.operator], left.value, holds);
  return learnRelation(knowledge, compare, holds);
}

function learnConstant(
  knowledge: Knowledge,
  typed: TypedExpression,
  operator: Comparison,
  value: Value,
  holds: boolean,
): boolean {
  const domain = domainOf(knowledge, typed);
  if (typeof value === "object") {
    if (value !== null) return true;
    const isNull = operator === "==" || operator === "!=" ? (operator === "==") === holds : undefined;
    if (isNull === undefined) return !holds;
    if (isNull) intersect(domain, []);
    else domain.null = false;
    return isPossible(domain);
  }
  if (operator === "!=") return learnConstant(knowledge, typed, "==", value, !holds);
  if (operator === "==") {
    if (holds) intersect(domain, [value]);
    else domain.not.add(value);
    if (holds) domain.null = false;
    return isPossible(domain);
  }
  // If the comparison is true, the value is not null; if it is not true, the value is null or the opposite comparison is true.
  if (holds) domain.null = false;
  narrow(domain, holds ? operator : opposite[operator], value);
  return isPossible(domain);
}

type Order = "<" | "<=" | ">" | ">=";

const opposite: Readonly<Record<Order, Order>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };

function narrow(domain: Domain, operator: Order, value: Plain): void {
  const bound: Bound = { value, open: operator === "<" || operator === ">" };
  if (operator === "<" || operator === "<=") domain.high = tighter(domain.high, bound, -1);
  else domain.low = tighter(domain.low, bound, 1);
}

function tighter(known: Bound | undefined, bound: Bound, direction: 1 | -1): Bound {
  if (!known) return bound;
  const difference = order(bound.value, known.value) * direction;
  if (difference !== 0) return difference > 0 ? bound : known;
  return bound.open ? bound : known;
}

function order(a: Plain, b: Plain): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  return Number(a) - Number(b);
}

function intersect(domain: Domain, values: readonly Plain[]): void {
  const { among } = domain;
  domain.among = new Set(among ? values.filter((value) => among.has(value)) : values);
}

function learnMembership(
  knowledge: Knowledge,
  value: TypedExpression,
  items: readonly TypedExpression[],
  holds: boolean,
): boolean {
  const values = items.map((item) => constantOf(item)?.value);
  const plain = values.filter((one): one is Plain => typeof one !== "object" && one !== undefined);
  if (plain.length < values.length) return true;
  const domain = domainOf(knowledge, value);
  if (holds) intersect(domain, plain);
  else for (const one of plain) domain.not.add(one);
  if (holds) domain.null = false;
  return isPossible(domain);
}

function isPossible(domain: Domain): boolean {
  if (domain.null) return true;
  const { among, not, low, high } = domain;
  if (among) return [...among].some((value) => !not.has(value) && isBeyond(value, low, 1) && isBeyond(value, high, -1));
  if (!low || !high) return true;
  const [least, most] =
    domain.type.kind === "int" || domain.type.kind === "duration" ? integerBounds(low, high) : [low, high];
  const width = order(most.value, least.value);
  if (width > 0) return !isFullRangeExcluded(domain, least, most);
  return width === 0 && !least.open && !most.open && !not.has(least.value);
}

/** Whether the value is above a lower bound (1), or below an upper one (-1). */
function isBeyond(value: Plain, bound: Bound | undefined, direction: 1 | -1): boolean {
  if (!bound) return true;
  const difference = order(value, bound.value) * direction;
  return difference > 0 || (difference === 0 && !bound.open);
}

/** Converts open bounds of integers to closed ones: `1 < n && n < 2` leaves no integer. */
function integerBounds(low: Bound, high: Bound): readonly [Bound, Bound] {
  const least = Number(low.value);
  const most = Number(high.value);
  const first = low.open ? Math.floor(least) + 1 : Math.ceil(least);
  const last = high.open ? Math.ceil(most) - 1 : Math.floor(most);
  return [
    { value: first, open: false },
    { value: last, open: false },
  ];
}

function isFullRangeExcluded({ type, not }: Domain, least: Bound, most: Bound): boolean {
  if (type.kind !== "int" && type.kind !== "duration") return false;
  const [first, last] = [Number(least.value), Number(most.value)];
  if (last - first >= not.size) return false;
  for (let value = first; value <= last; value += 1) if (!not.has(value)) return false;
  return true;
}

const trueIn: Readonly<Record<Comparison, readonly Relation[]>> = {
  "==": ["equal", "both-null"],
  "!=": ["less", "greater", "one-null"],
  "<": ["less"],
  "<=": ["less", "equal"],
  ">": ["greater"],
  ">=": ["greater", "equal"],
};

const allRelations: readonly Relation[] = ["less", "equal", "greater", "one-null", "both-null"];

/** Adds the fact of a comparison of two unknown values: removes the orders that are no longer possible. */
function learnRelation(knowledge: Knowledge, { operator, left, right }: Compare, holds: boolean): boolean {
  const { relations } = knowledge;
  const isOrder = operator !== "==" && operator !== "!=";
  if (holds && isOrder && !(learnPresence(knowledge, left) && learnPresence(knowledge, right))) return false;
  const [a, b] = [keyOf(left), keyOf(right)];
  const oriented = a <= b ? operator : mirrored[operator];
  const key = a <= b ? `${a} ${b}` : `${b} ${a}`;
  const known = relations.get(key) ?? new Set(possibleRelations(left, right, a === b));
  const wanted = trueIn[oriented];
  const remaining = new Set([...known].filter((relation) => wanted.includes(relation) === holds));
  relations.set(key, remaining);
  return remaining.size > 0;
}

function possibleRelations(left: TypedExpression, right: TypedExpression, same: boolean): readonly Relation[] {
  const [a, b] = [mayBeNull(left), mayBeNull(right)];
  return allRelations.filter((relation) => {
    if (relation === "one-null") return !same && (a || b);
    if (relation === "both-null") return a && b;
    return !same || relation === "equal";
  });
}
