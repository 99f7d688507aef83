/** A view as the SQL of its text: stored texts where they fit, single members between them. */
import type { Column, Table } from "../../plan/plan.ts";
import type { View, ViewMember } from "../store.ts";
import { anyTrue, valueSql } from "./condition.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { isAlwaysThere, memberText, numberText, valueText } from "./json.ts";
import type { Relations } from "./relations.ts";
import { type Segment, segmentsOf } from "./schema.ts";
import { quoteName, quoteText } from "./value.ts";

/** The name that the record at hand has in every statement. */
export const atHand = "t";

/** The JSON object of a view of the row `t`. */
export function viewSql(view: View, table: Table, relations: Relations): Fragment {
  const segments = segmentsOf(table);
  const pieces: Fragment[] = [];
  let opens = false;
  for (let index = 0; index < view.members.length; ) {
    const segment = segments.find((one) => startsWith(view.members, index, one) && (!one.opens || index === 0));
    const member = view.members[index] as ViewMember;
    if (segment) {
      opens ||= segment.opens;
      pieces.push(segmentText(segment, view.members.slice(index, index + segment.columns.length), table));
      index += segment.columns.length;
    } else {
      const first = index === 0 && isFixed(member, table);
      opens ||= first;
      pieces.push(memberSql(member, first ? "{" : ",", table, relations));
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

function segmentText(segment: Segment, members: readonly ViewMember[], table: Table): Fragment {
  const stored = `${atHand}.${segment.name}`;
  if (!segment.mayFail) return { sql: stored, bindings: [] };
  const texts = members.map((member, index) => plainMember(member, segment.opens && index === 0 ? "{" : ",", table));
  return { sql: `coalesce(${stored}, ${texts.join(" || ")})`, bindings: [] };
}

/** Whether a member is in the answer whatever the record and the caller. */
function isFixed(member: ViewMember, table: Table): boolean {
  if (member.when || member.source.kind === "expression") return false;
  const column = columnOf(member.source.column, table);
  return isAlwaysThere({ nullable: column.nullable, absent: member.absent });
}

function memberSql(member: ViewMember, start: "{" | ",", table: Table, relations: Relations): Fragment {
  const text =
    member.source.kind === "column"
      ? { sql: plainMember(member, start, table), bindings: [] }
      : computedMember(member, member.source.expression, relations);
  if (!member.when) return sql`(${text})`;
  return sql`CASE WHEN ${anyTrue(member.when, relations)} THEN ${text} ELSE '' END`;
}

function plainMember(member: ViewMember, start: "{" | ",", table: Table): string {
  if (member.source.kind !== "column") throw new Error(`${member.name} is no column`);
  const column = columnOf(member.source.column, table);
  const name = `${atHand}.${quoteName(column.name)}`;
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

function computedMember(
  member: ViewMember,
  expression: Extract<ViewMember["source"], { kind: "expression" }>["expression"],
  relations: Relations,
): Fragment {
  const value = valueSql(expression, relations);
  const text: Fragment = { sql: valueText(value.sql, member.type), bindings: value.bindings };
  const start = JSON.stringify(member.name);
  if (member.absent === "null") return sql`${quoteText(`,${start}:`)} || coalesce(${text}, 'null')`;
  return sql`coalesce(${quoteText(`,${start}:`)} || ${text}, '')`;
}

function columnOf(name: string, table: Table): Column {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new Error(`${table.resource} has no column ${name}`);
  return column;
}
