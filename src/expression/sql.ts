/**
 * Compiles a typed expression to SQL, with the same semantics as `evaluate.ts`.
 *
 * SQL conditions have three values (true, false, null), the language has two, so a condition has two forms. Where null may
 * replace false (in a WHERE, or an AND in it), `a = b` stays unchanged and can use an index; elsewhere (below a NOT, in a
 * result column) it becomes `(a = b) IS TRUE`. Parts that depend on no record are not compiled to SQL: they are computed first
 * and bound as parameters.
 *
 * Required column types. SQLite: bool is INTEGER 0 or 1, int INTEGER, double REAL, a timestamp TEXT
 * `YYYY-MM-DDTHH:MM:SS.sssZ`, a duration INTEGER milliseconds, a reference TEXT, all else TEXT of `JSON.stringify`; a function
 * `nonet_number` prints a number like `JSON.stringify`. PostgreSQL: boolean, bigint, double precision, timestamptz, bigint,
 * text, jsonb.
 */

import { compileFunction, type Row, TooManySteps, type Value } from "./evaluate.ts";
import { earliest, latest, longestDuration } from "./instant.ts";
import { conversionSql, textFunctionSql } from "./sql-functions.ts";
import { isMoneyCalculation, moneyComparison, moneySql, moneySum } from "./sql-money.ts";
import { type Dialect, finish, joined, type Parameter, postgresType, quoted, type Sql, sql } from "./sql-text.ts";
import { inZoneSql, momentSql } from "./sql-zones.ts";
import { type ExpressionProblem, limits } from "./syntax.ts";
import {
  type Calculate,
  type Compare,
  type FunctionCall,
  isRecordList,
  type Macro,
  type Membership,
  mentions,
  parts,
  type Records,
  type TypedExpression,
  type Walk,
} from "./typed.ts";
import { isBytes, isMoney, isScalar, type ValueType } from "./types.ts";
import { type ZoneFunction, zoneFunctions } from "./zones.ts";

export { openPlaceholder, postgresType } from "./sql-text.ts";
export type { Dialect, Parameter } from "./sql-text.ts";

export interface SqlContext {
  /** The resource of the current record. */
  readonly resource: string;
  /** The name of the record's table in the statement, quoted if necessary; empty for unqualified columns. */
  readonly alias: string;
  /** Returns the quoted name of a column, in PostgreSQL with a cast if its stored type differs. */
  readonly column: (resource: string, field: string, type: ValueType) => string;
  /** Returns the quoted name of a table. */
  readonly table: (resource: string) => string;
  /** The number of the first placeholder in PostgreSQL, default 1; with `open`, each placeholder is `openPlaceholder`. */
  readonly firstPlaceholder?: number | "open";
  /** Whether a resource's ids are numbers. Expressions see such ids as texts, but a list must contain them as numbers. */
  readonly isCounted?: (resource: string) => boolean;
  /**
   * Where the SQL is used. `where`, the default: a condition may be null instead of false. `select`: it must not be null, and
   * the value equals the result of the compiled function.
   */
  readonly use?: "where" | "select";
  /** The prefix of the aliases in the SQL; default `_`. */
  readonly names?: string;
  /**
   * Returns a condition that is always true and ends the statement at its deadline, from the SQL of a column. The statement
   * evaluates it first for each record and each item of a list. Absent if the database itself has deadlines.
   */
  readonly stop?: (column: string) => string;
}

/** SQL that reads records: `SELECT … ${from} ORDER BY ${order}`, each record under the name `alias`. */
export interface RecordsSql {
  /** The text `FROM … WHERE …` with its parameters. */
  readonly from: { readonly sql: string; readonly parameters: readonly Parameter[] };
  readonly order: { readonly sql: string; readonly parameters: readonly Parameter[] };
  readonly alias: string;
}

export type CompiledSql =
  | { readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly problems: readonly ExpressionProblem[] };

/** Compiles the expression to SQL; returns a problem `not-in-sql` for each part without an equivalent. */
export function compileSql(typed: TypedExpression, dialect: Dialect, context: SqlContext): CompiledSql {
  const writer: Writer = { dialect, context, items: new Map(), free: new Map(), problems: [], aliases: 0, inside: 0 };
  const isCondition = typed.type.kind === "bool" && context.use !== "select";
  const written = isCondition ? condition(writer, typed).sql : scalar(writer, typed).sql;
  if (writer.problems.length > 0) return { problems: writer.problems };
  const finished = finish(written, dialect, context.firstPlaceholder ?? 1);
  if (finished) return finished;
  unsupported(writer, typed, "as much as this", "a computed field (`:=`) can hold a part of it");
  return { problems: writer.problems };
}

/**
 * Compiles an expression that denotes records (`checkRecords`), in its order: those of a resource, or those in a list of
 * references. In PostgreSQL the placeholders of `order` follow those of `from`.
 */
export function compileRecords(
  typed: TypedExpression,
  resource: string,
  dialect: Dialect,
  context: SqlContext,
): RecordsSql | { readonly problems: readonly ExpressionProblem[] } {
  const writer: Writer = { dialect, context, items: new Map(), free: new Map(), problems: [], aliases: 0, inside: 1 };
  const source = recordsSource(writer, typed, resource);
  const alias = source.item.kind === "row" ? source.item.alias : "";
  const first = context.firstPlaceholder ?? 1;
  const from = finish(rest(source), dialect, first);
  const next = first === "open" ? first : first + (from?.parameters.length ?? 0);
  const order = finish(orderOf(writer, source), dialect, next);
  if (writer.problems.length > 0) return { problems: writer.problems };
  if (from && order) return { from, order, alias };
  unsupported(writer, typed, "as much as this", "a computed field (`:=`) can hold a part of it");
  return { problems: writer.problems };
}

/** Returns the problems of an expression that cannot be compiled to SQL of both dialects. */
export function sqlProblems(typed: TypedExpression): readonly ExpressionProblem[] {
  const context: SqlContext = { resource: "", alias: "", column: () => "", table: () => "" };
  for (const dialect of ["sqlite", "postgres"] as const) {
    const compiled = compileSql(typed, dialect, context);
    if ("problems" in compiled) return compiled.problems;
  }
  return [];
}

export function expressibleInSql(typed: TypedExpression): boolean {
  return sqlProblems(typed).length === 0;
}

/**
 * Returns a function from the variables of a `Scope` to the value of one parameter, in the form that drivers expect: in SQLite
 * 0 and 1 for booleans, in both databases JSON text for lists and objects.
 */
export function parameterGetter(
  parameter: Parameter,
  dialect: Dialect,
): (variables: Row) => string | number | boolean | null {
  const asJson = postgresType(parameter.type) === "jsonb";
  const value = valueGetter(parameter);
  return (variables) => bound(value(variables), dialect, asJson);
}

function valueGetter(parameter: Parameter): (variables: Row) => Value {
  switch (parameter.kind) {
    case "constant": {
      const { value } = parameter;
      return () => value;
    }
    case "variable": {
      const { path } = parameter;
      return (variables) => valueAt(variables, path);
    }
    case "computed": {
      const run = compileFunction(parameter.expression);
      return (variables) => run({ record: {}, variables });
    }
  }
}

