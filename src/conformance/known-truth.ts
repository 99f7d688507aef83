/** Conditions about other records, of which the test knows all that matter: those that it has made itself. */
import type { Json } from "../base/json.ts";
import { nodesOf, parts, type TypedExpression } from "../expression/typed.ts";
import type { Caller } from "./caller.ts";
import { type Scope, truth } from "./expressions.ts";
import { conjuncts } from "./solve.ts";
import type { Trial } from "./trial/trial.ts";

/**
 * Returns whether a condition over a record that the test has made is true; undefined if that depends on records of others. A
 * condition `exists` is true if a record that the test knows makes it true.
 */
export function knownTruth(trial: Trial, typed: TypedExpression, scope: Scope): boolean | undefined {
  const found = truth(typed, { records: knownRecords(trial), ...scope });
  const isCertain = found !== undefined && (stays(typed, found) || selectsKnown(trial, typed, scope.caller));
  return isCertain ? found : undefined;
}

/** Returns a function that returns the records that the test has made, by resource. */
export function knownRecords({ world }: Trial): (resource: string) => readonly ReadonlyMap<string, Json>[] {
  return (resource) =>
    world.records.flatMap((one) => (one.resource === resource && !one.isDeleted ? [one.values] : []));
}

/** Whether a condition that has this value has it with more records, too: what exists goes on to exist, and a number of records grows. */
function stays(typed: TypedExpression, value: boolean): boolean {
  if (!readsAll(typed)) return true;
  switch (typed.kind) {
    case "not":
      return stays(typed.operand, !value);
    case "logical":
      return parts(typed).every((part) => stays(part, value));
    case "macro":
      return ["exists", "all"][value ? 0 : 1] === typed.macro && grows(typed.list) && !readsAll(typed.body);
    case "compare": {
      const { left, operator, right } = typed;
      const isMore = operator === ">" || operator === ">=";
      if (!isMore && operator !== "<" && operator !== "<=") return false;
      const [counted, limit] = isMore === value ? [left, right] : [right, left];
      return (
        counted.kind === "call" && counted.function === "size" && counted.arguments.every(grows) && stays(limit, true)
      );
    }
    default:
      return false;
  }
}

function readsAll(typed: TypedExpression): boolean {
  return nodesOf(typed).some(isAll);
}

/** Whether an expression is the list of all records of a resource. The ancestors of a record depend on known records only. */
function isAll(typed: TypedExpression): boolean {
  return typed.kind === "records" && typed.ancestors === undefined;
}

/** Whether an expression is a list of records that only becomes longer. */
function grows(list: TypedExpression): boolean {
  return isAll(list) || (list.kind === "macro" && list.macro === "filter" && grows(list.list) && !readsAll(list.body));
}

/** A field by which a macro selects the records that refer to the current one, to the caller, or to what the current one refers to. */
export interface Selection {
  readonly resource: string;
  readonly name: string;
  readonly by: "record" | "caller" | "reference";
  /** The field of the current record with the reference. */
  readonly field?: string;
  /** What else the macro asks of a record. */
  readonly others: readonly TypedExpression[];
}

/**
 * Whether all records that an expression over a new record reads refer to it, or to a user whom the test signed up. `isMade`: whether
 * the test made the record to which a field of the new one refers, so that it knows the others that refer to it.
 */
export function selectsKnown(
  { world }: Trial,
  typed: TypedExpression,
  caller: Caller,
  isMade: (field: string) => boolean = () => false,
): boolean {
  const isUser = world.accounts.has(caller);
  const selected = selectionsIn(typed).filter(
    ({ by, field }) => by === "record" || (by === "caller" ? isUser : field !== undefined && isMade(field)),
  );
  return selected.length === nodesOf(typed).filter(isAll).length;
}

/** Returns the selections of an expression, at most one of each macro. */
export function selectionsIn(typed: TypedExpression): readonly Selection[] {
  return nodesOf(typed).flatMap((node) => {
    if (node.kind !== "macro" || !isAll(node.list)) return [];
    const all = conjuncts(node.body);
    const found = all.flatMap((one): readonly Selection[] => {
      if (one.kind !== "compare" || one.operator !== "==") return [];
      const sides = [one.left, one.right];
      const item = sides.find((side) => side.kind === "item-field");
      if (item?.kind !== "item-field") return [];
      const others = all.filter((other) => other !== one);
      const selection = { resource: item.resource, name: item.name, others };
      if (sides.some((side) => side.kind === "field" && side.name === "id")) return [{ ...selection, by: "record" }];
      const isCaller = sides.some((side) => side.kind === "variable" && side.path.join(".") === "caller.id");
      if (isCaller) return [{ ...selection, by: "caller" }];
      const field = sides.find((side) => side.kind === "field");
      return field?.kind === "field" ? [{ ...selection, by: "reference", field: field.name }] : [];
    });
    const order = ["record", "reference", "caller"];
    return found.toSorted((one, other) => order.indexOf(one.by) - order.indexOf(other.by)).slice(0, 1);
  });
}
