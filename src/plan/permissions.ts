/** Who may: the grants of part 5 with their conditions typed and `own` replaced. */
import { parts, readsCaller, type TypedExpression } from "../expression/typed.ts";
import { bindsByScopes } from "../parts/authentication/oauth.ts";
import type { Grant } from "../parts/authentication/model.ts";
import { showingOperations } from "../parts/authentication/visible.ts";
import type { ResourceEndpoint } from "../parts/endpoints/meaning.ts";
import { fieldsOf, own } from "../parts/resources/fields.ts";
import type { GrantPlan } from "./plan.ts";
import { both, type Sources, typedAt } from "./sources.ts";

/** Who may run the operation; nobody where no line allows it. */
export function allowOf(sources: Sources, operation: string): readonly GrantPlan[] {
  const grants = own(sources.model.authentication.allow, operation) ?? [];
  return grantsAt(sources, `authentication/allow/${operation}`, grants);
}

/** For whom the records of a resource exist; see `Operation.visible`. */
export function visibleOf(sources: Sources, resource: string): readonly GrantPlan[] {
  return distinct(showingOperations(sources.model, resource).flatMap((meaning) => allowedOn(sources, meaning)));
}

/** Who may run it on a record: where `the` says which record that is, on that one alone. */
function allowedOn(sources: Sources, { operation, endpoint }: ResourceEndpoint): readonly GrantPlan[] {
  const grants = allowOf(sources, operation);
  if (endpoint.the === undefined) return grants;
  // Which one it is by what was asked of that operation, another does not know.
  if (endpoint.query !== undefined) return [];
  const the = typedAt(sources, `endpoints/endpoints/${operation}/the`);
  return grants.map(({ who, if: condition }) => ({ who, if: condition === undefined ? the : both(the, condition) }));
}

/** Who sees a field: absent where everybody who sees the record does. */
export function shownOf(sources: Sources, resource: string, field: string): { readonly shown?: readonly GrantPlan[] } {
  const marks = own(fieldsOf(sources.model, resource), field)?.marks ?? [];
  if (marks.includes("write-only") || marks.includes("secret")) return { shown: [] };
  const grants = own(sources.model.authentication.show, `${resource}.${field}`);
  return grants === undefined ? {} : { shown: grantsAt(sources, `authentication/show/${resource}.${field}`, grants) };
}

/**
 * Who sees each hidden field that an expression over a record of `resource` reads. That of another record is for those who
 * see it in every such record: whether it is the caller's own is not known here.
 */
export function seersOf(
  sources: Sources,
  resource: string,
  expression: TypedExpression,
): readonly (readonly GrantPlan[])[] {
  const found = new Map<string, readonly GrantPlan[]>();
  const read = (one: TypedExpression): void => {
    parts(one).forEach(read);
    if (one.kind !== "field" && one.kind !== "walk" && one.kind !== "item-field") return;
    const of = one.kind === "field" ? resource : one.resource;
    const { shown } = shownOf(sources, of, one.name);
    if (shown === undefined) return;
    const seers = one.kind === "field" ? shown : shown.filter((grant) => grant.if === undefined);
    found.set(seers.map(meaningOf).join(), seers);
  };
  read(expression);
  return [...found.values()];
}

function grantsAt(sources: Sources, path: string, grants: readonly Grant[]): readonly GrantPlan[] {
  return grants.map(({ who, if: condition }, index) =>
    condition === undefined
      ? grantPlan(sources, who)
      : grantPlan(sources, who, typedAt(sources, `${path}/${index}/if`)),
  );
}

/**
 * A grant that names no role is not for tokens that scopes bind, unless it says `any-scope`; nor is one for anyone whose
 * condition asks who the caller is, which a token without a scope for it must not answer.
 */
export function grantPlan(
  { model }: Pick<Sources, "model">,
  who: Grant["who"],
  condition?: TypedExpression,
): GrantPlan {
  const given = condition === undefined ? {} : { if: condition };
  if (who.kind === "role") return { who, ...given };
  const bound = Object.values(model.authentication.credentials).some(bindsByScopes);
  const open = who.kind === "signed-in" ? who.anyScope === true : condition === undefined || !readsCaller(condition);
  return { who: { kind: who.kind, ...(bound && !open ? { unscoped: true } : {}) }, ...given };
}

/** Each alternative once, and none with a condition beside the same one without. */
export function distinct(grants: readonly GrantPlan[]): readonly GrantPlan[] {
  const kept = new Map<string, GrantPlan>();
  for (const grant of grants) kept.set(meaningOf(grant), grant);
  return [...kept.values()].filter((grant) => grant.if === undefined || !kept.has(meaningOf({ who: grant.who })));
}

/** A text that two grants share when they mean the same; where their conditions stand does not matter. */
function meaningOf(grant: GrantPlan): string {
  return JSON.stringify([grant.who, grant.if ?? null], (key, value: unknown) => (key === "at" ? undefined : value));
}