function valueAt(variables: Row, path: readonly string[]): Value {
  let found: unknown = variables;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Row)[name];
  }
  return (found ?? null) as Value;
}

function bound(value: Value, dialect: Dialect, asJson: boolean): string | number | boolean | null {
  if (value === null) return null;
  if (asJson || typeof value === "object") return JSON.stringify(value);
  return typeof value === "boolean" && dialect === "sqlite" ? Number(value) : value;
}

interface Writer {
  readonly dialect: Dialect;
  readonly context: SqlContext;
  /** By slot, the items of each enclosing macro. */
  readonly items: Map<number, Source["item"]>;
  readonly free: Map<TypedExpression, boolean>;
  readonly problems: ExpressionProblem[];
  aliases: number;
  /** The number of enclosing queries over other tables. */
  inside: number;
}

/** SQL of a value that is null exactly if the function returns null, and whether it can be null. */
interface Scalar {
  readonly sql: Sql;
  readonly nullable: boolean;
}

/** SQL of a condition: true if the function returns true; otherwise false or, unless `exact`, null. */
interface Condition {
  readonly sql: Sql;
  readonly exact: boolean;
}

/** A list in a FROM clause. */
interface Source {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly item:
    | { readonly kind: "row"; readonly alias: string; readonly resource: string }
    | { readonly kind: "element"; readonly alias: string }
    | { readonly kind: "value"; readonly sql: Sql };
  /** SQL of the list itself, if it can be null. */
  readonly list: Sql | undefined;
  /** The order of the items in the list; empty if the order does not matter. */
  readonly order: readonly Order[];
}

interface Order {
  readonly by: Sql;
  readonly descending: boolean;
}

function unsupported(writer: Writer, { at }: TypedExpression, what: string, help?: string): Sql {
  const message = `${what} cannot be asked in SQL, and a list is read with SQL`;
  writer.problems.push({
    code: "not-in-sql",
    message,
    ...(help === undefined ? {} : { help }),
    start: at.start,
    end: at.end,
  });
  return "NULL";
}

function nextAlias(writer: Writer): string {
  writer.aliases += 1;
  return `${writer.context.names ?? "_"}${writer.aliases}`;
}

// Parts that depend on no record

/** Whether a value depends on a record, or on an item of an enclosing macro. */
function isFree(writer: Writer, typed: TypedExpression): boolean {
  const known = writer.free.get(typed);
  if (known !== undefined) return known;
  const free = mentions(typed, "field", "item-field", "walk", "records") || [...slotsOf(typed)].length > 0;
  writer.free.set(typed, free);
  return free;
}

/** Returns the slots of the items that an expression reads from macros outside it. */
function slotsOf(typed: TypedExpression): ReadonlySet<number> {
  if (typed.kind === "item") return new Set([typed.slot]);
  const slots = new Set<number>();
  for (const part of parts(typed)) for (const slot of slotsOf(part)) slots.add(slot);
  if (typed.kind === "macro") slots.delete(typed.slot);
  return slots;
}

function parameterOf(writer: Writer, typed: TypedExpression): Sql {
  const { type } = typed;
  if (typed.kind === "variable") return { kind: "variable", path: typed.path, type };
  if (mentions(typed, "variable") || !isScalar(type)) return { kind: "computed", expression: typed, type };
  try {
    const value = compileFunction(typed)({ record: {}, variables: {}, steps: 10_000 });
    return constant(writer, value as string | number | boolean | null, type);
  } catch (thrown) {
    // The function is slow to build, so it is built on first use.
    if (thrown instanceof TooManySteps) return { kind: "computed", expression: typed, type };
    throw thrown;
  }
}

function constant(writer: Writer, value: string | number | boolean | null, type: ValueType): Sql {
  if (value === null) return writer.dialect === "postgres" && isScalar(type) ? `NULL::${postgresType(type)}` : "NULL";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "number" && type.kind !== "double") return value < 0 ? `(${value})` : String(value);
  return { kind: "constant", value, type };
}

// SQL of truth values

function condition(writer: Writer, typed: TypedExpression): Condition {
  if (typed.kind === "constant") return { sql: typed.value === true ? "TRUE" : "FALSE", exact: true };
  if (!isFree(writer, typed)) return { sql: parameterOf(writer, typed), exact: isPredicate(typed) };
  switch (typed.kind) {
    case "logical": {
      const left = condition(writer, typed.left);
      const right = condition(writer, typed.right);
      const operator = typed.operator === "&&" ? "AND" : "OR";
      return { sql: sql`(${left.sql} ${operator} ${right.sql})`, exact: left.exact && right.exact };
    }
    case "not": {
      const operand = condition(writer, typed.operand);
      return { sql: operand.exact ? sql`(NOT ${operand.sql})` : sql`(${operand.sql} IS NOT TRUE)`, exact: true };
    }
    case "compare":
      return compare(writer, typed);
    case "within":
      return membership(writer, typed);
    case "macro":
      return quantified(writer, typed);
    case "call":
      return textTest(writer, typed);
    default: {
      const value = plainScalar(writer, typed);
      return { sql: value.sql, exact: !value.nullable };
    }
  }
}

/** Whether a boolean is computed rather than read: then it is never null. */
function isPredicate(typed: TypedExpression): boolean {
  return ["logical", "not", "compare", "within", "macro", "call"].includes(typed.kind) && typed.type.kind === "bool";
}

function exactly({ sql: written, exact }: Condition): Sql {
  return exact ? written : sql`(${written} IS TRUE)`;
}

function compare(writer: Writer, { operator, left, right, at }: Compare): Condition {
  if (isNull(left) || isNull(right)) return compareWithNull(writer, operator, isNull(left) ? right : left);
  if (isMoney(left.type) && isMoney(right.type)) {
    const sides = [scalar(writer, left).sql, scalar(writer, right).sql] as const;
    const written = moneyComparison(operator, sides, writer.dialect, (columns) => once(writer, columns));
    return { sql: written, exact: operator === "==" || operator === "!=" };
  }
  if (!isScalar(left.type) || !isScalar(right.type)) {
    const isUnsupported = !areLists(left, right);
    if (isUnsupported) unsupported(writer, { ...left, at }, "whether two structures are equal");
    if (isUnsupported) return { sql: "NULL", exact: true };
  }
  const a = scalar(writer, left);
  const b = scalar(writer, right);
  const nullable = a.nullable || b.nullable;
  if (operator === "!=") {
    if (!nullable) return { sql: sql`(${a.sql} <> ${b.sql})`, exact: true };
    const differs = writer.dialect === "sqlite" ? "IS NOT" : "IS DISTINCT FROM";
    return { sql: sql`(${a.sql} ${differs} ${b.sql})`, exact: true };
  }
  if (operator === "==") {
    if (!a.nullable || !b.nullable) return { sql: sql`(${a.sql} = ${b.sql})`, exact: !nullable };
    const same = writer.dialect === "sqlite" ? "IS" : "IS NOT DISTINCT FROM";
    return { sql: sql`(${a.sql} ${same} ${b.sql})`, exact: true };
  }
  const collation = writer.dialect === "postgres" && left.type.kind === "string" ? ' COLLATE "C"' : "";
  return { sql: sql`(${a.sql}${collation} ${operator} ${b.sql})`, exact: !nullable };
}

