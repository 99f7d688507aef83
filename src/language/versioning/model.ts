/** The model of part 9, versioning: how a caller selects a version and what each version changed. */
import type { Method } from "../endpoints/model.ts";

export interface Versioning {
  readonly scheme?: "dated" | "numbered" | "none";
  readonly sent?: VersionLocation;
  readonly absent?: "pinned" | "newest" | "oldest" | "refuse";
  readonly policy?: VersionPolicy;
  /** The versions, newest first, as the document lists them. */
  readonly versions?: readonly Version[];
  /** The deprecations of versions, and of operations, fields and members, named as in a change (`deprecatedTarget`). */
  readonly deprecated?: Readonly<Record<string, Deprecation>>;
}

export type VersionLocation =
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "query"; readonly name: string }
  | { readonly kind: "path"; readonly template: string }
  | { readonly kind: "media-type" };

/** The versioning policy, with durations as written. */
export interface VersionPolicy {
  readonly breaking?: string;
  readonly notice?: string;
  readonly support?: string;
  /** The error for requests after the sunset date, such as `410 version-gone`. */
  readonly afterSunset?: VersionResponse;
  /** The error for an unknown version, and for a missing one if it is required, such as `412 version-needed`. */
  readonly unknown?: VersionResponse;
}

export interface VersionResponse {
  readonly status: number;
  readonly error: string;
}

export interface Version {
  readonly name: string;
  /** The version's changes; empty for `first`. */
  readonly changes: readonly Change[];
}

/** One version entry. `before` and `taken` are literals or expressions as written. */
export type Change =
  | { readonly kind: "rename"; readonly from: ChangeTarget; readonly to: string }
  | { readonly kind: "add"; readonly target: ChangeTarget; readonly taken?: string }
  | { readonly kind: "remove"; readonly target: ChangeTarget; readonly type?: string; readonly seen?: string }
  | { readonly kind: "require"; readonly target: ChangeTarget; readonly taken: string }
  | { readonly kind: "relax"; readonly target: ChangeTarget; readonly was?: string; readonly seen?: string }
  | {
      readonly kind: "retype";
      readonly target: ChangeTarget;
      readonly was: string;
      readonly seen?: string;
      readonly taken?: string;
    }
  | { readonly kind: "path"; readonly operation: string; readonly method: Method; readonly path: string }
  | { readonly kind: "error"; readonly code: string; readonly status: number; readonly was: string }
  | { readonly kind: "event"; readonly name: string; readonly was?: string }
  | { readonly kind: "state"; readonly resource: string; readonly name: string; readonly seen: string }
  | { readonly kind: "add-value"; readonly target: ChangeTarget; readonly value: string; readonly seen: string };

/**
 * What a change is about: `Parcel.reference`, or an operation's member such as `collect.code`. A whole resource or operation
 * has no `field`.
 */
export interface ChangeTarget {
  readonly of: string;
  readonly field?: string;
}

/** Returns the target as a document writes it. */
export function targetName({ of, field }: ChangeTarget): string {
  return field === undefined ? of : `${of}.${field}`;
}

/** Returns what a key of `deprecated` names: a target; undefined for the name of a version, `2` or `2026-09-01` (`v2` is a common mistake). */
export function deprecatedTarget(key: string): ChangeTarget | undefined {
  if (/^v?\d[\d.-]*$/i.test(key)) return undefined;
  const dot = key.indexOf(".");
  return dot < 0 ? { of: key } : { of: key.slice(0, dot), field: key.slice(dot + 1) };
}

/** The form of a guide: an absolute address, which the header field `Link` contains between `<` and `>` (RFC 8288). */
export const guideAddress: RegExp = /^https?:\/\/[!#-.0-;=?-~][!#-;=?-~]*$/;

export interface Deprecation {
  readonly since?: string;
  readonly sunset?: string;
  readonly guide?: string;
}
