/** Converts unique constraints and keys to `unique` and to rules, and indexes to filters and orders of lists. */
import type { Rule } from "../../language/resources/model.ts";
import { below } from "../report.ts";
import { type Context, type Draft, kindOf, type NamedTable } from "./draft.ts";

export function addUniques(
  drafts: ReadonlyMap<string, Draft>,
  { table, ...named }: NamedTable,
  context: Context,
): readonly Rule[] {
  const rules: Rule[] = [];
  const keyOf = (set: readonly (string | undefined)[]): string =>
    JSON.stringify(set.map(String).toSorted((a, b) => (a < b ? -1 : 1)));
  const sets = new Set([keyOf(named.key)]);
  for (const { columns, name, nullsEqual, where } of table.uniques) {
    const found = columns.map((column) => (column === undefined ? undefined : drafts.get(column)));
    const pointer = below("", table.name, ...columns.filter((one) => one !== undefined).slice(0, 1));
    if (where !== undefined || found.some((one) => one === undefined || one.computed !== undefined)) {
      const what = where === undefined ? "uniqueness of an expression" : "uniqueness of only some rows";
      context.notices.lost(pointer, what, where === undefined ? name : `${name}: ${where}`);
      continue;
    }
    const [first, ...more] = found as readonly Draft[];
    const set = keyOf(columns);
    if (first === undefined || first.name === "id" || sets.has(set)) continue;
    sets.add(set);
    if (more.length === 0 && !(nullsEqual && first.optional)) {
      if (kindOf(first.type) === "other") context.notices.lost(pointer, "uniqueness of a structure", name);
      else first.marks.add("unique");
    } else rules.push(uniqueRule([first, ...more], nullsEqual));
  }
  return rules;
}

function uniqueRule(drafts: readonly Draft[], nullsEqual: boolean): Rule {
  const isOptional = drafts.some(({ optional }) => optional);
  return {
    kind: "unique",
    fields: drafts.map(({ name }) => name),
    ...(isOptional ? { absent: nullsEqual ? ("equal" as const) : ("distinct" as const) } : {}),
  };
}

/** The key of a table whose resource has an id beside it: its columns never change, and together they are unique. */
export function addKey(drafts: ReadonlyMap<string, Draft>, { key }: NamedTable, rules: Rule[]): void {
  const found = key.map((column) => drafts.get(column)).filter((one) => one !== undefined);
  if (found.length === 0 || found.length < key.length) return;
  for (const draft of found) {
    draft.optional = false;
    if (!draft.marks.has("read-only")) draft.marks.add("create-only");
  }
  const [first, ...more] = found;
  if (more.length === 0) first?.marks.add("unique");
  else rules.unshift(uniqueRule(found, false));
}

/** An index is there for queries: lists filter by its first column, and sort by a number or a time. */
export function addIndexes(drafts: ReadonlyMap<string, Draft>, { table }: NamedTable, { notices }: Context): void {
  const firsts = new Set(table.indexes.flatMap(([first]) => (first === undefined ? [] : [first])));
  for (const draft of drafts.values()) {
    const isReference = draft.type.kind === "named";
    if (draft.name === "id" || draft.computed !== undefined || draft.marks.has("write-only")) continue;
    const kind = kindOf(draft.type);
    if ((!isReference && !firsts.has(draft.column.name)) || kind === "other") continue;
    draft.marks.add("filter");
    if (["integer", "number", "datetime", "date"].includes(kind)) draft.marks.add("sort");
    notices.guessed(draft.pointer, "filters and orders of lists, from references and indexes");
  }
}