function isNull(typed: TypedExpression): boolean {
  return typed.kind === "constant" && typed.value === null;
}

/** Whether both are lists of plain values: each such list has a single JSON text, so SQLite can compare the texts. */
function areLists(a: TypedExpression, b: TypedExpression): boolean {
  const plain = ({ type }: TypedExpression): boolean => {
    return type.kind === "list" && (isScalar(type.of) || type.of.kind === "null");
  };
  return plain(a) && plain(b);
}

function compareWithNull(writer: Writer, operator: string, operand: TypedExpression): Condition {
  if (isNull(operand)) return { sql: operator === "==" ? "TRUE" : "FALSE", exact: true };
  const value =
    operand.type.kind === "any" && isFree(writer, operand)
      ? unknownValue(writer, operand)
      : scalar(writer, operand).sql;
  return { sql: sql`(${value} IS ${operator === "==" ? "NULL" : "NOT NULL"})`, exact: true };
}

function textTest(writer: Writer, typed: FunctionCall): Condition {
  const [text, part] = typed.arguments;
  if (!text || !part || typed.function === "matches") {
    return { sql: unsupported(writer, typed, "`matches`", "use startsWith, endsWith or contains"), exact: true };
  }
  const a = scalar(writer, text).sql;
  const b = scalar(writer, part).sql;
  return { sql: textTestSql(writer, typed.function, a, b), exact: false };
}

/**
 * Returns SQL for text tests. It uses neither `LIKE` nor patterns, since the tests are case-sensitive and `%` has no special
 * meaning.
 */
function textTestSql(writer: Writer, name: FunctionCall["function"], a: Sql, b: Sql): Sql {
  const sqlite = writer.dialect === "sqlite";
  if (name === "startsWith") return sqlite ? sql`(instr(${a}, ${b}) = 1)` : sql`starts_with(${a}, ${b})`;
  if (name === "contains") return sqlite ? sql`(instr(${a}, ${b}) > 0)` : sql`(strpos(${a}, ${b}) > 0)`;
  // The searched text is used twice and may be long, so the SQL names it once.
  const ends = sqlite ? "_a IS NOT NULL AND (_b = '' OR substr(_a, -length(_b)) = _b)" : "right(_a, length(_b)) = _b";
  return sql`(SELECT ${ends} FROM ${once(writer, sql`${a} AS _a, ${b} AS _b`)})`;
}

function membership(writer: Writer, { value, list }: Membership): Condition {
  if (list.type.kind === "map") return hasKey(writer, value, list);
  if (!isScalar(value.type)) {
    return { sql: unsupported(writer, value, "whether a structure is in a list"), exact: true };
  }
  const wanted = scalar(writer, value);
  if (list.kind === "list") {
    if (list.items.length === 0) return { sql: "FALSE", exact: true };
    const items = list.items.map((item) => scalar(writer, item));
    const exact = !wanted.nullable && items.every((item) => !item.nullable);
    const all = joined(
      items.map((item) => item.sql),
      ", ",
    );
    // PostgreSQL expands IN to a comparison for each item, repeating the value, unless all items are constants; an array
    // avoids that.
    const asArray = writer.dialect === "postgres" && list.items.some((item) => isFree(writer, item));
    return { sql: asArray ? sql`(${wanted.sql} = ANY (ARRAY[${all}]))` : sql`(${wanted.sql} IN (${all}))`, exact };
  }
  const source = sourceOf(writer, list);
  const item = itemValue(writer, source.item, list.type.kind === "list" ? list.type.of : value.type);
  return { sql: ofQuery(source, sql`(${wanted.sql} IN (${select(item, source)}))`), exact: false };
}

/**
 * Returns a condition about the items of a list. A concatenated list is null if any of its parts is null, even if other parts
 * have items. Any other list without a value has no items, which is equivalent.
 */
function ofQuery({ item, list }: Source, holds: Sql): Sql {
  return list && item.kind === "value" ? sql`(${list} IS NOT NULL AND ${holds})` : holds;
}

function hasKey(writer: Writer, key: TypedExpression, map: TypedExpression): Condition {
  // The key is inside the query over the map, whose columns `id` and `key` could hide the record's.
  writer.inside += 1;
  const wanted = scalar(writer, key).sql;
  writer.inside -= 1;
  const object = jsonOf(writer, map);
  if (writer.dialect === "postgres") return { sql: sql`((${object.json} ->> ${wanted}) IS NOT NULL)`, exact: true };
  const alias = nextAlias(writer);
  const entries = sql`json_each(${object.json}) AS ${alias}`;
  return {
    sql: sql`EXISTS (SELECT 1 FROM ${entries} WHERE ${alias}.key = ${wanted} AND ${alias}.type <> 'null')`,
    exact: true,
  };
}

// SQL of values

/** Compiles an expression to SQL of its value, equal to the result of the function. */
function scalar(writer: Writer, typed: TypedExpression): Scalar {
  if (typed.type.kind === "bool" && isPredicate(typed))
    return { sql: exactly(condition(writer, typed)), nullable: false };
  return plainScalar(writer, typed);
}

function plainScalar(writer: Writer, typed: TypedExpression): Scalar {
  if (typed.kind === "constant")
    return { sql: constant(writer, typed.value, typed.type), nullable: typed.value === null };
  if (!isFree(writer, typed)) {
    const sure = typed.kind === "variable" || isPredicate(typed);
    return { sql: parameterOf(writer, typed), nullable: typed.nullable || !sure };
  }
  switch (typed.kind) {
    case "field":
      return { sql: localColumn(writer, typed.name, typed.type), nullable: typed.nullable };
    case "item-field": {
      const row = writer.items.get(typed.slot);
      if (row?.kind !== "row") throw new Error("a field of an item that is no record passed the type check");
      const column = writer.context.column(row.resource, typed.name, typed.type);
      return { sql: sql`${row.alias}.${column}`, nullable: typed.nullable };
    }
    case "walk":
      return { sql: walk(writer, typed), nullable: true };
    case "member":
    case "item":
      return { sql: extracted(writer, typed), nullable: typed.nullable };
    case "negate":
      return negated(writer, typed.operand);
    case "calculate":
      return { sql: calculated(writer, typed), nullable: isFallible(typed) };
    case "choose": {
      const test = condition(writer, typed.test).sql;
      const [a, b] = [scalar(writer, typed.whenTrue), scalar(writer, typed.whenFalse)];
      return { sql: sql`(CASE WHEN ${test} THEN ${a.sql} ELSE ${b.sql} END)`, nullable: a.nullable || b.nullable };
    }
    case "call":
      if (typed.type.kind === "list") return madeList(writer, typed);
      return { sql: computed(writer, typed), nullable: typed.nullable || canOverflow(typed) };
    case "as":
      return { sql: convertedTo(writer, typed.operand, typed.type), nullable: true };
    default:
      return madeList(writer, typed);
  }
}

