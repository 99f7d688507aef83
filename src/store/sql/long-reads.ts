/** Which reads may take long: those that go through as many rows as there are, and not only through what an index leads to. */
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { Condition, ListQuery, ReadQuery, View, ViewMember, ViewSource } from "../port/store.ts";

export function isLongRead({ key, view, where }: ReadQuery): boolean {
  return key === undefined || conditionGoesThrough(where) || viewGoesThrough(view);
}

export function isLongList(query: ListQuery): boolean {
  return walksFar(query) || viewGoesThrough(query.view);
}

/** Whether more rows may be looked at than the page has. Those of a plain list are the next ones of the table. */
export function walksFar({ counted, filters, from, search, sort, where }: ListQuery): boolean {
  const isPlain = filters.length === 0 && search === undefined && (where?.all ?? []).length === 0 && !where?.any;
  return !isPlain || sort.length > 0 || from === "skip" || counted === true;
}

function conditionGoesThrough({ all = [], any = [] }: Condition = {}): boolean {
  return [...all, ...any].some(goesThrough);
}

function viewGoesThrough({ members }: Pick<View, "members">): boolean {
  return members.some(({ source, when = [] }: ViewMember) => when.some(goesThrough) || sourceGoesThrough(source));
}

function sourceGoesThrough(source: ViewSource): boolean {
  switch (source.kind) {
    case "column":
      return false;
    case "object":
      return viewGoesThrough(source);
    case "expression":
      return goesThrough(source.expression);
    case "record":
    case "records":
      return goesThrough(source.expression) || viewGoesThrough(source.view);
  }
}

/** Whether it goes through records, or through lists, which hold as much as a body may. */
function goesThrough(expression: TypedExpression): boolean {
  return expression.kind === "records" || expression.kind === "macro" || parts(expression).some(goesThrough);
}
