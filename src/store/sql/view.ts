/**
 * Compiles a view to SQL that returns its JSON text. It concatenates cached JSON fragments where they match the view, and single
 * members elsewhere. Nested records are subqueries, so that a response needs one statement at any depth.
 */
import type { TypedExpression } from "../../expression/typed.ts";
import type { Column, JsonType, Table } from "../../plan/resources/types.ts";
import { atHand, type ExpressionSql, type Named, tableFor } from "./condition.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { isAlwaysThere, memberText, quoteText } from "./json-text.ts";
import type { CachedFragment } from "./json-fragments.ts";
import type { View, ViewMember } from "../port/store.ts";
import type { NestedSource } from "./view-text.ts";

/** How a database writes JSON. */
export interface TextSql {
  readonly expressions: ExpressionSql;
  readonly quoteName: (name: string) => string;
  /** Returns the JSON text of a column that is not null. */
  readonly columnText: (name: string, column: Pick<Column, "type" | "unix" | "values" | "schema">) => string;
  /** Returns the JSON text of a value, or null. `value` appears once in the result, so it may contain placeholders. */
  readonly valueText: (value: string, type: JsonType, of: TypedExpression) => string;
  /** Returns the id of a record as references to it are compared, if it is not the column itself. */
  readonly idText?: (alias: string, table: Table) => string | undefined;
  /** Returns the JSON text of an expression that is only a field, read from the column without evaluating the expression. */
  readonly fieldText?: (name: string, column: Column) => string | undefined;
  /** Concatenates all texts in the order, separated by commas; null for no rows. */
  readonly joinedTexts: (text: Fragment, order: Fragment) => Fragment;
  /** Returns the cached fragments that are usable for a record nested in `depth` others. */
  readonly fragments: (table: Table, depth: number) => readonly CachedFragment[];
  /** Reads the cached fragment from its column, or calls `made` for SQL that builds it. */
  readonly fragmentText: (
    stored: string,
    fragment: CachedFragment,
    made: () => string,
    table: Table,
    alias: string,
  ) => string;
}

export interface ViewSql {
  /** Returns the JSON object of a view of the current row `t`. */
  view(view: View, table: Table, tables: Named): Fragment;
  /** Returns the JSON text of the records nested in the current row `t`; null for none. */
  nested(source: NestedSource, table: Table, tables: Named): Fragment;
}

export function viewSql(text: TextSql): ViewSql {
  const scope = (table: Table, tables: Named): RecordScope => ({ text, table, alias: atHand, tables, depth: 0 });
  return {
    view: ({ members }, table, tables) => objectSql(members, scope(table, tables)),
    nested: (source, table, tables) => nestedText(source, scope(table, tables)),
  };
}

/** The record whose members are written. */
interface RecordScope {
  readonly text: TextSql;
  readonly table: Table;
  /** The alias of the record in the statement. */
  readonly alias: string;
  readonly tables: Named;
  /** The number of records that enclose this one in the view. */
  readonly depth: number;
}

function objectSql(members: readonly ViewMember[], scope: RecordScope): Fragment {
  const { table } = scope;
  const fragments = scope.text.fragments(table, scope.depth);
  const pieces: Fragment[] = [];
  let opens = false;
  for (let index = 0; index < members.length; ) {
    const fragment = fragments.find((one) => startsWith(members, index, one) && (!one.opens || index === 0));
    const member = members[index] as ViewMember;
    if (fragment) {
      opens ||= fragment.opens;
      pieces.push(fragmentText(fragment, members.slice(index, index + fragment.columns.length), scope));
      index += fragment.columns.length;
    } else {
      const first = index === 0 && isFixed(member, table);
      opens ||= first;
      pieces.push(memberSql(member, first ? "{" : ",", scope));
      index += 1;
    }
  }
  const text = joined(pieces, " || ", "''");
  return opens ? sql`${text} || '}'` : sql`'{' || substr(${text}, 2) || '}'`;
}

function startsWith(members: readonly ViewMember[], from: number, { columns }: CachedFragment): boolean {
  return columns.every((column, index) => {
    const member = members[from + index];
    return (
      member?.source.kind === "column" &&
      member.source.column === column.name &&
      member.name === column.name &&
      member.when === undefined &&
      (!column.nullable || member.absent === column.absent)
    );
  });
}

function fragmentText(fragment: CachedFragment, members: readonly ViewMember[], scope: RecordScope): Fragment {
  const { alias, table, text } = scope;
  const made = (): string =>
    members.map((member, index) => plainMember(member, fragment.opens && index === 0 ? "{" : ",", scope)).join(" || ");
  return { sql: text.fragmentText(`${alias}.${fragment.name}`, fragment, made, table, alias), bindings: [] };
}

/** Whether every response has the member, for every record and caller. */
function isFixed(member: ViewMember, table: Table): boolean {
  if (member.when || member.source.kind !== "column") return false;
  const column = columnOf(member.source.column, table);
  return isAlwaysThere({ nullable: column.nullable, absent: member.absent });
}