/**
 * Returns a column of the current record. Inside a query over another table it is qualified, since the other table may have a
 * column of the same name.
 */
function localColumn({ context, inside }: Writer, name: string, type: ValueType): Sql {
  const { alias, resource } = context;
  const column = context.column(resource, name, type);
  if (alias !== "") return `${alias}.${column}`;
  return inside > 0 ? `${context.table(resource)}.${column}` : column;
}

function walk(writer: Writer, { reference, resource, name, type }: Walk): Sql {
  const { column, table } = writer.context;
  const alias = nextAlias(writer);
  writer.inside += 1;
  const id = scalar(writer, reference).sql;
  writer.inside -= 1;
  const found = `${alias}.${column(resource, name, type)}`;
  const key = column(resource, "id", { kind: "record", resource });
  return sql`(SELECT ${found} FROM ${table(resource)} AS ${alias} WHERE ${alias}.${key} = ${id})`;
}

function negated(writer: Writer, operand: TypedExpression): Scalar {
  const value = scalar(writer, operand);
  return { sql: sql`(-${value.sql})`, nullable: value.nullable };
}

/** Whether a calculation may be null because it leaves its range; only joining texts cannot. */
function isFallible(typed: Calculate): boolean {
  return typed.nullable || typed.calculation !== "join" || [typed.left, typed.right].some(canOverflow);
}

/** Functions that can be null although their arguments are not. */
const partial: ReadonlySet<string> = new Set(["sum", "int", "timestamp", ...Object.keys(zoneFunctions)]);

/** Whether the value can overflow: a number outside its range is null, and so is any value computed from it. */
function canOverflow(typed: TypedExpression): boolean {
  const isPartial = typed.kind === "call" && partial.has(typed.function);
  return isPartial || typed.kind === "calculate" || parts(typed).some(canOverflow);
}

const signs = { add: "+", subtract: "-", multiply: "*", divide: "/", remainder: "%" } as const;

function calculated(writer: Writer, typed: Calculate): Sql {
  const { calculation, left, right, type } = typed;
  switch (calculation) {
    case "join":
      return sql`(${scalar(writer, left).sql} || ${scalar(writer, right).sql})`;
    case "later":
    case "earlier":
      return shifted(writer, scalar(writer, left).sql, scalar(writer, right).sql, calculation === "later" ? "" : "-");
    case "between":
      return between(writer, scalar(writer, left).sql, scalar(writer, right).sql);
    case "append":
      return madeList(writer, typed).sql;
    default: {
      const a = scalar(writer, left).sql;
      const b = scalar(writer, right).sql;
      if (isMoneyCalculation(calculation))
        return moneySql(calculation, [a, b], right.type.kind === "int", writer.dialect, (one) => once(writer, one));
      if (type.kind === "double") return doubles(writer, calculation, a, b);
      if (calculation === "divide" || calculation === "remainder")
        return sql`(${a} ${signs[calculation]} NULLIF(${b}, 0))`;
      return ints(
        writer,
        sql`${widened(writer, a)} ${signs[calculation]} ${widened(writer, b)}`,
        type.kind === "duration" ? longestDuration : Number.MAX_SAFE_INTEGER,
      );
    }
  }
}

/**
 * Widens an integer before a calculation: SQLite continues in floating point beyond 64 bits; PostgreSQL would fail, so it
 * computes with numeric.
 */
function widened({ dialect }: Writer, value: Sql): Sql {
  return dialect === "postgres" ? sql`${value}::numeric` : value;
}

/**
 * Names values that are used more than once. PostgreSQL would inline the subquery and double the work at every level of an
 * expression; OFFSET prevents that. SQLite does not inline it.
 */
function once(writer: Writer, columns: Sql): Sql {
  return sql`(SELECT ${columns}${writer.dialect === "postgres" ? " OFFSET 0" : ""}) AS ${nextAlias(writer)}`;
}

function ints(writer: Writer, value: Sql, most: number): Sql {
  const narrowed = writer.dialect === "postgres" ? "_v::bigint" : "_v";
  return sql`(SELECT CASE WHEN _v BETWEEN -${String(most)} AND ${String(most)} THEN ${narrowed} END FROM ${once(writer, sql`${value} AS _v`)})`;
}

function doubles(writer: Writer, calculation: keyof typeof signs, a: Sql, b: Sql): Sql {
  if (writer.dialect === "sqlite") {
    const divisor = calculation === "divide" ? sql`NULLIF(${b}, 0)` : b;
    const value = sql`${a} ${signs[calculation]} ${divisor}`;
    return sql`(SELECT CASE WHEN abs(_v) < 9e999 THEN _v END FROM ${once(writer, sql`${value} AS _v`)})`;
  }
  return sql`(SELECT ${postgresDoubles[calculation]} FROM ${once(writer, sql`${a} AS _a, ${b} AS _b`)})`;
}

/**
 * PostgreSQL fails if a double overflows or underflows, so the SQL tests the size of the result first: of products and quotients
 * by logarithms, between those of the smallest and the largest double.
 */
const postgresDoubles: Readonly<Record<keyof typeof signs, string>> = {
  add: `CASE WHEN (_a < 0) <> (_b < 0) OR abs(_a) <= ${Number.MAX_VALUE} - abs(_b) THEN _a + _b END`,
  subtract: `CASE WHEN (_a < 0) = (_b < 0) OR abs(_a) <= ${Number.MAX_VALUE} - abs(_b) THEN _a - _b END`,
  multiply: scaled("*", "+"),
  divide: scaled("/", "-"),
  remainder: "NULL",
};

function scaled(operator: "*" | "/", logarithms: "+" | "-"): string {
  const magnitude = `log(abs(_a)) ${logarithms} log(abs(_b))`;
  const cases = [
    `WHEN _a IS NULL OR _b IS NULL${operator === "/" ? " OR _b = 0" : ""} THEN NULL`,
    "WHEN _a = 0 OR _b = 0 THEN 0",
    `WHEN ${magnitude} < -323.607 THEN 0`,
    `WHEN ${magnitude} < 308.254715559 THEN _a ${operator} _b`,
  ];
  return `CASE ${cases.join(" ")} END`;
}

