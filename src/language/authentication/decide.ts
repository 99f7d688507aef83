/**
 * Decides permissions from a caller's roles, before any record is read. If the decision depends on the record, the result
 * contains the conditions to evaluate. The plan passes typed conditions, other callers pass texts.
 */
/** One alternative of a permission. `Condition` is a text or a typed expression. */
export interface GrantOf<Condition> {
  readonly who:
    | { readonly kind: "role"; readonly role: string }
    /** `unscoped`: excludes callers whose token is restricted by scopes. */
    | { readonly kind: "signed-in" | "anyone"; readonly unscoped?: true };
  readonly if?: Condition;
}

/** The facts about a signed-in caller on which permissions depend. */
export interface Subject {
  readonly roles: readonly string[];
  /** Whether the caller's token is restricted by scopes. */
  readonly scoped: boolean;
}

/** Denied or allowed for every record, or allowed for records that satisfy any of the conditions. */
export type Decision<Condition> = "denied" | "allowed" | { readonly any: readonly Condition[] };

/**
 * Combines all grants for this caller, in any order; without a grant the caller is denied (R5.1). `subject` is undefined for
 * an anonymous caller, to whom only grants for `anyone` apply.
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
