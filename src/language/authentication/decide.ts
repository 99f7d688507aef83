/**
 * Decides permissions from a caller's roles, before any record is read. If the decision depends on the record, the result has the
 * conditions to evaluate. The plan passes typed conditions, other callers pass texts.
 */
/** One alternative of a permission, with its condition in whatever form. */
export interface GrantOf<Condition> {
  readonly who:
    | { readonly kind: "role"; readonly role: string }
    /** `unscoped`: not those whose token is bound by scopes. */
    | { readonly kind: "signed-in" | "anyone"; readonly unscoped?: true };
  readonly if?: Condition;
}

/** The facts about a signed-in caller that permissions use. */
export interface Subject {
  readonly roles: readonly string[];
  /** Whether its token is bound by scopes. */
  readonly scoped: boolean;
}

/** Whatever the record, or where any of these conditions holds. */
export type Decision<Condition> = "denied" | "allowed" | { readonly any: readonly Condition[] };

/**
 * The union of all grants for this caller, in any order; without a grant the caller is denied (R5.1). `subject` is undefined for
 * a caller who is not signed in, who then is only `anyone`.
 */
export function decide<Condition>(
  grants: readonly GrantOf<Condition>[],
  subject: Subject | undefined,
): Decision<Condition> {
  const conditions: Condition[] = [];
  for (const grant of grants) {
    if (!names(grant.who, subject)) continue;
    if (grant.if === undefined) return "allowed";
    conditions.push(grant.if);
  }
  return conditions.length === 0 ? "denied" : { any: conditions };
}

function names(who: GrantOf<unknown>["who"], subject: Subject | undefined): boolean {
  if (who.kind === "role") return subject?.roles.includes(who.role) === true;
  if (who.unscoped === true && subject?.scoped === true) return false;
  return who.kind === "anyone" || subject !== undefined;
}
