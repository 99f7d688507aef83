/** Finds the parents in the path for reads: in order, each visible to the caller and belonging to the previous one. */
import { type Subject, decide } from "../../language/authentication/decide.ts";
import type { Table } from "../../plan/resources/types.ts";
import { beforeLast } from "./find-and-authorise.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { fieldEquals, type TypedExpression } from "../../expression/typed.ts";
import { valueTypeOfColumn } from "../../plan/resources/columns.ts";
import type { Operation, Parent } from "../../plan/endpoints/types.ts";
import type { Awaitable, Found, Store } from "../../store/port/store.ts";
import type { ParentFinder, Decision } from "../context/compiled.ts";

type ParentReader = (names: Readonly<Record<string, Value>>, variables: Variables) => Awaitable<Found | undefined>;

export function compileParents(
  operation: Operation,
  store: Store,
  subject: Subject | undefined,
  tables: readonly Table[],
): ParentFinder {
  const readers = operation.parents.map((parent, index) =>
    compileParent(parent, operation.parents[index - 1], store, subject, tables),
  );
  return async (names, variables) => {
    let id: Value = null;
    for (const [index, reader] of readers.entries()) {
      const like = names[index];
      const found: Found | undefined =
        like === undefined ? undefined : await reader?.(like, { ...variables, parent: id });
      if (found === undefined) return undefined;
      id = (JSON.parse(found.text) as { id: Value }).id;
    }
    return id;
  };
}

function compileParent(
  parent: Parent,
  before: Parent | undefined,
  store: Store,
  subject: Subject | undefined,
  tables: readonly Table[],
): ParentReader | undefined {
  const decision = decide(parent.visible, subject);
  if (decision === "denied") return undefined;
  const all = [...(before === undefined ? [] : [tiedTo(before)]), ...beforeLast(tables, parent.resource, parent)];
  const read = store.read({
    resource: parent.resource,
    key: parent.column,
    where: { all, ...conditionOf(decision) },
    view: {
      resource: parent.resource,
      members: [{ name: "id", source: { kind: "column", column: "id" }, type: parent.type, absent: "null" }],
    },
  });
  return (names, variables) =>
    read(names[parent.column] ?? null, parent.before === undefined ? variables : { ...variables, like: names });
}

/** Returns the expression `field == parent`, where `parent` is a variable of the query. */
export function tiedTo({ field, type }: Parent): TypedExpression {
  return fieldEquals(field, ["parent"], valueTypeOfColumn(type));
}

/** Returns the decision as a query condition; undefined if all records pass. `denied` needs no query. */
export function conditionOf(decision: Exclude<Decision, "denied">): { any: readonly TypedExpression[] } | undefined {
  return decision === "allowed" ? undefined : decision;
}
