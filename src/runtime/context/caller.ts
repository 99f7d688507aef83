/** The caller of a request, as permissions and expressions use it. */
import { getOrMake } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Subject } from "../../language/authentication/decide.ts";

export interface Caller {
  /** The caller's id; null for anonymous callers. */
  readonly id: string | null;
  readonly roles: readonly string[];
  /** Whether the caller's token is restricted by scopes. */
  readonly scoped: boolean;
  readonly claims: Readonly<Record<string, Value>>;
  /** The name of the credential that authenticated the caller; null for anonymous callers. */
  readonly credential: string | null;
  /** The request's signature, if it authenticated the caller. */
  readonly signature?: string;
  /** How long the same signed request may come again, in milliseconds. */
  readonly repeatMilliseconds?: number;
  /** The session that authenticated the caller, with its token. */
  readonly session?: { readonly session: string; readonly token: string; readonly expires?: number };
  /**
   * The number of the caller's kind, an index into compiled data; 0 is anonymous. Callers of one kind have the same
   * unconditional permissions.
   */
  readonly kind: number;
}

export const anonymous: Caller = { id: null, roles: [], scoped: false, claims: {}, credential: null, kind: 0 };

/** Returns the caller in the form that permission checks use. */
export function subjectOf(caller: Caller): Subject | undefined {
  return caller.kind === 0 ? undefined : caller;
}

/** Numbers the kinds of callers: anonymous, and each combination of roles, limited by scopes or not. */
export interface CallerKinds {
  of(subject: Subject): number;
  /** Returns the roles of a kind; undefined for anonymous callers. */
  subject(kind: number): Subject | undefined;
}

/** Creates the numbering. It ignores unknown roles, so the document limits the number of kinds. */
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

/** Returns a record's id as a text, as in `Caller.id`. */
export function idText(id: Value | undefined): string {
  return typeof id === "number" ? id.toString() : typeof id === "string" ? id : "";
}
