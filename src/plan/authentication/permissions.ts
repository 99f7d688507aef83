/** Who may: the grants of part 5 with their conditions typed and `own` replaced. */
import { parts, readsCaller, type TypedExpression } from "../../expression/typed.ts";
import { bindsByScopes } from "../../language/authentication/oauth.ts";
import type { Grant } from "../../language/authentication/model.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { fieldsOf, lookup } from "../../language/resources/fields.ts";
import type { GrantPlan } from "./types.ts";
import { both, type PlanInput, typedAt } from "../input.ts";

/** Who may run the operation; nobody where no line allows it. */
export function allowOf(planInput: PlanInput, operation: string): readonly GrantPlan[] {
  const grants = lookup(planInput.model.authentication.allow, operation) ?? [];
  return grantsAt(planInput, `authentication/allow/${operation}`, grants);
}

/** For whom the records of a resource exist; see `Operation.visible`. */
export function visibleOf(planInput: PlanInput, resource: string): readonly GrantPlan[] {
  return distinct(revealingOperations(planInput.model, resource).flatMap((resolved) => allowedOn(planInput, resolved)));
}

/** Who may run it on a record: where `the` says which record that is, on that one alone. */
function allowedOn(planInput: PlanInput, { operation, endpoint }: ResourceEndpoint): readonly GrantPlan[] {
  const grants = allowOf(planInput, operation);
  if (endpoint.the === undefined) return grants;
  // Which one it is by what was asked of that operation, another does not know.
  if (endpoint.query !== undefined) return [];
  const the = typedAt(planInput, `endpoints/endpoints/${operation}/the`);
  return grants.map(({ who, if: condition }) => ({ who, if: condition === undefined ? the : both(the, condition) }));
}

/** Who sees a field: absent where everybody who sees the record does. */
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

/**
 * Who sees each hidden field that an expression over a record of `resource` reads. That of another record is for those who
 * see it in every such record: whether it is the caller's own is not known here.
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

/**
 * A grant that names no role is not for tokens that scopes bind, unless it says `any-scope`; nor is one for anyone whose
 * condition asks who the caller is, which a token without a scope for it must not answer.
 */
export function grantPlan(
  { model }: Pick<PlanInput, "model">,
  who: Grant["who"],
  condition?: TypedExpression,
): GrantPlan {
  const conditionPart = condition === undefined ? {} : { if: condition };
  if (who.kind === "role") return { who, ...conditionPart };
  const bound = Object.values(model.authentication.credentials).some(bindsByScopes);
  const open = who.kind === "signed-in" ? who.anyScope === true : condition === undefined || !readsCaller(condition);
  return { who: { kind: who.kind, ...(bound && !open ? { unscoped: true } : {}) }, ...conditionPart };
}

/** Each alternative once, and none with a condition beside the same one without. */
export function distinct(grants: readonly GrantPlan[]): readonly GrantPlan[] {
  const unique = new Map<string, GrantPlan>();
  for (const grant of grants) unique.set(grantKey(grant), grant);
  return [...unique.values()].filter((grant) => grant.if === undefined || !unique.has(grantKey({ who: grant.who })));
}

/** Equal for two grants with the same principal and the same condition, wherever the document declares them. */
function grantKey(grant: GrantPlan): string {
  return JSON.stringify([grant.who, grant.if ?? null], (key, value: unknown) => (key === "at" ? undefined : value));
}