function shifted(writer: Writer, moment: Sql, milliseconds: Sql, sign: "" | "-"): Sql {
  if (writer.dialect === "sqlite") {
    const seconds = sql`(${sign}${milliseconds} / 1000.0) || ' seconds'`;
    const value = sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${moment}, ${seconds})`;
    return sql`(SELECT CASE WHEN _v >= '0001' THEN _v END FROM ${once(writer, sql`${value} AS _v`)})`;
  }
  // The range is tested in milliseconds; then seconds and the rest are added separately, since PostgreSQL multiplies an
  // interval in floating point.
  const sum = once(writer, sql`round(extract(epoch FROM ${moment}) * 1000) + (${sign}${milliseconds}) AS _v`);
  const range = `_v BETWEEN ${earliest} AND ${latest}`;
  const made = "timestamptz 'epoch' + div(_v, 1000) * interval '1 second' + _v % 1000 * interval '1 millisecond'";
  return sql`(SELECT CASE WHEN ${range} THEN ${made} END FROM ${sum})`;
}

function between(writer: Writer, a: Sql, b: Sql): Sql {
  if (writer.dialect === "postgres") return sql`round(extract(epoch FROM ${a} - ${b}) * 1000)::bigint`;
  return sql`CAST(round((unixepoch(${a}, 'subsec') - unixepoch(${b}, 'subsec')) * 1000) AS INTEGER)`;
}

function computed(writer: Writer, typed: FunctionCall): Sql {
  const [operand] = typed.arguments;
  if (!operand) throw new Error("a function without an argument passed the type check");
  const values = (): Sql[] => typed.arguments.map((one) => scalar(writer, one).sql);
  if (Object.hasOwn(zoneFunctions, typed.function)) {
    const [moment, zone] = values() as [Sql, Sql];
    return inZoneSql(typed.function as ZoneFunction, moment, zone, writer.dialect, (one) => once(writer, one));
  }
  switch (typed.function) {
    case "timestamp":
      return momentSql(values() as [Sql, Sql, Sql], writer.dialect, (one) => once(writer, one));
    case "hash":
      return hashSql(writer, scalar(writer, operand).sql);
    case "money":
      return moneyLiteral(writer, values() as [Sql, Sql]);
    case "min":
    case "max":
      return typed.arguments.length > 1
        ? extremeSql(writer, typed, values() as [Sql, Sql])
        : extremeOf(writer, typed, operand);
    case "first":
      return firstOf(writer, typed, operand);
    case "size":
      return sizeOf(writer, typed, operand);
    case "sum":
      return sumOf(writer, typed, operand);
    case "join":
      return joinedText(writer, operand, typed.arguments[1]);
    case "replace":
      return sql`replace(${joined(
        typed.arguments.map((one) => scalar(writer, one).sql),
        ", ",
      )})`;
    case "string":
    case "int":
    case "double": {
      const value = scalar(writer, operand).sql;
      return conversionSql(typed.function, value, operand.type, writer.dialect, (columns) => once(writer, columns));
    }
    case "trim":
    case "lowerAscii":
    case "upperAscii":
    case "slugify": {
      const made = textFunctionSql(typed.function, scalar(writer, operand).sql, writer.dialect);
      return (
        made ??
        unsupported(writer, typed, `\`${typed.function}\``, "a computed field (`:=`) that is `filter` is stored")
      );
    }
    default:
      return unsupported(writer, typed, `\`${typed.function}\``, "a computed field (`:=`) that is `filter` is stored");
  }
}

function sizeOf(writer: Writer, call: FunctionCall, operand: TypedExpression): Sql {
  if (isBytes(operand.type)) return sql`(length(rtrim(${scalar(writer, operand).sql}, '=')) * 3 / 4)`;
  switch (operand.type.kind) {
    case "string":
    case "record":
      return sql`length(${scalar(writer, operand).sql})`;
    case "list": {
      if (isMade(operand) && (isRecordList(operand) || isFree(writer, operand))) {
        const source = sourceOf(writer, operand);
        // With COUNT(*), SQLite evaluates a UNION ALL that depends on the outer row only once for all rows.
        return present(source, sql`(${select(source.item.kind === "value" ? "COUNT(1)" : "COUNT(*)", source)})`);
      }
      const length = writer.dialect === "sqlite" ? "json_array_length" : "jsonb_array_length";
      return sql`${length}(${scalar(writer, operand).sql})`;
    }
    case "map": {
      const { json } = jsonOf(writer, operand);
      const entries =
        writer.dialect === "sqlite"
          ? sql`json_each(${json}) WHERE type <> 'null'`
          : sql`jsonb_each(${json}) WHERE value <> 'null'`;
      return sql`(CASE WHEN ${json} IS NOT NULL THEN (SELECT COUNT(*) FROM ${entries}) END)`;
    }
    default:
      return unsupported(writer, call, "the size of a value of unknown type");
  }
}

/** Returns SQL of the first 6 bytes of the SHA-256 of a text, as an unsigned integer. */
function hashSql({ dialect }: Writer, text: Sql): Sql {
  if (dialect === "sqlite") return sql`nonet_hash(${text})`;
  const bytes = sql`substring(sha256(convert_to(${text}, 'UTF8')) FROM 1 FOR 6)`;
  return sql`('x' || encode(${bytes}, 'hex'))::bit(48)::bigint`;
}

function moneyLiteral({ dialect }: Writer, [amount, currency]: readonly [Sql, Sql]): Sql {
  const build = dialect === "sqlite" ? "json_object" : "jsonb_build_object";
  return sql`(CASE WHEN ${currency} IS NOT NULL THEN ${build}('amount', ${amount}, 'currency', ${currency}) END)`;
}

/** Returns SQL of the smaller or the larger of two values; SQLite's functions are null if one value is, as they must be. */
function extremeSql(writer: Writer, { function: name, type }: FunctionCall, [a, b]: readonly [Sql, Sql]): Sql {
  if (writer.dialect === "sqlite") return sql`${name}(${a}, ${b})`;
  const collation = type.kind === "string" ? ' COLLATE "C"' : "";
  const operator = name === "min" ? "<=" : ">=";
  const chosen = `CASE WHEN _a${collation} ${operator} _b THEN _a WHEN _a IS NOT NULL AND _b IS NOT NULL THEN _b END`;
  return sql`(SELECT ${chosen} FROM ${once(writer, sql`${a} AS _a, ${b} AS _b`)})`;
}

function extremeOf(writer: Writer, { function: name, type }: FunctionCall, list: TypedExpression): Sql {
  const source = sourceOf(writer, list);
  const collation = writer.dialect === "postgres" && type.kind === "string" ? ' COLLATE "C"' : "";
  const item = itemValue(writer, source.item, type);
  return present(source, sql`(${select(sql`${name}(${item}${collation})`, source)})`);
}

function firstOf(writer: Writer, { type }: FunctionCall, list: TypedExpression): Sql {
  const source = sourceOf(writer, list, true);
  const item = itemValue(writer, source.item, type);
  return present(source, sql`(${select(item, source)} ORDER BY ${orderOf(writer, source)} LIMIT 1)`);
}

function sumOf(writer: Writer, call: FunctionCall, list: TypedExpression): Sql {
  const source = sourceOf(writer, list);
  const item = itemValue(writer, source.item, call.type);
  if (isMoney(call.type)) {
    const sum = moneySum(
      item,
      (what) => select(what, source),
      writer.dialect,
      (columns) => once(writer, columns),
    );
    return present(source, sum);
  }
  const total = writer.dialect === "sqlite" ? sql`TOTAL(${item})` : sql`COALESCE(SUM(${item}), 0)`;
  const sum = sql`(${select(total, source)})`;
  if (call.type.kind !== "double") return present(source, intSum(writer, sum));
  const range = writer.dialect === "sqlite" ? "abs(_v) < 9e999" : "TRUE";
  return present(source, sql`(SELECT CASE WHEN ${range} THEN _v END FROM ${once(writer, sql`${sum} AS _v`)})`);
}

