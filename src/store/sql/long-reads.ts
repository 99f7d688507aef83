/** Decides which reads may take long: those that may scan a whole table instead of one index range. */
import { mentions, type TypedExpression } from "../../expression/typed.ts";
import type { Condition, ListQuery, ReadQuery, View, ViewMember, ViewSource } from "../port/store.ts";

export function isLongRead({ key, view, where }: ReadQuery): boolean {
  return key === undefined || conditionGoesThrough(where) || viewGoesThrough(view);
}

export function isLongList(query: ListQuery): boolean {
  return walksFar(query) || viewGoesThrough(query.view);
}

/** Whether the query may scan more rows than the page has. A plain list reads exactly the next rows of the table. */
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

/** Whether the expression iterates over records, or over a list, which may be as long as a body allows. */
function goesThrough(expression: TypedExpression): boolean {
  return mentions(expression, "records", "macro");
}
