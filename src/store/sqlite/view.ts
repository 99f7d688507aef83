/**
 * A view as the SQL of its text: stored texts where they fit, single members between them. Nested records are queries of
 * their own inside it, so that an answer is one statement however deep it is.
 */
import type { Column, Table } from "../../plan/plan.ts";
import type { View, ViewMember } from "../store.ts";
import type { NestedSource } from "../text.ts";
import { anyTrue, atHand, recordsSql, valueSql } from "./condition.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { isAlwaysThere, memberText, numberText, valueText } from "./json.ts";
import { type Relations, relationFor } from "./relations.ts";
import { type Segment, segmentsOf } from "./schema.ts";
import { quoteName, quoteText } from "./value.ts";

/** The record whose members are written. */
interface Place {
  readonly table: Table;
  /** Its name in the statement. */
  readonly alias: string;
  readonly relations: Relations;
  /** In how many others it is nested. */
  readonly depth: number;
}

/** The JSON object of a view of the row `t`. */
export function viewSql(view: View, table: Table, relations: Relations): Fragment {
  return objectSql(view.members, { table, alias: atHand, relations, depth: 0 });
}

/** The text of what is nested in the row `t`; null where there is nothing. */
export function nestedSql(source: NestedSource, table: Table, relations: Relations): Fragment {
  return recordsText(source, { table, alias: atHand, relations, depth: 0 });
}

function objectSql(members: readonly ViewMember[], place: Place): Fragment {
  const { table } = place;
  const segments = segmentsOf(table);
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
  const stored = `${place.alias}.${segment.name}`;
  if (!segment.mayFail) return { sql: stored, bindings: [] };
  const texts = members.map((member, index) => plainMember(member, segment.opens && index === 0 ? "{" : ",", place));
  return { sql: `coalesce(${stored}, ${texts.join(" || ")})`, bindings: [] };
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
  return sql`CASE WHEN ${anyTrue(member.when, place.relations, place.alias)} THEN ${text} ELSE '' END`;
}

function plainMember(member: ViewMember, start: "{" | ",", { alias, table }: Place): string {
  if (member.source.kind !== "column") throw new Error(`${member.name} is no column`);
  const column = columnOf(member.source.column, table);
  const name = `${alias}.${quoteName(column.name)}`;
  return memberText({
    name: member.name,
    start,
    absent: column.nullable ? member.absent : "never",
    column: name,
    type: column.type,
    values: column.values,
    value: column.type === "number" ? numberText(name) : undefined,
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
      const value = valueSql(source.expression, place.relations, place.alias);
      return { sql: valueText(value.sql, type), bindings: value.bindings };
    }
    case "object":
      return sql`(${objectSql(source.members, place)})`;
    default:
      return recordsText(source, place);
  }
}

/** Null where there is no record, or no list. */
function recordsText({ expression, kind, view }: NestedSource, { alias, depth, relations }: Place): Fragment {
  const { name, table } = relationFor(relations, view.resource);
  const below = { table, relations, depth: depth + 1 };
  if (kind === "record") {
    const one = `_n${depth + 1}`;
    const text = objectSql(view.members, { ...below, alias: one });
    return sql`(SELECT ${text} FROM ${name} AS ${one} WHERE ${one}."id" = ${valueSql(expression, relations, alias)})`;
  }
  const records = recordsSql(expression, view.resource, relations, alias, depth + 1);
  const text = objectSql(view.members, { ...below, alias: records.alias });
  const list = sql`(SELECT '[' || coalesce(group_concat(${text}, ',' ORDER BY ${records.order}), '') || ']' ${records.from})`;
  if (!expression.nullable) return list;
  return sql`CASE WHEN ${valueSql(expression, relations, alias)} IS NOT NULL THEN ${list} END`;
}

function columnOf(name: string, table: Table): Column {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table.resource} has no column ${name}`);
  return column;
}
