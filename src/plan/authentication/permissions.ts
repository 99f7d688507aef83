/** Plans the grants of part 5, with typed conditions and `own` expanded. */
import { parts, readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { excludesTokens } from "../../language/authentication/grants.ts";
import { bindsByScopes } from "../../language/authentication/oauth.ts";
import type { Grant } from "../../language/authentication/model.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { GrantPlan } from "./types.ts";
import { both, type PlanInput, typedAt } from "../input.ts";

/** Returns the grants to run an operation; empty if no line allows it. */
export function allowOf(planInput: PlanInput, operation: string): readonly GrantPlan[] {
  const grants = lookup(planInput.model.authentication.allow, operation) ?? [];
  return grantsAt(planInput, `authentication/allow/${operation}`, grants);
}

/** Returns the grants to see the records of a resource; see `Operation.visible`. */
export function visibleOf(planInput: PlanInput, resource: string): readonly GrantPlan[] {
  return distinct(revealingOperations(planInput.model, resource).flatMap((resolved) => allowedOn(planInput, resolved)));
}

/** Returns the grants to run an operation on a record: with `the`, only on the record that it selects. */
function allowedOn(planInput: PlanInput, { operation, endpoint }: ResourceEndpoint): readonly GrantPlan[] {
  const grants = allowOf(planInput, operation);
  if (endpoint.the === undefined) return grants;
  // The selected record depends on query parameters, which other operations do not have.
  if (endpoint.query !== undefined) return [];
  const the = typedAt(planInput, `endpoints/endpoints/${operation}/the`);
  return grants.map(({ who, if: condition }) => ({ who, if: condition === undefined ? the : both(the, condition) }));
}

/** Returns the grants to see a field; absent: everyone who sees the record. */
export function visibility(
  planInput: PlanInput,
  resource: string,
  field: string,
): { readonly visibleTo?: readonly GrantPlan[] } {
  const marks = lookup(fieldsOf(planInput.model, resource), field)?.marks ?? [];
  if (marks.includes("write-only") || marks.includes("secret")) return { visibleTo: [] };
  const grants = lookup(planInput.model.authentication.show, `${resource}.${field}`);
  return grants === undefined
    ? {}
    : { visibleTo: grantsAt(planInput, `authentication/show/${resource}.${field}`, grants) };
}

/** Returns the grants to set a field by a body; absent: every caller of an operation that takes the field. */
export function settersOf(planInput: PlanInput, resource: string, field: string): readonly GrantPlan[] | undefined {
  const grants = lookup(planInput.model.authentication.set ?? {}, `${resource}.${field}`);
  return grants && grantsAt(planInput, `authentication/set/${resource}.${field}`, grants);
}

/**
 * Returns the grants to see each restricted field that an expression over a record of `resource` reads. For fields of other
 * records only grants without a condition count, because it is unknown here whether those records belong to the caller.
 */
export function seersOf(
  planInput: PlanInput,
  resource: string,
  expression: TypedExpression,
): readonly (readonly GrantPlan[])[] {
  const found = new Map<string, readonly GrantPlan[]>();
  const read = (one: TypedExpression): void => {
    parts(one).forEach(read);
    if (one.kind !== "field" && one.kind !== "walk" && one.kind !== "item-field") return;
    const of = one.kind === "field" ? resource : one.resource;
    const { visibleTo } = visibility(planInput, of, one.name);
    if (visibleTo === undefined) return;
    const seers = one.kind === "field" ? visibleTo : visibleTo.filter((grant) => grant.if === undefined);
    found.set(seers.map(grantKey).join(), seers);
  };
  read(expression);
  return [...found.values()];
}

function grantsAt(planInput: PlanInput, path: string, grants: readonly Grant[]): readonly GrantPlan[] {
  return grants.map(({ who, if: condition }, index) =>
    condition === undefined
      ? grantPlan(planInput, who)
      : grantPlan(planInput, who, typedAt(planInput, `${path}/${index}/if`)),
  );
}

export function grantPlan(
  { model }: Pick<PlanInput, "model">,
  who: Grant["who"],
  condition?: TypedExpression,
): GrantPlan {
  const conditionPart = condition === undefined ? {} : { if: condition };
  if (who.kind === "role") return { who, ...conditionPart };
  const bound = Object.values(model.authentication.credentials).some(bindsByScopes);
  const unscoped =
    bound && excludesTokens({ who, readsCaller: condition !== undefined && readsVariable(condition, "caller") });
  return { who: { kind: who.kind, ...(unscoped ? { unscoped } : {}) }, ...conditionPart };
}

/** Removes duplicates, and grants with a condition if the same grant exists without one. */
export function distinct(grants: readonly GrantPlan[]): readonly GrantPlan[] {
  const unique = new Map<string, GrantPlan>();
  for (const grant of grants) unique.set(grantKey(grant), grant);
  return [...unique.values()].filter((grant) => grant.if === undefined || !unique.has(grantKey({ who: grant.who })));
}

/** Returns a text that is equal for two grants with the same principal and condition, wherever the document declares them. */
function grantKey(grant: GrantPlan): string {
  return JSON.stringify([grant.who, grant.if ?? null], (key, value: unknown) => (key === "at" ? undefined : value));
}