function memberSql(member: ViewMember, start: "{" | ",", scope: RecordScope): Fragment {
  const text =
    member.source.kind === "column"
      ? { sql: plainMember(member, start, scope), bindings: [] }
      : madeMember(member, madeText(member, scope));
  if (!member.when) return sql`(${text})`;
  const { expressions } = scope.text;
  return sql`CASE WHEN ${expressions.anyTrue(member.when, scope.tables, scope.alias)} THEN ${text} ELSE '' END`;
}

function plainMember(member: ViewMember, start: "{" | ",", { alias, table, text }: RecordScope): string {
  if (member.source.kind !== "column") throw new Error(`${member.name} is no column`);
  const column = columnOf(member.source.column, table);
  const name = `${alias}.${text.quoteName(column.name)}`;
  return memberText({
    name: member.name,
    start,
    absent: column.nullable ? member.absent : "never",
    column: name,
    value: text.columnText(name, column),
  });
}

/** Returns a member that is not a column; `text` is null for an absent value. */
function madeMember(member: ViewMember, text: Fragment): Fragment {
  const start = JSON.stringify(member.name);
  if (member.absent === "null") return sql`${quoteText(`,${start}:`)} || coalesce(${text}, 'null')`;
  return sql`coalesce(${quoteText(`,${start}:`)} || ${text}, '')`;
}

function madeText({ absent, name, source, type }: ViewMember, scope: RecordScope): Fragment {
  switch (source.kind) {
    case "column":
      throw new Error(`${name} is a column`);
    case "expression": {
      const { expressions, fieldText, quoteName, valueText } = scope.text;
      const column = fieldOf(source.expression, scope.table);
      const stored = column && fieldText?.(`${scope.alias}.${quoteName(column.name)}`, column);
      if (stored !== undefined) return { sql: stored, bindings: [] };
      const value = expressions.value(source.expression, scope.tables, scope.alias);
      return { sql: valueText(value.sql, type, source.expression), bindings: value.bindings };
    }
    case "object":
      // An optional object without members is left out.
      if (absent === "left out") return sql`nullif(${objectSql(source.members, scope)}, '{}')`;
      return sql`(${objectSql(source.members, scope)})`;
    default:
      return nestedText(source, scope);
  }
}

function nestedText(source: NestedSource, scope: RecordScope): Fragment {
  const isEither = source.kind === "record" && source.orId !== undefined;
  return isEither ? recordOrId(source, source.orId, scope) : recordsText(source, scope);
}

/** Returns SQL of the record if the caller may see it, else of its id; null if there is no reference. */
function recordOrId(source: NestedSource, type: JsonType, scope: RecordScope): Fragment {
  const { expressions, valueText } = scope.text;
  const { expression } = source;
  const id = expressions.value(expression, scope.tables, scope.alias);
  const idText: Fragment = { sql: valueText(id.sql, type, expression), bindings: id.bindings };
  return sql`coalesce(${recordsText(source, scope)}, ${idText})`;
}

function fieldOf(expression: TypedExpression, { columns }: Table): Column | undefined {
  return expression.kind === "field" ? columns.find(({ name }) => name === expression.name) : undefined;
}

/** Returns SQL of the nested records; null if the record or the list is null. */
function recordsText(source: NestedSource, { alias, depth, tables, text: dialect }: RecordScope): Fragment {
  const { expression, kind, view } = source;
  const { name, table } = tableFor(tables, view.resource);
  const below = { text: dialect, table, tables, depth: depth + 1 };
  const { expressions } = dialect;
  const isVisible = (one: string): Fragment | string =>
    source.visible === undefined ? "" : sql` AND ${expressions.anyTrue(source.visible, tables, one)}`;
  if (kind === "record") {
    const one = `_n${depth + 1}`;
    const text = objectSql(view.members, { ...below, alias: one });
    const { condition, value } = {
      condition: dialect.idText?.(one, table) ?? `${one}.${dialect.quoteName("id")}`,
      value: expressions.value(expression, tables, alias),
    };
    return sql`(SELECT ${text} FROM ${name} AS ${one} WHERE ${condition} = ${value}${isVisible(one)})`;
  }
  const records = expressions.records(expression, view.resource, tables, alias, depth + 1);
  const text = objectSql(view.members, { ...below, alias: records.alias });
  const list = sql`(SELECT '[' || coalesce(${dialect.joinedTexts(text, records.order)}, '') || ']' ${records.from}${isVisible(records.alias)})`;
  if (!expression.nullable) return list;
  return sql`CASE WHEN ${expressions.value(expression, tables, alias)} IS NOT NULL THEN ${list} END`;
}

function columnOf(name: string, table: Table): Column {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table.resource} has no column ${name}`);
  return column;
}
