/** Conditions about other records, of which the test knows all that matter: those that it has made itself. */
import { nodesOf, parts, type TypedExpression } from "../expression/typed.ts";
import { type Scope, truth } from "./expressions.ts";
import { conjuncts } from "./solve.ts";
import type { Trial } from "./trial/trial.ts";

/**
 * Returns whether a condition over a record that the test has made is true; undefined if that depends on records of others. A
 * condition `exists` is true if a record that the test knows makes it true.
 */
export function knownTruth(trial: Trial, typed: TypedExpression, scope: Scope): boolean | undefined {
  if (!nodesOf(typed).some(({ kind }) => kind === "records")) return truth(typed, scope);
  const { world } = trial;
  const found = truth(typed, {
    ...scope,
    records: (resource) =>
      world.records.flatMap((one) => (one.resource === resource && !one.isDeleted ? [one.values] : [])),
  });
  if (found === true && existsOnly(typed)) return true;
  const isUser = world.accounts.has(scope.caller);
  return nodesOf(typed).every((node) => isOfTest(node, isUser)) ? found : undefined;
}

/** Whether more records can make the condition true, but not false. */
function existsOnly(typed: TypedExpression): boolean {
  if (typed.kind === "logical") return parts(typed).every(existsOnly);
  if (typed.kind === "macro" && typed.list.kind === "records")
    return typed.macro === "exists" && !nodesOf(typed.body).some(({ kind }) => kind === "records");
  return !nodesOf(typed).some(({ kind }) => kind === "records");
}

/** Whether a macro selects records that refer to the new record, or to a user whom the test signed up: the test made all of them. */
function isOfTest(node: TypedExpression, isUser: boolean): boolean {
  if (node.kind === "records") return true;
  if (node.kind !== "macro" || node.list.kind !== "records") return true;
  return conjuncts(node.body).some((one) => {
    if (one.kind !== "compare" || one.operator !== "==") return false;
    const sides = [one.left, one.right];
    const isOwn = sides.some((side) => side.kind === "field" && side.name === "id");
    const isCaller = sides.some((side) => side.kind === "variable" && side.path.join(".") === "caller.id");
    return sides.some((side) => side.kind === "item-field") && (isOwn || (isUser && isCaller));
  });
}