/** Returns SQL that joins the items of a list; it skips absent items, as aggregates do. */
function joinedText(writer: Writer, list: TypedExpression, separator: TypedExpression | undefined): Sql {
  const source = sourceOf(writer, list, true);
  const item = itemValue(writer, source.item, { kind: "string" });
  const between = separator ? scalar(writer, separator) : { sql: "''", nullable: false };
  const aggregate = writer.dialect === "sqlite" ? "group_concat" : "string_agg";
  const all = sql`${aggregate}(${item}, ${between.sql} ORDER BY ${orderOf(writer, source)})`;
  const text = present(source, sql`COALESCE((${select(all, source)}), '')`);
  return between.nullable ? sql`(CASE WHEN ${between.sql} IS NOT NULL THEN ${text} END)` : text;
}

function intSum(writer: Writer, sum: Sql): Sql {
  const most = String(Number.MAX_SAFE_INTEGER);
  const narrowed = writer.dialect === "sqlite" ? "CAST(_v AS INTEGER)" : "_v::bigint";
  return sql`(SELECT CASE WHEN _v BETWEEN -${most} AND ${most} THEN ${narrowed} END FROM ${once(writer, sql`${sum} AS _v`)})`;
}

// SQL of lists

function quantified(writer: Writer, typed: Macro): Condition {
  const source = sourceOf(writer, typed.list);
  const body = withItem(writer, typed.slot, source.item, () => condition(writer, typed.body));
  if (typed.macro === "exists") {
    const some = select("1", { ...source, where: [...source.where, body.sql] });
    return { sql: ofQuery(source, sql`EXISTS (${some})`), exact: true };
  }
  const fails = body.exact ? sql`(NOT ${body.sql})` : sql`(${body.sql} IS NOT TRUE)`;
  const none = sql`NOT EXISTS (${select("1", { ...source, where: [...source.where, fails] })})`;
  return { sql: source.list ? sql`(${source.list} IS NOT NULL AND ${none})` : sql`(${none})`, exact: true };
}

function select(what: Sql, source: Source): Sql {
  return sql`SELECT ${what} ${rest(source)}`;
}

function rest({ from, where }: Source): Sql {
  return where.length === 0 ? sql`FROM ${from}` : sql`FROM ${from} WHERE ${joined(where, " AND ")}`;
}

/** Returns the ORDER BY of a list. Absent values sort first, which needs NULLS FIRST in PostgreSQL. */
function orderOf({ dialect }: Writer, { order }: Source): Sql {
  const nulls = { up: dialect === "postgres" ? " NULLS FIRST" : "", down: dialect === "postgres" ? " NULLS LAST" : "" };
  const terms = order.map(({ by, descending }) => sql`${by}${descending ? ` DESC${nulls.down}` : nulls.up}`);
  return joined(terms, ", ");
}

/** Wraps a function of a list: it is null if the list is absent. */
function present({ list }: Source, value: Sql): Sql {
  return list ? sql`(CASE WHEN ${list} IS NOT NULL THEN ${value} END)` : value;
}

function withItem<T>(writer: Writer, slot: number, item: Source["item"], write: () => T): T {
  writer.items.set(slot, item);
  writer.inside += 1;
  const written = write();
  writer.inside -= 1;
  writer.items.delete(slot);
  return written;
}

/** Returns the FROM source of a list's items; `ordered`: whether their order will be used. */
function sourceOf(writer: Writer, list: TypedExpression, ordered = false): Source {
  if (list.kind === "records" && list.ancestors !== undefined)
    return ancestorsSource(writer, list, list.ancestors, ordered);
  if (list.kind === "records") {
    const alias = nextAlias(writer);
    const from = `${writer.context.table(list.resource)} AS ${alias}`;
    const order = ordered ? [{ by: `${alias}._seq`, descending: false }] : [];
    const where = stops(writer, `${alias}._seq`);
    return { from, where, item: { kind: "row", alias, resource: list.resource }, list: undefined, order };
  }
  const made = isFree(writer, list) ? madeSource(writer, list, ordered) : undefined;
  if (made) return made;
  const value = scalar(writer, list);
  const alias = nextAlias(writer);
  const checked = value.nullable ? value.sql : undefined;
  return { ...elements(writer, value.sql, alias, ordered), item: { kind: "element", alias }, list: checked };
}

/** Returns the ancestors of a record: one recursive query finds their ids, from the nearest one up. */
function ancestorsSource(
  writer: Writer,
  { resource }: Records,
  { field, from }: NonNullable<Records["ancestors"]>,
  ordered: boolean,
): Source {
  const { column, table } = writer.context;
  const type: ValueType = { kind: "record", resource };
  const [alias, above, found, path] = [nextAlias(writer), nextAlias(writer), nextAlias(writer), nextAlias(writer)];
  // Both sides of the UNION need one collation.
  const collated = (value: Sql): Sql => (writer.dialect === "postgres" ? sql`${value} COLLATE "C"` : value);
  const start = collated(scalar(writer, from).sql);
  const next = collated(`${above}.${column(resource, field, type)}`);
  const id = column(resource, "id", type);
  const step = sql`SELECT ${next}, ${path}.n + 1 FROM ${path} JOIN ${table(resource)} AS ${above} ON ${above}.${id} = ${path}.id WHERE ${path}.n < ${String(limits.ancestors)}`;
  const all = sql`WITH RECURSIVE ${path}(id, n) AS (SELECT ${start}, 1 UNION ALL ${step}) SELECT id, n FROM ${path}`;
  return {
    from: sql`(${all}) AS ${found} JOIN ${table(resource)} AS ${alias} ON ${alias}.${id} = ${found}.id`,
    where: stops(writer, `${alias}._seq`),
    item: { kind: "row", alias, resource },
    list: undefined,
    order: ordered ? [{ by: `${found}.n`, descending: false }] : [],
  };
}

function stops({ context }: Writer, column: string): readonly Sql[] {
  return context.stop === undefined ? [] : [context.stop(column)];
}

/** Returns the FROM source of a list that the expression itself builds; undefined for any other list. */
function madeSource(writer: Writer, list: TypedExpression, ordered: boolean): Source | undefined {
  if (list.kind === "macro") return macroSource(writer, list, ordered);
  if (list.kind === "list") return literalSource(writer, list.items, ordered);
  if (list.kind === "calculate") return appendedSource(writer, list, ordered);
  const [operand] = list.kind === "call" ? list.arguments : [];
  if (list.kind !== "call" || operand?.type.kind !== "list") return undefined;
  const source = sourceOf(writer, operand, ordered);
  const { of } = operand.type;
  switch (list.function) {
    case "flatten":
      return flattened(writer, source, of, ordered);
    case "distinct":
      return distinctSource(writer, source, of, ordered);
    case "sort":
      return ordered ? sorted(writer, named(writer, source, itemValue(writer, source.item, of)), of) : source;
    case "reverse":
      return { ...source, order: source.order.map(({ by, descending }) => ({ by, descending: !descending })) };
    default:
      return undefined;
  }
}

