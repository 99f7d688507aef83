/** Finds the parents in the path for reads: in order, each visible to the caller and belonging to the previous one. */
import { type Subject, decide } from "../../language/authentication/decide.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { fieldEquals, type TypedExpression } from "../../expression/typed.ts";
import { valueTypeOfColumn } from "../../plan/resources/columns.ts";
import type { Operation, Parent } from "../../plan/endpoints/types.ts";
import type { Awaitable, Found, Store } from "../../store/port/store.ts";
import type { ParentFinder, Decision } from "../context/compiled.ts";

type ParentReader = (key: Value, variables: Variables) => Awaitable<Found | undefined>;

export function compileParents(operation: Operation, store: Store, subject: Subject | undefined): ParentFinder {
  const readers = operation.parents.map((parent, index) =>
    compileParent(parent, operation.parents[index - 1], store, subject),
  );
  return async (values, variables) => {
    let id: Value = null;
    for (const [index, reader] of readers.entries()) {
      const value = values[index];
      const found: Found | undefined =
        value === undefined ? undefined : await reader?.(value, { ...variables, parent: id });
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
): ParentReader | undefined {
  const decision = decide(parent.visible, subject);
  if (decision === "denied") return undefined;
  const all = before === undefined ? [] : [tiedTo(before)];
  return store.read({
    resource: parent.resource,
    key: parent.column,
    where: { all, ...conditionOf(decision) },
    view: {
      resource: parent.resource,
      members: [{ name: "id", source: { kind: "column", column: "id" }, type: parent.type, absent: "null" }],
    },
  });
}

/** Returns the expression `field == parent`, where `parent` is a variable of the query. */
export function tiedTo({ field, type }: Parent): TypedExpression {
  return fieldEquals(field, ["parent"], valueTypeOfColumn(type));
}

/** Returns the decision as a query condition; undefined if all records pass. `denied` needs no query. */
export function conditionOf(decision: Exclude<Decision, "denied">): { any: readonly TypedExpression[] } | undefined {
  return decision === "allowed" ? undefined : decision;
}
