/**
 * A view as the SQL of its text: stored texts where there are some and they fit, single members between them. Nested records
 * are queries of their own inside it, so that an answer is one statement however deep it is.
 */
import type { TypedExpression } from "../expression/typed.ts";
import type { Column, ColumnType, Table } from "../plan/plan.ts";
import { atHand, type ExpressionSql, type Named, tableFor } from "./condition.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { isAlwaysThere, memberText, quoteText } from "./member-text.ts";
import type { Segment } from "./segments.ts";
import type { View, ViewMember } from "./store.ts";
import type { NestedSource } from "./text.ts";

/** How a database writes JSON. */
export interface TextSql {
  readonly expressions: ExpressionSql;
  readonly quoteName: (name: string) => string;
  /** The text of a column's value that is there. */
  readonly columnText: (name: string, column: Pick<Column, "type" | "values" | "schema">) => string;
  /** The text of a value, or null where there is none. The value is asked for once, so it may hold parameters. */
  readonly valueText: (value: string, type: ColumnType, of: TypedExpression) => string;
  /** The text of a field that is a whole expression, where it can be had without asking the expression. */
  readonly fieldText?: (name: string, column: Column) => string | undefined;
  /** All texts in an order, with commas between them; null where there are none. */
  readonly joinedTexts: (text: Fragment, order: Fragment) => Fragment;
  /** Those of a record that is nested in `depth` others, where they are at hand. */
  readonly segments: (table: Table, depth: number) => readonly Segment[];
  /** The text of a segment from the column that it is stored in, or made anew where that does not hold it. */
  readonly segmentText: (stored: string, segment: Segment, made: () => string, table: Table, alias: string) => string;
}

export interface ViewSql {
  /** The JSON object of a view of the row `t`. */
  view(view: View, table: Table, tables: Named): Fragment;
  /** The text of what is nested in the row `t`; null where there is nothing. */
  nested(source: NestedSource, table: Table, tables: Named): Fragment;
}

export function viewSql(text: TextSql): ViewSql {
  const place = (table: Table, tables: Named): Place => ({ text, table, alias: atHand, tables, depth: 0 });
  return {
    view: ({ members }, table, tables) => objectSql(members, place(table, tables)),
    nested: (source, table, tables) => recordsText(source, place(table, tables)),
  };
}

/** The record whose members are written. */
interface Place {
  readonly text: TextSql;
  readonly table: Table;
  /** Its name in the statement. */
  readonly alias: string;
  readonly tables: Named;
  /** In how many others it is nested. */
  readonly depth: number;
}

function objectSql(members: readonly ViewMember[], place: Place): Fragment {
  const { table } = place;
  const segments = place.text.segments(table, place.depth);
  const pieces: Fragment[] = [];
  let opens = false;
  for (let index = 0; index < members.length; ) {
    const segment = segments.find((one) => startsWith(members, index, one) && (!one.opens || index === 0));
    const member = members[index] as ViewMember;
    if (segment) {
      opens ||= segment.opens;
      pieces.push(segmentText(segment, members.slice(index, index + segment.columns.length), place));
      index += segment.columns.length;
    } else {
      const first = index === 0 && isFixed(member, table);
      opens ||= first;
      pieces.push(memberSql(member, first ? "{" : ",", place));
      index += 1;
    }
  }
  const text = joined(pieces, " || ", "''");
  return opens ? sql`${text} || '}'` : sql`'{' || substr(${text}, 2) || '}'`;
}

function startsWith(members: readonly ViewMember[], from: number, { columns }: Segment): boolean {
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

function segmentText(segment: Segment, members: readonly ViewMember[], place: Place): Fragment {
  const { alias, table, text } = place;
  const made = (): string =>
    members.map((member, index) => plainMember(member, segment.opens && index === 0 ? "{" : ",", place)).join(" || ");
  return { sql: text.segmentText(`${alias}.${segment.name}`, segment, made, table, alias), bindings: [] };
}

/** Whether a member is in the answer whatever the record and the caller. */
function isFixed(member: ViewMember, table: Table): boolean {
  if (member.when || member.source.kind !== "column") return false;
  const column = columnOf(member.source.column, table);
  return isAlwaysThere({ nullable: column.nullable, absent: member.absent });
}

function memberSql(member: ViewMember, start: "{" | ",", place: Place): Fragment {
  const text =
    member.source.kind === "column"
      ? { sql: plainMember(member, start, place), bindings: [] }
      : madeMember(member, madeText(member, place));
  if (!member.when) return sql`(${text})`;
  const { expressions } = place.text;
  return sql`CASE WHEN ${expressions.anyTrue(member.when, place.tables, place.alias)} THEN ${text} ELSE '' END`;
}

function plainMember(member: ViewMember, start: "{" | ",", { alias, table, text }: Place): string {
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

/** What is no column; `text` is null where it is absent. */
function madeMember(member: ViewMember, text: Fragment): Fragment {
  const start = JSON.stringify(member.name);
  if (member.absent === "null") return sql`${quoteText(`,${start}:`)} || coalesce(${text}, 'null')`;
  return sql`coalesce(${quoteText(`,${start}:`)} || ${text}, '')`;
}

function madeText({ name, source, type }: ViewMember, place: Place): Fragment {
  switch (source.kind) {
    case "column":
      throw new Error(`${name} is a column`);
    case "expression": {
      const { expressions, fieldText, quoteName, valueText } = place.text;
      const column = fieldOf(source.expression, place.table);
      const stored = column && fieldText?.(`${place.alias}.${quoteName(column.name)}`, column);
      if (stored !== undefined) return { sql: stored, bindings: [] };
      const value = expressions.value(source.expression, place.tables, place.alias);
      return { sql: valueText(value.sql, type, source.expression), bindings: value.bindings };
    }
    case "object":
      return sql`(${objectSql(source.members, place)})`;
    default:
      return recordsText(source, place);
  }
}

function fieldOf(expression: TypedExpression, { columns }: Table): Column | undefined {
  return expression.kind === "field" ? columns.find(({ name }) => name === expression.name) : undefined;
}

/** Null where there is no record, or no list. */
function recordsText({ expression, kind, view }: NestedSource, { alias, depth, tables, text: way }: Place): Fragment {
  const { name, table } = tableFor(tables, view.resource);
  const below = { text: way, table, tables, depth: depth + 1 };
  const { expressions } = way;
  if (kind === "record") {
    const one = `_n${depth + 1}`;
    const text = objectSql(view.members, { ...below, alias: one });
    const { condition, value } = {
      condition: `${one}.${way.quoteName("id")}`,
      value: expressions.value(expression, tables, alias),
    };
    return sql`(SELECT ${text} FROM ${name} AS ${one} WHERE ${condition} = ${value})`;
  }
  const records = expressions.records(expression, view.resource, tables, alias, depth + 1);
  const text = objectSql(view.members, { ...below, alias: records.alias });
  const list = sql`(SELECT '[' || coalesce(${way.joinedTexts(text, records.order)}, '') || ']' ${records.from})`;
  if (!expression.nullable) return list;
  return sql`CASE WHEN ${expressions.value(expression, tables, alias)} IS NOT NULL THEN ${list} END`;
}

function columnOf(name: string, table: Table): Column {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table.resource} has no column ${name}`);
  return column;
}