/** Whether `madeSource` returns a source for the expression. */
function isMade({ kind, type }: TypedExpression): boolean {
  return type.kind === "list" && ["records", "macro", "list", "calculate", "call"].includes(kind);
}

/** Flattens a list by one level: the source contains the items of its items. */
function flattened(writer: Writer, source: Source, inner: ValueType, ordered: boolean): Source {
  const alias = nextAlias(writer);
  const { from, order, where } = elements(writer, itemValue(writer, source.item, inner), alias, ordered);
  return {
    ...source,
    from: sql`${source.from} CROSS JOIN ${from}`,
    where: [...where, ...source.where],
    item: { kind: "element", alias },
    order: [...source.order, ...order],
  };
}

function distinctSource(writer: Writer, source: Source, of: ValueType, ordered: boolean): Source {
  const alias = nextAlias(writer);
  const inner = numbered(writer, source, of, ordered);
  const positionColumn = ordered ? ", min(_p) AS _p" : "";
  const from = sql`(SELECT value${positionColumn} FROM (${inner}) AS _i GROUP BY value) AS ${alias}`;
  return made(alias, from, source.list, ordered ? ["_p"] : []);
}

function appendedSource(writer: Writer, { left, right }: Calculate, ordered: boolean): Source {
  const alias = nextAlias(writer);
  const [a, b] = [left, right].map((side) => {
    const source = sourceOf(writer, side, ordered);
    return { source, type: side.type.kind === "list" ? side.type.of : side.type };
  }) as [{ source: Source; type: ValueType }, { source: Source; type: ValueType }];
  const rows = [a, b].map(({ source, type }, index) => {
    const orderColumn = ordered ? `, ${index} AS _s` : "";
    return sql`SELECT *${orderColumn} FROM (${numbered(writer, source, type, ordered)}) AS _i`;
  });
  const lists = [a.source.list, b.source.list].filter((list) => list !== undefined);
  const [first, second] = lists;
  const both = first && second ? sql`CASE WHEN ${first} IS NOT NULL THEN ${second} END` : first;
  return made(alias, sql`(${joined(rows, " UNION ALL ")}) AS ${alias}`, both, ordered ? ["_s", "_p"] : []);
}

/** Returns a query of the items as `value` and, if `ordered`, of their positions as `_p`. */
function numbered(writer: Writer, source: Source, of: ValueType, ordered: boolean): Sql {
  const orderColumn = ordered ? sql`, row_number() OVER (ORDER BY ${orderOf(writer, source)}) AS _p` : "";
  return select(sql`${itemValue(writer, source.item, of)} AS value${orderColumn}`, source);
}

function made(alias: string, from: Sql, list: Source["list"], positionColumn: readonly string[]): Source {
  const order = positionColumn.map((orderColumn) => ({ by: `${alias}.${orderColumn}`, descending: false }));
  return { from, where: [], item: { kind: "value", sql: `${alias}.value` }, list, order };
}

/** Returns the source sorted by `key` or by the value itself, and then by its former order. */
function sorted({ dialect }: Writer, source: Source, { kind }: ValueType, key?: Sql): Source {
  const value = key ?? (source.item.kind === "value" ? source.item.sql : "NULL");
  const by = dialect === "postgres" && kind === "string" ? sql`${value} COLLATE "C"` : value;
  return { ...source, order: [{ by, descending: false }, ...source.order] };
}

/** Compiles a list that the expression builds to JSON. */
function madeList(writer: Writer, typed: TypedExpression): Scalar {
  const type = typed.type.kind === "list" ? typed.type.of : typed.type;
  if (type.kind === "any")
    return { sql: unsupported(writer, typed, "a list of values of unknown type"), nullable: true };
  const source = sourceOf(writer, typed, true);
  const item = itemJson(writer, itemValue(writer, source.item, type), type);
  const order = orderOf(writer, source);
  const list =
    writer.dialect === "sqlite"
      ? sql`(${select(sql`json_group_array(${item} ORDER BY ${order})`, source)})`
      : sql`COALESCE((${select(sql`jsonb_agg(${item} ORDER BY ${order})`, source)}), '[]'::jsonb)`;
  return { sql: present(source, list), nullable: source.list !== undefined };
}

/**
 * Returns SQL of a value as an item of a JSON list. Without a conversion, SQLite would write `1` for true and `5.0` for five.
 */
