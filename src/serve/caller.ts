/** Who sends a request, as permissions and expressions see it. */
import type { Value } from "../expression/evaluate.ts";

export interface Caller {
  /** Null for anonymous callers. */
  readonly id: string | null;
  readonly roles: readonly string[];
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

export const anonymous: Caller = { id: null, roles: [], claims: {}, credential: null, kind: 0 };

/** The kinds of callers met so far: anonymous, and one for each set of the document's roles. */
export interface CallerKinds {
  of(roles: readonly string[]): number;
  /** The roles of a kind; undefined for anonymous. */
  roles(kind: number): readonly string[] | undefined;
}

/** Roles that the document does not know are ignored, so the number of kinds is bounded by the document. */
export function createCallerKinds(known: readonly string[]): CallerKinds {
  const numbers = new Map<string, number>();
  const sets: (readonly string[] | undefined)[] = [undefined];
  return {
    of(roles) {
      const held = known.filter((role) => roles.includes(role));
      const key = held.join(" ");
      let kind = numbers.get(key);
      if (kind === undefined) {
        kind = sets.push(held) - 1;
        numbers.set(key, kind);
      }
      return kind;
    },
    roles: (kind) => sets[kind],
  };
}
