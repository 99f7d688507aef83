/** Who sends a request, as permissions and expressions see it. */
import type { Value } from "../../expression/evaluate.ts";
import type { Subject } from "../../language/authentication/decide.ts";

export interface Caller {
  /** Null for anonymous callers. */
  readonly id: string | null;
  readonly roles: readonly string[];
  /** Whether its token is bound by scopes. */
  readonly scoped: boolean;
  readonly claims: Readonly<Record<string, Value>>;
  /** The credential it was known by; null for anonymous callers. */
  readonly credential: string | null;
  /** Of this request alone, where it was known by that. */
  readonly signature?: string;
  /** The session that it was known by, with its token. */
  readonly session?: { readonly session: string; readonly token: string; readonly expires?: number };
  /**
   * Callers of one kind pass the same unconditional permissions; a small number, to index what is prepared per kind.
   * 0 is anonymous.
   */
  readonly kind: number;
}

export const anonymous: Caller = { id: null, roles: [], scoped: false, claims: {}, credential: null, kind: 0 };

/** As permissions see it. */
export function subjectOf(caller: Caller): Subject | undefined {
  return caller.kind === 0 ? undefined : caller;
}

/** The kinds of callers met so far: anonymous, and one for each set of the document's roles, bound by scopes or not. */
export interface CallerKinds {
  of(subject: Subject): number;
  /** What permissions know of a kind; undefined for anonymous. */
  subject(kind: number): Subject | undefined;
}

/** Roles that the document does not know are ignored, so the number of kinds is bounded by the document. */
export function createCallerKinds(known: readonly string[]): CallerKinds {
  const numbers = new Map<string, number>();
  const subjects: (Subject | undefined)[] = [undefined];
  return {
    of({ roles, scoped }) {
      const held = known.filter((role) => roles.includes(role));
      const key = `${scoped} ${held.join(" ")}`;
      let kind = numbers.get(key);
      if (kind === undefined) {
        kind = subjects.push({ roles: held, scoped }) - 1;
        numbers.set(key, kind);
      }
      return kind;
    },
    subject: (kind) => subjects[kind],
  };
}

/** An id as callers are known by it: one that is counted as its digits. */
export function idText(id: Value | undefined): string {
  return typeof id === "number" ? id.toString() : typeof id === "string" ? id : "";
}