function itemJson({ context, dialect }: Writer, value: Sql, type: ValueType): Sql {
  if (dialect === "postgres") {
    if (type.kind === "record" && context.isCounted?.(type.resource) === true) return sql`to_jsonb(${value}::bigint)`;
    if (type.kind !== "timestamp") return isScalar(type) ? sql`to_jsonb(${value})` : value;
    return sql`to_jsonb(to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
  }
  if (type.kind === "bool") return sql`json(CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
  if (type.kind === "double") return sql`json(nonet_number(${value}))`;
  return isScalar(type) || type.kind === "null" ? value : sql`json(${value})`;
}

/** Returns the items of a list that is stored as JSON. */
function elements(
  writer: Writer,
  list: Sql,
  alias: string,
  ordered: boolean,
): Pick<Source, "from" | "order" | "where"> {
  if (writer.dialect === "sqlite") {
    const order = ordered ? [{ by: `${alias}.key`, descending: false }] : [];
    return { from: sql`json_each(${list}) AS ${alias}`, order, where: stops(writer, `${alias}.key`) };
  }
  if (!ordered) return { from: sql`jsonb_array_elements(${list}) AS ${alias}(value)`, order: [], where: [] };
  const from = sql`jsonb_array_elements(${list}) WITH ORDINALITY AS ${alias}(value, place)`;
  return { from, order: [{ by: `${alias}.place`, descending: false }], where: [] };
}

function macroSource(writer: Writer, { macro, list, body, slot }: Macro, ordered: boolean): Source {
  const source = sourceOf(writer, list, ordered);
  if (macro === "filter") {
    const filtered = withItem(writer, slot, source.item, () => condition(writer, body).sql);
    return { ...source, where: [...source.where, filtered] };
  }
  if (macro === "sortBy") {
    if (!ordered) return source;
    const key = withItem(writer, slot, source.item, () => scalar(writer, body).sql);
    return sorted(writer, source, body.type, key);
  }
  const value = withItem(writer, slot, source.item, () => scalar(writer, body).sql);
  return named(writer, source, value);
}

/** The source with a name for a value of each item, which may be used more than once; includes the order. */
function named(writer: Writer, source: Source, value: Sql): Source {
  const alias = nextAlias(writer);
  const positionColumn = source.order.map(({ by }, index) => sql`, ${by} AS _o${String(index)}`);
  const from = sql`(${select(sql`${value} AS value${positionColumn}`, source)}) AS ${alias}`;
  const order = source.order.map(({ descending }, index) => ({ by: `${alias}._o${index}`, descending }));
  return { from, where: [], item: { kind: "value", sql: `${alias}.value` }, list: source.list, order };
}

function literalSource(writer: Writer, items: readonly TypedExpression[], ordered: boolean): Source {
  const alias = nextAlias(writer);
  const orderColumn = (index: number): string => (ordered ? `, ${index} AS place` : "");
  const rows = items.map((item, index) => sql`SELECT ${scalar(writer, item).sql} AS value${orderColumn(index)}`);
  return {
    from: sql`(${joined(rows, " UNION ALL ")}) AS ${alias}`,
    where: [],
    item: { kind: "value", sql: `${alias}.value` },
    list: undefined,
    order: ordered ? [{ by: `${alias}.place`, descending: false }] : [],
  };
}

/** Returns a list of records unchanged; for a list of references, the records that exist. */
function recordsSource(writer: Writer, list: TypedExpression, resource: string): Source {
  const source = sourceOf(writer, list, true);
  if (source.item.kind === "row") return source;
  const { column, table } = writer.context;
  const alias = nextAlias(writer);
  const type: ValueType = { kind: "record", resource };
  const reference = itemValue(writer, source.item, type);
  const referred = sql`${table(resource)} AS ${alias} ON ${alias}.${column(resource, "id", type)} = ${reference}`;
  return { ...source, from: sql`${source.from} JOIN ${referred}`, item: { kind: "row", alias, resource } };
}

function itemValue(writer: Writer, item: Source["item"], type: ValueType): Sql {
  switch (item.kind) {
    case "row":
      return `${item.alias}.${writer.context.column(item.resource, "id", { kind: "record", resource: item.resource })}`;
    case "value":
      return item.sql;
    case "element":
      return read(writer, elementOf(writer, item.alias), type);
  }
}

// SQL of JSON values

/** SQL for a position inside a JSON value. */
interface Json {
  /** SQL of the value as JSON; in SQLite only of lists and objects. */
  readonly json: Sql;
  /** SQL of the value: in SQLite of its own type, in PostgreSQL as text. */
  readonly value: Sql;
  /** SQL of the name of the value's type, as the database calls it. */
  readonly type: Sql;
  readonly member: (name: string) => Json;
}

function jsonOf(writer: Writer, typed: TypedExpression): Json {
  if (typed.kind === "member" && isFree(writer, typed)) return jsonOf(writer, typed.object).member(typed.name);
  if (typed.kind === "item") {
    const item = writer.items.get(typed.slot);
    if (item?.kind === "element") return elementOf(writer, item.alias);
  }
  if (typed.kind === "choose" || typed.kind === "macro") {
    return jsonAt(writer, unsupported(writer, typed, "a structure that is chosen or made"));
  }
  if (typed.kind === "item" && typed.type.kind === "any") {
    return jsonAt(writer, unsupported(writer, typed, "a value of unknown type out of a made list"));
  }
  return jsonAt(writer, scalar(writer, typed).sql);
}

function jsonAt(writer: Writer, root: Sql, path: readonly string[] = []): Json {
  const member = (name: string): Json => jsonAt(writer, root, [...path, name]);
  if (writer.dialect === "sqlite") {
    const steps = quoted(["$", ...path.map((name) => `"${name}"`)].join("."));
    const value = sql`json_extract(${root}, ${steps})`;
    const json = path.length === 0 ? root : value;
    return { json, value, type: sql`json_type(${root}, ${steps})`, member };
  }
  const orderColumn = path.length === 0 ? root : sql`(${root}${path.map((name) => ` -> ${quoted(name)}`)})`;
  return postgresPath(orderColumn, member);
}

function postgresPath(orderColumn: Sql, member: Json["member"]): Json {
  const value = sql`(${orderColumn} #>> '{}')`;
  return { json: sql`NULLIF(${orderColumn}, 'null'::jsonb)`, value, type: sql`jsonb_typeof(${orderColumn})`, member };
}

function elementOf(writer: Writer, alias: string): Json {
  if (writer.dialect === "postgres") {
    return postgresPath(`${alias}.value`, (name) => jsonAt(writer, `${alias}.value`, [name]));
  }
  // A text item could look like JSON, so only objects are parsed.
  const object = `CASE ${alias}.type WHEN 'object' THEN ${alias}.value END`;
  const value = `${alias}.value`;
  return { json: value, value, type: `${alias}.type`, member: (name) => jsonAt(writer, object, [name]) };
}

/** Returns SQL of a member or an item, converted to its known type. */
function extracted(writer: Writer, typed: TypedExpression): Sql {
  if (typed.kind === "item") {
    const item = writer.items.get(typed.slot);
    if (item && item.kind !== "element") return itemValue(writer, item, typed.type);
  }
  if (typed.type.kind === "any")
    return unsupported(writer, typed, "a value of unknown type", "compare it with a value of a known type");
  return read(writer, jsonOf(writer, typed), typed.type);
}

function read(writer: Writer, orderColumn: Json, type: ValueType): Sql {
  if (!isScalar(type)) return orderColumn.json;
  if (writer.dialect === "postgres")
    return type.kind === "string" ? orderColumn.value : sql`${orderColumn.value}::${postgresType(type)}`;
  return type.kind === "double" ? sql`CAST(${orderColumn.value} AS REAL)` : orderColumn.value;
}

/** Returns SQL of a value of unknown type; only for null tests. */
function unknownValue(writer: Writer, typed: TypedExpression): Sql {
  return jsonOf(writer, typed).value;
}

const sqliteTypes: Readonly<Partial<Record<ValueType["kind"], string>>> = {
  bool: "'true', 'false'",
  int: "'integer'",
  duration: "'integer'",
  double: "'integer', 'real'",
  string: "'text'",
  record: "'text'",
  list: "'array'",
};

const postgresTypes: typeof sqliteTypes = {
  bool: "'boolean'",
  int: "'number'",
  duration: "'number'",
  double: "'number'",
  string: "'string'",
  record: "'string'",
  list: "'array'",
};

/** Returns SQL of a value of unknown type: the value if it has the wanted type, else null. */
function convertedTo(writer: Writer, operand: TypedExpression, type: ValueType): Sql {
  const types = (writer.dialect === "sqlite" ? sqliteTypes : postgresTypes)[type.kind];
  if (types === undefined || (type.kind === "list" && type.of.kind !== "any")) {
    return unsupported(writer, operand, "a value of unknown type");
  }
  const orderColumn = jsonOf(writer, operand);
  const value =
    type.kind === "int" || type.kind === "duration" ? safeInt(writer, orderColumn) : read(writer, orderColumn, type);
  return sql`(CASE WHEN ${orderColumn.type} IN (${types}) THEN ${value} END)`;
}

function safeInt(writer: Writer, { value }: Json): Sql {
  const most = String(Number.MAX_SAFE_INTEGER);
  if (writer.dialect === "sqlite") return sql`CASE WHEN ${value} BETWEEN -${most} AND ${most} THEN ${value} END`;
  const checked = sql`${value}::numeric BETWEEN -${most} AND ${most} AND ${value}::numeric % 1 = 0`;
  return sql`CASE WHEN ${checked} THEN ${value}::numeric::bigint END`;
}
