/**
 * Restricts the filters of lists to records that their caller may see (R4.13). A filter such as `site.name == value` reads records
 * of another resource: without a restriction, a caller who may not read a site could find out its name by guessing.
 */
import { nodesOf, parts, type TypedExpression } from "../../expression/typed.ts";
import { decide, type Subject } from "../../language/authentication/decide.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import { readingActions } from "../../language/endpoints/model.ts";
import { visibleOf } from "../authentication/permissions.ts";
import { either, type PlanInput, unique } from "../input.ts";
import type { ConditionFilterPlan, PassedResource } from "./types.ts";

/**
 * Returns the resources whose records a condition reads besides the record of the list. If no operation reads a resource, the
 * document itself decides what its filters reveal of it.
 */
export function passedResources(planInput: PlanInput, condition: TypedExpression): readonly PassedResource[] {
  const resources = nodesOf(condition).flatMap((node) =>
    node.kind === "walk" || node.kind === "records" ? [node.resource] : [],
  );
  return unique(resources).flatMap((resource) => {
    const isRead = revealingOperations(planInput.model, resource).some(({ action }) => readingActions.has(action));
    return isRead ? [{ resource, visible: visibleOf(planInput, resource) }] : [];
  });
}

/** Whether a kind of caller may use the filter: it may see some records of each resource that the filter reads. */
export function mayPass({ passes = [] }: ConditionFilterPlan, subject: Subject | undefined): boolean {
  return passes.every(({ visible }) => decide(visible, subject) !== "denied");
}

/** Returns the condition of a filter, in which records that this kind of caller may not see are as if they were absent. */
export function restricted(
  { condition, passes = [] }: ConditionFilterPlan,
  subject: Subject | undefined,
): TypedExpression {
  const byResource = new Map(
    passes.flatMap(({ resource, visible }) => {
      const decision = decide(visible, subject);
      return typeof decision === "object" ? [[resource, decision.any.reduce(either)] as const] : [];
    }),
  );
  return byResource.size === 0 ? condition : withVisible(condition, byResource, 0);
}

type Visible = ReadonlyMap<string, TypedExpression>;

/** `depth`: the number of macros around the expression. */
function withVisible(typed: TypedExpression, visible: Visible, depth: number): TypedExpression {
  const inner = mapped(typed, (part, deeper) => withVisible(part, visible, depth + deeper));
  const { at } = inner;
  if (inner.kind === "walk") {
    const test = visible.get(inner.resource);
    if (test === undefined) return inner;
    const { reference, resource, type } = inner;
    const isVisible = over(test, depth, (field) => ({ ...field, kind: "walk", reference, resource, nullable: true }));
    const absent: TypedExpression = { kind: "constant", value: null, type, nullable: true, at };
    return { kind: "choose", test: isVisible, whenTrue: inner, whenFalse: absent, type, nullable: true, at };
  }
  if (inner.kind === "records") {
    const test = visible.get(inner.resource);
    if (test === undefined) return inner;
    const { resource, type, nullable } = inner;
    const body = over(test, depth + 1, (field) => ({ ...field, kind: "item-field", slot: depth, resource }));
    return { kind: "macro", macro: "filter", records: true, slot: depth, list: inner, body, type, nullable, at };
  }
  return inner;
}

type FieldNode = Extract<TypedExpression, { readonly kind: "field" }>;

/** Returns a permission over another record than that of the list, inside so many macros. */
function over(
  permission: TypedExpression,
  depth: number,
  fieldOf: (field: FieldNode) => TypedExpression,
): TypedExpression {
  if (permission.kind === "field") return fieldOf(permission);
  const inner = mapped(permission, (part) => over(part, depth, fieldOf));
  return "slot" in inner ? { ...inner, slot: inner.slot + depth } : inner;
}

/** Returns a copy with other parts. `deeper` is 1 for the body of a macro, else 0. */
function mapped(
  typed: TypedExpression,
  edit: (part: TypedExpression, deeper: number) => TypedExpression,
): TypedExpression {
  if (parts(typed).length === 0) return typed;
  switch (typed.kind) {
    case "walk":
      return { ...typed, reference: edit(typed.reference, 0) };
    case "records":
      return typed.ancestors === undefined
        ? typed
        : { ...typed, ancestors: { ...typed.ancestors, from: edit(typed.ancestors.from, 0) } };
    case "member":
      return { ...typed, object: edit(typed.object, 0) };
    case "list":
      return { ...typed, items: typed.items.map((item) => edit(item, 0)) };
    case "not":
    case "negate":
    case "as":
      return { ...typed, operand: edit(typed.operand, 0) };
    case "logical":
    case "compare":
    case "calculate":
      return { ...typed, left: edit(typed.left, 0), right: edit(typed.right, 0) };
    case "within":
      return { ...typed, value: edit(typed.value, 0), list: edit(typed.list, 0) };
    case "choose":
      return {
        ...typed,
        test: edit(typed.test, 0),
        whenTrue: edit(typed.whenTrue, 0),
        whenFalse: edit(typed.whenFalse, 0),
      };
    case "call":
      return { ...typed, arguments: typed.arguments.map((argument) => edit(argument, 0)) };
    case "macro":
      return { ...typed, list: edit(typed.list, 0), body: edit(typed.body, 1) };
    default:
      return typed;
  }
}
