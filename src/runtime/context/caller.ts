/** The caller of a request, for permissions and expressions. */
import { getOrMake } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Subject } from "../../language/authentication/decide.ts";

export interface Caller {
  /** Null for anonymous callers. */
  readonly id: string | null;
  readonly roles: readonly string[];
  /** Whether scopes limit its token. */
  readonly scoped: boolean;
  readonly claims: Readonly<Record<string, Value>>;
  /** The credential that authenticated it; null for anonymous callers. */
  readonly credential: string | null;
  /** The request's signature, if that authenticated it. */
  readonly signature?: string;
  /** The session that authenticated it, with its token. */
  readonly session?: { readonly session: string; readonly token: string; readonly expires?: number };
  /** Callers of one kind have the same unconditional permissions. A small number that indexes compiled data; 0 is anonymous. */
  readonly kind: number;
}

export const anonymous: Caller = { id: null, roles: [], scoped: false, claims: {}, credential: null, kind: 0 };

/** The caller for permission checks. */
export function subjectOf(caller: Caller): Subject | undefined {
  return caller.kind === 0 ? undefined : caller;
}

/** Numbers the kinds of callers: anonymous, and each combination of roles, limited by scopes or not. */
export interface CallerKinds {
  of(subject: Subject): number;
  /** The roles of a kind; undefined for anonymous. */
  subject(kind: number): Subject | undefined;
}

/** Ignores unknown roles, so the document limits the number of kinds. */
export function createCallerKinds(known: readonly string[]): CallerKinds {
  const numbers = new Map<string, number>();
  const subjects: (Subject | undefined)[] = [undefined];
  return {
    of({ roles, scoped }) {
      const held = known.filter((role) => roles.includes(role));
      const key = `${scoped} ${held.join(" ")}`;
      return getOrMake(numbers, key, () => subjects.push({ roles: held, scoped }) - 1);
    },
    subject: (kind) => subjects[kind],
  };
}

/** A record's id as the text in `Caller.id`. */
export function idText(id: Value | undefined): string {
  return typeof id === "number" ? id.toString() : typeof id === "string" ? id : "";
}
